/* A segmented reduce on the cores, offsets and all. */
#ifndef OPI_SEGMENTS_H
#define OPI_SEGMENTS_H

#include "cores/cores.h"

void opi_segments_explain(opi_cores *cores, const opi_task *task, opi_saying *to);
oplus_status opi_segreduce_run(opi_cores *cores, const char *call, const opi_task *task);

#endif
