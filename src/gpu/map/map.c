#define OPLUS_DEBUG /* no loops: what is defined here is for devices alone */
#include "gpu/map/map.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/param.h"
#include "gpu/stage.h"
#include "gpu/ways.h"
#include "task/make.h"

enum { MOST_ELEMENT = 64 /* bytes of an element; a larger one counts as this when a map is cut */ };

/* The bytes of one element of each input: a work-item loads them all at once; of the result, if there is no input.  A map
 * uses no local memory, so that a work-group may have as many work-items as the device allows, even if an element is
 * large. */
static size_t element_bytes(const oplus_fn *fn)
{
    size_t bytes = fn->arity == 0 ? fn->result->size : 0;
    for (unsigned k = 0; k < fn->arity; k++) bytes += fn->input[k]->size;
    return opi_smaller(bytes, MOST_ELEMENT);
}

/* How many elements of each array a work-item moves at once. */
static size_t moved_together(const oplus_fn *fn, opi_shape shape)
{
    size_t largest = fn->result->size;
    bool divide = OPI_VECTOR_BYTES % largest == 0;
    for (unsigned k = 0; k < fn->arity; k++) {
        largest = opi_larger(largest, fn->input[k]->size);
        divide = divide && OPI_VECTOR_BYTES % fn->input[k]->size == 0;
    }
    return divide && shape.log_w > 0 ? opi_smaller(OPI_VECTOR_BYTES / largest, (size_t)1 << shape.log_e) : 1;
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_fn *const fn = job->task->fn;
    opi_gpu_write_shape(source, job->shape, element_bytes(fn));
    opi_gpu_define(source, "OPI_INPUTS", fn->arity);
    opi_gpu_define(source, "OPI_PARAMETER", fn->param_type != NULL);
    opi_gpu_define(source, "OPI_INDEXED", fn->indexed != 0);
    opi_deal_write(job->deal, source);
    opi_gpu_define(source, "OPI_MOVED", moved_together(fn, job->shape));
    opi_gpu_write_fn(source, fn, false);
    opi_gpu_write_kernels(source, "each");
    opi_gpu_write_kernels(source, "map");
}

static oplus_status get_program(opi_job *job)
{
    const oplus_fn *const fn = job->task->fn;
    job->shape = opi_shape_for(&job->g->gpu->facts, element_bytes(fn), 0);
    opi_key key = opi_key_begin("map", job->shape);
    opi_key_number(&key, job->deal != NULL);
    return opi_program_of_fn(&job->g->programs, job->call, fn, key, write_source, job, &job->program);
}

oplus_status opi_map_blocks(opi_job *job, const opi_part *part)
{
    const uint64_t tile = opi_tile(job->shape), one_more = moved_together(job->task->fn, job->shape) > 1;
    uint64_t tiles = (part->n + tile - 1) / tile + one_more;
    opi_dealt dealt = {.epoch = 0};
    opi_arguments a = {.count = 0};
    for (int k = 0; k < job->task->arrays; k++) opi_add(&a, opi_memory(part->address[k]));
    opi_add(&a, opi_value(part->n));
    opi_add(&a, opi_memory(job->param));
    opi_add_index(&a, job);
    if (job->deal) {
        tiles = opi_deal_items(job->deal, tiles, tile * job->task->array[0].size, &dealt);
        opi_add(&a, opi_value(dealt));
    }
    return opi_gpu_launch_early(job, "opi_apply", tiles, a.list, a.count);
}

oplus_status opi_gpu_map_ready(opi_job *job)
{
    OPI_TRY(get_program(job));
    return opi_gpu_param(job->g, job->call, job->task->fn, NULL, &job->param);
}

oplus_status opi_gpu_map(opi_job *job)
{
    opi_staging staging;
    OPI_TRY(opi_gpu_map_ready(job));
    OPI_TRY(opi_stage_look(job, &staging));
    return staging.any ? opi_stage_run(job, &staging, NULL, NULL) : opi_way_run_all(job);
}

/* --- a copy --------------------------------------------------------------------------------------------------------- */

/* cppcheck-suppress unknownMacro */
OPLUS_MAP(opi_same_byte, uint8_t, uint8_t, { return a; })

opi_task opi_task_move(void *to, const void *from, size_t bytes)
{
    opi_task task;
    opi_task_map(&task, &opi_same_byte_fn, &from, bytes, to);
    return task;
}
