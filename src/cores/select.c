#include "cores/select.h"

#include "base/memory.h"
#include "task/late.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_BYTES = 128 << 10, /* of the input: it is in a second-level cache when it is read again */
    SPARSE = 16, /* one in so many is picked, or fewer: it is faster to copy them one by one than to look at all */
    PIECE_BYTES = 16 << 10 /* of the input, or of indices: what is picked of a piece waits in a first-level cache */
};

/* Scratch of a worker: the flags of a block, what is picked of a piece. */
typedef struct workspace {
    uint8_t *flags;
    char *items;
} workspace;

static size_t flags_bytes(size_t block) { return opi_round_up(block, OPI_CACHE_LINE); }

static workspace workspace_in(const opi_select_sweep *plan, char *scratch)
{
    return (workspace){(uint8_t *)scratch, scratch + flags_bytes(plan->sweep.block)};
}

/* --- flags: 1 for an element that is picked, else 0 -------------------------------------------------------------- */

static bool is_same(const opi_select_sweep *plan, const char *a, const char *b)
{
    bool same = true;
    for (int k = 0; k < plan->spans.count && same; k++)
        same = memcmp(a + plan->spans.span[k].at, b + plan->spans.span[k].at, plan->spans.span[k].bytes) == 0;
    return same;
}

/* flags[i] becomes whether x[i] differs from x[i - 1], by their bits; x[-1] exists. */
static void differ(const opi_select_sweep *plan, const char *x, size_t n, uint8_t *flags)
{
    const size_t size = plan->size;
    const bool whole = plan->spans.count == 1 && plan->spans.span[0].bytes == size;
    const bool power = size <= 8 && (size & (size - 1)) == 0;
    if (whole && power && (uintptr_t)x % size == 0) /* a struct of 8 bytes may be aligned to 4 */
        plan->isa->differ[__builtin_ctzll(size)](x, n, flags);
    else
        for (size_t i = 0; i < n; i++) flags[i] = !is_same(plan, x + i * size - size, x + i * size);
}

static void find_heads(const opi_select_sweep *plan, size_t begin, size_t n, uint8_t *flags)
{
    if (begin == 0) { /* nothing precedes the first element */
        *flags++ = 1;
        begin++;
        n--;
    }
    const char *const x = plan->in + begin * plan->size;
    if (n == 0) return;
    if (!plan->fn) {
        differ(plan, x, n, flags);
        return;
    }
    const void *const inputs[] = {x - plan->size, x};
    plan->leaf(inputs, plan->fn->param, n, flags);
    for (size_t i = 0; i < n; i++) flags[i] = flags[i] == 0;
}

/* How many of n flags are 1.  Eight are added at a time, each in its byte, up to 255 times. */
static size_t count_flags(const uint8_t *flags, size_t n)
{
    enum { EIGHT = sizeof(uint64_t), MOST = 255 };
    size_t count = 0, i = 0;
    while (n - i >= EIGHT) {
        const size_t words = opi_smaller((n - i) / EIGHT, MOST);
        uint64_t sums = 0, word;
        for (size_t k = 0; k < words; k++, i += EIGHT) {
            memcpy(&word, flags + i, sizeof word);
            sums += word;
        }
        const uint64_t pairs = (sums & UINT64_C(0x00ff00ff00ff00ff)) + (sums >> 8 & UINT64_C(0x00ff00ff00ff00ff));
        count += (size_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
    }
    for (; i < n; i++) count += flags[i];
    return count;
}

/* Finds the flags of n > 0 elements, and returns how many are picked. */
static size_t find_flags(const opi_select_sweep *plan, size_t begin, size_t n, uint8_t *flags)
{
    opi_operands operands = {.in = {plan->in + begin * plan->size}};
    switch (plan->picks) {
    case OPI_PICKS_KEPT:
        opi_leaf_run(plan->leaf, plan->fn, &operands, plan->from, begin, n, flags);
        for (size_t i = 0; i < n; i++) flags[i] = flags[i] != 0;
        break;
    case OPI_PICKS_BYTES:
        for (size_t i = 0; i < n; i++) flags[i] = plan->mask[begin + i] != 0;
        break;
    case OPI_PICKS_BITS:
        for (size_t i = 0; i < n; i++) flags[i] = plan->mask[(begin + i) / 8] >> (begin + i) % 8 & 1;
        break;
    case OPI_PICKS_HEADS:
        find_heads(plan, begin, n, flags);
        break;
    }
    return count_flags(flags, n);
}

/* --- what is written of a piece ---------------------------------------------------------------------------------- */

/* Copies n items to their place.  Nothing is written behind it: other workers write there. */
static void put(const opi_select_sweep *plan, char *to, const char *items, size_t bytes)
{
    if (bytes == 0) return; /* an output need not point to memory if nothing is written */
    if (plan->streaming)
        plan->isa->stream(to, items, bytes, NULL);
    else
        memcpy(to, items, bytes);
}

/* The indices of the picked elements, the first of which has the index `first`.  Eight flags at a time: where few are
 * picked, most of these are 0 together. */
#define INDICES(T)                                                                                                     \
    do {                                                                                                               \
        T *const index = (T *)(void *)items;                                                                           \
        for (; i + sizeof eight <= n; i += sizeof eight) {                                                             \
            memcpy(&eight, flags + i, sizeof eight);                                                                   \
            if (eight == 0) continue;                                                                                  \
            for (size_t j = i; j < i + sizeof eight; k += flags[j++]) index[k] = (T)(first + j);                       \
        }                                                                                                              \
        for (; i < n; k += flags[i++]) index[k] = (T)(first + i);                                                      \
    } while (0)

static size_t indices_of(const uint8_t *flags, size_t n, uint64_t first, size_t bytes, char *items)
{
    uint64_t eight;
    size_t i = 0, k = 0;
    if (bytes == sizeof(uint32_t))
        INDICES(uint32_t);
    else
        INDICES(uint64_t);
    return k;
}

/* For each element the number of picked ones up to it, less 1; `before` precede the piece. */
static void runs_of(const uint8_t *flags, size_t n, uint64_t before, size_t bytes, char *items)
{
    uint32_t *const narrow = (uint32_t *)(void *)items;
    uint64_t *const wide = (uint64_t *)(void *)items;
    uint64_t k = before - 1;
    if (bytes == sizeof *narrow)
        for (size_t i = 0; i < n; i++) narrow[i] = (uint32_t)(k += flags[i]);
    else
        for (size_t i = 0; i < n; i++) wide[i] = k += flags[i];
}

/* Makes of indices, of which there are n > 0, the distance of each to the one before it; `last` is before the first, and
 * becomes the last one. */
#define DISTANCES(T)                                                                                                   \
    do {                                                                                                               \
        T *const index = (T *)(void *)items;                                                                           \
        const size_t end = index[n - 1];                                                                               \
        for (size_t k = n - 1; k > 0; k--) index[k] -= index[k - 1];                                                   \
        index[0] -= (T)*last;                                                                                          \
        *last = end;                                                                                                   \
    } while (0)

static void lengths_of(char *items, size_t n, size_t bytes, size_t *last)
{
    if (bytes == sizeof(uint32_t))
        DISTANCES(uint32_t);
    else
        DISTANCES(uint64_t);
}

/* Writes the lengths of the runs that end where a run of this piece begins; items: the indices of the latter, which are
 * lost. */
static void write_lengths(const opi_select_sweep *plan, opi_select_carry *before, char *items, size_t begun)
{
    const size_t none = before->picked == 0; /* nothing ends where the first run begins */
    if (begun == 0) return;
    lengths_of(items, begun, plan->index, &before->last);
    put(plan, plan->lengths + (before->picked + none - 1) * plan->index, items + none * plan->index,
        (begun - none) * plan->index);
}

/* `size` is a constant where this is called. */
OPLUS_INLINE_ void take(const opi_select_sweep *plan, size_t size, size_t first, size_t n, char *items)
{
    const uint32_t *const narrow = (const uint32_t *)(const void *)plan->indices + first;
    const uint64_t *const wide = (const uint64_t *)(const void *)plan->indices + first;
    for (size_t k = 0; k < n; k++) {
        const size_t i = plan->index == sizeof *narrow ? narrow[k] : (size_t)wide[k];
        memcpy(items + k * size, plan->in + i * size, size);
    }
}

/* Copies n picked elements whose indices have been written, from the `first` one on. */
static void take_by_index(const opi_select_sweep *plan, size_t first, size_t n, char *items)
{
    if (plan->size == 4)
        take(plan, 4, first, n, items);
    else if (plan->size == 8)
        take(plan, 8, first, n, items);
    else
        take(plan, plan->size, first, n, items);
}

/* Writes n elements from index `at` on.  carry: what was picked before them, and then also of them.  The flags are
 * lost. */
static void write_piece(const opi_select_sweep *plan, size_t at, size_t n, opi_select_carry *carry, uint8_t *flags,
                        char *items)
{
    const size_t size = plan->size, before = carry->picked;
    const char *const x = plan->in + at * size;
    size_t picked = 0;
    if (plan->head) put(plan, plan->head + at, (const char *)flags, n);
    if (plan->run) {
        runs_of(flags, n, before, plan->index, items);
        put(plan, plan->run + at * plan->index, items, n * plan->index);
    }
    if (plan->indices || plan->lengths) picked = indices_of(flags, n, at, plan->index, items);
    if (plan->indices) put(plan, plan->indices + before * plan->index, items, picked * plan->index);
    if (plan->lengths) write_lengths(plan, carry, items, picked);
    if (plan->picked) {
        if (plan->indices && !plan->streaming && picked < n / SPARSE)
            take_by_index(plan, before, picked, items);
        else
            picked = plan->isa->compact(x, flags, n, size, items);
        put(plan, plan->picked + before * size, items, picked * size);
    }
    if (!plan->indices && !plan->lengths && !plan->picked) picked = count_flags(flags, n);
    if (plan->rest) {
        for (size_t i = 0; i < n; i++) flags[i] ^= 1;
        const size_t left = plan->isa->compact(x, flags, n, size, items);
        put(plan, plan->rest + (at - before) * size, items, left * size);
    }
    carry->picked += picked;
}

/* --- the sweep --------------------------------------------------------------------------------------------------- */

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep;
    (void)at;
    memset(carry, 0, sizeof(opi_select_carry));
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    opi_select_carry *const own = left;
    const opi_select_carry *const next = right;
    (void)sweep;
    own->picked += next->picked;
    if (next->picked > 0) own->last = next->last;
}

/* The last run ends where the elements do. */
static void finish(const opi_sweep *sweep, void *carry, void *out)
{
    const opi_select_sweep *plan = (const opi_select_sweep *)sweep;
    const opi_select_carry *const all = carry;
    const uint64_t length = sweep->n - all->last;
    const uint32_t narrow = (uint32_t)length;
    if (plan->lengths && all->picked > 0)
        memcpy(plan->lengths + (all->picked - 1) * plan->index,
               plan->index == sizeof narrow ? (const void *)&narrow : &length, plan->index);
    memcpy(out, &all->picked, sizeof all->picked);
}

/* The flags of the block are kept: they say all that matters of it, and take the least room. */
static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_select_sweep *plan = (const opi_select_sweep *)sweep;
    assert(end - begin <= sweep->block);
    opi_select_carry *const own = carry;
    uint8_t *const flags = workspace_in(plan, scratch).flags;
    if (end == begin) return;
    const size_t picked = find_flags(plan, begin, end - begin, flags);
    own->picked += picked;
    if (!plan->lengths || picked == 0) return;
    own->last = end - 1;
    while (!flags[own->last - begin]) own->last--;
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_select_sweep *plan = (const opi_select_sweep *)sweep;
    const workspace w = workspace_in(plan, scratch);
    (void)total;
    for (size_t i = begin; i < end; i += plan->piece) {
        const size_t n = end - i < plan->piece ? end - i : plan->piece;
        uint8_t *const flags = w.flags + (i - begin);
        if (!aggregated) find_flags(plan, i, n, flags);
        write_piece(plan, i, n, carry, flags, w.items);
    }
    if (plan->streaming) plan->isa->fence();
}

void opi_select_plan(opi_select_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const size_t size = task->array[OPI_IN].size, index = task->array[OPI_INDEX_OUT].size, n = task->n;
    const size_t larger = opi_larger(size, index);
    opi_sweep_clear(&plan->sweep);
    plan->picks = task->select.picks;
    plan->fn = task->fn;
    plan->leaf = task->fn ? opi_leaf_of(task->fn) : NULL;
    plan->from = opi_task_index(task);
    plan->isa = isa;
    plan->size = size;
    plan->index = index;
    plan->piece = opi_elements_in(PIECE_BYTES, larger);
    plan->in = task->array[OPI_IN].mem;
    plan->mask = task->array[OPI_MASK].mem;
    plan->picked = (char *)task->array[OPI_PICKED_OUT].mem;
    plan->indices = (char *)task->array[OPI_INDEX_OUT].mem;
    plan->rest = (char *)task->array[OPI_REST_OUT].mem;
    plan->run = (char *)task->array[OPI_RUN_OUT].mem;
    plan->head = (char *)task->array[OPI_HEAD_OUT].mem;
    plan->lengths = (char *)task->array[OPI_COUNT_OUT].mem;
    opi_spans_of(task->select.type, &plan->spans); /* front has refused types of too many spans */
    plan->streaming = n * size >= OPI_STREAMING_BYTES;
    plan->sweep.n = n;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, size);
    plan->sweep.bytes = 2 * n * size;
    plan->sweep.carry_bytes = sizeof(opi_select_carry);
    plan->sweep.scratch_bytes =
        flags_bytes(plan->sweep.block) + opi_round_up(plan->piece * larger + OPI_COMPACT_OVERRUN, OPI_CACHE_LINE);
    plan->sweep.start = start;
    plan->sweep.aggregate = aggregate;
    plan->sweep.join = join;
    plan->sweep.apply = apply;
    plan->sweep.finish = finish;
}
