#include "gpu/ways.h"

#include "base/error.h"
#include "gpu/axis/axis.h"
#include "gpu/bins/bins.h"
#include "gpu/canon/look_back.h"
#include "gpu/canon/tiles.h"
#include "gpu/extreme/extreme.h"
#include "gpu/map/map.h"
#include "gpu/order/order.h"
#include "gpu/pack/pack.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/repeat/repeat.h"
#include "gpu/scan/last.h"
#include "gpu/scan/reverse.h"
#include "gpu/segreduce/windows.h"
#include "gpu/segsort/segsort.h"
#include "gpu/select/select.h"
#include "gpu/sort/counts.h"
#include "gpu/sort/digits.h"
#include "gpu/sort/partition.h"
#include "gpu/sort/passes.h"
#include "gpu/take/take.h"
#include "gpu/top/top.h"
#include "gpu/transpose/turns.h"
#include "gpu/window/window.h"
#include "task/explain.h"

#include <string.h>

static const char one_group[] = "one work-group goes from tile to tile: fewer than four whole tiles",
                  tiles[] = "tiles are summed up, their sums joined, then all is written: three launches or more",
                  back[] =
                      "each work-group reads a tile once, and looks back at the sums of those before it: one launch",
                  columns[] =
                      "each work-item does a column, or a chunk of one: one launch, or a few if columns are cut",
                  short_rows[] =
                      "each work-group copies whole rows into its own memory, where a work-item finds one: one launch",
                  long_rows[] = "few rows: each by itself, as a task of its own",
                  apart[] = "each work-group does a tile of its own";

static const opi_way ways[] = {
    {OPI_REDUCE, "last", opi_last_can, opi_last_suits, opi_last_prepare, opi_last_run,
     "each work-group sums up a part, and the one that ends last joins the sums: one launch"},
    {OPI_REDUCE, "one-group", NULL, opi_tiles_are_few, NULL, opi_one_group, one_group},
    {OPI_REDUCE, "tiles", opi_tiles_are_any, NULL, opi_tiles_prepare, opi_tiles_run, tiles},
    {OPI_SCAN, "look-back", opi_look_back_can, opi_look_back_suits, opi_look_back_prepare, opi_look_back_run, back},
    {OPI_SCAN, "pipeline", opi_pipeline_can, opi_pipeline_suits, opi_pipeline_prepare, opi_pipeline_run,
     "work-groups that stay read each tile once, and tell each other its sum: one launch"},
    {OPI_SCAN, "one-group", NULL, opi_tiles_are_few, NULL, opi_one_group, one_group},
    {OPI_SCAN, "tiles", opi_tiles_are_any, NULL, opi_tiles_prepare, opi_tiles_run, tiles},
    {OPI_FILTER, "look-back", opi_look_back_can, opi_look_back_suits, opi_look_back_prepare, opi_look_back_run, back},
    {OPI_FILTER, "pipeline", opi_sieve_can, opi_sieve_suits, opi_sieve_prepare, opi_sieve_run,
     "work-groups that stay read each tile once, and tell each other how much they keep: one launch"},
    {OPI_FILTER, "one-group", NULL, opi_tiles_are_few, NULL, opi_one_group, one_group},
    {OPI_FILTER, "tiles", opi_tiles_are_any, NULL, opi_tiles_prepare, opi_tiles_run, tiles},
    {OPI_SELECT, "flags", opi_flags_can, NULL, NULL, opi_flags_run,
     "each work-group marks a tile of its own: only flags are wanted"},
    {OPI_SELECT, "look-back", opi_look_back_can, opi_look_back_suits, opi_look_back_prepare, opi_look_back_run, back},
    {OPI_SELECT, "pipeline", opi_picks_can, opi_picks_suit, opi_picks_prepare, opi_picks_run,
     "work-groups that stay read each tile once, and tell each other how much they pick: one launch"},
    {OPI_SELECT, "tiles", NULL, NULL, opi_select_prepare, opi_select_run,
     "tiles are counted, their counts added up, then all is written: three launches or more"},
    {OPI_MAP, "blocks", NULL, NULL, NULL, opi_map_blocks, apart},
    {OPI_SEGREDUCE, "windows", opi_windows_can, NULL, opi_windows_prepare, opi_windows_run,
     "each work-group does as many segments and elements together: two launches, whatever the segments are"},
    {OPI_SEGREDUCE, "segments", NULL, NULL, opi_gpu_segments_prepare, opi_gpu_segments_run,
     "short segments are a work-item's, longer ones have work-groups of their own"},
    {OPI_SORT, "partition", opi_partition_can, opi_partition_suits, opi_partition_prepare, opi_partition_run,
     "keys alone go to buckets by their highest digits, and a work-group sorts each bucket"},
    {OPI_SORT, "counts", opi_counts_can, opi_counts_suits, opi_counts_prepare, opi_counts_run,
     "keys alone of 1 or 2 bytes are counted, and so many of each are written"},
    {OPI_SORT, "digits", opi_digits_can, NULL, opi_digits_prepare, opi_digits_run,
     "digit by digit: each element is read and written once, and tiles tell each other where theirs go"},
    {OPI_SORT, "one-group", opi_sort_fits_one, NULL, opi_sort_one_prepare, opi_sort_one_run,
     "one work-group sorts all in its own memory"},
    {OPI_SORT, "passes", NULL, NULL, opi_sort_passes_prepare, opi_sort_passes_run,
     "digit by digit: count, add up, deal out"},
    {OPI_TRANSPOSE, "thin", opi_thin_can, opi_thin_suits, opi_thin_prepare, opi_thin_run,
     "few rows or columns: each work-group does a run of all of them"},
    {OPI_TRANSPOSE, "lines", opi_lines_can, opi_lines_suits, opi_lines_prepare, opi_lines_run,
     "each work-group does a tile whose results are whole lines of memory"},
    {OPI_TRANSPOSE, "squares", opi_turn_is_in_place, NULL, opi_turn_prepare, opi_turn_squares,
     "square tiles change places in pairs"},
    {OPI_TRANSPOSE, "tiles", opi_turn_is_apart, NULL, opi_turn_prepare, opi_turn_tiles, apart},
    {OPI_TAKE, "blocks", NULL, NULL, NULL, opi_take_blocks, apart},
    {OPI_PUT, "blocks", NULL, NULL, NULL, opi_put_blocks,
     "the last of equal indices is found, then its element is written"},
    {OPI_EXTREME, "parts", NULL, NULL, opi_extreme_parts_prepare, opi_extreme_parts_run,
     "each work-group looks through a part, and one compares what they have found: two launches"},
    {OPI_EXTREME_AXIS, "short-rows", opi_extreme_rows_can, NULL, opi_extreme_rows_prepare, opi_extreme_rows_run,
     short_rows},
    {OPI_EXTREME_AXIS, "parts", NULL, NULL, opi_extreme_columns_prepare, opi_extreme_columns_run,
     "each work-group looks through some columns, or parts of them, which are then compared: one launch or two"},
    {OPI_REDUCE_AXIS, "long-rows", opi_long_rows_can, opi_long_rows_suit, NULL, opi_long_rows_run, long_rows},
    {OPI_REDUCE_AXIS, "short-rows", opi_short_rows_can, NULL, opi_short_rows_prepare, opi_short_rows_run, short_rows},
    {OPI_REDUCE_AXIS, "row-groups", opi_row_groups_can, opi_row_groups_suit, opi_row_groups_prepare, opi_row_groups_run,
     "each work-group reduces a row: one launch"},
    {OPI_REDUCE_AXIS, "rows", opi_rows_can, opi_rows_suit, opi_rows_prepare, opi_rows_run,
     "each row is a segment of a segmented reduce, whose offsets are made first"},
    {OPI_REDUCE_AXIS, "columns", NULL, NULL, opi_columns_prepare, opi_columns_run, columns},
    {OPI_SCAN_AXIS, "long-rows", opi_long_rows_can, opi_long_rows_suit, NULL, opi_long_rows_run, long_rows},
    {OPI_SCAN_AXIS, "short-rows", opi_short_rows_can, NULL, opi_short_rows_prepare, opi_short_rows_run, short_rows},
    {OPI_SCAN_AXIS, "rows", opi_rows_can, opi_rows_suit, opi_rows_prepare, opi_rows_run,
     "each work-group goes from tile to tile of a row, then to another row"},
    {OPI_SCAN_AXIS, "columns", NULL, NULL, opi_columns_prepare, opi_columns_run, columns},
    {OPI_SCAN_REVERSE, "scan", NULL, NULL, opi_reverse_prepare, opi_reverse_run,
     "a scan over the elements in the opposite order, by a way of scans that takes them one by one"},
    {OPI_WINDOW, "tiles", NULL, NULL, opi_window_prepare, opi_window_tiles,
     "the first results are a scan's; of the others each work-group does a tile, or some passes do that for long "
     "windows"},
    {OPI_BOUNDS, "tree", opi_bounds_tree_can, opi_bounds_tree_suits, opi_bounds_tree_prepare, opi_bounds_tree_run,
     "samples of the sorted array are made, as a tree of nodes of 4 to 16; each work-item goes down it for some "
     "elements at the same time: two launches"},
    {OPI_BOUNDS, "searches", NULL, NULL, opi_bounds_prepare, opi_bounds_run,
     "each work-item searches for some elements at the same time, by halving"},
    {OPI_TOP, "sift", opi_top_sift_can, NULL, opi_top_sift_prepare, opi_top_sift_run,
     "samples give a bound; all keys are read once, and those that it leaves are searched"},
    {OPI_TOP, "digits", opi_top_digits_can, NULL, opi_top_digits_prepare, opi_top_digits_run,
     "the last one that is wanted is found digit by digit, each time among all keys"},
    {OPI_TOP, "argsort", NULL, NULL, opi_top_argsort_prepare, opi_top_argsort_run,
     "all keys are sorted: many are wanted"},
    {OPI_NTH, "sift", opi_nth_sift_can, NULL, opi_nth_sift_prepare, opi_nth_sift_run,
     "samples give two bounds; all keys are read once, and those between are searched"},
    {OPI_NTH, "digits", NULL, NULL, opi_nth_digits_prepare, opi_nth_digits_run,
     "the key is found digit by digit, each time among all keys"},
    {OPI_MERGE, "tiles", NULL, NULL, opi_merge_prepare, opi_merge_run_way,
     "it is found where each tile of the result begins in both arrays; then each work-group merges a tile"},
    {OPI_SORT_BY, "merges", NULL, NULL, opi_sort_by_prepare, opi_sort_by_run_way,
     "each work-group sorts a tile in its own memory; then passes merge sorted runs in pairs"},
    {OPI_SEGSORT, "short", opi_segsort_short_can, NULL, NULL, opi_segsort_short_run,
     "of segments of at most 512 elements (where offsets lie on a device, that is known only in the call) each "
     "work-group has some, and sorts them in its own memory"},
    {OPI_SEGSORT, "mixed", opi_segsort_mixed_can, opi_segsort_mixed_suits, NULL, opi_segsort_mixed_run,
     "short segments as by that way; up to 8 longer ones by a sort each; more of them are copied to where they lie "
     "together, if they have at most half of the elements (7/8 where one sort is enough), and sorted as by the way "
     "\"two-sorts\""},
    {OPI_SEGSORT, "two-sorts", NULL, NULL, NULL, opi_segsort_two_run,
     "keys are sorted, then stably by their segments, or once where a key and a segment's number have at most 64 bits: "
     "the same time whatever the segments are"},
    {OPI_COUNT, "parts", NULL, NULL, opi_count_parts_prepare, opi_count_parts_run,
     "each work-group counts a part, in its own memory if there are at most 4096 bins; then the counts are added up"},
    {OPI_BY_INDEX, "sort", NULL, NULL, NULL, opi_by_sort_run,
     "elements are sorted by their bins, and each bin is reduced as a segment"},
    {OPI_REPEAT, "tiles", NULL, NULL, opi_repeat_prepare, opi_repeat_tiles,
     "it is found which element each tile of the output begins with; then each work-group writes a tile: two launches"},
    {OPI_COUNT_ENDS, "blocks", NULL, NULL, opi_count_ends_prepare, opi_count_ends_run,
     "each work-group adds up some blocks of counts; then these sums are scanned"},
    {OPI_PACK, "blocks", NULL, NULL, NULL, opi_pack_blocks, apart},
};
enum { WAYS = sizeof ways / sizeof *ways };

static bool can(const opi_way *way, const opi_job *job, uint64_t n)
{
    return way->what == job->task->what && (!way->can || way->can(job, n));
}

const opi_way *opi_way_of(const opi_job *job, uint64_t n)
{
    const opi_ways_wanted *const wanted = &job->g->wanted;
    for (int i = 0; i < WAYS && wanted->count > 0; i++)
        if (can(&ways[i], job, n) && opi_way_is_wanted(wanted, ways[i].name)) return &ways[i];
    const opi_way *way = ways;
    while (!can(way, job, n) || (way->suits && !way->suits(job, n))) way++; /* one way always suits */
    return way;
}

/* A rehearsal tells the first way that it comes to. */
static void tell(const opi_job *job, const opi_way *way)
{
    opi_rehearsal *const seen = job->g->rehearsal;
    if (seen && !seen->way) seen->way = way->name;
}

oplus_status opi_way_prepare(opi_job *job, uint64_t n)
{
    const opi_way *const way = opi_way_of(job, n);
    tell(job, way);
    return way->prepare ? way->prepare(job, n) : OPLUS_OK;
}

oplus_status opi_way_run(opi_job *job, const opi_part *part)
{
    const opi_way *const way = opi_way_of(job, part->n);
    tell(job, way);
    if (way->prepare) OPI_TRY(way->prepare(job, part->n));
    return way->run(job, part);
}

oplus_status opi_way_run_all(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    return opi_way_run(job, &part);
}

void opi_ways_explain(opi_primitive what, const char *taken, opi_saying *to)
{
    for (int i = 0; i < WAYS; i++)
        if (ways[i].what == what)
            opi_say_way(to, taken && strcmp(ways[i].name, taken) == 0, ways[i].name, ways[i].words);
}
