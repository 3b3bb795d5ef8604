/* The passes of a sort, over the leaves of cores/sort.h. */
#ifndef OPI_SORT_PASSES_H
#define OPI_SORT_PASSES_H

#include "cores/cores.h"

void opi_sort_explain(opi_cores *cores, const opi_task *task, opi_saying *to);
oplus_status opi_sort_run(opi_cores *cores, const char *call, const opi_task *task);

#endif
