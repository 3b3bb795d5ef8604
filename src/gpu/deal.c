#include "gpu/deal.h"

#include "base/error.h"
#include "gpu/canon/tiles.h"
#include "gpu/filter/filter.h"
#include "gpu/map/map.h"
#include "gpu/memory.h"
#include "gpu/order/order.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/scan/last.h"
#include "gpu/scan/scan.h"
#include "gpu/ways.h"

/* --- who has what -------------------------------------------------------------------------------------------------- */

/* How many of the first x items are this accelerator's: all runs that are whole, and a part of the one that x cuts. */
static uint64_t own_of(const opi_dealt *d, uint64_t x)
{
    const uint64_t run = (uint64_t)1 << d->log_run, round = run * d->workers, in_round = x % round;
    const uint64_t before = d->own * run;
    return x / round * run + (in_round <= before ? 0 : opi_smaller(in_round - before, run));
}

uint64_t opi_deal_items(const opi_deal *deal, uint64_t items, size_t bytes, opi_dealt *dealt)
{
    dealt->workers = deal->workers;
    dealt->own = deal->own;
    dealt->log_run = 0;
    while (bytes << (dealt->log_run + 1) <= deal->page) dealt->log_run++;
    const uint64_t round = (uint64_t)deal->workers << dealt->log_run;
    dealt->lead = (uint32_t)(deal->beyond / bytes % round);
    dealt->first = (uint32_t)own_of(dealt, dealt->lead);
    return own_of(dealt, dealt->lead + items) - dealt->first;
}

unsigned opi_deal_owner(const opi_dealt *dealt, uint64_t i)
{
    return (unsigned)(((dealt->lead + i) >> dealt->log_run) % dealt->workers);
}

void opi_deal_write(const opi_deal *deal, opi_gpu_source *source)
{
    opi_gpu_define(source, "OPI_DEALT", deal != NULL);
    opi_gpu_write_kernels(source, "dealt");
}

/* --- the primitives ------------------------------------------------------------------------------------------------ */

static opi_part all_of(const opi_job *job)
{
    opi_part part = {.n = job->task->n, .last = true};
    for (int k = 0; k < job->task->arrays; k++) part.address[k] = job->task->array[k].mem;
    return part;
}

static bool can_scan(opi_job *job)
{
    opi_gpu_scan_measure(job);
    return opi_pipeline_can(job, job->task->n);
}

static oplus_status prepare_scan(opi_job *job)
{
    OPI_TRY(opi_gpu_scan_ready(job));
    return opi_pipeline_prepare(job, job->task->n);
}

static oplus_status run_scan(opi_job *job)
{
    const opi_part part = all_of(job);
    OPI_TRY(opi_gpu_scan_ready(job));
    return opi_pipeline_run(job, &part);
}

static bool can_reduce(opi_job *job)
{
    opi_gpu_scan_measure(job);
    return opi_last_deals(job);
}

static oplus_status prepare_reduce(opi_job *job)
{
    OPI_TRY(opi_gpu_scan_ready(job));
    return opi_last_prepare_dealt(job);
}

static oplus_status run_reduce(opi_job *job)
{
    OPI_TRY(opi_gpu_scan_ready(job));
    return opi_last_run_dealt(job);
}

static oplus_status finish_reduce(opi_job *job)
{
    if (job->deal->own != 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_scan_ready(job));
    OPI_TRY(opi_last_join_dealt(job));
    return opi_tiles_take_result(job, false);
}

static bool can_filter(opi_job *job) { return opi_sieve_can(job, job->task->n); }

static oplus_status prepare_filter(opi_job *job)
{
    OPI_TRY(opi_gpu_filter_ready(job));
    return opi_sieve_prepare(job, job->task->n);
}

static oplus_status run_filter(opi_job *job)
{
    const opi_part part = all_of(job);
    OPI_TRY(opi_gpu_filter_ready(job));
    return opi_sieve_run(job, &part);
}

/* The accelerator that has the last tile knows the number of kept elements. */
static oplus_status finish_filter(opi_job *job)
{
    if (job->deal->own != opi_sieve_ends_at(job)) return OPLUS_OK;
    OPI_TRY(opi_gpu_filter_ready(job));
    return opi_tiles_take_result(job, false);
}

static bool always(opi_job *job)
{
    (void)job;
    return true;
}

static oplus_status run_map(opi_job *job)
{
    const opi_part part = all_of(job);
    OPI_TRY(opi_gpu_map_ready(job));
    return opi_map_blocks(job, &part);
}

static oplus_status run_merge(opi_job *job)
{
    const opi_part part = all_of(job);
    OPI_TRY(opi_merge_ready(job));
    return opi_merge_run_way(job, &part);
}

static oplus_status nothing(opi_job *job)
{
    (void)job;
    return OPLUS_OK;
}

static const struct {
    bool (*can)(opi_job *job);
    oplus_status (*prepare)(opi_job *job), (*run)(opi_job *job), (*finish)(opi_job *job);
} steps[OPI_PRIMITIVES] = {
    [OPI_SCAN] = {can_scan, prepare_scan, run_scan, nothing},
    [OPI_REDUCE] = {can_reduce, prepare_reduce, run_reduce, finish_reduce},
    [OPI_FILTER] = {can_filter, prepare_filter, run_filter, finish_filter},
    [OPI_MAP] = {always, opi_gpu_map_ready, run_map, nothing},
    [OPI_MERGE] = {always, opi_merge_ready, run_merge, nothing},
};

/* --- the steps ----------------------------------------------------------------------------------------------------- */

static opi_job job_of(const opi_deal *deal, const char *call, const opi_task *task)
{
    return (opi_job){
        .g = deal->all[deal->own], .call = call, .task = task, .deal = deal, .index = opi_task_index(task)};
}

int opi_deal_by(const opi_task *task) { return task->what == OPI_MERGE ? OPI_MERGED_KEYS : OPI_IN; }

/* Each accelerator has a page at least, if arrays lie in pages that are dealt out. */
static bool is_enough(const opi_deal *deal, const opi_task *task)
{
    return task->n >= deal->page / task->array[opi_deal_by(task)].size * deal->workers;
}

bool opi_deal_can(const opi_deal *deal, const opi_task *task)
{
    opi_job job = job_of(deal, "oplus", task);
    return steps[task->what].can && task->first == 0 && is_enough(deal, task) && steps[task->what].can(&job);
}

oplus_status opi_deal_prepare(const opi_deal *deal, const char *call, const opi_task *task)
{
    opi_job job = job_of(deal, call, task);
    job.g->ticket = 0;
    OPI_INSIDE(job.g->gpu, call, steps[task->what].prepare(&job));
}

oplus_status opi_deal_run(const opi_deal *deal, const char *call, const opi_task *task)
{
    opi_job job = job_of(deal, call, task);
    OPI_INSIDE(job.g->gpu, call, steps[task->what].run(&job));
}

oplus_status opi_deal_finish(const opi_deal *deal, const char *call, const opi_task *task)
{
    opi_job job = job_of(deal, call, task);
    OPI_INSIDE(job.g->gpu, call, steps[task->what].finish(&job));
}
