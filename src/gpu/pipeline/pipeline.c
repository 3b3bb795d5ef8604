#include "gpu/pipeline/pipeline.h"

#include "base/error.h"
#include "gpu/canon/tiles.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "text/source.h"

enum {
    ARCHITECTURE = 90, /* the first that has bulk copies */
    LEVELS = 5,        /* of published nodes; each has 32 times the tiles of the one before */
    RING_BYTES = 192 << 10,
    SPARE_BYTES = 128,         /* of a stage: arrays may begin anywhere, and stages begin at multiples of this */
    DECLARED_BYTES = 16 << 10, /* the most memory that the kernel declares beside its stages */
    LOG_PARTS = 3,
    REDUCE_WARPS = 4, /* both divide the number of stages */
    CARRY_WARPS = 3,
    FEED_WARPS = 1,
    ITEMS = 32 * ((1 << LOG_PARTS) + REDUCE_WARPS + CARRY_WARPS + FEED_WARPS),
    POLL_PAUSE = 20, /* nanoseconds between two looks at what others publish, so that those who work are not slowed */
    CLEARED_ITEMS = 256
};
/* Where it is faster than tiles, on an H200 (docs/performance.md). */
enum { LARGEST_FAST = 8, LEAST_BYTES = 16 << 20 };

#define PATIENCE UINT64_C(20000000000) /* cycles that a warp waits before it gives up: some ten seconds */

/* --- the shape ----------------------------------------------------------------------------------------------------
 * A work-item has 2^log_lines vectors of 16 bytes.  Its registers must hold five nodes for each. */

static unsigned log_lines(size_t element) { return element == 16 ? 1 : 2; }

static unsigned log_elements(size_t element)
{
    unsigned k = 0;
    while (element << (k + 1) <= OPI_VECTOR_BYTES) k++;
    return k;
}

/* To the texts of the canonical tree, each vector of a tile is a work-item's run. */
static opi_shape shape_of(size_t element)
{
    return (opi_shape){.log_w = LOG_PARTS + 5 + log_lines(element), .log_e = log_elements(element), .vectors = true};
}

static size_t tile_bytes(size_t element) { return (size_t)OPI_VECTOR_BYTES << shape_of(element).log_w; }
static unsigned stages_of(size_t element) { return (unsigned)(RING_BYTES / tile_bytes(element)); }
static size_t ring_bytes(size_t element) { return stages_of(element) * (tile_bytes(element) + SPARE_BYTES); }

static uint64_t tile_of(const opi_job *job) { return opi_tile(shape_of(job->task->op->type->size)); }

/* How n items, from job->at on, are cut: the rest of a tile, whole tiles, the beginning of a tile. */
typedef struct cut {
    uint64_t head, tiles, tail;
} cut;

static cut cut_of(const opi_job *job, uint64_t n)
{
    const uint64_t tile = tile_of(job), into = job->at % tile;
    cut c = {.head = into == 0 ? 0 : opi_smaller(tile - into, n)};
    c.tiles = (n - c.head) / tile;
    c.tail = n - c.head - c.tiles * tile;
    return c;
}

/* --- what it can --------------------------------------------------------------------------------------------------- */

static bool fits(const opi_gpu_facts *facts, size_t element)
{
    return facts->architecture >= ARCHITECTURE && facts->resident && facts->lanes == 32 && facts->group >= ITEMS &&
           element <= OPI_VECTOR_BYTES && (element & (element - 1)) == 0 &&
           ring_bytes(element) + DECLARED_BYTES <= facts->local_most;
}

/* Whether the nodes that precede the items are those of [0, end): then their levels are the bits of `end`. */
static bool begins_at_0(const opi_job *job)
{
    const opi_range *const carry = job->carry;
    if (!carry || carry->count == 0) return job->task->first == 0;
    if (carry->first != 0 || carry->op->flags & OPLUS_EXACT) return false; /* an exact range is one node */
    int bits = 0;
    for (uint64_t left = carry->end; left; left &= left - 1) bits++;
    return carry->count == bits && carry->level[0] < 64; /* an init has no such level */
}

bool opi_pipeline_can(const opi_job *job, uint64_t n)
{
    const opi_task *const task = job->task;
    const uint64_t most = (uint64_t)1 << (5 * LEVELS);
    if (task->lifted || job->has_nodes || !fits(&job->g->gpu->facts, task->op->type->size)) return false;
    return begins_at_0(job) && cut_of(job, n).tiles > 0 && (job->at + n) / tile_of(job) < most;
}

bool opi_pipeline_suits(const opi_job *job, uint64_t n)
{
    const size_t element = job->task->op->type->size;
    return element <= LARGEST_FAST && n * element >= LEAST_BYTES;
}

/* --- the program --------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const size_t element = job->task->op->type->size;
    const opi_shape shape = shape_of(element);
    opi_gpu_write_shape(source, shape, element);
    opi_gpu_define(source, "OPI_LOG_PARTS", LOG_PARTS);
    opi_gpu_define(source, "OPI_LOG_LINES", log_lines(element));
    opi_gpu_define(source, "OPI_STAGES", stages_of(element));
    opi_gpu_define(source, "OPI_STAGE_SPARE", SPARE_BYTES);
    opi_gpu_define(source, "OPI_REDUCE_WARPS", REDUCE_WARPS);
    opi_gpu_define(source, "OPI_CARRY_WARPS", CARRY_WARPS);
    opi_gpu_define(source, "OPI_PIPE_ITEMS", ITEMS);
    opi_gpu_define(source, "OPI_PIPE_LEVELS", LEVELS);
    opi_gpu_define(source, "OPI_PATIENCE", PATIENCE);
    opi_gpu_define(source, "OPI_POLL_PAUSE", POLL_PAUSE);
    opi_gpu_write_op(source, job->task->op);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_tree(source, shape, element);
    opi_gpu_write_kernels(source, "range");
    opi_gpu_write_kernels(source, "ring");
    opi_gpu_write_kernels(source, "states");
    opi_gpu_write_kernels(source, "reduce");
    opi_gpu_write_kernels(source, "carry");
    opi_gpu_write_kernels(source, "pipeline");
}

static oplus_status get_program(const opi_job *job, opi_program **program)
{
    const oplus_op *const op = job->task->op;
    char what[OPI_WHAT_BYTES];
    opi_key key = opi_key_begin("pipeline", shape_of(op->type->size));
    opi_key_op(&key, op);
    opi_gpu_what(what, OPI_LABEL_OP, op->name, op->file, op->line);
    return opi_program_get(&job->g->programs, job->call, what, key.hash, write_source, job, program);
}

/* Asks how many groups run at the same time, once for each program. */
static oplus_status count_residents(const opi_job *job, opi_program *program)
{
    opi_gpu *const gpu = job->g->gpu;
    const size_t bytes = ring_bytes(job->task->op->type->size);
    opi_launch launch = {.items = ITEMS, .local = bytes, .resident = true};
    if (program->residents > 0) return OPLUS_OK;
    OPI_TRY(opi_kernel_get(&job->g->programs, job->call, program, "opi_pipeline", &launch.kernel));
    OPI_TRY(gpu->driver->allow(gpu, job->call, launch.kernel, bytes, 100));
    return gpu->driver->residents(gpu, job->call, &launch, &program->residents);
}

/* --- memory -------------------------------------------------------------------------------------------------------- */

enum { STATES_HEAD = 16 }; /* as OPI_FIRST_STATE of states.cl */

/* Bound of the places of `tiles` tiles on all levels, of 8 bytes each, wherever the tiles begin. */
static uint64_t places_of(uint64_t tiles, size_t element)
{
    const uint64_t words = (element + 3) / 4;
    uint64_t nodes = 0;
    for (int level = 0; level < LEVELS; level++) nodes += (tiles >> 5 * level) + 64;
    return STATES_HEAD + nodes * words;
}

static oplus_status reserve(opi_job *job, uint64_t tiles)
{
    opi_pipeline *const p = &job->g->pipeline;
    const size_t bytes = places_of(tiles, job->task->op->type->size) * sizeof(uint64_t);
    if (bytes > p->states.bytes) p->is_clear = false;
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &p->states, bytes));
    if (p->fault.mem) return OPLUS_OK;
    OPI_TRY(opi_pinned_reserve(job->g, job->call, &p->fault, sizeof(uint32_t)));
    *(uint32_t *)p->fault.mem = 0;
    return OPLUS_OK;
}

oplus_status opi_pipeline_prepare(opi_job *job, uint64_t n)
{
    opi_program *program;
    OPI_TRY(get_program(job, &program));
    OPI_TRY(count_residents(job, program));
    OPI_TRY(reserve(job, n / tile_of(job) + 1));
    return opi_tiles_prepare(job, program->residents > 0 ? opi_smaller(n, tile_of(job)) : n);
}

/* --- run ----------------------------------------------------------------------------------------------------------- */

static oplus_status clear(const opi_job *job, opi_program *program)
{
    opi_pipeline *const p = &job->g->pipeline;
    const uint64_t places = p->states.bytes / sizeof(uint64_t);
    const opi_gpu_argument list[] = {opi_memory(p->states.mem), opi_value(places)};
    if (p->is_clear || job->g->rehearsal) return OPLUS_OK;
    OPI_TRY(opi_gpu_launch_of(job, program, "opi_clear_states", job->g->gpu->facts.units, CLEARED_ITEMS, list, 2));
    p->is_clear = true;
    return OPLUS_OK;
}

/* n items, from job->at on, which is the beginning of a tile. */
static oplus_status launch(opi_job *job, opi_program *program, const char *const *address, uint64_t n)
{
    opi_arguments a = {.count = 0};
    const opi_pipeline *const p = &job->g->pipeline;
    const size_t element = job->task->op->type->size;
    const uint64_t places = p->states.bytes / sizeof(uint64_t), bytes = n * element, tile = tile_of(job);
    const uint32_t begin = (uint32_t)(job->at / tile), flags = job->task->exclusive ? OPI_EXCLUSIVE : 0u;
    OPI_TRY(clear(job, program));
    opi_add(&a, opi_memory(address[OPI_IN]));
    opi_add(&a, opi_memory(address[OPI_SCAN_OUT]));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_add(&a, opi_memory(p->states.mem));
    opi_add(&a, opi_memory(p->fault.mem));
    opi_add(&a, opi_value(places));
    opi_add(&a, opi_value(bytes));
    opi_add(&a, opi_value(begin));
    opi_add(&a, opi_value(flags));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    const opi_launch all = {.groups = opi_smaller((n + tile - 1) / tile, program->residents),
                            .items = ITEMS,
                            .local = ring_bytes(element),
                            .resident = true,
                            .argument = a.list,
                            .arguments = a.count};
    OPI_TRY(opi_gpu_launch_as(job, program, "opi_pipeline", &all));
    job->fresh = false;
    job->at += n;
    return OPLUS_OK;
}

/* Less than a tile, by another way. */
static oplus_status rest(opi_job *job, const opi_part *part, uint64_t begin, uint64_t n)
{
    opi_part own = {.n = n, .last = part->last && begin + n == part->n};
    if (n == 0) return OPLUS_OK;
    for (int k = 0; k < job->task->arrays; k++)
        if (part->address[k]) own.address[k] = part->address[k] + begin * job->task->array[k].size;
    return opi_tiles_are_few(job, n) ? opi_one_group(job, &own) : opi_tiles_run(job, &own);
}

oplus_status opi_pipeline_run(opi_job *job, const opi_part *part)
{
    const char *address[OPI_MAX_ARRAYS] = {NULL};
    const cut c = cut_of(job, part->n);
    const uint64_t tail =
        job->keep || !part->last ? c.tail : 0; /* else nobody needs nodes of it: it is scanned with all */
    opi_program *program;
    OPI_TRY(opi_pipeline_fault(job->g, job->call));
    OPI_TRY(get_program(job, &program));
    if (program->residents == 0) return opi_tiles_run(job, part);
    for (int k = 0; k < job->task->arrays; k++)
        if (part->address[k]) address[k] = part->address[k] + c.head * job->task->array[k].size;
    OPI_TRY(rest(job, part, 0, c.head));
    OPI_TRY(launch(job, program, address, part->n - c.head - tail));
    return rest(job, part, part->n - tail, tail);
}
