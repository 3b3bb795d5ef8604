/* Where sorted keys of all ranks are cut, so that the parts follow one another in order. */
#ifndef OPI_RANKS_SELECT_H
#define OPI_RANKS_SELECT_H

#include "leaf/merge.h"
#include "tree/ranks/ranks.h"

/* Boundary j, 0 to comm->size, is where the part of rank j begins in the result.  All lists but `counts` have a number
 * for each boundary; the memory is one block. */
typedef struct opi_select {
    opi_key_order order;
    unsigned digit_bits;  /* of the key that a round finds out, at most */
    opi_buffer memory;    /* what follows: */
    uint64_t *target;     /* index of the boundary in the result; the same on all ranks, and the caller's to fill in */
    size_t *cut;          /* of this rank's keys, which is found */
    size_t *begin, *end;  /* of this rank's keys, those that may belong on either side */
    uint64_t *prefix;     /* what the key at the boundary begins with */
    uint64_t *row, *rows; /* how many keys each digit has: of this rank for each boundary, of each rank for one */
    uint64_t left;        /* of what begins with the own boundary's prefix, how many elements are before it */
    size_t *counts;       /* four lists of a parcel */
} opi_select;

/* Memory, and room for records, before opi_ranks_index. */
oplus_status opi_select_reserve(opi_ranks *ranks, opi_select *select);
void opi_select_release(opi_select *select);

/* After opi_ranks_index: finds select->cut for the targets.  keys: this rank's, sorted, the host's; status: whether
 * they could be.  Equal keys are in the order of the ranks.
 *
 * One exchange, and two for each round: as many rounds as it takes digits, of those bits in which keys differ at all,
 * to tell apart the keys at every boundary. */
oplus_status opi_select_run(opi_ranks *ranks, opi_select *select, oplus_status status, const void *keys);

#endif
