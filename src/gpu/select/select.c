/* Select on an accelerator.  Arrays of the host are copied whole, since a run may begin in any piece; if they do not fit
 * the device, and all arrays are the host's, the cores do the task. */
#define OPLUS_DEBUG /* no loops: what is defined here is for devices alone */
#include "gpu/select/select.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/canon/look_back.h"
#include "gpu/canon/tiles.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/param.h"
#include "gpu/ways.h"
#include "gpu/whole.h"
#include "task/make.h"
#include "type/bits.h"

#include <stdio.h>

enum { MOST_WORD = 8 /* bytes that are compared at once */ };

/* The node of a tile, if lengths of runs are wanted (picks.cl). */
OPLUS_STRUCT(opi_run_end32, uint32_t picked; uint32_t last;)
OPLUS_STRUCT(opi_run_end64, uint64_t picked; uint64_t last;)
/* cppcheck-suppress unknownMacro */
OPLUS_OP(opi_join_ends32, opi_run_end32, (0, 0), OPLUS_EXACT, {
    b.last = b.picked == 0 ? a.last : b.last;
    b.picked += a.picked;
    return b;
})
OPLUS_OP(opi_join_ends64, opi_run_end64, (0, 0), OPLUS_EXACT, {
    b.last = b.picked == 0 ? a.last : b.last;
    b.picked += a.picked;
    return b;
})

static bool has_lengths(const opi_task *task) { return task->array[OPI_COUNT_OUT].mem != NULL; }

/* What adds up nodes. */
static const oplus_op *adds(const opi_task *task)
{
    if (!has_lengths(task)) return &oplus_sum_u64;
    return task->array[OPI_COUNT_OUT].size == sizeof(uint32_t) ? &opi_join_ends32_op : &opi_join_ends64_op;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

/* Writes how two elements are compared by their bits, without their padding. */
static void write_differ(opi_gpu_source *source, const oplus_type *type)
{
    static const char *const words[MOST_WORD + 1] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    opi_spans spans;
    size_t word = opi_smaller(type->align, MOST_WORD);
    if (opi_gpu_failed(source)) return;
    opi_spans_of(type, &spans);
    for (int k = 0; k < spans.count; k++)
        while (spans.span[k].at % word || spans.span[k].bytes % word) word /= 2;
    fprintf(source->to,
            "OPI_FUNCTION bool opi_differ(OPI_GLOBAL const opi_unit *a, OPI_GLOBAL const opi_unit *b)\n{\n"
            "    OPI_GLOBAL const %s *const x = (OPI_GLOBAL const %s *)a, *const y = (OPI_GLOBAL const %s *)b;\n",
            words[word], words[word], words[word]);
    for (int k = 0; k < spans.count; k++)
        fprintf(source->to, "    for (uint32_t k = %zu; k < %zu; k++)\n        if (x[k] != y[k]) return true;\n",
                spans.span[k].at / word, (spans.span[k].at + spans.span[k].bytes) / word);
    fprintf(source->to, "    return false;\n}\n");
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const opi_task *const task = job->task;
    const oplus_type *const type = task->select.type;
    opi_gpu_write_shape(source, job->shape, type->size);
    opi_gpu_define(source, "OPI_UNIT", opi_smaller(type->align, OPI_VECTOR_BYTES));
    opi_gpu_define(source, "OPI_PICKS", task->select.picks);
    opi_gpu_define(source, "OPI_COMPARES", task->fn != NULL);
    opi_gpu_define(source, "OPI_INDEX", task->array[OPI_INDEX_OUT].size);
    opi_gpu_define(source, "OPI_LENGTHS", has_lengths(task));
    opi_gpu_define(source, "OPI_PARAMETER", task->fn && task->fn->param_type);
    opi_gpu_define(source, "OPI_INDEXED", opi_task_indexed(task) != NULL);
    if (task->fn) opi_gpu_write_fn(source, task->fn, true);
    opi_gpu_write_kernels(source, "bound"); /* defines its words as nothing */
    opi_gpu_write_kernels(source, "picks");
    opi_gpu_write_tree(source, job->shape, type->size);
    opi_gpu_write_kernels(source, "unit");
    if (!task->fn) write_differ(source, type);
    opi_gpu_write_kernels(source, "select");
    if (!opi_look_back_fits(&job->g->gpu->facts, job->shape, type->size)) return;
    opi_look_back_write(source, 1);
    opi_gpu_write_kernels(source, "select_once");
}

static oplus_status get_program(opi_job *job)
{
    const opi_task *const task = job->task;
    const oplus_type *const type = task->select.type;
    opi_spans spans;
    job->node = adds(task)->type->size;
    job->shape = opi_shape_for(&job->g->gpu->facts, type->size, job->node);
    opi_key key = opi_key_begin("select", job->shape);
    opi_key_number(&key, task->select.picks);
    opi_key_number(&key, task->array[OPI_INDEX_OUT].size);
    opi_key_number(&key, has_lengths(task));
    opi_key_number(&key, type->size);
    opi_key_number(&key, type->align);
    if (task->fn)
        return opi_program_of_fn(&job->g->programs, job->call, task->fn, key, write_source, job, &job->program);
    opi_spans_of(type, &spans);
    for (int k = 0; k < spans.count; k++) {
        opi_key_number(&key, spans.span[k].at);
        opi_key_number(&key, spans.span[k].bytes);
    }
    return opi_program_get(&job->g->programs, job->call, "a select", key.hash, write_source, job, &job->program);
}

static uint64_t tiles_of(const opi_job *job, uint64_t n)
{
    const uint64_t tile = opi_tile(job->shape);
    return n / tile + (n % tile > 0);
}

/* --- the way "flags" ----------------------------------------------------------------------------------------------- */

bool opi_flags_can(const opi_job *job, uint64_t n)
{
    const opi_task *const task = job->task;
    (void)n;
    for (int k = OPI_PICKED_OUT; k < task->arrays; k++)
        if (task->array[k].mem && k != OPI_HEAD_OUT) return false;
    return !task->result;
}

oplus_status opi_flags_run(opi_job *job, const opi_part *part)
{
    opi_arguments a = {.count = 0};
    for (int k = 0; k <= OPI_MASK; k++) opi_add(&a, opi_memory(part->address[k]));
    opi_add(&a, opi_memory(part->address[OPI_HEAD_OUT]));
    opi_add(&a, opi_value(part->n));
    opi_add(&a, opi_memory(job->param));
    opi_add_index(&a, job);
    return opi_gpu_launch(job, "opi_mark", tiles_of(job, part->n), a.list, a.count);
}

/* --- the way "tiles" ----------------------------------------------------------------------------------------------- */

oplus_status opi_select_prepare(opi_job *job, uint64_t n)
{
    return opi_gpu_reserve(job->g, job->call, &job->g->work, (size_t)tiles_of(job, n) * job->node);
}

/* What precedes each tile: a task of its own. */
static oplus_status add_up(const opi_job *job, uint64_t tiles)
{
    opi_task scan;
    opi_job adding = {.g = job->g, .call = job->call, .task = &scan};
    void *const nodes = job->g->work.mem;
    opi_task_scan(&scan, adds(job->task), OPLUS_EXCLUSIVE, nodes, NULL, (size_t)tiles, 0, nodes);
    return opi_gpu_scan(&adding);
}

oplus_status opi_select_run(opi_job *job, const opi_part *part)
{
    const uint64_t tiles = tiles_of(job, part->n);
    const uint32_t alone = tiles == 1;
    opi_arguments count = {.count = 0}, deal = {.count = 0};
    for (int k = 0; k <= OPI_MASK; k++) opi_add(&count, opi_memory(part->address[k]));
    opi_add(&count, opi_value(part->n));
    opi_add(&count, opi_memory(job->g->work.mem));
    opi_add(&count, opi_memory(job->param));
    opi_add_index(&count, job);
    for (int k = 0; k < job->task->arrays; k++) opi_add(&deal, opi_memory(part->address[k]));
    opi_add(&deal, opi_value(part->n));
    opi_add(&deal, opi_memory(job->g->work.mem));
    opi_add(&deal, opi_value(alone));
    opi_add(&deal, opi_memory(job->result));
    opi_add(&deal, opi_memory(job->param));
    opi_add_index(&deal, job);
    if (!alone) {
        OPI_TRY(opi_gpu_launch(job, "opi_count", tiles, count.list, count.count));
        OPI_TRY(add_up(job, tiles));
    }
    return opi_gpu_launch(job, "opi_deal", tiles, deal.list, deal.count);
}

/* --- the task ------------------------------------------------------------------------------------------------------ */

/* How many items a task has written to an array, if it picks `count` elements. */
static size_t written(const opi_task *task, int k, size_t count)
{
    return k == OPI_REST_OUT ? task->n - count : task->array[k].access == OPI_APPENDS ? count : task->n;
}

/* The count is known before the results are copied, and told after them. */
static oplus_status select_from_host(opi_job *job, const opi_whole *whole)
{
    const opi_task *const task = job->task;
    uint64_t count = task->n; /* a rehearsal assumes that all are picked */
    OPI_TRY(opi_whole_bring(job, whole));
    OPI_TRY(opi_way_run(job, &whole->part));
    if (job->result) OPI_TRY(opi_gpu_fetch(job->g, job->call, &count, job->result, sizeof count));
    for (int k = OPI_PICKED_OUT; k < task->arrays; k++)
        OPI_TRY(opi_whole_take(job, whole, k, written(task, k, (size_t)count)));
    return job->result == task->result ? OPLUS_OK
                                       : opi_gpu_put(job->g, job->call, task->result, &count, task->result_bytes);
}

/* The cores do it all, where all arrays are; the count may lie in memory of the device all the same. */
static oplus_status select_on_cores(const opi_job *job)
{
    size_t count;
    opi_task task = *job->task;
    if (job->g->rehearsal) return OPLUS_OK;
    task.result = &count;
    OPI_TRY(opi_cores_run(job->g->dev.cores, job->call, &task, NULL));
    return job->task->result ? opi_gpu_put(job->g, job->call, job->task->result, &count, sizeof count) : OPLUS_OK;
}

oplus_status opi_gpu_select_ready(opi_job *job)
{
    if (job->task->fn) OPI_TRY(opi_gpu_param(job->g, job->call, job->task->fn, NULL, &job->param));
    OPI_TRY(opi_tiles_aim(job));
    job->told = true; /* every way tells the result */
    return OPLUS_OK;
}

oplus_status opi_gpu_select(opi_job *job)
{
    static const char *const names[] = {"in",   "mask",     "out",       "the indices",
                                        "rest", "the runs", "the heads", "the counts"};
    const opi_task *const task = job->task;
    opi_whole whole;
    if (task->n == 0) return opi_tiles_nothing(job);
    OPI_TRY(opi_whole_look(job, names, &whole));
    if (opi_whole_is_too_large(job, &whole, job->g->memory_bytes / 2)) return select_on_cores(job);
    OPI_TRY(get_program(job));
    OPI_TRY(opi_gpu_select_ready(job));
    OPI_TRY(opi_whole_place(job, &whole));
    OPI_TRY(opi_way_prepare(job, whole.part.n));
    if (whole.bytes > 0) return opi_gpu_settle(job->g, job->call, select_from_host(job, &whole));
    OPI_TRY(opi_way_run(job, &whole.part));
    return opi_tiles_take_result(job, false);
}
