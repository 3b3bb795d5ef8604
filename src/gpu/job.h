/* A job: a task that an accelerator is doing. */
#ifndef OPI_GPU_JOB_H
#define OPI_GPU_JOB_H

#include "gpu/deal.h"
#include "task/reached.h"

/* A primitive that needs more members has a struct of its own, which begins with this one. */
typedef struct opi_job {
    opi_accelerator *g;
    const char *call;
    const opi_task *task;
    opi_range *carry; /* for a reduce or a scan: see opi_machine's run */

    opi_program *program;
    opi_shape shape;
    const opi_deal *deal; /* NULL: this accelerator does the whole task */
    const void *param;    /* device address of the parameter of the operator or the function; NULL: there is none */

    uint64_t index; /* the index i of the first element of the next launch, for a function that has it */

    /* --- the carry from tile to tile, of a reduce, a scan or a filter --- */
    size_t node;      /* size of a node of the carry, in bytes; 0: tiles are independent */
    uint64_t at;      /* global index of the next item */
    bool fresh;       /* g->range holds nothing yet */
    bool keep;        /* g->range is needed at the end */
    bool overlaps;    /* the output may overlap input that is not yet read */
    bool keeps_nodes; /* a summarise: it keeps the nodes of tiles in g->work for the apply */
    bool has_nodes;   /* an apply: it finds the nodes of tiles in g->work */
    void *result;     /* device memory of the result; NULL: launches tell none */
    bool told;        /* the last launch that changed the range has written the result */
} opi_job;

/* The accelerator whose facts decide how a job is cut: all that share one must cut it alike. */
static inline const opi_accelerator *opi_deal_first(const opi_job *job)
{
    return job->deal ? job->deal->all[0] : job->g;
}

/* A part: some consecutive items of a job, in device memory. */
typedef struct opi_part {
    const char *address[OPI_MAX_ARRAYS]; /* each of the task's arrays, at the first item; NULL: no such array */
    uint64_t n;                          /* number of items, > 0 */
    bool last;                           /* no other part follows */
} opi_part;

/* All items of a task whose arrays lie where the device reaches them. */
static inline opi_part opi_part_of_all(const opi_task *task)
{
    opi_part part = {.n = task->n, .last = true};
    for (int k = 0; k < task->arrays; k++) part.address[k] = task->array[k].mem;
    return part;
}

/* --- the primitives ----------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_scan(opi_job *job); /* does a scan or a reduce */
oplus_status opi_gpu_scan_summarise(opi_job *job, opi_ticket *ticket);
oplus_status opi_gpu_scan_apply(opi_job *job, opi_ticket *ticket);
oplus_status opi_gpu_map(opi_job *job);
oplus_status opi_gpu_filter(opi_job *job);
oplus_status opi_gpu_take(opi_job *job);
oplus_status opi_gpu_select(opi_job *job);
oplus_status opi_gpu_put_by_index(opi_job *job);
oplus_status opi_gpu_segreduce(opi_job *job);
oplus_status opi_gpu_sort(opi_job *job);
oplus_status opi_gpu_transpose(opi_job *job);
oplus_status opi_gpu_extreme(opi_job *job);
oplus_status opi_gpu_extreme_axis(opi_job *job);
oplus_status opi_gpu_axis(opi_job *job); /* does a reduce or a scan along an axis */
oplus_status opi_gpu_scan_reverse(opi_job *job);
oplus_status opi_gpu_window(opi_job *job);
oplus_status opi_gpu_top(opi_job *job);
oplus_status opi_gpu_order(opi_job *job); /* does bounds or a merge */
oplus_status opi_gpu_sort_by(opi_job *job);
oplus_status opi_gpu_segsort(opi_job *job);
oplus_status opi_gpu_count(opi_job *job);
oplus_status opi_gpu_reduce_by_index(opi_job *job);
oplus_status opi_gpu_repeat(opi_job *job);
oplus_status opi_gpu_count_ends(opi_job *job);
oplus_status opi_gpu_pack(opi_job *job);

/* As opi_gpu_sort, of arrays in this device's memory, into others there; the task's own arrays stay as they are. */
oplus_status opi_gpu_sort_to(opi_job *job, void *keys, void *values);

/* --- merges of runs that the device reaches (order/merge_runs.c) ---------------------------------------------------- */

/* Whether it can: values may have up to 16 bytes. */
bool opi_gpu_merge_can(const opi_reached *of);
/* Compiles, and reserves memory: `run` does not fail for lack of either.  Reads the types, n and count of `of` alone. */
oplus_status opi_gpu_merge_prepare(opi_accelerator *g, const char *call, const opi_reached *of);
/* Enqueues the merge. */
oplus_status opi_gpu_merge_run(opi_accelerator *g, const char *call, const opi_reached *of);

#endif
