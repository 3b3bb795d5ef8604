/* A segmented sort on the cores. */
#ifndef OPI_LEAF_SEGSORT_H
#define OPI_LEAF_SEGSORT_H

#include "cores/cores.h"

oplus_status opi_segsort_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_segsort_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
