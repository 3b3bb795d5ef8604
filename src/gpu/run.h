/* A sweep under way on an accelerator: what sweep.c, which computes it, and pieces.c, which brings the host's arrays,
 * share. */
#ifndef OPI_GROUPS_RUN_H
#define OPI_GROUPS_RUN_H

#include "gpu/groups.h"

typedef struct opi_run {
    opi_groups *g;
    const char *call;
    const opi_form *form;
    opi_formed formed;
    const void *param; /* of form->fn or form->op, on the device */
    uint64_t at;       /* global index of the next item */
    bool fresh;        /* nothing is in the range yet */
    bool keep;         /* the range is wanted in the end */
    bool overlaps;     /* what is appended may reach what is read */
    bool aggregates;   /* before a meeting: nothing is applied, and the tiles' nodes are kept in g->work, */
    bool aggregated;   /* where they still are after it */
} opi_run;

/* n > 0 items in device memory, from those at the addresses on: what is left of a tile, whole tiles, the beginning of
 * one.  last: nothing follows. */
oplus_status opi_run_compute(opi_run *r, const char *const *address, uint64_t n, bool last);

/* The memory that computing takes, n items at a time: opi_run_compute fails for the lack of memory only before it has
 * written anything. */
oplus_status opi_run_reserve(const opi_run *r, uint64_t n);

/* What is made of the range, to device memory. */
oplus_status opi_run_result(const opi_run *r, void *to);

/* Which arrays have to be brought to the device, and how. */
typedef struct opi_staging {
    opi_gpu_side side[OPI_MAX_ARRAYS];
    bool any;           /* some array is the host's */
    bool appends;       /* to an array of the host */
    bool pinned;        /* pieces go through pinned memory */
    size_t item_bytes;  /* of all of the host's arrays */
    size_t piece_items; /* a multiple of the tile */
} opi_staging;

oplus_status opi_run_look(const opi_run *r, uint64_t n, opi_staging *staging);
/* The whole sweep; where it appends to an array of the host, its result too. */
oplus_status opi_run_staged(opi_run *r, const opi_staging *staging, const opi_sweep *sweep);

/* memcpy by so many threads. */
void opi_copy_shared(opi_crew **crew, char *to, const char *from, size_t bytes, int threads);

#endif
