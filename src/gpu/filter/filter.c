/* Filter on an accelerator: the carry from tile to tile is the number of kept elements. */
#include "base/error.h"
#include "gpu/canon/look_back.h"
#include "gpu/canon/tiles.h"
#include "gpu/canon/tree.h"
#include "gpu/filter/filter.h"
#include "gpu/memory.h"
#include "gpu/param.h"
#include "gpu/parts.h"
#include "gpu/stage.h"
#include "gpu/ways.h"

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_fn *const keep = job->task->fn;
    opi_gpu_write_shape(source, job->shape, keep->input[0]->size);
    opi_gpu_define(source, "OPI_UNIT", opi_smaller(keep->input[0]->align, OPI_VECTOR_BYTES));
    opi_gpu_define(source, "OPI_PARAMETER", keep->param_type != NULL);
    opi_gpu_define(source, "OPI_KEEP_INDEXED", keep->indexed != 0);
    opi_gpu_write_parts(source, job->task);
    opi_gpu_write_kernels(source, "bound"); /* defines its words as nothing */
    opi_gpu_write_kernels(source, "kept");
    opi_gpu_write_tree(source, job->shape, keep->input[0]->size);
    opi_gpu_write_kernels(source, "range");
    opi_gpu_write_tile(source);
    opi_gpu_write_kernels(source, "spine");
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "filter");
    if (!opi_look_back_fits(&job->g->gpu->facts, job->shape, keep->input[0]->size)) return;
    opi_look_back_write(source, keep->input[0]->size == 4 ? 5 : 1); /* measured for floats */
    opi_gpu_write_kernels(source, "filter_once");
}

static oplus_status get_program(opi_job *job)
{
    const oplus_fn *const keep = job->task->fn;
    job->node = sizeof(uint64_t);
    job->shape = opi_shape_for(&job->g->gpu->facts, keep->input[0]->size, job->node);
    opi_key key = opi_key_begin("filter", job->shape);
    return opi_program_of_task(&job->g->programs, job->call, job->task, key, write_source, job, &job->program);
}

/* Whether the kept elements may be written over elements that have yet to be read.  `out` has room for all items, or
 * for fewer. */
static bool writes_over_input(const opi_task *task)
{
    const opi_array *const out = opi_task_written(task);
    const uintptr_t to = (uintptr_t)out->mem;
    for (int k = 0; k < task->arrays - 1; k++) {
        const opi_array *const in = &task->array[k];
        const uintptr_t from = (uintptr_t)in->mem;
        if (to < from + task->n * in->size && from < to + task->n * out->size) return true;
    }
    return false;
}

static oplus_status count_kept(opi_job *job, uint64_t *kept)
{
    OPI_TRY(opi_tiles_result(job, job->g->value.mem));
    return opi_gpu_fetch(job->g, job->call, kept, job->g->value.mem, sizeof *kept);
}

static oplus_status prepare(opi_job *job)
{
    opi_accelerator *const g = job->g;
    job->fresh = true;
    OPI_TRY(get_program(job));
    OPI_TRY(opi_gpu_params(g, job->call, job->task, &job->param));
    return opi_gpu_reserve(g, job->call, &g->range, opi_image_bytes(job->node));
}

oplus_status opi_gpu_filter_ready(opi_job *job)
{
    OPI_TRY(prepare(job));
    return opi_tiles_aim(job);
}

oplus_status opi_gpu_filter(opi_job *job)
{
    opi_accelerator *const g = job->g;
    opi_staging staging;
    uint64_t kept = 0;
    if (job->task->n == 0) return opi_tiles_nothing(job);
    OPI_TRY(prepare(job));
    OPI_TRY(opi_stage_look(job, &staging));
    job->overlaps = !staging.appends && writes_over_input(job->task);
    OPI_TRY(staging.appends ? opi_gpu_reserve(g, job->call, &g->value, sizeof kept) : opi_tiles_aim(job));
    OPI_TRY(staging.any ? opi_stage_run(job, &staging, count_kept, &kept) : opi_way_run_all(job));
    if (!staging.appends) return opi_tiles_take_result(job, staging.any);
    return opi_gpu_put(g, job->call, job->task->result, &kept, job->task->result_bytes);
}
