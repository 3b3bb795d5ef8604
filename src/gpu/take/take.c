/* Take on an accelerator.  If the elements that are taken from lie in host memory, they are copied as a whole, or as many as
 * fit at a time; indices and results of the host are copied in pieces. */
#include "gpu/take/take.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/map/map.h"
#include "gpu/memory.h"
#include "gpu/stage.h"
#include "gpu/take/by_index.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"
#include "task/make.h"

#include <stdio.h>

enum {
    LINK_SECTOR = 32,  /* bytes that cross a link for an element, at least */
    SHAPED_BYTES = 64, /* bytes of an element, which decide how a launch is cut */
    MOST_LOG_E = 3     /* of the elements that a work-item has under way at once */
};

static const opi_array *table_of(const opi_by_index *t) { return &t->pieces.array[OPI_TABLE]; }

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_by_index *const t = context;
    opi_by_index_write(source, t);
    opi_deal_write(t->job.deal, source);
    opi_gpu_write_kernels(source, "take");
}

static oplus_status get_program(opi_by_index *t)
{
    char what[64];
    opi_job *const job = &t->job;
    const size_t size = table_of(t)->size;
    t->unit = opi_by_index_unit(t);
    job->shape = opi_shape_for(&job->g->gpu->facts, opi_smaller(size, SHAPED_BYTES), 0);
    if (job->shape.log_w > 0) job->shape.log_e = (unsigned)opi_smaller(job->shape.log_e, MOST_LOG_E);
    const opi_key key = opi_by_index_key(t, "take");
    snprintf(what, sizeof what, "take of elements of %zu bytes", size);
    return opi_program_get(&job->g->programs, job->call, what, key.hash, write_source, t, &job->program);
}

oplus_status opi_take_blocks(opi_job *job, const opi_part *part)
{
    const opi_by_index *const t = (const opi_by_index *)job;
    const opi_indices *const indices = &t->pieces.indices;
    const uint64_t tile = opi_tile(job->shape), sign = opi_index_sign(indices), before = job->at;
    const size_t item = t->pieces.array[opi_deal_by(&t->pieces)].size;
    uint64_t tiles = (part->n + tile - 1) / tile;
    opi_dealt dealt = {.epoch = 0};
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_INDICES]));
    opi_add(&a, opi_memory(part->address[OPI_TAKEN_OUT]));
    opi_add(&a, opi_value(part->n));
    opi_add(&a, opi_memory(t->table));
    opi_add(&a, opi_value(indices->n));
    opi_add(&a, opi_value(sign));
    opi_add(&a, opi_value(t->low));
    opi_add(&a, opi_value(t->some));
    opi_add(&a, opi_value(before));
    opi_add(&a, opi_memory(t->fault));
    if (job->deal) {
        tiles = opi_deal_items(job->deal, tiles, (size_t)tile * item, &dealt);
        opi_add(&a, opi_value(dealt));
    }
    job->at += part->n;
    return opi_gpu_launch(job, "opi_take", tiles, a.list, a.count);
}

/* --- dealt out (gpu/deals.h) ---------------------------------------------------------------------------------------- */

static oplus_status make_dealt(const opi_job *job, opi_by_index *t)
{
    *t = (opi_by_index){.job = *job, .pieces = *job->task};
    OPI_TRY(opi_by_index_begin(t));
    t->table = table_of(t)->mem;
    t->some = table_of(t)->items;
    OPI_TRY(get_program(t));
    return opi_by_index_prepare_fault(t);
}

/* Whether each accelerator copies all elements first: most of those that it takes would be in another's memory, and reads of
 * single ones fill a link badly (four H200, 2026-11-28: 2^24 u32, of which three quarters are far, 1905 us; near ones a quarter
 * of that). */
static bool is_copied(const opi_job *job)
{
    const opi_array *const in = &job->task->array[OPI_TABLE];
    const uint64_t bytes = in->items * in->size, own = job->task->n / job->deal->workers;
    return bytes > 0 && bytes / (LINK_SECTOR + LINK_SECTOR / 2) <= own &&
           bytes <= opi_deal_first(job)->memory_bytes / 2;
}

/* The task that copies them to this accelerator's memory. */
static opi_task copy_task(const opi_job *job)
{
    const opi_array *const in = &job->task->array[OPI_TABLE];
    return opi_task_move(job->g->array[0].mem, in->mem, in->items * in->size);
}

/* Where there is no room for a copy, elements are taken over the links. */
static oplus_status prepare_copy(const opi_job *job)
{
    const opi_array *const in = &job->task->array[OPI_TABLE];
    const oplus_status status = opi_gpu_reserve(job->g, job->call, &job->g->array[0], in->items * in->size);
    if (status != OPLUS_OK) return status == OPLUS_ERR_MEMORY ? OPLUS_OK : status;
    const opi_task move = copy_task(job);
    return opi_gpu_map_ready(&(opi_job){.g = job->g, .call = job->call, .task = &move});
}

oplus_status opi_take_prepare_dealt(opi_job *job)
{
    opi_by_index t;
    if (is_copied(job)) OPI_TRY(prepare_copy(job));
    return make_dealt(job, &t);
}

oplus_status opi_take_run_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    opi_by_index t;
    OPI_TRY(make_dealt(job, &t));
    if (is_copied(job) && job->g->array[0].bytes >= table_of(&t)->items * table_of(&t)->size) {
        const opi_task move = copy_task(job);
        OPI_TRY(opi_gpu_map(&(opi_job){.g = job->g, .call = job->call, .task = &move}));
        t.table = job->g->array[0].mem;
    }
    return opi_take_blocks(&t.job, &part);
}

/* --- the elements that are taken from ----------------------------------------------------------------------------- */

/* How many elements of `in` are on the device at once: all, unless they lie in host memory and do not fit. */
static uint64_t some_of_table(const opi_by_index *t)
{
    const opi_array *const in = table_of(t);
    const opi_accelerator *const g = t->job.g;
    if (t->table_side == OPI_SIDE_DEVICE) return in->items;
    const uint64_t fit = opi_smaller(g->memory_bytes, (size_t)g->gpu->facts.largest) / in->size;
    return opi_smaller(in->items, opi_larger((size_t)fit, 1));
}

static oplus_status bring_table(opi_by_index *t)
{
    const opi_array *const in = table_of(t);
    const opi_job *const job = &t->job;
    const char *const from = (const char *)in->mem + t->low * in->size;
    const size_t bytes = (size_t)t->some * in->size;
    t->table = from;
    if (t->table_side == OPI_SIDE_DEVICE) return OPLUS_OK;
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->array[0], bytes));
    t->table = job->g->array[0].mem;
    return opi_transfer_up(job->g, job->call, t->table_side, (void *)t->table, from, bytes);
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

/* Takes the elements that are named and are among those on the device. */
static oplus_status take_some(opi_by_index *t)
{
    opi_staging staging;
    OPI_TRY(bring_table(t));
    OPI_TRY(get_program(t));
    OPI_TRY(opi_stage_look(&t->job, &staging));
    t->job.at = 0;
    return staging.any ? opi_stage_run(&t->job, &staging, NULL, NULL) : opi_way_run_all(&t->job);
}

static oplus_status take(opi_by_index *t)
{
    const uint64_t n = table_of(t)->items, most = some_of_table(t);
    OPI_TRY(opi_by_index_prepare_fault(t));
    for (t->low = 0; t->low < n; t->low += t->some) {
        t->some = opi_smaller(most, n - t->low);
        OPI_TRY(take_some(t));
    }
    return opi_by_index_look_for_wrong(t);
}

/* Copies the indices to the host, whose loops then do all. */
static oplus_status take_on_host(opi_by_index *t)
{
    opi_job *const job = &t->job;
    t->pieces.arrays++;
    OPI_TRY(opi_by_index_read(t, t->pieces.n, &t->pieces.indices));
    t->pieces.array[OPI_INDICES].mem = t->pieces.indices.at;
    return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, &t->pieces, NULL);
}

oplus_status opi_gpu_take(opi_job *job)
{
    opi_by_index t = {.job = *job, .pieces = *job->task};
    OPI_TRY(opi_by_index_begin(&t));
    /* A result of the host is copied back once: when all elements have been there to be taken. */
    if (t.moved != OPI_SIDE_DEVICE && some_of_table(&t) < table_of(&t)->items) return take_on_host(&t);
    const oplus_status status = take(&t);
    return t.table_side == OPI_SIDE_DEVICE ? status : opi_gpu_settle(job->g, job->call, status);
}
