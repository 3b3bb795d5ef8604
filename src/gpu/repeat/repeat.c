/* Repeat on an accelerator.  Elements and their ends are on the device as a whole; an output of the host is computed and copied
 * back in pieces.  If elements and counts lie in its memory, only blocks of elements have ends. */
#include "gpu/repeat/repeat.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/scan/scan.h"
#include "gpu/stage.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"
#include "task/make.h"

#include <stdio.h>

enum {
    SHAPED_BYTES = 64, /* bytes of an element, which decide how a launch is cut */
    WORD = 4,
    RESIDENTS = 6,       /* work-groups of a multiprocessor, if blocks have ends: 40 registers are enough */
    LOG_BLOCK_ITEMS = 5, /* work-items that read a block together; OPI_BLOCK_ITEMS of block_counts.cl */
    BLOCK = 4 << LOG_BLOCK_ITEMS,
    BLOCK_ROUNDS = 4 /* blocks that they add up, one after the other (count_ends.cl) */
};

typedef struct repeating {
    opi_job job;     /* must be first; its task is `pieces` */
    opi_task pieces; /* the output alone, which may come in pieces */
    opi_gpu_side in_side, ends_side, out_side;
    const char *in, *ends; /* on the device */
    unsigned unit;         /* bytes that are moved at a time */
    bool packed;           /* elements are moved in words of several */
} repeating;

static const opi_array *array_of(const repeating *r, int k) { return &r->pieces.array[k]; }

static bool has_blocks(const repeating *r) { return r->pieces.repeat.block > 1; }

static size_t bytes_of(const repeating *r, int k) { return array_of(r, k)->items * array_of(r, k)->size; }

/* --- the program -------------------------------------------------------------------------------------------------- */

/* The largest power of two up to OPI_VECTOR_BYTES that divides an element and all addresses; pieces of the host's arrays are
 * aligned in device memory. */
static void choose_unit(repeating *r)
{
    const size_t size = array_of(r, OPI_REPEATED)->size;
    const uintptr_t own = r->out_side == OPI_SIDE_DEVICE ? (uintptr_t)array_of(r, OPI_REPEAT_OUT)->mem : 0;
    const uintptr_t all = size | (uintptr_t)r->in | own | OPI_VECTOR_BYTES;
    r->unit = (unsigned)(all & -all);
    r->packed = r->unit == size && size < WORD && own % WORD == 0;
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const repeating *const r = context;
    opi_gpu_write_shape(source, r->job.shape, array_of(r, OPI_REPEATED)->size);
    opi_gpu_define(source, "OPI_UNIT", r->unit);
    opi_gpu_define(source, "OPI_PACKED", r->packed);
    opi_gpu_define(source, "OPI_BLOCK", r->pieces.repeat.block);
    opi_gpu_define(source, "OPI_RESIDENTS", has_blocks(r) ? RESIDENTS : 1);
    if (has_blocks(r)) {
        opi_gpu_define(source, "OPI_COUNT_BYTES", array_of(r, OPI_TIMES)->size);
        opi_gpu_write_kernels(source, "block_counts");
    }
    opi_gpu_write_kernels(source, "unit");
    opi_deal_write(r->job.deal, source);
    opi_gpu_write_kernels(source, "repeat");
}

static oplus_status get_program(repeating *r)
{
    static const char *const kernels[] = {"opi_repeat_cuts", "opi_repeat"};
    char what[64];
    opi_job *const job = &r->job;
    const size_t size = array_of(r, OPI_REPEATED)->size;
    choose_unit(r);
    job->shape = opi_shape_for(&job->g->gpu->facts, opi_smaller(size, SHAPED_BYTES), 0);
    opi_key key = opi_key_begin("repeat", job->shape);
    opi_key_number(&key, size);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | r->unit << 1 | r->packed);
    opi_key_number(&key, r->pieces.repeat.block);
    opi_key_number(&key, has_blocks(r) ? array_of(r, OPI_TIMES)->size : 0);
    snprintf(what, sizeof what, "repeat of elements of %zu bytes", size);
    OPI_TRY(opi_program_get(&job->g->programs, job->call, what, key.hash, write_source, r, &job->program));
    return opi_kernels_make(&job->g->programs, job->call, job->program, kernels, sizeof kernels / sizeof *kernels);
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

static uint64_t tiles_of(const opi_job *job, uint64_t n) { return (n - 1) / opi_tile(job->shape) + 1; }

/* The tiles that are this accelerator's. */
static uint64_t own_tiles(const opi_job *job, uint64_t n, opi_dealt *dealt)
{
    const size_t size = job->task->array[OPI_REPEAT_OUT].size;
    const uint64_t tiles = tiles_of(job, n);
    return job->deal ? opi_deal_items(job->deal, tiles, opi_tile(job->shape) * size, dealt) : tiles;
}

/* OPI_CUTS_OF of repeat.cl. */
static uint64_t cuts_of(const opi_job *job, uint64_t tiles) { return job->deal ? 2 * tiles : tiles + 1; }

oplus_status opi_repeat_prepare(opi_job *job, uint64_t n)
{
    opi_dealt dealt;
    return opi_gpu_reserve(job->g, job->call, &job->g->work,
                           cuts_of(job, own_tiles(job, n, &dealt)) * sizeof(uint64_t));
}

oplus_status opi_repeat_tiles(opi_job *job, const opi_part *part)
{
    const repeating *const r = (const repeating *)job;
    const uint64_t n = array_of(r, OPI_REPEATED)->items, blocks = array_of(r, OPI_ENDS)->items;
    const uint64_t first = job->at, count = part->n;
    opi_dealt dealt = {.epoch = 0};
    const uint64_t tiles = own_tiles(job, count, &dealt), each = cuts_of(job, tiles);
    const opi_gpu_argument cuts[] = {opi_memory(r->ends), opi_value(blocks), opi_value(first),
                                     opi_value(count),    opi_value(tiles),  opi_memory(job->g->work.mem),
                                     opi_value(dealt)};
    opi_arguments list = {.count = 0};
    opi_add(&list, opi_memory(r->in));
    opi_add(&list, opi_memory(r->ends));
    opi_add(&list, opi_value(first));
    opi_add(&list, opi_value(count));
    opi_add(&list, opi_memory(job->g->work.mem));
    opi_add(&list, opi_memory(part->address[OPI_REPEAT_OUT]));
    if (has_blocks(r)) {
        opi_add(&list, opi_memory(array_of(r, OPI_TIMES)->mem));
        opi_add(&list, opi_value(n));
    }
    if (job->deal) opi_add(&list, opi_value(dealt));
    job->at += count;
    if (tiles == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_launch(job, "opi_repeat_cuts", ((each - 1) >> job->shape.log_w) + 1, cuts, job->deal ? 7 : 6));
    return opi_gpu_launch(job, "opi_repeat", tiles, list.list, list.count);
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

static oplus_status look(repeating *r)
{
    opi_accelerator *const g = r->job.g;
    const char *const call = r->job.call;
    OPI_TRY(opi_gpu_side_of(g, call, "in", array_of(r, OPI_REPEATED)->mem, bytes_of(r, OPI_REPEATED), &r->in_side));
    OPI_TRY(opi_gpu_side_of(g, call, "counts", array_of(r, OPI_ENDS)->mem, bytes_of(r, OPI_ENDS), &r->ends_side));
    return opi_gpu_side_of(g, call, "out", array_of(r, OPI_REPEAT_OUT)->mem, bytes_of(r, OPI_REPEAT_OUT), &r->out_side);
}

/* Bytes of the device's memory for copies of what is repeated, and for copies of the ends behind them. */
static size_t in_bytes(const repeating *r)
{
    return r->in_side == OPI_SIDE_DEVICE ? 0 : opi_round_up(bytes_of(r, OPI_REPEATED), OPI_CACHE_LINE);
}
static size_t ends_bytes(const repeating *r) { return r->ends_side == OPI_SIDE_DEVICE ? 0 : bytes_of(r, OPI_ENDS); }

/* Whether the elements and the output lie on the host, and what is needed whole does not fit the device. */
static bool is_too_large(const repeating *r)
{
    const opi_accelerator *const g = r->job.g;
    if (r->in_side == OPI_SIDE_DEVICE || r->out_side == OPI_SIDE_DEVICE) return false;
    return in_bytes(r) + ends_bytes(r) > opi_smaller(g->memory_bytes, (size_t)g->gpu->facts.largest);
}

/* Then the cores do the task; the ends may be in scratch memory of the device. */
static oplus_status repeat_on_cores(const repeating *r)
{
    const opi_job *const job = &r->job;
    opi_cores *const cores = job->g->dev.cores;
    opi_task task = r->pieces;
    if (job->g->rehearsal) return OPLUS_OK;
    if (r->ends_side == OPI_SIDE_DEVICE) {
        const size_t bytes = bytes_of(r, OPI_ENDS);
        if (!opi_buffer_reserve(&cores->array, bytes))
            return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of sums of counts; free some", job->call,
                            bytes);
        OPI_TRY(opi_gpu_fetch(job->g, job->call, cores->array.mem, task.array[OPI_ENDS].mem, bytes));
        task.array[OPI_ENDS].mem = cores->array.mem;
    }
    return opi_cores_run(cores, job->call, &task, NULL);
}

static oplus_status bring(repeating *r)
{
    opi_accelerator *const g = r->job.g;
    const char *const call = r->job.call;
    r->in = array_of(r, OPI_REPEATED)->mem;
    r->ends = array_of(r, OPI_ENDS)->mem;
    if (in_bytes(r) + ends_bytes(r) == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_reserve(g, call, &g->array[0], in_bytes(r) + ends_bytes(r)));
    char *const room = g->array[0].mem;
    if (r->in_side != OPI_SIDE_DEVICE) {
        OPI_TRY(opi_transfer_up(g, call, r->in_side, room, r->in, bytes_of(r, OPI_REPEATED)));
        r->in = room;
    }
    if (r->ends_side == OPI_SIDE_DEVICE) return OPLUS_OK;
    OPI_TRY(opi_transfer_up(g, call, r->ends_side, room + in_bytes(r), r->ends, ends_bytes(r)));
    r->ends = room + in_bytes(r);
    return OPLUS_OK;
}

static oplus_status repeat(repeating *r)
{
    opi_staging staging;
    OPI_TRY(bring(r));
    OPI_TRY(get_program(r));
    OPI_TRY(opi_stage_look(&r->job, &staging));
    return staging.any ? opi_stage_run(&r->job, &staging, NULL, NULL) : opi_way_run_all(&r->job);
}

/* --- dealt out (gpu/deals.h) ---------------------------------------------------------------------------------------- */

static oplus_status make_dealt(const opi_job *job, repeating *r)
{
    *r = (repeating){.job = *job, .pieces = *job->task, .in_side = OPI_SIDE_DEVICE, .ends_side = OPI_SIDE_DEVICE};
    r->out_side = OPI_SIDE_DEVICE;
    r->job.task = &r->pieces;
    r->in = array_of(r, OPI_REPEATED)->mem;
    r->ends = array_of(r, OPI_ENDS)->mem;
    OPI_TRY(get_program(r));
    return opi_repeat_prepare(&r->job, job->task->n);
}

oplus_status opi_repeat_prepare_dealt(opi_job *job)
{
    repeating r;
    return make_dealt(job, &r);
}

oplus_status opi_repeat_run_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    repeating r;
    OPI_TRY(make_dealt(job, &r));
    return opi_repeat_tiles(&r.job, &part);
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_repeat(opi_job *job)
{
    repeating r = {.job = *job, .pieces = *job->task};
    r.job.task = &r.pieces;
    r.job.at = 0;
    OPI_TRY(look(&r));
    if (is_too_large(&r)) return repeat_on_cores(&r);
    r.pieces.arrays = OPI_REPEAT_OUT + 1;
    const bool reads_host = in_bytes(&r) + ends_bytes(&r) > 0;
    const oplus_status status = repeat(&r);
    return reads_host ? opi_gpu_settle(job->g, job->call, status) : status;
}

/* --- ends of blocks ------------------------------------------------------------------------------------------------- */

/* Each shape of a repeat has at least the work-items of this one. */
size_t opi_repeat_block(const opi_gpu_facts *facts)
{
    return opi_shape_for(facts, SHAPED_BYTES, 0).log_w >= LOG_BLOCK_ITEMS ? BLOCK : 1;
}

static void write_counting(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_type *const index = job->task->repeat.index;
    opi_gpu_write_shape(source, job->shape, index->size);
    opi_gpu_define(source, "OPI_BLOCK", BLOCK);
    opi_gpu_define(source, "OPI_COUNT_BYTES", index->size);
    opi_gpu_define(source, "OPI_COUNT_SIGNED", index->scalar == OPLUS_I32 || index->scalar == OPLUS_I64);
    opi_gpu_define(source, "OPI_ROUNDS", BLOCK_ROUNDS);
    opi_gpu_write_kernels(source, "block_counts");
    opi_gpu_write_kernels(source, "count_ends");
}

/* The sums of blocks, which are scanned where they lie. */
static oplus_status scan_sums(const opi_job *job, const void *sums, uint64_t blocks, bool runs)
{
    opi_task scan;
    opi_job adding = {.g = job->g, .call = job->call, .task = &scan};
    opi_task_scan(&scan, job->task->op, OPLUS_INCLUSIVE, sums, NULL, (size_t)blocks, 0, (void *)sums);
    if (runs) return opi_gpu_scan(&adding);
    OPI_TRY(opi_gpu_scan_ready(&adding));
    return opi_way_prepare(&adding, blocks);
}

oplus_status opi_count_ends_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_count_ends"};
    const oplus_type *const index = job->task->repeat.index;
    job->shape = opi_shape_for(&job->g->gpu->facts, SHAPED_BYTES, 0);
    opi_key key = opi_key_begin("ends of counts", job->shape);
    opi_key_number(&key, (uint64_t)index->scalar);
    OPI_TRY(
        opi_program_get(&job->g->programs, job->call, "ends of counts", key.hash, write_counting, job, &job->program));
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels, 1));
    return scan_sums(job, job->task->array[OPI_ENDS_OUT].mem, opi_blocks_of((size_t)n, BLOCK), false);
}

oplus_status opi_count_ends_run(opi_job *job, const opi_part *part)
{
    const uint64_t n = part->n, blocks = opi_blocks_of((size_t)n, BLOCK);
    const uint64_t each = (uint64_t)BLOCK_ROUNDS << (job->shape.log_w - LOG_BLOCK_ITEMS);
    const char *const ends = part->address[OPI_ENDS_OUT];
    const opi_gpu_argument list[] = {opi_memory(part->address[OPI_IN]), opi_value(n), opi_memory(ends)};
    OPI_TRY(opi_gpu_launch(job, "opi_count_ends", (blocks - 1) / each + 1, list, 3));
    return scan_sums(job, ends, blocks, true);
}

oplus_status opi_gpu_count_ends(opi_job *job) { return opi_way_run_all(job); }
