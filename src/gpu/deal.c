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
#include "gpu/segreduce/windows.h"
#include "gpu/select/select.h"
#include "gpu/transpose/turns.h"
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

/* Others may still be at work for an earlier call. */
static oplus_status wait_for_all(const opi_deal *deal, const char *call)
{
    for (unsigned w = 0; w < deal->workers; w++) {
        opi_gpu *const gpu = deal->all[w]->gpu;
        OPI_TRY(opi_enter(gpu, call));
        OPI_TRY(opi_leave(gpu, call, gpu->driver->sync(gpu, call, OPI_QUEUE_COMPUTE)));
    }
    return OPLUS_OK;
}

oplus_status opi_deal_reserve(const opi_deal *deal, const char *call, opi_gpu_buffer *buffer, size_t bytes)
{
    if (buffer->mem && bytes > buffer->bytes) OPI_TRY(wait_for_all(deal, call));
    return opi_gpu_reserve(deal->all[deal->own], call, buffer, bytes);
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

opi_dealt_pages opi_deal_pages(const opi_deal *deal)
{
    opi_dealt_pages p = {.workers = 1};
    if (!deal) return p;
    p = (opi_dealt_pages){.beyond = deal->beyond, .workers = deal->workers, .own = deal->own};
    while ((size_t)2 << p.log_page <= deal->page) p.log_page++;
    return p;
}

void opi_deal_write_pages(const opi_deal *deal, opi_gpu_source *source)
{
    opi_gpu_define(source, "OPI_DEALT", deal != NULL);
    opi_gpu_write_kernels(source, "pages");
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

static bool can_select(opi_job *job) { return opi_picks_can(job, job->task->n); }

static oplus_status prepare_select(opi_job *job)
{
    OPI_TRY(opi_gpu_select_ready(job));
    return opi_picks_prepare(job, job->task->n);
}

static oplus_status run_select(opi_job *job)
{
    const opi_part part = all_of(job);
    OPI_TRY(opi_gpu_select_ready(job));
    return opi_picks_run(job, &part);
}

static oplus_status finish_select(opi_job *job)
{
    const opi_part part = all_of(job);
    if (job->deal->own != opi_picks_end_at(job)) return OPLUS_OK;
    OPI_TRY(opi_gpu_select_ready(job));
    OPI_TRY(opi_picks_measure(job, &part));
    return opi_tiles_take_result(job, false);
}

/* Long segments are joined by who comes last: accelerators count together in the memory of one. */
static bool can_segreduce(opi_job *job)
{
    opi_segments s = {.job = *job};
    s.size = job->task->op->type->size;
    opi_gpu_segments_shape(&s);
    for (unsigned w = 0; w < job->deal->workers; w++)
        if (job->deal->all[w]->gpu->counts_apart) return false;
    return opi_log_tile(s.job.shape) > 0 && opi_windows_can(&s.job, job->task->n);
}

static oplus_status prepare_segreduce(opi_job *job)
{
    opi_segments s;
    OPI_TRY(opi_gpu_segreduce_ready(job, &s));
    return opi_windows_prepare(&s.job, job->task->n);
}

static oplus_status step_of_segreduce(opi_job *job, oplus_status (*step)(opi_job *job, const opi_part *part))
{
    const opi_part part = all_of(job);
    opi_segments s;
    OPI_TRY(opi_gpu_segreduce_ready(job, &s));
    OPI_TRY(opi_windows_ready(&s, job->task->n));
    return step(&s.job, &part);
}

static oplus_status look_at_segments(opi_job *job) { return step_of_segreduce(job, opi_windows_cut); }
static oplus_status run_segreduce(opi_job *job) { return step_of_segreduce(job, opi_windows_reduce); }

static bool can_transpose(opi_job *job) { return opi_turn_deals(job); }

static oplus_status prepare_transpose(opi_job *job)
{
    opi_turning t;
    opi_turn_all(job, &t);
    return opi_turn_prepare(&t.job, job->task->n);
}

static oplus_status run_transpose(opi_job *job)
{
    const opi_part part = all_of(job);
    opi_turning t;
    opi_turn_all(job, &t);
    OPI_TRY(opi_turn_prepare(&t.job, part.n));
    return opi_turn_tiles(&t.job, &part);
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

typedef oplus_status step(opi_job *job);

static const struct {
    bool (*can)(opi_job *job);
    step *prepare, *look, *run, *finish;
} steps[OPI_PRIMITIVES] = {
    [OPI_SCAN] = {can_scan, prepare_scan, nothing, run_scan, nothing},
    [OPI_REDUCE] = {can_reduce, prepare_reduce, nothing, run_reduce, finish_reduce},
    [OPI_FILTER] = {can_filter, prepare_filter, nothing, run_filter, finish_filter},
    [OPI_SELECT] = {can_select, prepare_select, nothing, run_select, finish_select},
    [OPI_SEGREDUCE] = {can_segreduce, prepare_segreduce, look_at_segments, run_segreduce, nothing},
    [OPI_TRANSPOSE] = {can_transpose, prepare_transpose, nothing, run_transpose, nothing},
    [OPI_MAP] = {always, opi_gpu_map_ready, nothing, run_map, nothing},
    [OPI_MERGE] = {always, opi_merge_ready, nothing, run_merge, nothing},
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

static oplus_status take_step(const opi_deal *deal, const char *call, const opi_task *task, step *of)
{
    opi_job job = job_of(deal, call, task);
    OPI_INSIDE(job.g->gpu, call, of(&job));
}

oplus_status opi_deal_prepare(const opi_deal *deal, const char *call, const opi_task *task)
{
    deal->all[deal->own]->ticket = 0;
    return take_step(deal, call, task, steps[task->what].prepare);
}

oplus_status opi_deal_look(const opi_deal *deal, const char *call, const opi_task *task)
{
    return take_step(deal, call, task, steps[task->what].look);
}

oplus_status opi_deal_run(const opi_deal *deal, const char *call, const opi_task *task)
{
    return take_step(deal, call, task, steps[task->what].run);
}

oplus_status opi_deal_finish(const opi_deal *deal, const char *call, const opi_task *task)
{
    return take_step(deal, call, task, steps[task->what].finish);
}
