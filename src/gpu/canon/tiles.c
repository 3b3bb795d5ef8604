/* Tiles.  Independent work-groups aggregate whole tiles, one work-group joins the nodes, and independent work-groups
 * apply the results: three launches (reduce-then-scan).  The order in which work-groups run does not matter.  If there
 * are few items, or less than a tile, one work-group does everything. */
#include "gpu/canon/tiles.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/shared.h"

#include <string.h>

enum {
    JOINED_TILES = 2, /* tiles of nodes; fewer are joined by one work-group */
    ALONE_TILES = 4   /* fewer tiles are faster with one work-group than with three launches */
};

static opi_tile_cut cut_of(const opi_job *job, uint64_t n) { return opi_tiles_cut(job->at, n, opi_tile(job->shape)); }

bool opi_tiles_are_few(const opi_job *job, uint64_t n) { return cut_of(job, n).tiles < ALONE_TILES; }
bool opi_tiles_are_any(const opi_job *job, uint64_t n) { return cut_of(job, n).tiles > 0; }

/* --- launches --------------------------------------------------------------------------------------------------------
 * address[]: of the task's arrays, at the first item that the launch works on. */

static void add_arrays(opi_arguments *a, const opi_job *job, const char *const *address, bool reads_only)
{
    opi_add_inputs(a, job, address);
    if (!reads_only) opi_add(a, opi_memory(address[job->task->arrays - 1]));
}

/* Whether the last argument of kernels that join is the memory of parameters. */
static bool is_bound(const opi_job *job) { return job->task->op && opi_task_has_param(job->task); }

static oplus_status launch(const opi_job *job, const char *kernel, uint64_t groups, opi_arguments *a)
{
    if (job->task->fn || is_bound(job)) opi_add(a, opi_memory(job->param));
    return opi_gpu_launch(job, kernel, groups, a->list, a->count);
}

static uint32_t flags_of(const opi_job *job, bool keep)
{
    const bool exclusive = job->task->what == OPI_SCAN && job->task->exclusive; /* only a scan sets it */
    return (exclusive ? OPI_EXCLUSIVE : 0u) | (job->fresh ? OPI_FRESH : 0u) | (keep ? OPI_KEEP : 0u);
}

/* One work-group does n items. */
static oplus_status alone(opi_job *job, const char *const *address, uint64_t n, bool keep)
{
    opi_arguments a = {.count = 0};
    const uint32_t flags = flags_of(job, keep);
    add_arrays(&a, job, address, false);
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_add(&a, opi_value(job->at));
    opi_add(&a, opi_value(flags));
    opi_add(&a, opi_memory(job->result));
    OPI_TRY(launch(job, "opi_one", 1, &a));
    job->fresh = false;
    job->told = job->result != NULL;
    job->at += n;
    return OPLUS_OK;
}

/* Applies whole tiles, after what precedes each tile has been found. */
static oplus_status apply(const opi_job *job, const char *const *address, uint64_t tiles, uint32_t flags)
{
    opi_arguments a = {.count = 0};
    add_arrays(&a, job, address, false);
    opi_add(&a, opi_memory(job->g->nodes.mem));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_add(&a, opi_value(flags));
    return launch(job, "opi_apply", tiles, &a);
}

/* Bound of the number of nodes of `tiles` tiles, on all levels, with their reserved places. */
static size_t nodes_of(const opi_job *job, uint64_t tiles)
{
    const uint64_t tile = opi_tile(job->shape);
    return (size_t)(tiles + (tile > 1 ? tiles / (tile - 1) : 0) + 64);
}

/* Applies whole tiles that append.  Some work-groups may write where others have yet to read, so that the results go to
 * separate memory first, and from there to their places. */
static oplus_status apply_apart(const opi_job *job, const char *const *address, uint64_t tiles, uint32_t flags)
{
    const int out = job->task->arrays - 1;
    const char *apart[OPI_MAX_ARRAYS];
    opi_arguments move = {.count = 0};
    memcpy(apart, address, (size_t)job->task->arrays * sizeof *apart);
    apart[out] = job->g->work.mem;
    OPI_TRY(apply(job, apart, tiles, flags | OPI_APART));
    opi_add(&move, opi_memory(job->g->work.mem));
    opi_add(&move, opi_memory(address[out]));
    opi_add(&move, opi_memory(job->g->nodes.mem));
    opi_add(&move, opi_memory(job->g->range.mem));
    return launch(job, "opi_move", tiles, &move);
}

/* m nodes of 2^base elements each.  nodes[0] is reserved for the prefix; they start at nodes[1]. */
typedef struct level {
    const char *nodes;
    uint64_t m;
    unsigned base;
    bool keep, applies; /* what precedes each node is wanted, not only the end */
} level;

static oplus_status join_by_one(opi_job *job, const level *l, uint32_t *later)
{
    const uint32_t base = l->base, flags = flags_of(job, l->keep) | *later;
    opi_arguments a = {.count = 0};
    if (l->m == 0) return OPLUS_OK;
    opi_add(&a, opi_memory(l->nodes));
    opi_add(&a, opi_value(l->m));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_add(&a, opi_value(job->at));
    opi_add(&a, opi_value(base));
    opi_add(&a, opi_value(flags));
    opi_add(&a, opi_memory(job->result));
    if (is_bound(job)) opi_add(&a, opi_memory(job->param));
    job->fresh = false;
    job->told = job->result != NULL;
    *later = OPI_LATER;
    OPI_TRY(opi_gpu_launch(job, "opi_spine", 1, a.list, a.count));
    job->at += l->m << l->base;
    return OPLUS_OK;
}

/* A level of nodes whose whole tiles are the nodes of a higher level.  It is used on the way down. */
typedef struct descent {
    const char *nodes, *above; /* nodes of this level, and what precedes each of its tiles */
    uint64_t tiles;
    uint32_t began; /* whether anything precedes the first node */
    bool applies;
    level tail; /* the nodes behind the whole tiles */
} descent;

static oplus_status launch_tiles(const opi_job *job, const char *kernel, const descent *d, bool down)
{
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(d->nodes));
    opi_add(&a, opi_memory(d->above));
    if (down) opi_add(&a, opi_value(d->began));
    if (is_bound(job)) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, kernel, d->tiles, a.list, a.count);
}

/* If there are many nodes, each whole tile of nodes has a node on a higher level, which lies behind this level.  The
 * levels are built until one work-group can join what is left; then their results are spread, from the highest level
 * down. */
static oplus_status join_nodes(opi_job *job, level l)
{
    const unsigned log_tile = opi_log_tile(job->shape);
    const uint64_t tile = (uint64_t)1 << log_tile;
    const size_t node = job->node;
    descent path[64];
    int levels = 0;
    uint32_t later = 0;
    for (; log_tile > 0; levels++) {
        const uint64_t into = (job->at >> l.base) % tile, head = into ? tile - into : 0;
        if (l.m < head + JOINED_TILES * tile) break;
        const uint64_t tiles = (l.m - head) / tile, tail = l.m - head - tiles * tile;
        const level before = {l.nodes, head, l.base, true, l.applies};
        const char *const first = l.nodes + head * node, *const above = l.nodes + (l.m + 1) * node;
        OPI_TRY(join_by_one(job, &before, &later));
        path[levels] =
            (descent){first,       above,     tiles,
                      !job->fresh, l.applies, {first + tiles * tile * node, tail, l.base, l.keep, l.applies}};
        OPI_TRY(launch_tiles(job, "opi_gather", &path[levels], false));
        l = (level){above, tiles, l.base + log_tile, l.keep || tail > 0, true};
    }
    OPI_TRY(join_by_one(job, &l, &later));
    while (levels-- > 0) {
        if (path[levels].applies) OPI_TRY(launch_tiles(job, "opi_spread", &path[levels], true));
        OPI_TRY(join_by_one(job, &path[levels].tail, &later));
    }
    return OPLUS_OK;
}

oplus_status opi_tiles_reserve_nodes(const opi_job *job, uint64_t m)
{
    return opi_gpu_reserve(job->g, job->call, &job->g->nodes, nodes_of(job, m) * job->node);
}

oplus_status opi_tiles_join(opi_job *job, uint64_t m, unsigned base, bool keep)
{
    return join_nodes(job, (level){job->g->nodes.mem, m, base, keep, false});
}

/* Finds the nodes of whole tiles.  Joining writes over the nodes, so that a summary keeps a copy. */
static oplus_status aggregate(opi_job *job, const char *const *address, uint64_t tiles)
{
    opi_accelerator *const g = job->g;
    const size_t bytes = (size_t)(tiles + 1) * job->node;
    if (job->has_nodes) return opi_gpu_move(g, job->call, g->nodes.mem, g->work.mem, bytes);
    opi_arguments a = {.count = 0};
    add_arrays(&a, job, address, true);
    opi_add(&a, opi_memory(g->nodes.mem));
    OPI_TRY(launch(job, "opi_aggregate", tiles, &a));
    if (!job->keeps_nodes) return OPLUS_OK;
    return opi_gpu_move(g, job->call, g->work.mem, g->nodes.mem, bytes);
}

/* Does whole tiles in three launches, or in a few more if there are very many tiles. */
static oplus_status together(opi_job *job, const char *const *address, uint64_t tiles, bool keep)
{
    const bool applies = address[job->task->arrays - 1] != NULL; /* a reduce only aggregates */
    const uint32_t flags = flags_of(job, keep);
    static const char *const kernels[] = {"opi_aggregate", "opi_spine", "opi_apply", "opi_move"};
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels,
                             !applies        ? 2
                             : job->overlaps ? 4
                                             : 3));
    OPI_TRY(aggregate(job, address, tiles));
    OPI_TRY(join_nodes(job, (level){job->g->nodes.mem, tiles, opi_log_tile(job->shape), keep, applies}));
    if (!applies) return OPLUS_OK;
    return job->overlaps ? apply_apart(job, address, tiles, flags) : apply(job, address, tiles, flags);
}

static void advance(const opi_job *job, const char *const *address, uint64_t items, const char **next)
{
    for (int k = 0; k < job->task->arrays; k++) {
        const opi_array *const array = &job->task->array[k];
        const bool moves = address[k] && array->access != OPI_APPENDS;
        const size_t bytes = items * array->size;
        next[k] = !moves ? address[k] : job->task->backward ? address[k] - bytes : address[k] + bytes;
    }
}

/* --- ways --------------------------------------------------------------------------------------------------------- */

oplus_status opi_one_group(opi_job *job, const opi_part *part)
{
    return alone(job, part->address, part->n, job->keep || !part->last);
}

/* Bytes of an item of the last array, which is the one that is written. */
static size_t out_size(const opi_job *job) { return job->task->array[job->task->arrays - 1].size; }

/* Whole tiles that are applied together to separate memory.  What a batch appends never goes beyond the end of the
 * batch, so that the items of the next batch are untouched. */
static uint64_t tiles_apart(const opi_job *job)
{
    const size_t tiles = OPI_SLOTS * job->g->piece_bytes / (opi_tile(job->shape) * out_size(job));
    return tiles ? tiles : 1;
}

oplus_status opi_tiles_prepare(opi_job *job, uint64_t n)
{
    opi_accelerator *const g = job->g;
    const size_t tile = opi_tile(job->shape);
    uint64_t tiles = n / tile;
    if (job->keeps_nodes) OPI_TRY(opi_gpu_reserve(g, job->call, &g->work, (size_t)(tiles + 1) * job->node));
    if (job->overlaps) {
        tiles = opi_smaller(tiles, tiles_apart(job));
        OPI_TRY(opi_gpu_reserve(g, job->call, &g->work, (size_t)tiles * tile * out_size(job)));
    }
    return opi_tiles_reserve_nodes(job, tiles);
}

oplus_status opi_tiles_run(opi_job *job, const opi_part *part)
{
    const char *next[OPI_MAX_ARRAYS] = {NULL};
    const uint64_t tile = opi_tile(job->shape);
    const opi_tile_cut c = cut_of(job, part->n);
    const bool keep = job->keep || !part->last;
    if (c.head > 0) OPI_TRY(alone(job, part->address, c.head, true));
    advance(job, part->address, c.head, next);
    job->index += c.head;
    const uint64_t most = job->overlaps ? tiles_apart(job) : c.tiles;
    for (uint64_t done = 0; done < c.tiles; done += most) {
        const uint64_t batch = opi_smaller(most, c.tiles - done);
        OPI_TRY(together(job, next, batch, keep || batch < c.tiles - done));
        advance(job, next, batch * tile, next);
        job->index += batch * tile;
    }
    return c.tail > 0 ? alone(job, next, c.tail, keep) : OPLUS_OK;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

oplus_status opi_tiles_result(const opi_job *job, void *to)
{
    const opi_gpu_argument list[] = {opi_memory(job->g->range.mem), opi_memory(to), opi_memory(job->param)};
    return opi_gpu_launch_of(job, job->program, "opi_result", 1, 1, list, is_bound(job) ? 3 : 2);
}

/* Whether the result replaces elements of an input: it must not be there before they have been read. */
static bool replaces_elements(const opi_task *task)
{
    const char *const result = task->result, *const end = result + task->result_bytes;
    for (int k = 0; k < task->arrays; k++) {
        const opi_array *const a = &task->array[k];
        const char *const mem = a->mem;
        if (mem && a->access == OPI_READS && result < mem + a->items * a->size && mem < end) return true;
    }
    return false;
}

oplus_status opi_tiles_aim(opi_job *job)
{
    const opi_task *const task = job->task;
    opi_gpu_side side;
    job->told = false;
    if (!task->result) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "the result", task->result, task->result_bytes, &side));
    const bool direct = side == OPI_SIDE_DEVICE && !replaces_elements(task);
    if (!direct) OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->value, task->result_bytes));
    job->result = direct ? task->result : job->g->value.mem;
    return OPLUS_OK;
}

oplus_status opi_tiles_take_result(const opi_job *job, bool waits)
{
    const opi_task *const task = job->task;
    if (!job->told) OPI_TRY(opi_tiles_result(job, job->result));
    if (job->result != task->result)
        return opi_gpu_fetch(job->g, job->call, task->result, job->result, task->result_bytes);
    return waits ? opi_gpu_sync(job->g, job->call, OPI_QUEUE_COMPUTE) : OPLUS_OK;
}

oplus_status opi_tiles_nothing(const opi_job *job)
{
    opi_task task = *job->task;
    if (job->g->rehearsal) return OPLUS_OK;
    task.result = opi_alloc(task.result_bytes);
    if (!task.result)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", job->call, task.result_bytes);
    oplus_status status = opi_cores_run(job->g->dev.cores, job->call, &task, job->carry);
    if (status == OPLUS_OK) status = opi_gpu_put(job->g, job->call, job->task->result, task.result, task.result_bytes);
    opi_free(task.result);
    return status;
}
