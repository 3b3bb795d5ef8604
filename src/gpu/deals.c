/* The steps of each primitive that can be dealt out (gpu/deal.h). */
#include "gpu/deals.h"

#include "base/error.h"
#include "gpu/axis/axis.h"
#include "gpu/bins/bins.h"
#include "gpu/canon/tiles.h"
#include "gpu/extreme/extreme.h"
#include "gpu/filter/filter.h"
#include "gpu/map/map.h"
#include "gpu/order/order.h"
#include "gpu/pack/pack.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/repeat/repeat.h"
#include "gpu/scan/last.h"
#include "gpu/scan/scan.h"
#include "gpu/segreduce/windows.h"
#include "gpu/select/select.h"
#include "gpu/take/take.h"
#include "gpu/top/top.h"
#include "gpu/transpose/turns.h"
#include "gpu/ways.h"
#include "gpu/window/window.h"

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
    const opi_part part = opi_part_of_all(job->task);
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
    const opi_part part = opi_part_of_all(job->task);
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
    const opi_part part = opi_part_of_all(job->task);
    OPI_TRY(opi_gpu_select_ready(job));
    return opi_picks_run(job, &part);
}

static oplus_status finish_select(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    if (job->deal->own != opi_picks_end_at(job)) return OPLUS_OK;
    OPI_TRY(opi_gpu_select_ready(job));
    OPI_TRY(opi_picks_measure(job, &part));
    return opi_tiles_take_result(job, false);
}

static bool can_transpose(opi_job *job) { return opi_turn_deals(job); }

static oplus_status prepare_transpose(opi_job *job)
{
    opi_turning t;
    opi_turn_all(job, &t);
    return opi_turn_prepare(&t.job, job->task->n);
}

static oplus_status run_transpose(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
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
    const opi_part part = opi_part_of_all(job->task);
    OPI_TRY(opi_gpu_map_ready(job));
    return opi_map_blocks(job, &part);
}

static oplus_status run_merge(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    OPI_TRY(opi_merge_ready(job));
    return opi_merge_run_way(job, &part);
}

static oplus_status run_pack(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    OPI_TRY(opi_pack_ready(job));
    return opi_pack_blocks(job, &part);
}

static oplus_status nothing(opi_job *job)
{
    (void)job;
    return OPLUS_OK;
}

const opi_deal_steps opi_deals[OPI_PRIMITIVES] = {
    [OPI_SCAN] = {can_scan, prepare_scan, nothing, run_scan, nothing, false},
    [OPI_REDUCE] = {can_reduce, prepare_reduce, nothing, run_reduce, finish_reduce, false},
    [OPI_FILTER] = {can_filter, prepare_filter, nothing, run_filter, finish_filter, false},
    [OPI_SELECT] = {can_select, prepare_select, nothing, run_select, finish_select, false},
    [OPI_SEGREDUCE] = {opi_segreduce_deals, opi_segreduce_prepare_dealt, opi_segreduce_look_dealt,
                       opi_segreduce_run_dealt, nothing, false},
    [OPI_TRANSPOSE] = {can_transpose, prepare_transpose, nothing, run_transpose, nothing, false},
    [OPI_MAP] = {always, opi_gpu_map_ready, nothing, run_map, nothing, false},
    [OPI_MERGE] = {always, opi_merge_ready, nothing, run_merge, nothing, false},
    [OPI_EXTREME] = {always, opi_extreme_prepare_dealt, nothing, opi_extreme_look_dealt, opi_extreme_join_dealt, true},
    [OPI_COUNT] = {opi_count_deals, opi_count_prepare_dealt, opi_count_ready_dealt, opi_count_run_dealt,
                   opi_count_join_dealt, true},
    [OPI_TOP] = {opi_top_deals, opi_top_prepare_dealt, opi_top_sample_dealt, opi_top_sift_dealt, opi_top_join_dealt,
                 true},
    [OPI_NTH] = {opi_nth_deals, opi_nth_prepare_dealt, opi_nth_sample_dealt, opi_nth_sift_dealt, opi_nth_join_dealt,
                 true},
    [OPI_TAKE] = {always, opi_take_prepare_dealt, nothing, opi_take_run_dealt, nothing, false},
    [OPI_PUT] = {always, opi_put_prepare_dealt, nothing, opi_put_run_dealt, nothing, false},
    [OPI_BOUNDS] = {always, opi_bounds_ready, nothing, opi_bounds_run_dealt, nothing, false},
    [OPI_PACK] = {always, opi_pack_ready, nothing, run_pack, nothing, false},
    [OPI_REDUCE_AXIS] = {opi_axis_deals, opi_axis_prepare_dealt, opi_axis_look_dealt, opi_axis_run_dealt, nothing,
                         false},
    [OPI_SCAN_AXIS] = {opi_axis_deals, opi_axis_prepare_dealt, opi_axis_look_dealt, opi_axis_run_dealt, nothing, false},
    [OPI_WINDOW] = {opi_window_deals, opi_window_prepare_dealt, nothing, opi_window_run_dealt, nothing, false},
    [OPI_REPEAT] = {always, opi_repeat_prepare_dealt, nothing, opi_repeat_run_dealt, nothing, false},
    [OPI_EXTREME_AXIS] = {always, opi_extreme_columns_prepare_dealt, opi_extreme_columns_look_dealt,
                          opi_extreme_columns_run_dealt, nothing, false},
};
