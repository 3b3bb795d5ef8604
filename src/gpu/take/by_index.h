/* What take and put on an accelerator share: a table, which indices name the elements of and which lies on the device as a
 * whole, and arrays with an item for each index, which may come in pieces of the host's arrays. */
#ifndef OPI_GPU_BY_INDEX_H
#define OPI_GPU_BY_INDEX_H

#include "gpu/job.h"

typedef struct opi_by_index {
    opi_job job;     /* must be first; its task is `pieces` */
    opi_task pieces; /* the indices, and what is taken or put */
    opi_gpu_side at, moved, table_side;
    const char *table; /* on the device: the elements low ... low + some - 1 */
    uint64_t low, some;
    void *fault;   /* where kernels tell of an index out of range: an opi_wrong_index; NULL: indices are clipped */
    unsigned unit; /* bytes that are moved at a time */
} opi_by_index;

/* Looks where the arrays lie.  job and pieces have been copied. */
oplus_status opi_by_index_begin(opi_by_index *t);
/* The largest power of two up to OPI_VECTOR_BYTES that divides an element and all addresses; pieces of the host's arrays are
 * aligned in device memory. */
unsigned opi_by_index_unit(const opi_by_index *t);
/* Begins the source of a program, and its key. */
void opi_by_index_write(opi_gpu_source *source, const opi_by_index *t);
opi_key opi_by_index_key(const opi_by_index *t, const char *primitive);

/* Makes ready where kernels tell of an index out of range.  Of a task that is dealt out each accelerator has a place of its
 * own; positions count from the first index of the call. */
oplus_status opi_by_index_prepare_fault(opi_by_index *t);
/* Looks at what the kernels have told.  The host finds out which index is the first one that is wrong. */
oplus_status opi_by_index_look_for_wrong(const opi_by_index *t);
/* If the indices lie in device memory, the first `count` of them become a copy of the host, in the cores' array. */
oplus_status opi_by_index_read(const opi_by_index *t, size_t count, opi_indices *indices);

#endif
