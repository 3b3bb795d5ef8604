/* A reduce by index: the elements are dealt out to their bins, in their order, and each bin is a segment that is reduced.
 *
 * Each worker has a part of the elements.  It counts them by bin; then it is known where each part's elements of each bin go,
 * and each worker copies its own. */
#ifndef OPI_BY_INDEX_H
#define OPI_BY_INDEX_H

#include "cores/cores.h"

oplus_status opi_by_index_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_by_index_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
