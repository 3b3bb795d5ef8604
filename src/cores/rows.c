#include "cores/rows.h"

#include "task/make.h"

#include <string.h>

enum {
    BLOCK_BYTES = 64 << 10,
    PIECE = 1024,            /* short rows at a time */
    STREAMED_BYTES = 2 << 10 /* of a row: results of shorter ones would not fill the lines that are written at once */
};

/* --- reduce ------------------------------------------------------------------------------------------------------- */

/* Short rows are segments of one length.  Returns how many were reduced: all, or none where the operator has no loops
 * for segments. */
static size_t reduce_short(const opi_rows_sweep *plan, size_t begin, size_t end)
{
    const opi_loops *const loops = &plan->scan.loops;
    uint64_t offsets[PIECE + 1];
    if (plan->n >= OPLUS_SHORT) return 0;
    for (size_t i = 0; i <= opi_smaller(PIECE, end - begin); i++) offsets[i] = i * plan->n;
    for (size_t s = begin; s < end;) {
        const size_t count = opi_smaller(PIECE, end - s);
        if (opi_loops_segments(loops, plan->in + s * plan->row, offsets, count, plan->out + s * loops->size) < count)
            return s - begin;
        s += count;
    }
    return end - begin;
}

/* range, scratch: of the worker. */
static void reduce_row(const opi_rows_sweep *plan, const char *in, char *out, opi_range *range, char *scratch)
{
    const opi_loops *const loops = &plan->scan.loops;
    if (plan->n <= opi_reduce_slice_limit(loops)) {
        opi_reduce_slice(loops, in, plan->n, out, scratch);
        return;
    }
    opi_range_start(range, loops->op, 0, false);
    opi_reduce_append(loops, in, plan->n, range, scratch);
    memcpy(out, opi_range_fold(range), loops->size);
}

static void apply_reduce(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                         bool aggregated, void *scratch)
{
    const opi_rows_sweep *const plan = (const opi_rows_sweep *)sweep;
    const opi_loops *const loops = &plan->scan.loops;
    opi_range *const range = scratch;
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t s = begin + reduce_short(plan, begin, end); s < end; s++)
        reduce_row(plan, plan->in + s * plan->row, plan->out + s * loops->size, range,
                   (char *)scratch + opi_range_bytes(loops->op));
    opi_quiet_run(&loops->quiet, plan->out + begin * loops->size, end - begin);
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

/* Each row is a scan of its own. */
static void apply_scan(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const opi_rows_sweep *const plan = (const opi_rows_sweep *)sweep;
    opi_scan_sweep row = plan->scan;
    opi_range *const range = scratch;
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t s = begin; s < end; s++) {
        row.lens.in[0] = plan->in + s * plan->row;
        row.out = plan->out + s * plan->row;
        opi_range_start(range, row.loops.op, 0, false);
        row.sweep.apply(&row.sweep, 0, plan->n, range, NULL, false, (char *)scratch + opi_range_bytes(row.loops.op));
    }
}

void opi_rows_plan(opi_rows_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    opi_task scan;
    const size_t size = task->op->type->size, rows = task->axis.outer;
    plan->scans = task->what == OPI_SCAN_AXIS;
    plan->n = task->axis.n;
    plan->row = plan->n * size;
    plan->in = task->array[OPI_IN].mem;
    plan->out = (char *)task->array[OPI_AXIS_OUT].mem;
    opi_task_scan(&scan, task->op, task->exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE, plan->in, NULL, task->n, 0,
                  plan->scans ? plan->out : NULL);
    opi_scan_plan(&plan->scan, isa, &scan);
    if (plan->row < STREAMED_BYTES) plan->scan.streaming = false;
    opi_sweep_clear(&plan->sweep);
    plan->sweep.replaces = plan->scans && plan->in == plan->out;
    plan->sweep.n = rows;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, plan->row);
    plan->sweep.bytes = plan->scans ? 2 * rows * plan->row : rows * (plan->row + size);
    plan->sweep.scratch_bytes =
        opi_range_bytes(task->op) + opi_larger(plan->scan.sweep.scratch_bytes, opi_reduce_scratch(&plan->scan.loops));
    plan->sweep.apply = plan->scans ? apply_scan : apply_reduce;
}
