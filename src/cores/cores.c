/* The processor of the host: tasks become sweeps, and a schedule runs them. */
#include "cores/cores.h"

#include "base/array.h"
#include "base/error.h"
#include "cores/axis.h"
#include "cores/bounds.h"
#include "cores/by_index.h"
#include "cores/crew.h"
#include "cores/extreme.h"
#include "cores/extreme_axis.h"
#include "cores/few.h"
#include "cores/filter.h"
#include "cores/histogram.h"
#include "cores/map.h"
#include "cores/merge_path.h"
#include "cores/nth.h"
#include "cores/pack.h"
#include "cores/put.h"
#include "cores/repeat.h"
#include "cores/scan.h"
#include "cores/segments.h"
#include "cores/segsort.h"
#include "cores/select.h"
#include "cores/sort_by_passes.h"
#include "cores/sort_passes.h"
#include "cores/take.h"
#include "cores/top.h"
#include "cores/transpose.h"
#include "cores/ways.h"
#include "cores/window.h"
#include "task/late.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- from a task to its sweep ------------------------------------------------------------------------------------- */

typedef union plan {
    opi_sweep sweep; /* the first member of each of the others */
    opi_reduce_sweep reduce;
    opi_scan_sweep scan;
    opi_map_sweep map;
    opi_filter_sweep filter;
    opi_transpose_sweep transpose;
    opi_take_sweep take;
    opi_put_sweep put;
    opi_extreme_sweep extreme;
    opi_bounds_sweep bounds;
    opi_merge_path_sweep merge;
    opi_select_sweep select;
    opi_repeat_sweep repeat;
    opi_pack_sweep pack;
} plan;

size_t opi_cores_threads(opi_cores *cores, size_t bytes)
{
    if (cores->workers == 1) return 1;
    return opi_smaller((size_t)cores->workers, opi_processors_now(&cores->processors, bytes));
}

static size_t bytes_of_matrix(const opi_task *task) { return 2 * task->n * task->array[OPI_IN].size; }

static bool is_scan(const opi_task *task)
{
    return task->what == OPI_SCAN || task->what == OPI_SCAN_REVERSE || task->lifted;
}

/* Plans a task that is one sweep: all but sorts, top, nth and segmented reduce. */
static void make_plan(plan *p, opi_cores *cores, const opi_task *task)
{
    const opi_isa *const isa = cores->isa;
    switch (task->what) {
    case OPI_MAP:
        opi_map_plan(&p->map, isa, task);
        break;
    case OPI_FILTER:
        opi_filter_plan(&p->filter, isa, task);
        break;
    case OPI_TAKE:
        opi_take_plan(&p->take, isa, task);
        break;
    case OPI_SELECT:
        opi_select_plan(&p->select, isa, task);
        break;
    case OPI_PUT:
        opi_put_plan(&p->put, isa, opi_cores_threads(cores, opi_put_bytes(task)), task);
        break;
    case OPI_TRANSPOSE:
        opi_transpose_plan(&p->transpose, isa, opi_cores_threads(cores, bytes_of_matrix(task)), task);
        break;
    case OPI_EXTREME:
        opi_extreme_plan(&p->extreme, isa, task);
        break;
    case OPI_BOUNDS:
        opi_bounds_plan(&p->bounds, task);
        break;
    case OPI_MERGE:
        opi_merge_path_plan(&p->merge, task);
        break;
    case OPI_REPEAT:
        opi_repeat_plan(&p->repeat, isa, task);
        break;
    case OPI_PACK:
        opi_pack_plan(&p->pack, task);
        break;
    default:
        if (is_scan(task))
            opi_scan_plan(&p->scan, isa, task);
        else
            opi_reduce_plan(&p->reduce, isa, task);
    }
}

static oplus_status reserve_carry(opi_cores *cores, const char *call, size_t bytes)
{
    if (opi_buffer_reserve(&cores->carry, bytes)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", call, bytes);
}

oplus_status opi_cores_range(opi_cores *cores, const char *call, const opi_task *task, opi_range **range)
{
    OPI_TRY(reserve_carry(cores, call, opi_range_bytes(task->op)));
    *range = cores->carry.mem;
    opi_range_start(*range, task->op, task->first, task->lifted);
    return OPLUS_OK;
}

/* Runs a task that is one sweep. */
static oplus_status run_sweep(opi_cores *cores, const char *call, const opi_task *task, void *carry)
{
    plan p;
    if (task->what == OPI_TRANSPOSE && task->n == 0) return OPLUS_OK;
    if (!carry && task->what != OPI_TRANSPOSE && opi_few_run(cores, task)) return OPLUS_OK;
    make_plan(&p, cores, task);
    if (!carry && (task->result || task->what == OPI_SELECT)) { /* a select always counts */
        OPI_TRY(reserve_carry(cores, call, p.sweep.carry_bytes));
        carry = cores->carry.mem;
        p.sweep.start(&p.sweep, 0, carry);
    }
    OPI_TRY(opi_sweep_now(cores, call, &p.sweep, carry));
    if (task->result) p.sweep.finish(&p.sweep, carry, task->result);
    return OPLUS_OK;
}

oplus_status opi_cores_run(opi_cores *cores, const char *call, const opi_task *task, opi_range *carry)
{
    OPI_TRY(opi_late_all(call, task));
    switch (task->what) {
    case OPI_SORT:
        return opi_sort_run(cores, call, task);
    case OPI_SEGREDUCE:
        return opi_segreduce_run(cores, call, task);
    case OPI_TAKE:
        return opi_take_run(cores, call, task);
    case OPI_PUT:
        return opi_put_run(cores, call, task);
    case OPI_REDUCE_AXIS:
    case OPI_SCAN_AXIS:
        return opi_axis_run(cores, call, task);
    case OPI_EXTREME_AXIS:
        return opi_extreme_axis_run(cores, call, task);
    case OPI_WINDOW:
        return opi_window_run(cores, call, task);
    case OPI_COUNT:
        return opi_histogram_run(cores, call, task);
    case OPI_BY_INDEX:
        return opi_by_index_run(cores, call, task);
    case OPI_TOP:
        return opi_top_run(cores, call, task);
    case OPI_NTH:
        return opi_nth_run(cores, call, task);
    case OPI_SEGSORT:
        return opi_segsort_run(cores, call, task);
    case OPI_SORT_BY:
        return opi_sort_by_run(cores, call, task);
    default:
        return run_sweep(cores, call, task, carry);
    }
}

void opi_cores_finish(opi_cores *cores, const opi_task *task, opi_range *carry, void *out)
{
    opi_reduce_sweep plan;
    opi_reduce_plan(&plan, cores->isa, task);
    plan.sweep.finish(&plan.sweep, carry, out);
}

/* --- the machine -------------------------------------------------------------------------------------------------- */

static oplus_status run(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry)
{
    return opi_cores_run((opi_cores *)dev, call, task, carry);
}

static oplus_status summarise(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                              opi_ticket *ticket)
{
    plan p;
    opi_cores *const cores = (opi_cores *)dev;
    OPI_TRY(opi_late_all(call, task));
    make_plan(&p, cores, task);
    ticket->number = 0;
    if (task->n == 0) return OPLUS_OK;
    const opi_sweeping s = {cores, call, &p.sweep, carry, opi_cores_workers(cores, &p.sweep)};
    if (!p.sweep.apply) return opi_cores_sweep(cores, call, &p.sweep, carry);
    OPI_TRY(opi_two_pass_summarise(&s));
    ticket->number = cores->ticket;
    cores->ticket_workers = s.workers;
    return OPLUS_OK;
}

static oplus_status apply(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                          opi_ticket *ticket)
{
    plan p;
    opi_cores *const cores = (opi_cores *)dev;
    if (task->n == 0) return OPLUS_OK;
    OPI_TRY(opi_late_all(call, task));
    if (ticket->number == 0 || ticket->number != cores->ticket) return opi_cores_run(cores, call, task, carry);
    make_plan(&p, cores, task);
    ticket->number = 0;
    cores->ticket++; /* applying overwrites the parts' summaries */
    return opi_two_pass_apply(&(opi_sweeping){cores, call, &p.sweep, carry, cores->ticket_workers});
}

static oplus_status takes(oplus_device *dev, const char *call, const opi_task *task)
{
    (void)dev;
    (void)call;
    (void)task;
    return OPLUS_OK; /* it takes every task; if memory is lacking, a run says so before it writes */
}

static oplus_status explain(oplus_device *dev, const char *call, const opi_task *task, opi_saying *to)
{
    plan p;
    opi_cores *const cores = (opi_cores *)dev;
    (void)call;
    opi_say(to, "machine: %s\n", dev->name);
    if (task->what == OPI_SORT) {
        opi_sort_explain(cores, task, to);
    } else if (task->what == OPI_SEGREDUCE) {
        opi_segments_explain(cores, task, to);
    } else if (task->what == OPI_PUT) {
        opi_put_explain(cores, task, to);
    } else if (task->what == OPI_REDUCE_AXIS || task->what == OPI_SCAN_AXIS) {
        opi_axis_explain(cores, task, to);
    } else if (task->what == OPI_EXTREME_AXIS) {
        opi_extreme_axis_explain(cores, task, to);
    } else if (task->what == OPI_WINDOW) {
        opi_window_explain(cores, task, to);
    } else if (task->what == OPI_COUNT) {
        opi_histogram_explain(cores, task, to);
    } else if (task->what == OPI_BY_INDEX) {
        opi_by_index_explain(cores, task, to);
    } else if (task->what == OPI_TOP) {
        opi_top_explain(cores, task, to);
    } else if (task->what == OPI_NTH) {
        opi_nth_explain(cores, task, to);
    } else if (task->what == OPI_SEGSORT) {
        opi_segsort_explain(cores, task, to);
    } else if (task->what == OPI_SORT_BY) {
        opi_sort_by_explain(cores, task, to);
    } else {
        make_plan(&p, cores, task);
        opi_cores_explain_sweep(cores, &p.sweep, to);
    }
    return OPLUS_OK;
}

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    *mem = opi_array_alloc(bytes, opi_cores_of(dev)->workers > 1);
    if (*mem) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes; free some or ask for less", call, bytes);
}

static void release(oplus_device *dev, void *mem)
{
    (void)dev;
    opi_array_free(mem);
}

static oplus_status lend(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    opi_buffer *const between = &opi_cores_of(dev)->between;
    if (bytes > PTRDIFF_MAX || !opi_buffer_reserve(between, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of scratch; free some and call again", call,
                        bytes);
    *mem = between->mem;
    return OPLUS_OK;
}

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    (void)dev;
    (void)call;
    if (dst != src) memcpy(dst, src, bytes);
    return OPLUS_OK;
}

static oplus_status sync(oplus_device *dev, const char *call)
{
    (void)dev;
    (void)call;
    return OPLUS_OK; /* cores are done when a call returns */
}

static void trim(oplus_device *dev) { opi_cores_trim((opi_cores *)dev); }

static void close_cores(oplus_device *dev) { opi_cores_close((opi_cores *)dev); }

const opi_machine opi_cores_machine = {.run = run,
                                       .summarise = summarise,
                                       .apply = apply,
                                       .takes = takes,
                                       .explain = explain,
                                       .alloc = alloc,
                                       .free = release,
                                       .lend = lend,
                                       .copy = copy,
                                       .sync = sync,
                                       .trim = trim,
                                       .close = close_cores,
                                       .is_host = true};

/* --- opening and closing ------------------------------------------------------------------------------------------ */

oplus_status opi_cores_open(const char *call, int workers, opi_cores **cores)
{
    const opi_isa *isa;
    OPI_TRY(opi_isa_choose(call, &isa));
    opi_cores *const opened = calloc(1, sizeof *opened);
    if (!opened)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device handle (%zu bytes)", call, sizeof *opened);
    opened->dev.machine = &opi_cores_machine;
    opened->dev.cores = opened;
    opened->isa = isa;
    opened->workers = workers;
    opi_ways_read(&opened->wanted);
    opi_processors_open(&opened->processors);
    if (workers == 1)
        snprintf(opened->dev.name, sizeof opened->dev.name, "serial %s", isa->name);
    else
        snprintf(opened->dev.name, sizeof opened->dev.name, "threads:%d %s", workers, isa->name);
    *cores = opened;
    return OPLUS_OK;
}

oplus_status opi_cores_use_openmp(const char *call, opi_cores *cores)
{
    if (cores->workers == 1) return OPLUS_OK;
    cores->crew = opi_crew_of_openmp();
    if (!cores->crew) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device handle", call);
    snprintf(cores->dev.name, sizeof cores->dev.name, "openmp:%d %s", cores->workers, cores->isa->name);
    return OPLUS_OK;
}

void opi_cores_trim(opi_cores *cores)
{
    cores->ticket++;
    opi_buffer_release(&cores->workspace);
    opi_buffer_release(&cores->carry);
    opi_buffer_release(&cores->array);
    opi_buffer_release(&cores->between);
}

void opi_cores_close(opi_cores *cores)
{
    if (!cores) return;
    opi_crew_close(cores->crew);
    opi_cores_trim(cores);
    free(cores);
}
