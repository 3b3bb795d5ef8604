/* Stable merge sort in the order of a function, of a whole array. */
#ifndef OPI_SORT_BY_PASSES_H
#define OPI_SORT_BY_PASSES_H

#include "cores/cores.h"

oplus_status opi_sort_by_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_sort_by_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
