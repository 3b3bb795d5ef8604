/* The key at a place of the order. */
#ifndef OPI_CORES_NTH_H
#define OPI_CORES_NTH_H

#include "cores/cores.h"

oplus_status opi_nth_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_nth_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
