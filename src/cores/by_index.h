/* A reduce by index, by one of three ways: elements are joined in tables, or in blocks of each bin (by_index_tables.c,
 * by_index_blocks.c); or they are dealt out to their bins, in their order, and each bin is a segment that is reduced.
 *
 * In the last one each worker has a part of the elements.  It counts them by bin; then it is known where each part's elements of each bin go,
 * and each worker copies its own. */
#ifndef OPI_BY_INDEX_H
#define OPI_BY_INDEX_H

#include "cores/cores.h"

oplus_status opi_by_index_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_by_index_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
