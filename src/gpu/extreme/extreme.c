/* The search for extremes on an accelerator: what is known of the pieces so far stays in g->range. */
#include "gpu/extreme/extreme.h"

#include "base/error.h"
#include "gpu/canon/tiles.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/stage.h"
#include "gpu/ways.h"
#include "task/extreme.h"

enum {
    PARTS_A_UNIT = 8,      /* work-groups that run at the same time on a multiprocessor */
    LEAST_PART = 32 << 10, /* bytes: less is not worth a work-group */
    MOST_PARTS = 1 << 16,  /* what the one that compares them goes through */
    LOG_MOST_ITEMS = 31    /* of a part: places in it have 32 bits */
};

void opi_extreme_write_key(opi_gpu_source *source, const opi_task *task)
{
    const oplus_type *const type = task->extreme.type;
    opi_gpu_define(source, "OPI_IS_FLOAT", opi_is_floating(type->scalar));
    opi_gpu_define(source, "OPI_IS_SIGNED", opi_is_signed(type->scalar));
    opi_gpu_define(source, "OPI_FIRST_SIDE", task->extreme.sides == OPI_GREATEST);
    opi_gpu_write_kernels(source, "extreme_key");
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const opi_task *const task = job->task;
    opi_gpu_write_shape(source, job->shape, task->extreme.type->size);
    opi_extreme_write_key(source, task);
    opi_gpu_define(source, "OPI_SIDES", task->extreme.sides == (OPI_LEAST | OPI_GREATEST) ? 2 : 1);
    opi_gpu_define(source, "OPI_GIVES_PLACE", task->extreme.gives == OPI_GIVES_PLACE);
    opi_gpu_define(source, "OPI_GIVES_VALUES", task->extreme.gives == OPI_GIVES_VALUES);
    opi_deal_write(job->deal, source);
    opi_gpu_write_kernels(source, "extreme");
}

static oplus_status get_program(opi_job *job)
{
    const opi_task *const task = job->task;
    job->node = sizeof(opi_extreme) / 2;
    job->shape = opi_shape_for(&job->g->gpu->facts, task->extreme.type->size, job->node);
    opi_key key = opi_key_begin("extreme", job->shape);
    opi_key_number(&key, (uint64_t)task->extreme.type->scalar);
    opi_key_number(&key, task->extreme.sides);
    opi_key_number(&key, (uint64_t)task->extreme.gives << 1 | (job->deal != NULL));
    return opi_program_get(&job->g->programs, job->call, "the kernels of the search for extremes", key.hash,
                           write_source, job, &job->program);
}

/* The elements of a part: whole vectors, so that all parts are aligned as the array is. */
static uint64_t part_of(const opi_job *job, uint64_t n)
{
    const uint64_t size = job->task->extreme.type->size, most = (uint64_t)PARTS_A_UNIT * opi_units(job->g);
    const uint64_t parts = opi_smaller(most, MOST_PARTS), least = LEAST_PART / size;
    const uint64_t part = opi_round_up(opi_larger((n + parts - 1) / parts, least), OPI_VECTOR_BYTES);
    return opi_smaller(part, (uint64_t)1 << LOG_MOST_ITEMS);
}

static uint64_t parts_of(const opi_job *job, uint64_t n)
{
    const uint64_t part = part_of(job, n);
    return (n + part - 1) / part;
}

oplus_status opi_extreme_parts_prepare(opi_job *job, uint64_t n)
{
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->range, sizeof(opi_extreme)));
    return opi_gpu_reserve(job->g, job->call, &job->g->work, parts_of(job, n) * sizeof(opi_extreme));
}

/* Compares what so many parts have found. */
static oplus_status compare(opi_job *job, uint64_t parts, void *result)
{
    const uint32_t flags = job->fresh ? OPI_FRESH : 0u;
    const opi_gpu_argument list[] = {opi_memory(job->g->work.mem), opi_value(parts), opi_memory(job->g->range.mem),
                                     opi_value(flags), opi_memory(result)};
    OPI_TRY(opi_gpu_launch(job, "opi_extreme_compare", 1, list, 5));
    job->fresh = false;
    job->told = result != NULL;
    return OPLUS_OK;
}

oplus_status opi_extreme_parts_run(opi_job *job, const opi_part *part)
{
    const uint64_t items = part_of(job, part->n), parts = parts_of(job, part->n);
    const opi_gpu_argument list[] = {opi_memory(part->address[OPI_IN]), opi_value(part->n), opi_value(items),
                                     opi_value(job->at), opi_memory(job->g->work.mem)};
    OPI_TRY(opi_gpu_launch(job, "opi_extreme_look", parts, list, 5));
    OPI_TRY(compare(job, parts, part->last ? job->result : NULL));
    job->at += part->n;
    return OPLUS_OK;
}

/* --- a search that is dealt out ------------------------------------------------------------------------------------ */

/* The elements of a part that lies in one page, or nearly so, if the array does not begin with one. */
static uint64_t dealt_part(const opi_job *job)
{
    const size_t size = job->task->extreme.type->size;
    return opi_deal_item_bytes(job->deal, (uint64_t)job->task->n * size, LEAST_PART) / size;
}

static uint64_t dealt_parts(const opi_job *job) { return (job->task->n - 1) / dealt_part(job) + 1; }

/* What all find goes to memory of accelerator 0. */
oplus_status opi_extreme_prepare_dealt(opi_job *job)
{
    static const char *const kernels[] = {"opi_extreme_look", "opi_extreme_compare"};
    opi_accelerator *const g = job->g;
    const bool is_home = job->deal->own == 0;
    OPI_TRY(get_program(job));
    OPI_TRY(opi_kernels_make(&g->programs, job->call, job->program, kernels, is_home ? 2 : 1));
    if (!is_home) return OPLUS_OK;
    OPI_TRY(opi_tiles_aim(job));
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->range, sizeof(opi_extreme)));
    return opi_deal_reserve(job->deal, job->call, &g->work, dealt_parts(job) * sizeof(opi_extreme));
}

oplus_status opi_extreme_look_dealt(opi_job *job)
{
    const opi_task *const task = job->task;
    const uint64_t n = task->n, part = dealt_part(job), first = 0;
    opi_dealt dealt = {.epoch = 0};
    const uint64_t own = opi_deal_items(job->deal, dealt_parts(job), part * task->extreme.type->size, &dealt);
    const opi_gpu_argument list[] = {
        opi_memory(task->array[OPI_IN].mem),     opi_value(n),    opi_value(part), opi_value(first),
        opi_memory(job->deal->all[0]->work.mem), opi_value(dealt)};
    OPI_TRY(get_program(job));
    return own == 0 ? OPLUS_OK : opi_gpu_launch(job, "opi_extreme_look", own, list, 6);
}

oplus_status opi_extreme_join_dealt(opi_job *job)
{
    if (job->deal->own != 0) return OPLUS_OK;
    OPI_TRY(get_program(job));
    OPI_TRY(opi_tiles_aim(job));
    job->fresh = true;
    OPI_TRY(compare(job, dealt_parts(job), job->result));
    return opi_tiles_take_result(job, false);
}

/* --- the task ------------------------------------------------------------------------------------------------------ */

oplus_status opi_gpu_extreme(opi_job *job)
{
    opi_staging staging;
    OPI_TRY(get_program(job));
    OPI_TRY(opi_stage_look(job, &staging));
    job->fresh = true;
    OPI_TRY(opi_tiles_aim(job));
    OPI_TRY(staging.any ? opi_stage_run(job, &staging, NULL, NULL) : opi_way_run_all(job));
    return opi_tiles_take_result(job, staging.any);
}
