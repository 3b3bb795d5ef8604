/* Several GPUs as one device: every primitive, with arrays that are dealt out to them in pages, with arrays of the host, and
 * with arrays that lie on one of them, has the bits of the cores, and writes nothing beside its results.
 *
 * Without OPLUS_TEST_DEVICES the device is the first GPU of CUDA, which is named twice; it ends with 77 where there is none. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(pair, uint32_t a; uint32_t b;)
OPLUS_OP(pair_join, pair, (1, 0), 0, {
    pair r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_STRUCT(triple, float x; float y; float z;)
OPLUS_OP(triple_sum, triple, (0, 0, 0), 0, {
    triple r;
    r.x = a.x + b.x;
    r.y = a.y * 0.5f + b.y;
    r.z = b.z;
    return r;
})
OPLUS_MAP(mixed, uint32_t, uint32_t, { return a * 2654435761u ^ a >> 7; })
OPLUS_ZIP(weighed, float, float, float, { return a * b + 1.0f; })
OPLUS_PREDICATE(odd, uint32_t, { return a & 1; })
OPLUS_PREDICATE(rare, uint32_t, { return a % 1000 == 0; })
OPLUS_ZIP(smaller, uint8_t, uint32_t, uint32_t, { return a % 1024 < b % 1024; })

enum {
    MOST = 5 << 20, /* elements of 4 bytes of an array: 10 pages of 2 MiB */
    GUARD = 256,    /* bytes before and behind what may be written */
    BYTES = 4 * MOST,
    ROOM = BYTES + 2 * GUARD,
    SEGMENTS = 4001
};
enum { IN, MORE, OUT, NOTE, ARRAYS };

/* The arrays of a call; out and note are written. */
typedef struct arrays {
    unsigned char *of[ARRAYS];
    size_t n; /* elements of 4 bytes */
} arrays;

/* --- the calls ---------------------------------------------------------------------------------------------------- */

typedef oplus_status one_call(oplus_device *d, const arrays *a);
#define CALL(name) static oplus_status name(oplus_device *d, const arrays *a)

CALL(reduce) { return oplus_reduce(d, &oplus_sum_f32, a->of[IN], a->n, a->of[NOTE]); }
CALL(reduce_u32) { return oplus_reduce(d, &oplus_max_u32, a->of[IN], a->n, a->of[NOTE]); }
CALL(reduce_pairs) { return oplus_reduce(d, &pair_join_op, a->of[IN], a->n / 2, a->of[NOTE]); }
CALL(fold) { return oplus_fold(d, &oplus_sum_f32, &(float){0.125f}, a->of[IN], a->n, a->of[NOTE]); }
CALL(scan) { return oplus_scan(d, &oplus_sum_f32, OPLUS_INCLUSIVE, a->of[IN], a->n, a->of[OUT]); }
CALL(scan_pairs) { return oplus_scan(d, &pair_join_op, OPLUS_EXCLUSIVE, a->of[IN], a->n / 2, a->of[OUT]); }
CALL(scan_triples) { return oplus_scan(d, &triple_sum_op, OPLUS_INCLUSIVE, a->of[IN], a->n / 3, a->of[OUT]); }
CALL(segscan) { return oplus_segscan(d, &oplus_sum_f32, OPLUS_INCLUSIVE, a->of[IN], a->of[MORE], a->n, a->of[OUT]); }
CALL(segreduce)
{
    return oplus_segreduce(d, &oplus_sum_f32, a->of[IN], a->n, &oplus_u32, a->of[MORE], SEGMENTS, a->of[OUT]);
}
CALL(map) { return oplus_map(d, &mixed_fn, (const void *const[]){a->of[IN]}, a->n, a->of[OUT]); }
CALL(zip) { return oplus_map(d, &weighed_fn, (const void *const[]){a->of[IN], a->of[MORE]}, a->n, a->of[OUT]); }
CALL(copy_all) { return oplus_copy(d, a->of[OUT], a->of[IN], 4 * a->n); }
CALL(filter) { return oplus_filter(d, &odd_fn, a->of[IN], a->n, a->of[OUT], (size_t *)(void *)a->of[NOTE]); }
CALL(filter_few) { return oplus_filter(d, &rare_fn, a->of[IN], a->n, a->of[OUT], (size_t *)(void *)a->of[NOTE]); }
CALL(sort) { return oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->of[OUT], a->n); }
CALL(sort_f32) { return oplus_sort(d, &oplus_f32, OPLUS_DESCENDING, a->of[OUT], a->n); }
CALL(sort_f64) { return oplus_sort(d, &oplus_f64, OPLUS_ASCENDING, a->of[OUT], a->n / 2); }
CALL(sort_u8) { return oplus_sort(d, &oplus_u8, OPLUS_ASCENDING, a->of[OUT], a->n * 4); }
CALL(pairs) { return oplus_sort_pairs(d, &oplus_u16, OPLUS_ASCENDING, a->of[OUT], &oplus_u32, a->of[MORE], a->n); }
CALL(argsort) { return oplus_argsort(d, &oplus_i32, OPLUS_DESCENDING, a->of[IN], a->n, &oplus_u32, a->of[OUT]); }
CALL(transpose) { return oplus_transpose(d, &oplus_f32, a->of[IN], 1021, a->n / 1021, a->of[OUT]); }
CALL(take) { return oplus_take(d, &oplus_f32, OPLUS_CLIP, a->of[IN], a->n, &oplus_u32, a->of[MORE], a->n, a->of[OUT]); }
CALL(put) { return oplus_put(d, &oplus_f32, OPLUS_CLIP, a->of[IN], &oplus_u32, a->of[MORE], a->n, a->of[OUT], a->n); }
CALL(members)
{
    static const oplus_sort_member by[] = {OPLUS_MEMBER(triple, z, &oplus_f32, OPLUS_DESCENDING),
                                           OPLUS_MEMBER(triple, x, &oplus_u32, OPLUS_ASCENDING)};
    return oplus_argsort_members(d, &triple_type, by, 2, a->of[IN], a->n / 3, &oplus_u32, a->of[OUT]);
}
CALL(argmin) { return oplus_argmin(d, &oplus_u32, a->of[IN], a->n, (size_t *)(void *)a->of[NOTE]); }
CALL(argmax) { return oplus_argmax(d, &oplus_u8, a->of[IN], a->n * 4, (size_t *)(void *)a->of[NOTE]); }
CALL(minmax) { return oplus_minmax(d, &oplus_f32, a->of[IN], a->n, a->of[NOTE]); }
CALL(variance) { return oplus_variance(d, &oplus_i32, 1, a->of[IN], a->n, (double *)(void *)a->of[NOTE]); }
CALL(indices)
{
    return oplus_indices(d, &odd_fn, a->of[IN], a->n, &oplus_u32, a->of[OUT], (size_t *)(void *)a->of[NOTE]);
}
CALL(mask)
{
    return oplus_filter_mask(d, &oplus_u32, OPLUS_MASK_BITS, a->of[IN], a->of[MORE], a->n, a->of[OUT],
                             (size_t *)(void *)a->of[NOTE]);
}
CALL(dot)
{
    return oplus_map_reduce(d, &weighed_fn, &oplus_sum_f32, (const void *const[]){a->of[IN], a->of[MORE]}, a->n,
                            a->of[NOTE]);
}
CALL(fused_scan)
{
    return oplus_map_scan(d, &weighed_fn, &oplus_sum_f32, OPLUS_EXCLUSIVE, NULL,
                          (const void *const[]){a->of[IN], a->of[MORE]}, a->n, a->of[OUT]);
}
CALL(unique)
{
    return oplus_unique(d, &oplus_u32, NULL, a->of[MORE], a->n, a->of[OUT], NULL, NULL, NULL, NULL,
                        (size_t *)(void *)a->of[NOTE]);
}
CALL(run_lengths)
{
    const size_t half = a->n / 2; /* keys and lengths */
    return oplus_unique(d, &oplus_u32, NULL, a->of[MORE], half, a->of[OUT], &oplus_u32, a->of[OUT] + 4 * half, NULL,
                        NULL, (size_t *)(void *)a->of[NOTE]);
}
CALL(by_key)
{
    return oplus_reduce_by_key(d, &oplus_sum_f32, &oplus_u32, NULL, a->of[MORE], a->of[IN], a->n, NULL, a->of[OUT],
                               (size_t *)(void *)a->of[NOTE]);
}
CALL(nth) { return oplus_nth(d, &oplus_f32, OPLUS_ASCENDING, a->of[IN], a->n, a->n / 3, a->of[NOTE]); }
CALL(top)
{
    return oplus_top(d, &oplus_u32, OPLUS_DESCENDING, a->of[IN], a->n, 100, a->of[OUT], &oplus_u32, a->of[OUT] + 400);
}
CALL(repeat)
{
    size_t total = 0; /* in host memory */
    const oplus_status status =
        oplus_repeat(d, &oplus_u32, a->of[IN], a->n / 4, &oplus_u32, a->of[MORE], a->of[OUT], a->n, &total);
    return status == OPLUS_OK ? oplus_copy(d, a->of[NOTE], &total, sizeof total) : status;
}
CALL(window) { return oplus_window(d, &oplus_sum_f32, a->of[IN], a->n, 100, a->of[OUT]); }
CALL(rows) { return oplus_reduce_axis(d, &oplus_sum_f32, a->of[IN], a->n / 1000, 1000, 1, a->of[OUT]); }
CALL(short_rows) { return oplus_reduce_axis(d, &triple_sum_op, a->of[IN], a->n / 30, 10, 1, a->of[OUT]); }
CALL(long_rows) { return oplus_reduce_axis(d, &oplus_sum_f32, a->of[IN], a->n / 70000, 70000, 1, a->of[OUT]); }
CALL(columns) { return oplus_reduce_axis(d, &pair_join_op, a->of[IN], 1, a->n / 500, 250, a->of[OUT]); }
CALL(blocks) { return oplus_reduce_axis(d, &oplus_sum_f32, a->of[IN], a->n / 9000, 300, 30, a->of[OUT]); }
CALL(wide) { return oplus_reduce_axis(d, &oplus_sum_f32, a->of[IN], 1, 7, a->n / 7, a->of[OUT]); }
CALL(scan_rows)
{
    return oplus_scan_axis(d, &oplus_sum_f32, OPLUS_INCLUSIVE, a->of[IN], a->n / 1000, 1000, 1, a->of[OUT]);
}
CALL(scan_short) { return oplus_scan_axis(d, &pair_join_op, OPLUS_EXCLUSIVE, a->of[IN], a->n / 14, 7, 1, a->of[OUT]); }
CALL(scan_long)
{
    return oplus_scan_axis(d, &oplus_sum_f32, OPLUS_EXCLUSIVE, a->of[IN], a->n / 70000, 70000, 1, a->of[OUT]);
}
CALL(scan_columns)
{
    return oplus_scan_axis(d, &oplus_sum_f32, OPLUS_INCLUSIVE, a->of[IN], 1, a->n / 250, 250, a->of[OUT]);
}
CALL(scan_blocks)
{
    return oplus_scan_axis(d, &triple_sum_op, OPLUS_INCLUSIVE, a->of[IN], a->n / 9000, 100, 30, a->of[OUT]);
}
CALL(argmax_rows) { return oplus_argmax_axis(d, &oplus_u32, a->of[IN], a->n / 1000, 1000, 1, &oplus_u32, a->of[OUT]); }
CALL(argmin_columns) { return oplus_argmin_axis(d, &oplus_f32, a->of[IN], 1, a->n / 40, 40, &oplus_u32, a->of[OUT]); }
CALL(histogram) { return oplus_histogram(d, &oplus_f32, a->of[IN], a->n, 0, 1, &oplus_u32, a->of[OUT], 1000); }
CALL(edges)
{
    static const float at[] = {-1e30f, -2, -0.5f, 0, 0.25f, 0.5f, 1, 1, 100, 1e30f}; /* of the host */
    return oplus_histogram_edges(d, &oplus_f32, a->of[IN], a->n, at, &oplus_u64, a->of[OUT], 9);
}
CALL(bytes) { return oplus_histogram(d, &oplus_u8, a->of[IN], 4 * a->n, 0, 256, &oplus_u32, a->of[OUT], 256); }
CALL(count_ignored)
{
    return oplus_count_by_index(d, OPLUS_IGNORE, &oplus_u32, a->of[MORE], a->n, &oplus_u32, a->of[OUT], a->n / 2);
}
CALL(nth_f64) { return oplus_nth(d, &oplus_f64, OPLUS_DESCENDING, a->of[IN], a->n / 2, a->n / 5, a->of[NOTE]); }
CALL(top_i64) { return oplus_top(d, &oplus_i64, OPLUS_ASCENDING, a->of[IN], a->n / 2, 900, a->of[OUT], NULL, NULL); }
/* Sorts both inputs first: later calls have them sorted. */
CALL(search)
{
    const oplus_status sorted = oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->of[IN], a->n);
    if (sorted != OPLUS_OK) return sorted;
    return oplus_search(d, &oplus_u32, OPLUS_ASCENDING, a->of[IN], a->n, OPLUS_LOWER, a->of[MORE], a->n, &oplus_u32,
                        a->of[OUT]);
}
CALL(merge)
{
    const size_t half = a->n / 2;
    oplus_status status = oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->of[IN], half);
    if (status == OPLUS_OK) status = oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->of[MORE], a->n - half);
    if (status != OPLUS_OK) return status;
    return oplus_merge(d, &oplus_u32, OPLUS_ASCENDING, a->of[IN], half, a->of[MORE], a->n - half, a->of[OUT]);
}
CALL(merge_by) { return oplus_merge_by(d, &smaller_fn, a->of[IN], a->n / 2, a->of[MORE], a->n / 2, a->of[OUT]); }
CALL(sort_by) { return oplus_sort_by(d, &smaller_fn, a->of[OUT], a->n); }
CALL(argsort_by) { return oplus_argsort_by(d, &smaller_fn, a->of[IN], a->n, &oplus_u32, a->of[OUT]); }
CALL(segsort)
{
    return oplus_segsort(d, &oplus_f32, OPLUS_DESCENDING, a->of[OUT], a->n, &oplus_u32, a->of[MORE], SEGMENTS);
}
/* One call after the other: each needs what the one before has written, on whatever GPU. */
CALL(chain)
{
    oplus_status status = oplus_map(d, &mixed_fn, (const void *const[]){a->of[IN]}, a->n, a->of[OUT]);
    if (status == OPLUS_OK) status = oplus_scan(d, &oplus_sum_u32, OPLUS_INCLUSIVE, a->of[OUT], a->n, a->of[OUT]);
    if (status == OPLUS_OK) status = oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->of[OUT], a->n / 3);
    if (status == OPLUS_OK) status = oplus_map(d, &mixed_fn, (const void *const[]){a->of[OUT]}, a->n, a->of[OUT]);
    if (status == OPLUS_OK) status = oplus_copy(d, a->of[IN], a->of[OUT], a->n * 2);
    if (status == OPLUS_OK) status = oplus_scan(d, &oplus_max_u32, OPLUS_INCLUSIVE, a->of[IN], a->n, a->of[OUT]);
    return status == OPLUS_OK ? oplus_reduce(d, &oplus_sum_u32, a->of[OUT], a->n, a->of[NOTE]) : status;
}

/* What the second input holds. */
typedef enum second { ANYTHING, OFFSETS, HEADS, INDICES, FLOATS, SORTED, RUNS, COUNTS } second;

#define ROW(call, more)                                                                                                \
    {                                                                                                                  \
#call, call, more                                                                                              \
    }
static const struct {
    const char *name;
    one_call *call;
    second more;
} calls[] = {ROW(reduce, ANYTHING),
             ROW(reduce_u32, ANYTHING),
             ROW(reduce_pairs, ANYTHING),
             ROW(fold, ANYTHING),
             ROW(scan, ANYTHING),
             ROW(scan_pairs, ANYTHING),
             ROW(scan_triples, ANYTHING),
             ROW(segscan, HEADS),
             ROW(segreduce, OFFSETS),
             ROW(map, ANYTHING),
             ROW(zip, FLOATS),
             ROW(copy_all, ANYTHING),
             ROW(filter, ANYTHING),
             ROW(filter_few, ANYTHING),
             ROW(sort, ANYTHING),
             ROW(sort_f32, ANYTHING),
             ROW(sort_f64, ANYTHING),
             ROW(sort_u8, ANYTHING),
             ROW(pairs, ANYTHING),
             ROW(argsort, ANYTHING),
             ROW(transpose, ANYTHING),
             ROW(take, INDICES),
             ROW(put, INDICES),
             ROW(argmin, ANYTHING),
             ROW(argmax, ANYTHING),
             ROW(minmax, ANYTHING),
             ROW(indices, ANYTHING),
             ROW(variance, ANYTHING),
             ROW(mask, ANYTHING),
             ROW(dot, FLOATS),
             ROW(fused_scan, FLOATS),
             ROW(search, INDICES),
             ROW(merge, ANYTHING),
             ROW(merge_by, SORTED),
             ROW(sort_by, ANYTHING),
             ROW(argsort_by, ANYTHING),
             ROW(segsort, OFFSETS),
             ROW(unique, RUNS),
             ROW(run_lengths, RUNS),
             ROW(by_key, RUNS),
             ROW(nth, ANYTHING),
             ROW(top, ANYTHING),
             ROW(repeat, COUNTS),
             ROW(window, ANYTHING),
             ROW(rows, ANYTHING),
             ROW(histogram, ANYTHING),
             ROW(edges, ANYTHING),
             ROW(bytes, ANYTHING),
             ROW(count_ignored, INDICES),
             ROW(nth_f64, ANYTHING),
             ROW(top_i64, ANYTHING),
             ROW(chain, ANYTHING),
             ROW(members, ANYTHING),
             ROW(short_rows, ANYTHING),
             ROW(long_rows, ANYTHING),
             ROW(columns, ANYTHING),
             ROW(blocks, ANYTHING),
             ROW(wide, ANYTHING),
             ROW(scan_rows, ANYTHING),
             ROW(scan_short, ANYTHING),
             ROW(scan_long, ANYTHING),
             ROW(scan_columns, ANYTHING),
             ROW(scan_blocks, ANYTHING),
             ROW(argmax_rows, ANYTHING),
             ROW(argmin_columns, ANYTHING)};
enum { CALLS = sizeof calls / sizeof *calls };

/* --- the arrays --------------------------------------------------------------------------------------------------- */

static unsigned char *image[ARRAYS], *copy[ARRAYS]; /* what the cores compute in; what the device is given, and gives */

static void fill_floats(unsigned char *to, rng *r)
{
    for (size_t i = 0; i < MOST; i++) {
        const float x = (float)rng_unit(r);
        memcpy(to + 4 * i, &x, 4);
    }
}

static void fill_more(unsigned char *to, rng *r, size_t n, second what)
{
    uint32_t before = 0;
    for (size_t i = 0; i < MOST; i++) {
        uint32_t x = (uint32_t)rng_next(r);
        if (what == OFFSETS) x = i >= SEGMENTS ? (uint32_t)n : before + (uint32_t)rng_below(r, 2 * n / SEGMENTS);
        if (what == OFFSETS && x > n) x = (uint32_t)n;
        if (what == HEADS) x = x % 50 == 0 ? 1u << 8 * (x >> 8) % 4 : 0;
        if (what == RUNS) x = i == 0 || rng_below(r, 5) == 0 ? x : before;
        if (what == COUNTS) x %= 4;
        if (what == INDICES) x = (uint32_t)rng_below(r, n);
        before = x;
        memcpy(to + 4 * i, &x, 4);
    }
    if (what == FLOATS) fill_floats(to, r);
}

/* In the order of merge_by. */
static void fill_sorted(unsigned char *to, size_t n)
{
    for (size_t i = 0; i < MOST; i++) {
        const uint32_t x = (uint32_t)((i < n ? i * 1024 / n : 1023) % 1024 + 1024 * (i % 7));
        memcpy(to + 4 * i, &x, 4);
    }
}

static void fill_all(rng *r, size_t c, size_t n)
{
    for (int k = 0; k < ARRAYS; k++) {
        memset(image[k], 0xa5, ROOM);
        if (k != NOTE) fill_floats(image[k] + GUARD, r);
    }
    fill_more(image[MORE] + GUARD, r, n, calls[c].more);
    if (calls[c].more == SORTED) fill_sorted(image[IN] + GUARD, n), fill_sorted(image[MORE] + GUARD, n);
    for (int k = 0; k < ARRAYS; k++) memcpy(copy[k], image[k], ROOM);
}

static void compare(size_t c, const char *where, const char *memory, size_t n)
{
    for (int k = 0; k < ARRAYS; k++) {
        if (memcmp(copy[k], image[k], ROOM) == 0) continue;
        size_t i = 0;
        while (copy[k][i] == image[k][i]) i++;
        fail_msg("%s of n = %zu at %s, %s: byte %td of array %d is %02x, not %02x; OPLUS_TEST_SEED=%llu", calls[c].name,
                 n, where, memory, (ptrdiff_t)i - GUARD, k, copy[k][i], image[k][i], (unsigned long long)test_seed());
    }
}

/* --- the law ------------------------------------------------------------------------------------------------------ */

enum { DEALT, HOST, MEMORIES };
static const char *const memories[] = {"dealt memory", "memory of the host"};

/* Whether an array has elements of 8 bytes.  Arrays are aligned to their type: else a GPU's context is of no use any more. */
static bool is_wide(size_t c, int k)
{
    static one_call *const wide_calls[] = {sort_f64, nth_f64, top_i64, edges};
    for (size_t i = 0; i < sizeof wide_calls / sizeof *wide_calls; i++)
        if (calls[c].call == wide_calls[i]) return true;
    return k == NOTE;
}

static void try_call(const place *at, oplus_device *cores, rng *r, size_t c, int memory)
{
    static const size_t numbers[] = {MOST, MOST - 7919, (2 << 20) + 12345, 1 << 20, 9999};
    const size_t n = numbers[rng_below(r, sizeof numbers / sizeof *numbers)];
    const size_t shift = rng_below(r, 3) ? 0 : 4 * rng_below(r, GUARD / 4);
    unsigned char *there[ARRAYS];
    arrays own = {.n = n}, given = {.n = n};
    fill_all(r, c, n);
    for (int k = 0; k < ARRAYS; k++) {
        own.of[k] = image[k] + GUARD;
        if (memory == HOST || (k == NOTE && rng_below(r, 2))) {
            there[k] = NULL;
            given.of[k] = copy[k] + GUARD;
            continue;
        }
        must_be_ok(oplus_alloc(at->dev, ROOM + GUARD, (void **)&there[k]), "alloc");
        const size_t own_shift = is_wide(c, k) ? shift / 8 * 8 : shift;
        must_be_ok(oplus_copy(at->dev, there[k] + own_shift, copy[k], ROOM), "copy");
        given.of[k] = there[k] + own_shift + GUARD;
    }
    must_be_ok(calls[c].call(cores, &own), calls[c].name);
    must_be_ok(calls[c].call(at->dev, &given), calls[c].name);
    must_be_ok(oplus_sync(at->dev), calls[c].name);
    for (int k = 0; k < ARRAYS; k++) {
        if (there[k]) must_be_ok(oplus_copy(at->dev, copy[k], given.of[k] - GUARD, ROOM), "copy");
        oplus_free(at->dev, there[k]);
    }
    compare(c, at->where, memories[memory], n);
}

static void every_call(void **state)
{
    size_t count;
    const place *const all = all_places(&count);
    rng r = test_rng("gpus");
    oplus_device *cores;
    (void)state;
    must_be_ok(oplus_open("threads", &cores), "threads");
    for (size_t p = 1; p < count; p++) {
        if (!stand_at(&all[p], NULL, false)) continue;
        for (long round = test_number("OPLUS_TEST_CALLS", test_quick() ? 1 : 3); round > 0; round--)
            for (size_t c = 0; c < CALLS; c++)
                for (int memory = 0; memory < MEMORIES; memory++) try_call(&all[p], cores, &r, c, memory);
        printf("every call at %s\n", all[p].where);
    }
    oplus_close(cores);
}

/* A call on memory of the device does not wait; whatever GPUs have met the wrong index, the error is told once. */
static void one_wrong_index(const place *at, bool puts, rng *r)
{
    const size_t wrong = rng_below(r, MOST);
    unsigned char *there[ARRAYS];
    char words[64];
    fill_more(copy[MORE], r, MOST, INDICES);
    memcpy(copy[MORE] + 4 * wrong, &(uint32_t){MOST + 3}, 4);
    for (int k = 0; k < NOTE; k++) must_be_ok(oplus_alloc(at->dev, BYTES, (void **)&there[k]), "alloc");
    must_be_ok(oplus_copy(at->dev, there[MORE], copy[MORE], BYTES), "copy");
    oplus_status status =
        puts
            ? oplus_put(at->dev, &oplus_f32, OPLUS_REFUSE, there[IN], &oplus_u32, there[MORE], MOST, there[OUT], MOST)
            : oplus_take(at->dev, &oplus_f32, OPLUS_REFUSE, there[IN], MOST, &oplus_u32, there[MORE], MOST, there[OUT]);
    if (status == OPLUS_OK) status = oplus_sync(at->dev);
    snprintf(words, sizeof words, "indices[%zu]", wrong);
    if (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), words))
        fail_msg("%s of a wrong index at %s: %s, and not %s", puts ? "a put" : "a take", at->where, oplus_last_error(),
                 words);
    must_be_ok(oplus_sync(at->dev), "nothing more is told");
    for (int k = 0; k < NOTE; k++) oplus_free(at->dev, there[k]);
}

static void wrong_indices(void **state)
{
    size_t count;
    const place *const all = all_places(&count);
    rng r = test_rng("wrong indices");
    (void)state;
    for (size_t p = 1; p < count; p++)
        if (stand_at(&all[p], NULL, false)) one_wrong_index(&all[p], false, &r), one_wrong_index(&all[p], true, &r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call), cmocka_unit_test(wrong_indices)};
    oplus_device *dev = NULL;
    setenv("OPLUS_TEST_CORES", "0", 1);
    if (!getenv("OPLUS_TEST_DEVICES") && oplus_open("cuda:0,0", &dev) != OPLUS_OK) {
        printf("not tried: %s\n", oplus_last_error());
        return 77;
    }
    oplus_close(dev);
    setenv("OPLUS_TEST_DEVICES", "cuda:0,0 cuda:0,0@@@pages cuda:0,0@@@one cuda:0,0@@@blocks cuda:0,0,0@@@blocks", 0);
    size_t count;
    all_places(&count);
    if (count < 2) return puts("not tried: OPLUS_TEST_DEVICES is empty"), 77;
    for (int k = 0; k < ARRAYS; k++) {
        image[k] = must(malloc(ROOM));
        copy[k] = must(malloc(ROOM));
    }
    const int failed = cmocka_run_group_tests_name("several GPUs", tests, NULL, NULL);
    for (int k = 0; k < ARRAYS; k++) free(image[k]), free(copy[k]);
    close_places();
    return failed;
}
