/* Which bin each element of a piece belongs to. */
#ifndef OPI_CORES_BINS_H
#define OPI_CORES_BINS_H

#include "task/task.h"

enum { OPI_BINS_PIECE = 1024 /* elements at a time: their bins stay in a first-level cache */ };

/* bin[i] becomes the bin of element i of `in`; bins->n if it belongs to none.  n: OPI_BINS_PIECE at most.  edges: NULL if the
 * bins have none. */
void opi_bins_find(const opi_bins *bins, const void *edges, const void *in, size_t n, uint64_t *bin);

/* If an index that is to be refused is among the n indices, says which is the first one. */
oplus_status opi_bins_refuse(const char *call, const opi_bins *bins, const void *indices, size_t n);

#endif
