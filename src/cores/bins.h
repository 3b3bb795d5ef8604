/* Which bin each element of a piece belongs to. */
#ifndef OPI_CORES_BINS_H
#define OPI_CORES_BINS_H

#include "cores/isa.h"
#include "task/task.h"

enum { OPI_BINS_PIECE = 1024 /* elements at a time: their bins stay in a first-level cache */ };

/* bin[i] becomes the bin of element i of `in`; bins->n if it belongs to none.  n: OPI_BINS_PIECE at most.  edges: NULL if the
 * bins have none. */
void opi_bins_find(const opi_bins *bins, const void *edges, const void *in, size_t n, uint64_t *bin);

/* The same for numbers of bins, as words: where they are, or in room.  *beyond becomes true if one of them is in no bin.
 * bins->n: less than 2^32 - 1. */
const uint32_t *opi_bins_find_words(const opi_isa *isa, const opi_bins *bins, const void *in, size_t n,
                                    uint32_t room[OPI_BINS_PIECE], bool *beyond);

/* If an index that is to be refused is among the n indices, says which is the first one. */
oplus_status opi_bins_refuse(const char *call, const opi_bins *bins, const void *indices, size_t n);

#endif
