/* A bin's elements are collected until they are a block of the canonical tree, whose node then goes into the bin's range: so
 * each element is written once, to a line that is in a cache.
 *
 * Each worker has a part of the elements.  A part's elements of a bin do not begin at the bin's element 0: where they begin
 * is counted before, and the parts' ranges are joined in the end. */
#include "cores/by_index_ways.h"

#include "base/error.h"
#include "cores/bins.h"
#include "cores/reduce.h"

#include <string.h>

enum {
    BLOCK_BYTES = 512,  /* of a bin's elements, but ... */
    LEAST_LEVEL = 4,    /* at least so many elements */
    MOST_SIZE = 64,     /* bytes of an element */
    BLOCKS_PER_BIN = 2, /* of a part, at least */
    AHEAD = 2048,       /* bytes: what is next in memory is fetched meanwhile */
    BINS_AT_A_TIME = 64 /* whose ranges are joined */
};

typedef struct collecting {
    opi_binned binned; /* next: where the part's elements of a bin begin in the bin */
    opi_loops loops;
    unsigned level; /* of a block */
    size_t stride;  /* elements from block to block: one cache line more, so that they begin in all sets of a cache */
    size_t range, own; /* bytes of a range; of what a part has */
    size_t ranges_at, blocks_at, scratch_at;
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

/* Appends what the block of a bin has, up to its element `end`, to the range of the bin. */
static void append_block(const collecting *c, size_t p, size_t bin, size_t end)
{
    const size_t size = c->loops.size;
    if (bin == c->binned.bins->n) return;
    opi_range *const range = range_of(c, p, bin);
    const size_t begin = range->end % elements(c); /* not 0 where an earlier part has the beginning of the block */
    const char *const block = own_of(c, p) + c->blocks_at + bin * c->stride * size;
    if (begin < end)
        opi_reduce_append(&c->loops, block + begin * size, end - begin, range, own_of(c, p) + c->scratch_at);
}

/* --- the parts ---------------------------------------------------------------------------------------------------- */

/* The places of a bin's block. */
typedef struct places {
    uint32_t next, end;
} places;

static places *places_of(const collecting *c, size_t p) { return (places *)(void *)own_of(c, p); }

static void start_part(const collecting *c, size_t p)
{
    const uint64_t *const first = opi_binned_next(&c->binned, p), bins = c->binned.bins->n;
    places *const of = places_of(c, p);
    c->beyond[p] = false;
    for (size_t b = 0; b <= bins; b++) {
        const size_t begin = b * c->stride;
        of[b] = (places){(uint32_t)begin, (uint32_t)(begin + elements(c))};
        if (b == bins) break;
        of[b].next += (uint32_t)(first[b] % elements(c));
        opi_range_start(range_of(c, p, b), c->loops.op, first[b], false);
    }
}

/* `size` is a constant where this is called. */
OPLUS_INLINE_ void collect(const collecting *c, size_t size, size_t p, const char *in, uint32_t bin, char *blocks,
                           places *of)
{
    const uint32_t to = of[bin].next;
    memcpy(blocks + to * size, in, size);
    of[bin].next = to + 1;
    if (__builtin_expect(to + 1 != of[bin].end, true)) return;
    append_block(c, p, bin, elements(c));
    of[bin].next = to + 1 - (UINT32_C(1) << c->level);
}

OPLUS_INLINE_ void collect_piece(const collecting *c, size_t size, size_t p, const char *in, const uint32_t *bin,
                                 size_t n)
{
    enum { STEP = 4 };
    char *const blocks = own_of(c, p) + c->blocks_at;
    places *const of = places_of(c, p);
    size_t k = 0;
    for (; k + STEP <= n; k += STEP) {
        __builtin_prefetch((const char *)(bin + k) + AHEAD, 0, 2);
        __builtin_prefetch(in + k * size + AHEAD, 0, 2);
        for (size_t j = 0; j < STEP; j++) collect(c, size, p, in + (k + j) * size, bin[k + j], blocks, of);
    }
    for (; k < n; k++) collect(c, size, p, in + k * size, bin[k], blocks, of);
}

static void collect_part(const collecting *c, size_t p)
{
    const opi_binned *const b = &c->binned;
    const size_t size = b->size;
    const places *const of = places_of(c, p);
    uint32_t room[OPI_BINS_PIECE];
    start_part(c, p);
    for (size_t i = p * b->part, n; i < opi_binned_end(b, p); i += n) {
        n = opi_smaller(OPI_BINS_PIECE, opi_binned_end(b, p) - i);
        const uint32_t *const bin =
            opi_bins_find_words(b->isa, b->bins, opi_binned_index(b, i), n, room, &c->beyond[p]);
        if (size == 4)
            collect_piece(c, 4, p, b->in + i * size, bin, n);
        else if (size == 8)
            collect_piece(c, 8, p, b->in + i * size, bin, n);
        else
            collect_piece(c, size, p, b->in + i * size, bin, n);
    }
    for (size_t bin = 0; bin < b->bins->n; bin++) append_block(c, p, bin, of[bin].next - bin * c->stride);
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

/* The level of a block of elements of so many bytes. */
static unsigned level_of(size_t size)
{
    unsigned level = LEAST_LEVEL;
    while (size << (level + 1) <= BLOCK_BYTES) level++;
    return level;
}

static size_t stride_of(size_t size) { return ((size_t)1 << level_of(size)) + opi_elements_in(OPI_CACHE_LINE, size); }

/* How many elements of a part there are for each bin, at least: some blocks, and no less than the bin's scratch memory. */
static size_t least_per_bin(const oplus_op *op)
{
    const size_t size = op->type->size, scratch = opi_range_bytes(op) / size + stride_of(size);
    return opi_larger((size_t)BLOCKS_PER_BIN << level_of(size), scratch);
}

static void make_plan(collecting *c, opi_cores *cores, const opi_task *task)
{
    const size_t size = task->op->type->size;
    opi_binned_make(&c->binned, cores, task, least_per_bin(task->op));
    opi_loops_plan(&c->loops, task->op, cores->isa, size << level_of(size));
    const size_t slots = opi_binned_slots(&c->binned);
    c->level = level_of(size);
    c->stride = stride_of(size);
    c->range = opi_range_bytes(task->op);
    c->ranges_at = opi_round_up(slots * sizeof(places), OPI_CACHE_LINE);
    c->blocks_at = c->ranges_at + slots * c->range;
    c->scratch_at = c->blocks_at + opi_round_up(slots * c->stride * size, OPI_CACHE_LINE);
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
    const size_t size = task->op->type->size;
    (void)cores;
    return size <= MOST_SIZE && task->n / least_per_bin(task->op) >= task->bins.n &&
           task->bins.n < UINT32_MAX / stride_of(size);
}

void opi_by_index_blocks_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    collecting c;
    make_plan(&c, cores, task);
    opi_binned_explain(&c.binned, scratch_bytes(&c), to);
}
