/* Whether a task is worth dealing out page by page: every accelerator that takes part costs the host some launches and waits,
 * and one alone reads over the links what the others have. */
#include "gpus/ways.h"

/* What a call costs beside moving bytes, µs: by one accelerator; by all, and for each of them (two and four H200, 2026-11-28,
 * 2^21 and 2^23 f32). */
typedef struct cost {
    double one, all, each;
} cost;

static const cost pass = {5, 0, 9};    /* a launch or two on each, which wait for what the others have done before */
static const cost tables = {5, 5, 18}; /* a few launches on each */
static const cost sampling = {66, 45, 24}; /* many, each behind what all have done before */

/* Bytes a µs. */
static const double over_nvlink = 370e3, over_bus = 25e3, in_memory = 4e6;
/* A link has room for both directions at the same time, but not for all of both. */
static const double of_other_direction = 0.4;
/* Single elements of another one's memory, a µs. */
static const double elements_a_us = 7.8e3;

/* A link that adds to memory beyond it is no bus. */
static double link_rate(const opi_gpus *g)
{
    for (unsigned w = 0; w < g->count; w++) {
        const opi_gpu *const gpu = opi_gpu_driver_of(g->worker[w]);
        if (gpu && gpu->counts_apart) return over_bus;
    }
    return over_nvlink;
}

/* What lies in pages, of which each accelerator has a part. */
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

static cost cost_of(const opi_task *task)
{
    if (task->what == OPI_TOP || task->what == OPI_NTH) return sampling;
    return task->what == OPI_COUNT ? tables : pass;
}

/* Elements that are reached one by one, wherever they lie; a search reads several for each that is looked for. */
static double scattered_of(const opi_task *task)
{
    enum { OF_SEARCH = 8 };
    const double n = (double)task->n;
    return task->what == OPI_BOUNDS ? OF_SEARCH * n : task->what == OPI_TAKE || task->what == OPI_PUT ? n : 0;
}

opi_gpus_guess opi_gpus_guess_of(const opi_gpus_job *job)
{
    const cost c = cost_of(job->task);
    const double count = job->g->count, away = (count - 1) / count, in = bytes_of(job, false),
                 out = bytes_of(job, true);
    const double most = in < out ? out : in, least = in < out ? in : out;
    const double moved = away * (most + of_other_direction * least) / link_rate(job->g);
    const double reached = away * scattered_of(job->task) / elements_a_us;
    return (opi_gpus_guess){.one = c.one + moved + reached,
                            .all = c.all + count * c.each + (in + out) / count / in_memory + reached / count};
}

bool opi_gpus_too_little(const opi_gpus_job *job)
{
    const opi_gpus_guess guess = opi_gpus_guess_of(job);
    return guess.one < guess.all && opi_gpus_pages_can(job);
}
