/* Along an axis: how the work is dealt out.
 *
 *   rows     inner is 1: whole rows, or, if there are few and they are long, each row by all threads
 *   columns  else: pieces of columns, or, if there are few columns and they are long, rows of all columns */
#include "cores/axis.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/columns.h"
#include "cores/rows.h"
#include "cores/ways.h"
#include "task/make.h"

enum {
    LONG_BYTES = 1 << 20, /* of a row or a slab that is worth all threads */
    PIECES_A_WORKER = 4   /* so that a late thread leaves its share to others */
};

size_t opi_axis_pieces(opi_cores *cores, const opi_axis *axis, size_t size)
{
    return PIECES_A_WORKER * opi_cores_threads(cores, axis->outer * axis->n * axis->inner * size);
}

bool opi_axis_is_dealt_by_slab(opi_cores *cores, const opi_axis *axis, size_t size, size_t pieces)
{
    return axis->n * axis->inner * size >= LONG_BYTES && pieces < opi_axis_pieces(cores, axis, size);
}

static size_t pieces_of(opi_cores *cores, const opi_task *task)
{
    return opi_axis_pieces(cores, &task->axis, task->op->type->size);
}

static bool is_dealt_by_slab(opi_cores *cores, const opi_task *task, size_t pieces)
{
    return opi_axis_is_dealt_by_slab(cores, &task->axis, task->op->type->size, pieces);
}

/* --- inner == 1 --------------------------------------------------------------------------------------------------- */

/* The task of row o by itself. */
static opi_task task_of_row(const opi_task *task, size_t o)
{
    const size_t n = task->axis.n, size = task->op->type->size;
    const char *const in = (const char *)task->array[OPI_IN].mem + o * n * size;
    char *const out = (char *)task->array[OPI_AXIS_OUT].mem;
    opi_task row;
    if (task->what == OPI_SCAN_AXIS)
        opi_task_scan(&row, task->op, task->exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE, in, NULL, n, 0,
                      out + o * n * size);
    else
        opi_task_reduce(&row, task->op, in, NULL, n, 0, out + o * size);
    return row;
}

static oplus_status run_rows(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_rows_sweep plan;
    if (!is_dealt_by_slab(cores, task, task->axis.outer)) {
        opi_rows_plan(&plan, cores->isa, task);
        return opi_cores_sweep(cores, call, &plan.sweep, NULL);
    }
    for (size_t o = 0; o < task->axis.outer; o++) {
        const opi_task row = task_of_row(task, o);
        OPI_TRY(opi_cores_run(cores, call, &row, NULL));
    }
    return OPLUS_OK;
}

/* --- inner > 1 ---------------------------------------------------------------------------------------------------- */

static oplus_status run_slab(opi_cores *cores, const char *call, const opi_task *task, size_t o)
{
    opi_columns_sweep plan;
    opi_columns_plan_rows(&plan, cores->isa, task, o);
    if (plan.scans) return opi_cores_sweep(cores, call, &plan.sweep, NULL);
    if (!opi_buffer_reserve(&cores->carry, plan.sweep.carry_bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", call, plan.sweep.carry_bytes);
    plan.sweep.start(&plan.sweep, 0, cores->carry.mem);
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, cores->carry.mem));
    plan.sweep.finish(&plan.sweep, cores->carry.mem, plan.out);
    return OPLUS_OK;
}

static oplus_status run_columns(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_columns_sweep plan;
    const size_t bytes = task->axis.inner * task->op->type->size;
    opi_columns_plan(&plan, cores->isa, task, pieces_of(cores, task));
    if (!opi_columns_are_few(bytes) || !is_dealt_by_slab(cores, task, plan.sweep.n))
        return opi_cores_sweep(cores, call, &plan.sweep, NULL);
    for (size_t o = 0; o < task->axis.outer; o++) OPI_TRY(run_slab(cores, call, task, o));
    return OPLUS_OK;
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static bool has_rows(const opi_task *task) { return task->axis.inner == 1 && task->axis.n > 0; }

oplus_status opi_axis_run(opi_cores *cores, const char *call, const opi_task *task)
{
    return (has_rows(task) ? run_rows : run_columns)(cores, call, task);
}

void opi_axis_say_slabs(opi_saying *to, size_t slabs)
{
    opi_say(to, "%zu times, one after the other, each by all threads\n", slabs);
}

void opi_axis_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    union {
        opi_rows_sweep rows;
        opi_columns_sweep columns;
        opi_sweep sweep;
    } plan;
    size_t pieces = task->axis.outer;
    if (has_rows(task)) {
        opi_rows_plan(&plan.rows, cores->isa, task);
    } else {
        opi_columns_plan(&plan.columns, cores->isa, task, pieces_of(cores, task));
        pieces = plan.sweep.n;
    }
    if (is_dealt_by_slab(cores, task, pieces) &&
        (has_rows(task) || opi_columns_are_few(task->axis.inner * task->op->type->size)))
        opi_axis_say_slabs(to, task->axis.outer);
    else
        opi_cores_explain_sweep(cores, &plan.sweep, to);
}
