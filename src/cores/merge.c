/* Stable merge of sorted runs. */
#include "cores/merge.h"

#include <oplus/leaf.h>

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum {
    LEVEL_BYTES = 64 << 10,     /* of one of the two buffers of a piece: both fit a second-level cache */
    WINDOW_MIN = 64,            /* elements of a run in a piece, at least */
    BLOCK_BYTES = 1 << 20,      /* of the result, at least; */
    BLOCK_RUN_BYTES = 64 << 10, /* and for each run, since a block's place is looked for in all of them */
};

typedef opi_merge_run run;
typedef opi_merge_place place;

#define T uint32_t
#include "cores/merge_keys.h"
#define T uint64_t
#include "cores/merge_keys.h"
#define T uint8_t
#include "cores/merge_keys.h"
#define T uint16_t
#include "cores/merge_keys.h"

/* --- keys in order ------------------------------------------------------------------------------------------------ */

uint64_t opi_key_at(const opi_key_order *order, const void *keys, size_t i)
{
    static uint64_t (*const key[])(const opi_key_order *order, const void *keys, size_t i) = {
        [1] = key_uint8_t, [2] = key_uint16_t, [4] = key_uint32_t, [8] = key_uint64_t};
    return key[order->size](order, keys, i);
}

size_t opi_key_below(const opi_key_order *order, const void *keys, size_t begin, size_t end, uint64_t bound)
{
    static size_t (*const below[])(const opi_key_order *order, const void *keys, size_t begin, size_t end,
                                   uint64_t bound) = {
        [1] = below_uint8_t, [2] = below_uint16_t, [4] = below_uint32_t, [8] = below_uint64_t};
    return below[order->size](order, keys, begin, end, bound);
}

/* --- two runs ----------------------------------------------------------------------------------------------------- */

void opi_merge_two(const opi_key_order *order, opi_merge_payload payload, run earlier, run later, place to)
{
#define MERGES(T)                                                                                                      \
    {                                                                                                                  \
        merge_##T##_alone, merge_##T##_uint32_t, merge_##T##_uint64_t, merge_##T##_uint64_t                            \
    }
    static void (*const merge[][4])(const opi_key_order *order, run earlier, run later, place to) = {
        [1] = MERGES(uint8_t), [2] = MERGES(uint16_t), [4] = MERGES(uint32_t), [8] = MERGES(uint64_t)};
#undef MERGES
    merge[order->size][payload](order, earlier, later, to);
}

/* --- the scratch of a worker -------------------------------------------------------------------------------------- */

/* Bytes of what goes along with a key. */
static size_t payload_bytes(opi_merge_payload payload)
{
    return payload == OPI_MERGE_NOTHING ? 0 : payload == OPI_MERGE_VALUE4 ? sizeof(uint32_t) : sizeof(uint64_t);
}

static opi_merge_payload payload_of(size_t value_size)
{
    return value_size == 0   ? OPI_MERGE_NOTHING
           : value_size == 4 ? OPI_MERGE_VALUE4
           : value_size == 8 ? OPI_MERGE_VALUE8
                             : OPI_MERGE_INDEX;
}

/* The most elements of a piece. */
static size_t piece_elements(size_t key_size, opi_merge_payload payload, size_t runs)
{
    const size_t fitting = LEVEL_BYTES / (key_size + payload_bytes(payload));
    return fitting > WINDOW_MIN * runs ? fitting : WINDOW_MIN * runs;
}

typedef struct scratch {
    size_t *at, *end, *middle;  /* of each run: [at, end) is what a block has not taken yet; middle is for a search */
    run *parts;                 /* of a piece */
    place level[2];             /* what levels make */
    uint64_t *indices, *merged; /* places of values, of the runs and of the piece */
} scratch;

/* Bytes of the parts of a scratch. */
typedef struct scratch_bytes {
    size_t places, parts, keys, carried, indices;
} scratch_bytes;

static scratch_bytes scratch_bytes_of(size_t key_size, opi_merge_payload payload, size_t runs)
{
    const size_t n = piece_elements(key_size, payload, runs);
    const size_t carried = opi_round_up(n * payload_bytes(payload), OPI_CACHE_LINE);
    return (scratch_bytes){.places = opi_round_up(runs * sizeof(size_t), OPI_CACHE_LINE),
                           .parts = opi_round_up(runs * sizeof(run), OPI_CACHE_LINE),
                           .keys = opi_round_up(n * key_size, OPI_CACHE_LINE),
                           .carried = carried,
                           .indices = payload == OPI_MERGE_INDEX ? carried : 0};
}

static scratch cut_scratch(const opi_merge *m, unsigned char *mem)
{
    const scratch_bytes b = scratch_bytes_of(m->order.size, m->payload, m->runs);
    unsigned char *const parts = mem + 3 * b.places, *const keys = parts + b.parts, *const carried = keys + 2 * b.keys,
                         *const indices = carried + 2 * b.carried;
    return (scratch){.at = (size_t *)(void *)mem,
                     .end = (size_t *)(void *)(mem + b.places),
                     .middle = (size_t *)(void *)(mem + 2 * b.places),
                     .parts = (run *)(void *)parts,
                     .level = {{keys, carried}, {keys + b.keys, carried + b.carried}},
                     .indices = (uint64_t *)(void *)indices,
                     .merged = (uint64_t *)(void *)(indices + b.indices)};
}

size_t opi_merge_scratch(size_t key_size, size_t value_size, size_t runs)
{
    const scratch_bytes b = scratch_bytes_of(key_size, payload_of(value_size), runs);
    return 3 * b.places + b.parts + 2 * (b.keys + b.carried + b.indices);
}

/* --- a piece: parts of runs that are neighbours in the result ----------------------------------------------------- */

static void copy_part(const opi_merge *m, run part, place to)
{
    memcpy(to.keys, part.keys, part.n * m->order.size);
    if (part.payload && to.payload) memcpy(to.payload, part.payload, part.n * payload_bytes(m->payload));
}

/* Merges neighbours level by level, the last two to where the piece belongs. */
static void merge_parts(const opi_merge *m, const scratch *s, size_t parts, place to)
{
    run *const part = s->parts;
    const size_t bytes = payload_bytes(m->payload);
    for (int level = 0; parts > 2; level ^= 1) {
        place next = s->level[level];
        for (size_t i = 0; i < parts; i += 2) {
            const run made = {next.keys, next.payload, part[i].n + (i + 1 < parts ? part[i + 1].n : 0)};
            if (i + 1 < parts)
                opi_merge_two(&m->order, m->payload, part[i], part[i + 1], next);
            else
                copy_part(m, part[i], next);
            part[i / 2] = made;
            next.keys += made.n * m->order.size;
            next.payload += made.n * bytes;
        }
        parts = (parts + 1) / 2;
    }
    if (parts == 2)
        opi_merge_two(&m->order, m->payload, part[0], part[1], to);
    else
        copy_part(m, part[0], to);
}

static void gather(const opi_merge *m, const uint64_t *index, size_t n, unsigned char *values)
{
    for (size_t i = 0; i < n; i++)
        memcpy(values + i * m->value_size, m->values + (size_t)index[i] * m->value_size, m->value_size);
}

/* Merges the next `take[i]` elements of each run to the places from `to` on; returns how many elements that were. */
static size_t merge_piece(const opi_merge *m, const scratch *s, const size_t *take, size_t to)
{
    size_t parts = 0, n = 0;
    for (size_t i = 0; i < m->runs; i++) {
        if (take[i] == 0) continue;
        const size_t at = s->at[i];
        run *const part = &s->parts[parts++];
        *part = (run){.keys = m->keys + at * m->order.size, .n = take[i]};
        if (m->payload == OPI_MERGE_INDEX) {
            for (size_t k = 0; k < take[i]; k++) s->indices[n + k] = at + k;
            part->payload = (const unsigned char *)(s->indices + n);
        } else if (m->payload != OPI_MERGE_NOTHING) {
            part->payload = m->values + at * m->value_size;
        }
        s->at[i] += take[i];
        n += take[i];
    }
    place out = {.keys = m->to_keys + to * m->order.size};
    if (m->payload == OPI_MERGE_INDEX)
        out.payload = (unsigned char *)s->merged;
    else if (m->payload != OPI_MERGE_NOTHING)
        out.payload = m->to_values + to * m->value_size;
    merge_parts(m, s, parts, out);
    if (m->payload == OPI_MERGE_INDEX) gather(m, s->merged, n, m->to_values + to * m->value_size);
    return n;
}

/* take[i]: how many elements of each run come next, out of a window of the run.  No element behind its window comes
 * before the least of the windows' last elements; so everything up to that one is in the windows. */
static void choose_piece(const opi_merge *m, const scratch *s, size_t *take)
{
    size_t least = m->runs; /* the run whose window ends first */
    uint64_t bound = 0;
    for (size_t i = 0; i < m->runs; i++) {
        const size_t left = s->end[i] - s->at[i];
        take[i] = left < m->window ? left : m->window;
        if (take[i] == left) continue;
        const uint64_t last = opi_key_at(&m->order, m->keys, s->at[i] + take[i] - 1);
        if (least < m->runs && last >= bound) continue;
        least = i;
        bound = last;
    }
    if (least == m->runs) return;
    for (size_t i = 0; i < m->runs; i++) {
        const size_t at = s->at[i], end = at + take[i];
        if (i == least || take[i] == 0 || (i < least && bound == UINT64_MAX)) continue;
        take[i] = opi_key_below(&m->order, m->keys, at, end, i < least ? bound + 1 : bound) - at;
    }
}

/* --- a block ------------------------------------------------------------------------------------------------------ */

/* The keys of the runs differ only in bits below *shift; returns the bits above, which all keys have in common. */
static uint64_t common_bits(const opi_merge *m, unsigned *shift)
{
    uint64_t least = UINT64_MAX, greatest = 0;
    for (size_t i = 0; i < m->runs; i++) {
        const uint64_t first = opi_key_at(&m->order, m->keys, m->bounds[i]);
        const uint64_t last = opi_key_at(&m->order, m->keys, m->bounds[i + 1] - 1);
        if (first < least) least = first;
        if (last > greatest) greatest = last;
    }
    *shift = least == greatest ? 0 : 64 - (unsigned)__builtin_clzll(least ^ greatest);
    return *shift == 64 ? 0 : least >> *shift << *shift;
}

/* at[i]: where each run stands when the first t elements of the result have been taken; found bit by bit of
 * the key that comes next.  end, middle: scratch. */
static void find_places(const opi_merge *m, size_t t, size_t *at, size_t *end, size_t *middle)
{
    unsigned shift;
    uint64_t prefix = common_bits(m, &shift);
    for (size_t i = 0; i < m->runs; i++) {
        at[i] = m->bounds[i];
        end[i] = m->bounds[i + 1];
    }
    while (shift-- > 0 && t > 0) {
        const uint64_t bound = prefix | (uint64_t)1 << shift;
        size_t below = 0;
        for (size_t i = 0; i < m->runs; i++) {
            middle[i] = at[i] == end[i] ? at[i] : opi_key_below(&m->order, m->keys, at[i], end[i], bound);
            below += middle[i] - at[i];
        }
        const bool is_below = below <= t;
        memcpy(is_below ? at : end, middle, m->runs * sizeof *middle);
        if (!is_below) continue;
        prefix = bound;
        t -= below;
    }
    for (size_t i = 0; i < m->runs && t > 0; i++) { /* these are equal */
        const size_t take = end[i] - at[i] < t ? end[i] - at[i] : t;
        at[i] += take;
        t -= take;
    }
}

static void merge_block(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                        bool aggregated, void *mem)
{
    (void)carry, (void)total, (void)aggregated;
    const opi_merge *const m = (const opi_merge *)sweep;
    const scratch s = cut_scratch(m, mem);
    size_t *const take = s.middle;
    find_places(m, end, s.end, s.at, s.middle);
    find_places(m, begin, s.at, (size_t *)s.parts, s.middle);
    while (begin < end) {
        choose_piece(m, &s, take);
        begin += merge_piece(m, &s, take, begin);
    }
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* Leaves out the bounds of runs that are empty, or follow the run before them in order. */
static size_t leave_breaks(const opi_key_order *order, const void *keys, size_t *bounds, size_t runs)
{
    const size_t n = bounds[runs];
    size_t left = 0;
    for (size_t i = 0; i < runs; i++) {
        const size_t begin = bounds[i];
        if (begin == bounds[i + 1]) continue;
        if (begin == 0 || opi_key_at(order, keys, begin - 1) > opi_key_at(order, keys, begin)) bounds[left++] = begin;
    }
    bounds[left] = n;
    return left;
}

void opi_merge_plan(opi_merge *merge, opi_key_order order, const void *keys, size_t value_size, const void *values,
                    size_t *bounds, size_t runs, void *to_keys, void *to_values)
{
    assert(bounds[0] == 0);
    const size_t n = bounds[runs], left = leave_breaks(&order, keys, bounds, runs);
    const opi_merge_payload payload = payload_of(value_size);
    const size_t least = BLOCK_RUN_BYTES * left, bytes = least > BLOCK_BYTES ? least : BLOCK_BYTES;
    const bool direct = left <= 2 && payload != OPI_MERGE_INDEX; /* from the runs to where they belong */
    *merge = (opi_merge){
        .sweep = {.n = n,
                  .block = opi_elements_in(bytes, order.size + value_size),
                  .bytes = 2 * n * (order.size + value_size),
                  .scratch_bytes = opi_merge_scratch(order.size, value_size, left),
                  .apply = merge_block},
        .order = order,
        .value_size = value_size,
        .payload = payload,
        .window = direct     ? SIZE_MAX
                  : left > 0 ? piece_elements(order.size, payload, left) / left
                             : 1,
        .runs = left,
        .bounds = bounds,
        .keys = keys,
        .values = values,
        .to_keys = to_keys,
        .to_values = to_values,
    };
}
