/* Segmented reduce: each segment by itself, anchored at its start; long segments are cut between blocks. */
#ifndef OPI_SEGREDUCE_H
#define OPI_SEGREDUCE_H

#include "task/offsets.h"
#include "cores/reduce.h"

/* The carry: the nodes of the segment that is open at the end of what it summarises. */
typedef struct opi_segreduce_carry {
    bool cut;                           /* that segment begins in (or at the beginning of) what is summarised */
    _Alignas(64) unsigned char range[]; /* an opi_range, anchored at the segment's start */
} opi_segreduce_carry;

typedef struct opi_segreduce_sweep {
    opi_sweep sweep; /* items: elements from the first offset on */
    opi_loops loops;
    opi_offsets offsets;
    size_t first;   /* the first offset */
    const char *in; /* the element there */
    char *out;
} opi_segreduce_sweep;

/* Offsets that the host can read, and that are in order; segments must not all be empty. */
void opi_segreduce_plan(opi_segreduce_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
