/* Arrays of the host on their way through an accelerator. */
#ifndef OPI_GPU_STAGE_H
#define OPI_GPU_STAGE_H

#include "cores/crew.h"
#include "gpu/job.h"

/* Which arrays have to be brought to the device, and how. */
typedef struct opi_staging {
    opi_gpu_side side[OPI_MAX_ARRAYS];
    bool any;           /* some array is the host's */
    bool appends;       /* to an array of the host */
    bool pinned;        /* pieces go through pinned memory */
    size_t item_bytes;  /* of all of the host's arrays */
    size_t piece_items; /* a multiple of the tile */
} opi_staging;

oplus_status opi_stage_look(const opi_job *job, opi_staging *staging);

/* How many items the part that was computed last has appended. */
typedef oplus_status opi_stage_count(opi_job *job, uint64_t *count);

/* Computes all items of the task, n > 0, of which some array is the host's, piece after piece.  Where pieces append to an
 * array of the host, *appended is what all of them have; `count` is asked after each. */
oplus_status opi_stage_run(opi_job *job, const opi_staging *staging, opi_stage_count *count, uint64_t *appended);

/* memcpy by so many threads. */
void opi_copy_shared(opi_crew **crew, char *to, const char *from, size_t bytes, int threads);

#endif
