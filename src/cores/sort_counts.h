/* The sort of keys alone of 1 byte: equal keys have equal bits, so that it is enough to count them and to write so many of
 * each.  It needs no scratch memory. */
#ifndef OPI_SORT_COUNTS_H
#define OPI_SORT_COUNTS_H

#include "cores/cores.h"
#include "cores/sort.h"

/* Whether a sort is of such keys, and of more of them than are sorted on the stack. */
bool opi_sort_counts_can(const opi_sort *sort);
oplus_status opi_sort_counts_run(opi_cores *cores, const char *call, const opi_sort *sort);

#endif
