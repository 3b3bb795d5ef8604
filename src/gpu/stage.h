/* Staging: arrays of the host are copied to an accelerator in pieces, computed, and copied back. */
#ifndef OPI_GPU_STAGE_H
#define OPI_GPU_STAGE_H

#include "gpu/job.h"

/* Which arrays of a job must be copied to the device, and how. */
typedef struct opi_staging {
    opi_gpu_side side[OPI_MAX_ARRAYS];
    bool any;           /* at least one array lies in host memory */
    bool appends;       /* the job appends to an array in host memory */
    bool pinned;        /* pieces are copied through pinned memory */
    size_t item_bytes;  /* size of an item of all arrays in host memory together */
    size_t piece_items; /* number of items of a piece, a multiple of the tile */
} opi_staging;

oplus_status opi_stage_look(const opi_job *job, opi_staging *staging);

/* Sets *count to the number of items that the last computed part has appended. */
typedef oplus_status opi_stage_count(opi_job *job, uint64_t *count);

/* Computes all items of a task, n > 0, piece after piece; at least one array lies in host memory.  If pieces append to
 * an array in host memory, `count` is called after each, and *appended is the number that all of them have
 * appended. */
oplus_status opi_stage_run(opi_job *job, const opi_staging *staging, opi_stage_count *count, uint64_t *appended);

#endif
