/* Where sorted keys of all ranks are cut, so that the parts follow one another in order. */
#ifndef OPI_SPLITTERS_H
#define OPI_SPLITTERS_H

#include "cores/merge.h"
#include "ranks/ranks.h"

/* Where the part of a rank begins in the result. */
typedef struct opi_boundary {
    uint64_t target; /* its index there; the same on all ranks, and the caller's to fill in */
    uint64_t prefix; /* what the key there begins with: as many bits as have been found out */
    size_t begin;    /* the first of this rank's keys that begin so; in the end, where this rank's keys are cut */
    size_t end;      /* the one behind the last of them; in the end, the same as begin */
    bool open;       /* it is not found yet */
} opi_boundary;

typedef struct opi_splitters {
    opi_key_order order;
    unsigned digit_bits;    /* bits of the key that a round finds out at most */
    opi_buffer memory;      /* where the arrays below are */
    opi_boundary *boundary; /* comm->size + 1 of them: the last one is the end of the result */
    uint64_t *row;          /* how many of this rank's keys have each digit, for each boundary */
    uint64_t *rows;         /* how many of each rank's keys have each digit, for this rank's boundary */
    uint64_t left;          /* of all keys that begin as the key at this rank's boundary, how many are before it */
    size_t *counts;         /* lists of an exchange of rows */
} opi_splitters;

/* Memory, and room for records, before opi_ranks_index. */
oplus_status opi_splitters_reserve(opi_ranks *ranks, opi_splitters *s);
void opi_splitters_release(opi_splitters *s);

/* After opi_ranks_index: finds where this rank's keys are cut for the boundaries.  keys: sorted, the host's; status:
 * whether they could be.  Equal keys are in the order of the ranks.
 *
 * One exchange, and two for each round: as many rounds as it takes digits, of those bits in which keys differ at all,
 * to tell the keys at every boundary from their neighbours. */
oplus_status opi_splitters_find(opi_ranks *ranks, opi_splitters *s, oplus_status status, const void *keys);

#endif
