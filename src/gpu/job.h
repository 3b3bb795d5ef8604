/* A task under way on an accelerator. */
#ifndef OPI_GPU_JOB_H
#define OPI_GPU_JOB_H

#include "gpu/gpu.h"

/* Primitives that need more put this first in a struct of their own. */
typedef struct opi_job {
    opi_accelerator *g;
    const char *call;
    const opi_task *task;
    opi_range *carry; /* of a reduce or a scan, as opi_machine's run has it */

    opi_program *program;
    opi_shape shape;
    const void *param; /* of the operator or the function, on the device; NULL: it takes none */

    /* --- what is carried from tile to tile, by a reduce, a scan and a filter --- */
    size_t node;      /* bytes of it; 0: tiles are independent */
    uint64_t at;      /* global index of the next item */
    bool fresh;       /* nothing is in g->range yet */
    bool keep;        /* g->range is wanted in the end */
    bool overlaps;    /* what is appended may reach what is read */
    bool keeps_nodes; /* those of the tiles are kept in g->work, for a second call, */
    bool has_nodes;   /* which finds them there */
} opi_job;

/* Items of it that are in device memory. */
typedef struct opi_part {
    const char *address[OPI_MAX_ARRAYS]; /* of the task's arrays, at the first of them; NULL where it has none */
    uint64_t n;                          /* > 0 */
    bool last;                           /* nothing follows */
} opi_part;

/* --- the primitives ------------------------------------------------------------------------------------------------ */

oplus_status opi_gpu_scan(opi_job *job); /* and reduce */
oplus_status opi_gpu_scan_summarise(opi_job *job, opi_ticket *ticket);
oplus_status opi_gpu_scan_apply(opi_job *job, opi_ticket *ticket);
oplus_status opi_gpu_map(opi_job *job);
oplus_status opi_gpu_filter(opi_job *job);
oplus_status opi_gpu_segreduce(opi_job *job);
oplus_status opi_gpu_sort(opi_job *job);
oplus_status opi_gpu_transpose(opi_job *job);

#endif
