/* Whether a task is worth dealing out page by page: every accelerator that takes part costs the host some launches and waits,
 * and one alone reads over the links what the others have. */
#include "gpus/ways.h"

/* Measured on four H200 (docs/performance.md), µs. */
static const double one_launch = 5;    /* a call that one accelerator does */
static const double each_apart = 8;    /* of all, each one: a launch, and waits for what the others have done before */
static const double each_joined = 11;  /* ... that makes one result with the others */
static const double each_sampled = 20; /* ... with several launches, each behind what all have done before */

/* Bytes a µs. */
static const double over_nvlink = 380e3, over_bus = 25e3, in_memory = 4e6;

/* A link that adds to memory beyond it is no bus. */
static double link_rate(const opi_gpus *g)
{
    for (unsigned w = 0; w < g->count; w++) {
        const opi_gpu *const gpu = opi_gpu_driver_of(g->worker[w]);
        if (gpu && gpu->counts_apart) return over_bus;
    }
    return over_nvlink;
}

/* What lies in pages: some of it is far away from each accelerator, and a link has room for both directions at the same time. */
static double bytes_of(const opi_gpus_job *job, bool written)
{
    double bytes = 0;
    for (int k = 0; k < job->task->arrays; k++) {
        const opi_array *const array = &job->task->array[k];
        const bool writes = array->access != OPI_READS;
        if (array->mem && job->place[k].side == OPI_LIES_DEALT && writes == written)
            bytes += (double)array->items * (double)array->size;
    }
    return bytes;
}

static double each_of(const opi_task *task)
{
    if (task->what == OPI_TOP || task->what == OPI_NTH || task->what == OPI_COUNT) return each_sampled;
    return task->result || opi_deal_is_joined(task) ? each_joined : each_apart;
}

opi_gpus_guess opi_gpus_guess_of(const opi_gpus_job *job)
{
    const double count = job->g->count, in = bytes_of(job, false), out = bytes_of(job, true);
    const double far = (in < out ? out : in) * (count - 1) / count;
    return (opi_gpus_guess){.one = one_launch + far / link_rate(job->g),
                            .all = each_of(job->task) * count + (in + out) / count / in_memory};
}

bool opi_gpus_too_little(const opi_gpus_job *job)
{
    const opi_gpus_guess guess = opi_gpus_guess_of(job);
    return guess.one < guess.all && opi_gpus_pages_can(job);
}
