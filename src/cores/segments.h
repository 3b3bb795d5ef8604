/* A segmented reduce on the cores, offsets and all. */
#ifndef OPI_SEGMENTS_H
#define OPI_SEGMENTS_H

#include "cores/cores.h"

oplus_status opi_segments_run(opi_cores *cores, const char *call, const opi_task *task);

#endif
