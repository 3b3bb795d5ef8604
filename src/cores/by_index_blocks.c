/* A bin's elements are collected until they are a block of the canonical tree.  The node of a block is collected, too, and
 * nodes of a group of blocks go into the bin's range as one: so each element is written once, to a line that is in a cache,
 * and a range is seldom touched.
 *
 * Each worker has a part of the elements.  A part's elements of a bin do not begin at the bin's element 0: where they begin
 * is counted before, and the parts' ranges are joined in the end. */
#include "cores/by_index_ways.h"

#include "base/error.h"
#include "cores/bins.h"
#include "cores/reduce.h"

#include <string.h>

enum {
    BLOCK_BYTES = 512,         /* of a bin's elements, but ... */
    BLOCKS_BYTES = 1024 << 10, /* ... no more of all bins: they stay in a second-level cache; and ... */
    LEAST_LEVEL = 4,           /* ... at least so many elements */
    GROUP_LEVEL = 4,           /* of a group of blocks */
    GROUP = 1 << GROUP_LEVEL,  /* blocks */
    MOST_SIZE = 64,            /* bytes of an element */
    BLOCKS_PER_BIN = 2,        /* of a part, at least */
    AHEAD = 2048,              /* bytes: what is next in memory is fetched meanwhile */
    BINS_AT_A_TIME = 64,       /* whose ranges are joined */
    BEGUN = 0x80 /* an earlier part has the beginning of the block that is being filled: beside its number */
};

typedef struct collecting {
    opi_binned binned; /* next: where the part's elements of a bin begin in the bin */
    opi_loops loops;
    unsigned level;    /* of a block */
    size_t range, own; /* bytes of a range; of what a part has */
    size_t blocks_at, filled_at, nodes_at, ranges_at, scratch_at;
    char *parts, *out;
    bool *beyond; /* of each part: whether an index was out of range */
} collecting;

static char *own_of(const collecting *c, size_t p) { return c->parts + p * c->own; }
static opi_range *range_of(const collecting *c, size_t p, size_t bin)
{
    return (opi_range *)(void *)(own_of(c, p) + c->ranges_at + bin * c->range);
}

/* How many elements are a block. */
static size_t elements(const collecting *c) { return (size_t)1 << c->level; }

/* --- from a block to its bin's range ------------------------------------------------------------------------------ */

/* Where in the block of each bin its next element goes: this many elements from the first bin's block. */
static uint32_t *next_of(const collecting *c, size_t p) { return (uint32_t *)(void *)own_of(c, p); }

/* Which block of its group is being filled. */
static uint8_t *filled_of(const collecting *c, size_t p) { return (uint8_t *)own_of(c, p) + c->filled_at; }

static char *block_of(const collecting *c, size_t p, size_t bin)
{
    return own_of(c, p) + c->blocks_at + (bin << c->level) * c->loops.size;
}

static char *nodes_of(const collecting *c, size_t p, size_t bin)
{
    return own_of(c, p) + c->nodes_at + bin * GROUP * c->loops.size;
}

/* The node of a block, or of as many nodes. */
static void make_node(const collecting *c, size_t p, const char *x, unsigned level, char *node)
{
    char *const scratch = own_of(c, p) + c->scratch_at;
    if (c->loops.exact)
        opi_reduce_slice(&c->loops, x, (size_t)1 << level, node, scratch);
    else
        opi_loops_node(&c->loops, x, level, node, scratch + opi_round_up(c->loops.size, OPI_CACHE_LINE));
}

/* Appends nodes of level `base` to a range: those from number `begin` to `end` of some that lie at x. */
static void append(const collecting *c, size_t p, opi_range *range, unsigned base, const char *x, size_t begin,
                   size_t end)
{
    char *const node = own_of(c, p) + c->scratch_at;
    for (size_t i = begin; i < end;) {
        const unsigned level = opi_loops_fit(c->level, i, end - i);
        make_node(c, p, x + i * c->loops.size, level, node);
        opi_range_push(range, base + level, node, 0);
        i += (size_t)1 << level;
    }
}

/* Appends the nodes that a bin has to its range, up to the block `end` of the group. */
static void append_nodes(const collecting *c, size_t p, size_t bin, size_t end)
{
    opi_range *const range = range_of(c, p, bin);
    append(c, p, range, c->level, nodes_of(c, p, bin), (size_t)(range->end >> c->level) % GROUP, end);
}

/* Appends the elements that a bin has to its range, up to element `end` of the block; nothing is left of its nodes. */
static void append_elements(const collecting *c, size_t p, size_t bin, size_t end)
{
    opi_range *const range = range_of(c, p, bin);
    append(c, p, range, 0, block_of(c, p, bin), (size_t)range->end % elements(c), end);
}

/* A bin's block is full. */
static void close_block(const collecting *c, size_t p, size_t bin)
{
    if (bin == c->binned.bins->n) return; /* of what is in no bin */
    uint8_t *const filled = &filled_of(c, p)[bin];
    const size_t at = *filled & ~(unsigned)BEGUN;
    const bool begun = *filled & BEGUN;
    *filled = (uint8_t)((at + 1) % GROUP);
    if (begun) {
        append_elements(c, p, bin, elements(c));
        return;
    }
    make_node(c, p, block_of(c, p, bin), c->level, nodes_of(c, p, bin) + at * c->loops.size);
    if (at + 1 == GROUP) append_nodes(c, p, bin, GROUP);
}

/* --- the parts ---------------------------------------------------------------------------------------------------- */

static void start_part(const collecting *c, size_t p)
{
    const uint64_t *const first = opi_binned_next(&c->binned, p), bins = c->binned.bins->n;
    uint32_t *const next = next_of(c, p);
    uint8_t *const filled = filled_of(c, p);
    c->beyond[p] = false;
    for (size_t b = 0; b < bins; b++) {
        const size_t has = (size_t)first[b] % elements(c);
        next[b] = (uint32_t)((b << c->level) + has);
        filled[b] = (uint8_t)((size_t)(first[b] >> c->level) % GROUP + (has > 0 ? BEGUN : 0));
        opi_range_start(range_of(c, p, b), c->loops.op, first[b], false);
    }
    next[bins] = (uint32_t)(bins << c->level);
}

static void end_part(const collecting *c, size_t p)
{
    const uint32_t *const next = next_of(c, p);
    const uint8_t *const filled = filled_of(c, p);
    for (size_t b = 0; b < c->binned.bins->n; b++) {
        if (!(filled[b] & BEGUN)) append_nodes(c, p, b, filled[b]);
        append_elements(c, p, b, next[b] % elements(c));
    }
}

/* `size` is a constant where this is called. */
OPLUS_INLINE_ void collect(const collecting *c, size_t size, size_t p, const char *in, uint32_t bin, char *blocks,
                           uint32_t *next, uint32_t last)
{
    const uint32_t to = next[bin];
    memcpy(blocks + to * size, in, size);
    next[bin] = to + 1;
    if (__builtin_expect(((to + 1) & last) != 0, true)) return;
    close_block(c, p, bin);
    next[bin] = to - last;
}

/* next_indices: those of the next piece, which are all looked at before anything is collected. */
OPLUS_INLINE_ void collect_piece(const collecting *c, size_t size, size_t p, const char *in, const uint32_t *bin,
                                 size_t n, const char *next_indices)
{
    enum { STEP = 4 };
    char *const blocks = block_of(c, p, 0);
    uint32_t *const next = next_of(c, p);
    const uint32_t last = (uint32_t)elements(c) - 1;
    const size_t index = c->binned.bins->type->size;
    size_t k = 0;
    for (; k + STEP <= n; k += STEP) {
        __builtin_prefetch(next_indices + k * index, 0, 2);
        __builtin_prefetch(in + k * size + AHEAD, 0, 2);
        for (size_t j = 0; j < STEP; j++) collect(c, size, p, in + (k + j) * size, bin[k + j], blocks, next, last);
    }
    for (; k < n; k++) collect(c, size, p, in + k * size, bin[k], blocks, next, last);
}

static void collect_part(const collecting *c, size_t p)
{
    const opi_binned *const b = &c->binned;
    const size_t size = b->size;
    uint32_t room[OPI_BINS_PIECE];
    start_part(c, p);
    for (size_t i = p * b->part, n; i < opi_binned_end(b, p); i += n) {
        n = opi_smaller(OPI_BINS_PIECE, opi_binned_end(b, p) - i);
        const uint32_t *const bin =
            opi_bins_find_words(b->isa, b->bins, opi_binned_index(b, i), n, room, &c->beyond[p]);
        const char *const in = b->in + i * size, *const next_indices = opi_binned_index(b, i + n);
        if (size == 4)
            collect_piece(c, 4, p, in, bin, n, next_indices);
        else if (size == 8)
            collect_piece(c, 8, p, in, bin, n, next_indices);
        else if (size == 16)
            collect_piece(c, 16, p, in, bin, n, next_indices);
        else
            collect_piece(c, size, p, in, bin, n, next_indices);
    }
    end_part(c, p);
}

static void collect_parts(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                          bool aggregated, void *scratch)
{
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t p = begin; p < end; p++) collect_part((const collecting *)sweep, p);
}

/* --- the bins ----------------------------------------------------------------------------------------------------- */

static void write_bins(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const collecting *const c = (const collecting *)sweep;
    const size_t size = c->loops.size;
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t b = begin; b < end; b++) {
        opi_range *const all = range_of(c, 0, b);
        for (size_t p = 1; p < c->binned.parts; p++) opi_range_join(all, range_of(c, p, b));
        if (all->count > 0)
            opi_range_value(all, c->out + b * size);
        else
            memcpy(c->out + b * size, c->loops.op->identity, size);
    }
    opi_quiet_run(&c->loops.quiet, c->out + begin * size, end - begin);
}

static void plan_bins(collecting *c)
{
    opi_sweep *const sweep = &c->binned.sweep;
    sweep->n = (size_t)c->binned.bins->n;
    sweep->block = BINS_AT_A_TIME;
    sweep->bytes = c->binned.parts * sweep->n * sizeof(opi_range);
    sweep->apply = write_bins;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* The level of a block. */
static unsigned level_of(const opi_task *task)
{
    const size_t size = task->op->type->size, bins = opi_larger(1, (size_t)task->bins.n);
    const size_t most = opi_smaller(BLOCK_BYTES, BLOCKS_BYTES / bins);
    unsigned level = LEAST_LEVEL;
    while (size << (level + 1) <= most) level++;
    return level;
}

/* How many elements of a part there are for each bin, at least: some blocks, and half as many as fit
 * the bin's scratch memory. */
static size_t least_per_bin(const opi_task *task)
{
    const size_t block = (size_t)1 << level_of(task);
    return opi_larger(BLOCKS_PER_BIN * block, (block + GROUP + opi_range_bytes(task->op) / task->op->type->size) / 2);
}

static void make_plan(collecting *c, opi_cores *cores, const opi_task *task)
{
    const size_t size = task->op->type->size;
    opi_binned_make(&c->binned, cores, task, least_per_bin(task));
    const size_t slots = opi_binned_slots(&c->binned);
    c->level = level_of(task);
    opi_loops_plan(&c->loops, task->op, cores->isa, size << c->level);
    c->range = opi_range_bytes(task->op);
    c->blocks_at = opi_round_up(slots * sizeof(uint32_t), OPI_CACHE_LINE);
    c->nodes_at = c->blocks_at + opi_round_up((slots << c->level) * size, OPI_CACHE_LINE);
    c->filled_at = c->nodes_at + opi_round_up(slots * GROUP * size, OPI_CACHE_LINE);
    c->ranges_at = c->filled_at + opi_round_up(slots, OPI_CACHE_LINE);
    c->scratch_at = c->ranges_at + slots * c->range;
    c->own =
        opi_round_up(c->scratch_at + opi_reduce_scratch(&c->loops), 2 * OPI_CACHE_LINE); /* pairs of lines prefetch */
    c->out = (char *)task->array[OPI_BINNED_OUT].mem;
}

static size_t scratch_bytes(const collecting *c)
{
    const size_t parts = c->binned.parts;
    const size_t words = opi_binned_slots(&c->binned) * sizeof *c->binned.next;
    return parts * (c->own + words + sizeof *c->beyond);
}

static oplus_status reserve(opi_cores *cores, const char *call, collecting *c)
{
    const size_t bytes = scratch_bytes(c), parts = c->binned.parts;
    if (!opi_buffer_reserve(&cores->array, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of scratch; free some, or ask for fewer bins",
                        call, bytes);
    c->parts = cores->array.mem;
    c->binned.next = (uint64_t *)(void *)(c->parts + parts * c->own);
    c->beyond = (bool *)(c->binned.next + parts * opi_binned_slots(&c->binned));
    return OPLUS_OK;
}

/* Makes of the number of elements of each part where the part begins in the bin; returns how many are in no bin. */
static uint64_t find_begins(const collecting *c)
{
    uint64_t at = 0;
    for (size_t b = 0; b < opi_binned_slots(&c->binned); b++) {
        at = 0;
        for (size_t p = 0; p < c->binned.parts; p++) {
            uint64_t *const next = &opi_binned_next(&c->binned, p)[b], count = *next;
            *next = at;
            at += count;
        }
    }
    return at;
}

/* One part begins at 0 everywhere; if it meets an index that is to be refused, it is seen afterwards. */
static oplus_status count(opi_cores *cores, const char *call, collecting *c, bool *beyond)
{
    *beyond = false;
    if (c->binned.parts == 1) {
        memset(c->binned.next, 0, opi_binned_slots(&c->binned) * sizeof *c->binned.next);
        return OPLUS_OK;
    }
    OPI_TRY(opi_binned_count(cores, call, &c->binned));
    *beyond = find_begins(c) > 0;
    return OPLUS_OK;
}

oplus_status opi_by_index_blocks(opi_cores *cores, const char *call, const opi_task *task)
{
    collecting c;
    bool beyond;
    const bool refuses = task->bins.bounds == OPLUS_REFUSE;
    make_plan(&c, cores, task);
    OPI_TRY(reserve(cores, call, &c));
    OPI_TRY(count(cores, call, &c, &beyond));
    if (refuses && beyond) return opi_bins_refuse(call, &task->bins, c.binned.indices, task->n);
    c.binned.sweep.apply = collect_parts;
    OPI_TRY(opi_cores_sweep(cores, call, &c.binned.sweep, NULL));
    if (refuses && c.beyond[0]) return opi_bins_refuse(call, &task->bins, c.binned.indices, task->n);
    plan_bins(&c);
    return opi_cores_sweep(cores, call, &c.binned.sweep, NULL);
}

bool opi_by_index_blocks_suits(opi_cores *cores, const opi_task *task)
{
    (void)cores;
    return task->op->type->size <= MOST_SIZE && task->n / least_per_bin(task) >= task->bins.n &&
           task->bins.n < UINT32_MAX >> level_of(task);
}

void opi_by_index_blocks_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    collecting c;
    make_plan(&c, cores, task);
    opi_binned_explain(&c.binned, scratch_bytes(&c), to);
}
