/* The work-group tree: a sweep on an accelerator.
 *
 * Whole tiles are aggregated by independent work-groups, one work-group joins what they found, and independent ones
 * apply it: three launches (reduce-then-scan), which assume nothing of the order in which work-groups run.  What is
 * small, or fills no tile, one work-group does alone.  Arrays of the host come in pieces; the carry stays on the device
 * between them, so that a result does not depend on where they were cut. */
#include "gpu/run.h"

#include "base/error.h"
#include "task/range.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOINED_TILES = 2,   /* of nodes: fewer are joined by one work-group */
    ALONE_TILES = 4,    /* that one work-group does faster than three launches */
    FLAG_EXCLUSIVE = 1, /* canon/tree.cl */
    FLAG_FRESH = 2,
    FLAG_KEEP = 4,
    FLAG_APART = 8, /* filter/filter.cl */
    FLAG_LATER = 16
};

/* --- launches --------------------------------------------------------------------------------------------------------
 * address[]: of the form's arrays, at the first item that the launch works on. */

typedef struct arguments {
    opi_gpu_argument list[24];
    int count;
} arguments;

static void add(arguments *a, opi_gpu_argument argument) { a->list[a->count++] = argument; }

static void add_arrays(arguments *a, const opi_run *r, const char *const *address, bool reads_only)
{
    for (int k = 0; k < r->form->arrays; k++)
        if (!reads_only || r->form->array[k].access == OPI_READS) add(a, opi_memory(address[k]));
}

/* Whether kernels that join take the parameter of an operator, as their last argument. */
static bool is_bound(const opi_run *r) { return r->form->op && r->form->op->param_type; }

static oplus_status launch(const opi_run *r, const char *kernel, uint64_t groups, arguments *a)
{
    if (r->form->fn || is_bound(r)) add(a, opi_memory(r->param));
    return opi_gpu_launch(r->g, r->call, r->formed.program, kernel, groups, 1u << r->formed.shape.log_w, a->list,
                          a->count);
}

static uint32_t flags_of(const opi_run *r, bool keep)
{
    return (r->form->exclusive ? FLAG_EXCLUSIVE : 0u) | (r->fresh ? FLAG_FRESH : 0u) | (keep ? FLAG_KEEP : 0u);
}

/* One work-group: n items. */
static oplus_status alone(opi_run *r, const char *const *address, uint64_t n, bool keep)
{
    arguments a = {.count = 0};
    const uint32_t flags = flags_of(r, keep);
    add_arrays(&a, r, address, false);
    add(&a, opi_value(n));
    add(&a, opi_memory(r->g->range.mem));
    add(&a, opi_value(r->at));
    add(&a, opi_value(flags));
    OPI_TRY(launch(r, "opi_one", 1, &a));
    r->fresh = false;
    r->at += n;
    return OPLUS_OK;
}

/* Whole tiles, after what precedes each has been found. */
static oplus_status apply(const opi_run *r, const char *const *address, uint64_t tiles, uint32_t flags)
{
    arguments a = {.count = 0};
    add_arrays(&a, r, address, false);
    add(&a, opi_memory(r->g->nodes.mem));
    add(&a, opi_memory(r->g->range.mem));
    add(&a, opi_value(flags));
    return launch(r, "opi_apply", tiles, &a);
}

/* Nodes of so many tiles, of all levels, with their places. */
static size_t nodes_of(const opi_run *r, uint64_t tiles)
{
    const uint64_t tile = opi_tile(r->formed.shape);
    return (size_t)(tiles + (tile > 1 ? tiles / (tile - 1) : 0) + 64);
}

/* What so many whole tiles append goes to memory of its own, since some work-groups may write where others have yet to
 * read, and from there to its place. */
static oplus_status apply_apart(const opi_run *r, const char *const *address, uint64_t tiles, uint32_t flags)
{
    const int out = r->form->arrays - 1;
    const char *apart[OPI_MAX_ARRAYS];
    arguments move = {.count = 0};
    memcpy(apart, address, (size_t)r->form->arrays * sizeof *apart);
    apart[out] = r->g->work.mem;
    OPI_TRY(apply(r, apart, tiles, flags | FLAG_APART));
    add(&move, opi_memory(r->g->work.mem));
    add(&move, opi_memory(address[out]));
    add(&move, opi_memory(r->g->nodes.mem));
    add(&move, opi_memory(r->g->range.mem));
    return launch(r, "opi_move", tiles, &move);
}

/* Nodes of 2^base elements: m of them, after a place for what precedes them. */
typedef struct level {
    const char *nodes;
    uint64_t m;
    unsigned base;
    bool keep, applies; /* what precedes each is wanted, not only the end */
} level;

static oplus_status join_by_one(opi_run *r, const level *l, uint32_t *later)
{
    const uint32_t base = l->base, flags = flags_of(r, l->keep) | *later;
    arguments a = {.count = 0};
    if (l->m == 0) return OPLUS_OK;
    add(&a, opi_memory(l->nodes));
    add(&a, opi_value(l->m));
    add(&a, opi_memory(r->g->range.mem));
    add(&a, opi_value(r->at));
    add(&a, opi_value(base));
    add(&a, opi_value(flags));
    if (is_bound(r)) add(&a, opi_memory(r->param));
    r->fresh = false;
    *later = FLAG_LATER;
    OPI_TRY(
        opi_gpu_launch(r->g, r->call, r->formed.program, "opi_spine", 1, 1u << r->formed.shape.log_w, a.list, a.count));
    r->at += l->m << l->base;
    return OPLUS_OK;
}

/* A level whose whole tiles are the nodes of a higher one: the way back down. */
typedef struct descent {
    const char *nodes, *above; /* of the tiles, and what precedes each */
    uint64_t tiles;
    uint32_t began; /* whether anything precedes the first */
    bool applies;
    level tail; /* nodes behind the tiles */
} descent;

static oplus_status launch_tiles(const opi_run *r, const char *kernel, const descent *d, bool down)
{
    arguments a = {.count = 0};
    add(&a, opi_memory(d->nodes));
    add(&a, opi_memory(d->above));
    if (down) add(&a, opi_value(d->began));
    if (is_bound(r)) add(&a, opi_memory(r->param));
    return opi_gpu_launch(r->g, r->call, r->formed.program, kernel, d->tiles, 1u << r->formed.shape.log_w, a.list,
                          a.count);
}

/* Where nodes are many, whole tiles of them are nodes of a higher level, whose place is behind theirs: up from level to
 * level until one work-group can join what is left, and down again. */
static oplus_status join_nodes(opi_run *r, level l)
{
    const unsigned log_tile = opi_log_tile(r->formed.shape);
    const uint64_t tile = (uint64_t)1 << log_tile;
    const size_t node = r->formed.node;
    descent path[64];
    int levels = 0;
    uint32_t later = 0;
    for (; log_tile > 0; levels++) {
        const uint64_t into = (r->at >> l.base) % tile, head = into ? tile - into : 0;
        if (l.m < head + JOINED_TILES * tile) break;
        const uint64_t tiles = (l.m - head) / tile, tail = l.m - head - tiles * tile;
        const level before = {l.nodes, head, l.base, true, l.applies};
        const char *const first = l.nodes + head * node, *const above = l.nodes + (l.m + 1) * node;
        OPI_TRY(join_by_one(r, &before, &later));
        path[levels] = (descent){first,     above,     tiles,
                                 !r->fresh, l.applies, {first + tiles * tile * node, tail, l.base, l.keep, l.applies}};
        OPI_TRY(launch_tiles(r, "opi_gather", &path[levels], false));
        l = (level){above, tiles, l.base + log_tile, l.keep || tail > 0, true};
    }
    OPI_TRY(join_by_one(r, &l, &later));
    while (levels-- > 0) {
        if (path[levels].applies) OPI_TRY(launch_tiles(r, "opi_spread", &path[levels], true));
        OPI_TRY(join_by_one(r, &path[levels].tail, &later));
    }
    return OPLUS_OK;
}

/* The nodes of so many whole tiles; joining them will write over them, so that a meeting keeps a copy. */
static oplus_status aggregate(opi_run *r, const char *const *address, uint64_t tiles)
{
    opi_groups *const g = r->g;
    const size_t bytes = (size_t)(tiles + 1) * r->formed.node;
    if (r->aggregated)
        return g->gpu->driver->copy(g->gpu, r->call, OPI_QUEUE_COMPUTE, g->nodes.mem, g->work.mem, bytes);
    arguments a = {.count = 0};
    add_arrays(&a, r, address, true);
    add(&a, opi_memory(g->nodes.mem));
    OPI_TRY(launch(r, "opi_aggregate", tiles, &a));
    if (!r->aggregates) return OPLUS_OK;
    return g->gpu->driver->copy(g->gpu, r->call, OPI_QUEUE_COMPUTE, g->work.mem, g->nodes.mem, bytes);
}

/* Three launches, or some more where tiles are very many: so many whole tiles. */
static oplus_status together(opi_run *r, const char *const *address, uint64_t tiles, bool keep)
{
    const bool applies = address[r->form->arrays - 1] != NULL; /* a reduction only aggregates */
    const uint32_t flags = flags_of(r, keep);
    OPI_TRY(aggregate(r, address, tiles));
    OPI_TRY(join_nodes(r, (level){r->g->nodes.mem, tiles, opi_log_tile(r->formed.shape), keep, applies}));
    if (!applies) return OPLUS_OK;
    return r->overlaps ? apply_apart(r, address, tiles, flags) : apply(r, address, tiles, flags);
}

/* Independent blocks: n items. */
static oplus_status independent(opi_run *r, const char *const *address, uint64_t n)
{
    const uint64_t tile = opi_tile(r->formed.shape);
    arguments a = {.count = 0};
    add_arrays(&a, r, address, false);
    add(&a, opi_value(n));
    return launch(r, "opi_apply", (n + tile - 1) / tile, &a);
}

static void advance(const opi_run *r, const char *const *address, uint64_t items, const char **next)
{
    for (int k = 0; k < r->form->arrays; k++) {
        const opi_array *const array = &r->form->array[k];
        next[k] = address[k] && array->access != OPI_APPENDS ? address[k] + items * array->size : address[k];
    }
}

/* Whole tiles that are applied apart at a time.  What a batch appends never goes beyond its own end, so that the next
 * one finds its items untouched. */
static uint64_t tiles_apart(const opi_run *r)
{
    const size_t tile_bytes = opi_tile(r->formed.shape) * r->form->array[r->form->arrays - 1].size;
    const size_t tiles = OPI_SLOTS * r->g->piece_bytes / tile_bytes;
    return tiles ? tiles : 1;
}

oplus_status opi_run_reserve(const opi_run *r, uint64_t n)
{
    opi_groups *const g = r->g;
    const size_t tile = opi_tile(r->formed.shape);
    uint64_t tiles = n / tile;
    if (r->formed.node == 0 || tiles < ALONE_TILES) return OPLUS_OK;
    if (r->aggregates) OPI_TRY(opi_gpu_reserve(g, r->call, &g->work, (size_t)(tiles + 1) * r->formed.node));
    if (r->overlaps) {
        if (tiles > tiles_apart(r)) tiles = tiles_apart(r);
        OPI_TRY(opi_gpu_reserve(g, r->call, &g->work, (size_t)tiles * tile * r->form->array[r->form->arrays - 1].size));
    }
    return opi_gpu_reserve(g, r->call, &g->nodes, nodes_of(r, tiles) * r->formed.node);
}

/* n > 0 items in device memory: what is left of a tile, whole tiles, the beginning of one.  last: nothing follows. */
oplus_status opi_run_compute(opi_run *r, const char *const *address, uint64_t n, bool last)
{
    const char *next[OPI_MAX_ARRAYS] = {NULL};
    if (r->formed.node == 0) return independent(r, address, n);
    OPI_TRY(opi_run_reserve(r, n));
    const uint64_t tile = opi_tile(r->formed.shape), into = r->at % tile;
    const uint64_t head = into == 0 ? 0 : tile - into < n ? tile - into : n;
    const uint64_t tiles = (n - head) / tile, tail = n - head - tiles * tile;
    const bool keep = r->keep || !last;
    if (tiles < ALONE_TILES) return alone(r, address, n, keep);
    if (head > 0) OPI_TRY(alone(r, address, head, true));
    advance(r, address, head, next);
    const uint64_t most = r->overlaps ? tiles_apart(r) : tiles;
    for (uint64_t done = 0; done < tiles; done += most) {
        const uint64_t batch = tiles - done < most ? tiles - done : most;
        OPI_TRY(together(r, next, batch, keep || batch < tiles - done));
        advance(r, next, batch * tile, next);
    }
    return tail > 0 ? alone(r, next, tail, keep) : OPLUS_OK;
}

/* Whether what a sweep appends may reach what it reads: `out` has room for all items, or for fewer. */
static bool appends_over_input(const opi_form *form, uint64_t n)
{
    const opi_array *const out = &form->array[form->arrays - 1];
    if (out->access != OPI_APPENDS) return false;
    for (int k = 0; k < form->arrays - 1; k++) {
        const uintptr_t in = (uintptr_t)form->array[k].mem, to = (uintptr_t)out->mem;
        if (to < in + n * form->array[k].size && in < to + n * out->size) return true;
    }
    return false;
}

/* All arrays are the device's: their addresses are the caller's. */
static oplus_status run_in_place(opi_run *r, const opi_sweep *sweep)
{
    const char *address[OPI_MAX_ARRAYS] = {NULL};
    for (int k = 0; k < r->form->arrays; k++) address[k] = r->form->array[k].mem;
    r->overlaps = appends_over_input(r->form, sweep->n);
    return opi_run_compute(r, address, sweep->n, true);
}

/* --- what is carried ---------------------------------------------------------------------------------------------- */

/* Where an image of what is carried has its place on the host, before anything is computed. */
static oplus_status reserve_image(const opi_run *r)
{
    const size_t bytes = opi_image_bytes(r->formed.node);
    if (opi_buffer_reserve(&r->g->image, bytes)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", r->call, bytes);
}

/* What precedes item 0, from the host. */
static oplus_status bring_carry(opi_run *r, opi_range *carry)
{
    void *const image = r->g->image.mem;
    r->fresh = !carry || carry->count == 0;
    if (r->fresh) return OPLUS_OK;
    opi_range_pack(carry, r->formed.node, image);
    return opi_gpu_put(r->g, r->call, r->g->range.mem, image, opi_image_bytes(r->formed.node));
}

/* What precedes item n, to the host. */
static oplus_status take_carry(const opi_run *r, opi_range *carry)
{
    void *const image = r->g->image.mem;
    assert(carry);
    OPI_TRY(opi_gpu_fetch(r->g, r->call, image, r->g->range.mem, opi_image_bytes(r->formed.node)));
    opi_range_unpack(carry, r->formed.node, image);
    return OPLUS_OK;
}

oplus_status opi_run_result(const opi_run *r, void *to)
{
    const opi_gpu_argument list[] = {opi_memory(r->g->range.mem), opi_memory(to), opi_memory(r->param)};
    return opi_gpu_launch(r->g, r->call, r->formed.program, "opi_result", 1, 1, list, is_bound(r) ? 3 : 2);
}

/* waits: an array was the host's, and the call is to be done when it returns. */
static oplus_status take_result(const opi_run *r, const opi_sweep *sweep, bool waits)
{
    opi_gpu_side side;
    OPI_TRY(opi_gpu_side_of(r->g, r->call, "the result", sweep->result, sweep->result_bytes, &side));
    const bool direct = side == OPI_SIDE_DEVICE;
    void *const to = direct ? sweep->result : r->g->value.mem;
    OPI_TRY(opi_run_result(r, to));
    r->g->wrote |= !direct;
    if (!direct) return opi_gpu_fetch(r->g, r->call, sweep->result, to, sweep->result_bytes);
    return waits ? r->g->gpu->driver->sync(r->g->gpu, r->call, OPI_QUEUE_COMPUTE) : OPLUS_OK;
}

/* Of nothing: the host makes the result. */
static oplus_status run_empty(const opi_run *r, const opi_sweep *sweep, void *carry)
{
    if (!sweep->finish) return OPLUS_OK;
    const size_t room = opi_round_up(sweep->carry_bytes, OPI_CACHE_LINE);
    char *const mem = opi_alloc(room + sweep->result_bytes);
    if (!mem) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", r->call, room);
    if (!carry) sweep->start(sweep, 0, mem);
    sweep->finish(sweep, carry ? carry : mem, mem + room);
    const oplus_status status = opi_gpu_put(r->g, r->call, sweep->result, mem + room, sweep->result_bytes);
    opi_free(mem);
    return status;
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

/* carry: what precedes item 0, or NULL. */
static oplus_status compute(opi_run *r, const opi_sweep *sweep, opi_range *carry, opi_staging *staging)
{
    r->at = r->form->first;
    if (r->formed.node > 0) OPI_TRY(bring_carry(r, carry));
    OPI_TRY(opi_run_look(r, sweep->n, staging));
    return staging->any ? opi_run_staged(r, staging, sweep) : run_in_place(r, sweep);
}

/* The part's summary: the sweep as a reduction.  *apart: the nodes of the tiles are kept, since no array is the host's.
 */
static oplus_status summarise(const opi_run *r, const opi_sweep *sweep, opi_range *carry, bool *apart)
{
    opi_form form = *r->form;
    opi_run reduction = *r;
    opi_staging staging;
    OPI_TRY(opi_run_look(r, sweep->n, &staging));
    for (int k = 0; k < form.arrays; k++)
        if (form.array[k].access != OPI_READS) form.array[k].mem = NULL;
    reduction.form = &form;
    reduction.keep = true;
    reduction.aggregates = *apart = !staging.any;
    OPI_TRY(compute(&reduction, sweep, carry, &staging));
    return take_carry(&reduction, carry);
}

/* Up to the meeting, and all of it after: tiles whose nodes are kept are not aggregated twice. */
static oplus_status meet(opi_run *r, const opi_sweep *sweep, opi_range *carry)
{
    opi_staging staging;
    OPI_TRY(summarise(r, sweep, carry, &r->aggregated));
    OPI_TRY(sweep->meeting->hold(sweep->meeting, carry));
    r->keep = false;
    return compute(r, sweep, carry, &staging);
}

oplus_status opi_groups_sweep(oplus_device *dev, const char *call, const opi_sweep *sweep, void *carry)
{
    opi_groups *const g = dev->groups;
    const opi_form *const form = &sweep->form;
    opi_run r = {.g = g, .call = call, .form = form, .keep = carry && !sweep->finish};
    opi_staging staging;
    if (!form->kernels) return opi_cores.run(dev, call, sweep, carry); /* by one worker */
    if (sweep->n == 0)
        return sweep->meeting ? sweep->meeting->hold(sweep->meeting, carry) : run_empty(&r, sweep, carry);
    OPI_TRY(opi_form_program(&g->programs, call, form, &r.formed));
    OPI_TRY(opi_gpu_param(g, call, form->fn, form->op, &r.param));
    if (r.formed.node > 0) OPI_TRY(opi_gpu_reserve(g, call, &g->range, opi_image_bytes(r.formed.node)));
    if (r.formed.node > 0 && carry) OPI_TRY(reserve_image(&r));
    if (sweep->finish) OPI_TRY(opi_gpu_reserve(g, call, &g->value, sweep->result_bytes));
    if (sweep->meeting) return meet(&r, sweep, carry);
    OPI_TRY(compute(&r, sweep, form->op ? carry : NULL, &staging)); /* only a range can precede */
    if (sweep->finish) return staging.appends ? OPLUS_OK : take_result(&r, sweep, staging.any);
    return r.keep ? take_carry(&r, carry) : OPLUS_OK;
}
