/* The way "blocks": each worker does a contiguous block of a task's items. */
#ifndef OPI_GPUS_BLOCKS_H
#define OPI_GPUS_BLOCKS_H

#include "gpus/ways.h"

/* The blocks of a job. */
typedef struct opi_gpus_blocks {
    opi_gpus_job *job;
    opi_task of[OPI_MOST_WORKERS]; /* each block as a task of its own */
    uint64_t begin[OPI_MOST_WORKERS + 1];
    void *own; /* what a primitive has for each worker */
} opi_gpus_blocks;

void opi_gpus_cut(opi_gpus_job *job, opi_gpus_blocks *blocks);

/* --- primitives whose blocks are joined on the host (carries.c) --------------------------------------------------- */

oplus_status opi_gpus_reduce_blocks(opi_gpus_blocks *blocks);
oplus_status opi_gpus_scan_blocks(opi_gpus_blocks *blocks);
oplus_status opi_gpus_extreme_blocks(opi_gpus_blocks *blocks);

#endif
