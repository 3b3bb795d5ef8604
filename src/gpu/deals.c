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
    OPI_TRY(opi_gpu_select_ready(job));
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

const opi_deal_steps opi_deals[OPI_PRIMITIVES] = {
    [OPI_SCAN] = {.can = can_scan, .prepare = prepare_scan, .run = run_scan},
    [OPI_REDUCE] =
        {.can = can_reduce, .prepare = prepare_reduce, .run = run_reduce, .finish = finish_reduce, .awaits = true},
    [OPI_FILTER] = {.can = can_filter,
                    .prepare = prepare_filter,
                    .run = run_filter,
                    .finish = finish_filter,
                    .ends_at = opi_sieve_ends_at},
    [OPI_SELECT] = {.can = can_select,
                    .prepare = prepare_select,
                    .run = run_select,
                    .finish = finish_select,
                    .ends_at = opi_picks_end_at},
    [OPI_SEGREDUCE] = {.can = opi_segreduce_deals,
                       .prepare = opi_segreduce_prepare_dealt,
                       .look = opi_segreduce_look_dealt,
                       .run = opi_segreduce_run_dealt},
    [OPI_TRANSPOSE] = {.can = can_transpose, .prepare = prepare_transpose, .run = run_transpose},
    [OPI_MAP] = {.can = always, .prepare = opi_gpu_map_ready, .run = run_map},
    [OPI_MERGE] = {.can = always, .prepare = opi_merge_ready, .run = run_merge},
    [OPI_EXTREME] = {.can = always,
                     .prepare = opi_extreme_prepare_dealt,
                     .run = opi_extreme_look_dealt,
                     .finish = opi_extreme_join_dealt,
                     .joins = true},
    [OPI_COUNT] = {.can = opi_count_deals,
                   .prepare = opi_count_prepare_dealt,
                   .look = opi_count_ready_dealt,
                   .run = opi_count_run_dealt,
                   .finish = opi_count_join_dealt,
                   .joins = true},
    [OPI_TOP] = {.can = opi_top_deals,
                 .prepare = opi_top_prepare_dealt,
                 .look = opi_top_sample_dealt,
                 .run = opi_top_sift_dealt,
                 .finish = opi_top_join_dealt,
                 .joins = true},
    [OPI_NTH] = {.can = opi_nth_deals,
                 .prepare = opi_nth_prepare_dealt,
                 .look = opi_nth_sample_dealt,
                 .run = opi_nth_sift_dealt,
                 .finish = opi_nth_join_dealt,
                 .joins = true},
    [OPI_TAKE] = {.can = always, .prepare = opi_take_prepare_dealt, .run = opi_take_run_dealt},
    [OPI_PUT] = {.can = always, .prepare = opi_put_prepare_dealt, .run = opi_put_run_dealt},
    [OPI_BOUNDS] = {.can = always, .prepare = opi_bounds_ready, .run = opi_bounds_run_dealt},
    [OPI_PACK] = {.can = always, .prepare = opi_pack_ready, .run = run_pack},
    [OPI_REDUCE_AXIS] = {.can = opi_axis_deals,
                         .prepare = opi_axis_prepare_dealt,
                         .look = opi_axis_look_dealt,
                         .run = opi_axis_run_dealt},
    [OPI_SCAN_AXIS] = {.can = opi_axis_deals,
                       .prepare = opi_axis_prepare_dealt,
                       .look = opi_axis_look_dealt,
                       .run = opi_axis_run_dealt},
    [OPI_WINDOW] = {.can = opi_window_deals, .prepare = opi_window_prepare_dealt, .run = opi_window_run_dealt},
    [OPI_REPEAT] = {.can = always, .prepare = opi_repeat_prepare_dealt, .run = opi_repeat_run_dealt},
    [OPI_EXTREME_AXIS] = {.can = always,
                          .prepare = opi_extreme_axis_prepare_dealt,
                          .look = opi_extreme_axis_look_dealt,
                          .run = opi_extreme_axis_run_dealt},
};
