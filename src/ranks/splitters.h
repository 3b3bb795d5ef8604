/* Where sorted keys of all ranks are cut, so that the parts follow one another in order. */
#ifndef OPI_SPLITTERS_H
#define OPI_SPLITTERS_H

#include "cores/merge.h"
#include "ranks/ranks.h"

/* Where the part of a rank begins in the result. */
typedef struct opi_boundary {
    uint64_t target; /* its index there; the same on all ranks, and the caller's to fill in */
    uint64_t prefix; /* what the key there begins with */
    size_t begin;    /* of this rank's keys those that begin so; in the end both are where it is cut */
    size_t end;
    bool open; /* not found yet */
} opi_boundary;

typedef struct opi_splitters {
    opi_key_order order;
    unsigned digit_bits;    /* of the key, that a round finds out at most */
    opi_buffer memory;      /* for the following */
    opi_boundary *boundary; /* comm->size + 1 of them: the last one is the end of the result */
    uint64_t *row;          /* how many keys have each digit: this rank's, for each boundary; */
    uint64_t *rows;         /* and each rank's, for the own boundary */
    uint64_t left;          /* of the keys that begin as the own boundary's, how many are before it */
    size_t *counts;         /* of an exchange of them */
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
