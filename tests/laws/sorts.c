/* Laws of sorts in the order of a function, by some bits, and of segments; compared with plain loops, at every place, with
 * arrays of the host and of the device. */
#include "support/keys.h"
#include "support/laws.h"

#include "gpu/shared.h"

#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(item, uint32_t key; uint16_t place[3];)
OPLUS_STRUCT(couple, uint32_t key; float place;)
OPLUS_STRUCT(odd, uint8_t key; uint8_t place[4];)
OPLUS_STRUCT(wide, double key; uint64_t place[8];)
OPLUS_STRUCT(large, uint32_t key; uint64_t place[624];)
OPLUS_STRUCT(huge, uint32_t key; uint64_t place[2500];)
OPLUS_ZIP(by_large, uint8_t, large, large, { return a.key < b.key; })
OPLUS_ZIP(by_huge, uint8_t, huge, huge, { return a.key < b.key; })
OPLUS_ZIP(no_wide, uint8_t, wide, wide,
          { return ((uint32_t)(a.key + 100) * 2654435761u ^ (uint32_t)(b.key + 100) * 40503u) >> 7 & 1; })
OPLUS_ZIP(by_key, uint8_t, item, item, { return a.key < b.key; })
OPLUS_ZIP(by_odd, uint8_t, odd, odd, { return (uint8_t)((a.key < b.key) * 6); }) /* any number but 0 says yes */
OPLUS_ZIP(by_wide, uint8_t, wide, wide, { return a.key > b.key; })
OPLUS_ZIP(by_value, uint8_t, double, double, { return a < b; })
OPLUS_ZIP(no_order, uint8_t, item, item, { return (a.key * 2654435761u ^ b.key * 40503u) >> 7 & 1; })
OPLUS_ZIP(always, uint8_t, item, item, { return a.key == a.key; })
OPLUS_ZIP_WITH(by_distance, uint8_t, uint32_t, uint32_t, uint32_t,
               { return (a > p ? a - p : p - a) < (b > p ? b - p : p - b); })

/* --- one case ----------------------------------------------------------------------------------------------------- */

/* A type of element and its order, as a number that is less for what comes first. */
typedef struct element_kind {
    const oplus_fn *less;
    size_t size;
    void (*make)(void *at, uint32_t key, size_t i);
    double (*rank)(const void *at);
} element_kind;

static void make_item(void *at, uint32_t key, size_t i)
{
    const item x = {key, {(uint16_t)i, (uint16_t)(i >> 16), 7}};
    memcpy(at, &x, sizeof x);
}

static double rank_item(const void *at) { return ((const item *)at)->key; }

static void make_odd(void *at, uint32_t key, size_t i)
{
    const odd x = {(uint8_t)key, {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i >> 16), 5}};
    memcpy(at, &x, sizeof x);
}

static double rank_odd(const void *at) { return ((const odd *)at)->key; }

static void make_wide(void *at, uint32_t key, size_t i)
{
    const wide x = {(double)key - 100, {i, 1, 2, 3, 4, 5, 6, i}};
    memcpy(at, &x, sizeof x);
}

static double rank_wide(const void *at) { return -((const wide *)at)->key; }

static void make_double(void *at, uint32_t key, size_t i)
{
    const double x = (double)key - 1e4;
    (void)i;
    memcpy(at, &x, sizeof x);
}

static double rank_double(const void *at) { return *(const double *)at; }

static void make_large(void *at, uint32_t key, size_t i)
{
    large x;
    memset(&x, 0, sizeof x);
    x.key = key % 50;
    x.place[623] = i;
    memcpy(at, &x, sizeof x);
}

static double rank_large(const void *at) { return ((const large *)at)->key; }

static void make_huge(void *at, uint32_t key, size_t i)
{
    huge x;
    memset(&x, 0, sizeof x);
    x.key = key % 20;
    x.place[2499] = i;
    memcpy(at, &x, sizeof x);
}

static double rank_huge(const void *at) { return ((const huge *)at)->key; }

static const element_kind kinds[] = {{&by_key_fn, sizeof(item), make_item, rank_item},
                                     {&by_value_fn, sizeof(double), make_double, rank_double},
                                     {&by_odd_fn, sizeof(odd), make_odd, rank_odd},
                                     {&by_wide_fn, sizeof(wide), make_wide, rank_wide}};
/* So large that few of them, or one, are compared at a time. */
static const element_kind few_at_a_time[] = {{&by_large_fn, sizeof(large), make_large, rank_large},
                                             {&by_huge_fn, sizeof(huge), make_huge, rank_huge}};
enum { ACCELERATOR_KINDS = 1, WIDE = 3, ELEMENT_KINDS = sizeof kinds / sizeof *kinds };

/* Where a call finds an array: the host's, or a copy on the device. */
static void wrong(const place *at, const char *call, size_t n, size_t i)
{
    fail_msg("%s %s: %s of %zu is wrong at %zu\n    OPLUS_TEST_SEED=%llu", at->where, at->isa, call, n, i,
             (unsigned long long)test_seed());
}

/* Sizes: any, and often those beside a power of two, where a block or a tile ends. */
static size_t any_size(rng *r)
{
    const unsigned log = (unsigned)rng_below(r, test_quick() ? 15 : 17);
    const size_t power = (size_t)1 << log;
    return rng_below(r, 2) ? rng_below(r, 2 * power) : power + rng_below(r, 3) - (power > 1);
}

/* --- by a function ------------------------------------------------------------------------------------------------ */

static const element_kind *draw(rng *r, const place *at)
{
    return &kinds[rng_below(r, at->accelerator && !at->thorough ? ACCELERATOR_KINDS : ELEMENT_KINDS)];
}

/* Elements in some order: random ones, few different ones, ascending, descending, ascending but for some. */
static char *elements_of(rng *r, const element_kind *s, size_t n)
{
    char *const x = must(malloc(n * s->size + 1));
    const uint32_t keys = 1 + (uint32_t)rng_below(r, rng_below(r, 2) ? 5 : 1 << 20);
    const unsigned kind = (unsigned)rng_below(r, 5);
    for (size_t i = 0; i < n; i++) {
        const uint32_t any = (uint32_t)rng_below(r, keys);
        const uint32_t key = kind == 0   ? (uint32_t)i
                             : kind == 1 ? (uint32_t)(n - i) / 3
                             : kind == 2 ? (any % 16 ? (uint32_t)i : any)
                                         : any;
        s->make(x + i * s->size, key, i);
    }
    return x;
}

/* The argsort, by definition: a stable merge sort by a plain loop. */
static uint32_t *argsort_of(const element_kind *s, const char *x, size_t n)
{
    uint32_t *from = must(malloc((n + 1) * sizeof *from)), *to = must(malloc((n + 1) * sizeof *to));
    for (size_t i = 0; i < n; i++) from[i] = (uint32_t)i;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t a_end = begin + run < n ? begin + run : n, b_end = a_end + run < n ? a_end + run : n;
            for (size_t a = begin, b = a_end, k = begin; k < b_end; k++) {
                const bool is_b =
                    a == a_end || (b < b_end && s->rank(x + from[b] * s->size) < s->rank(x + from[a] * s->size));
                to[k] = from[is_b ? b++ : a++];
            }
        }
        uint32_t *const other = from;
        from = to;
        to = other;
    }
    free(to);
    return from;
}

static void sort_of_kind(rng *r, const place *at, const element_kind *s, size_t n)
{
    const size_t bytes = n * s->size;
    const bool on_device = at->accelerator && rng_below(r, 2);
    char *const x = elements_of(r, s, n), *const sorted = must(malloc(bytes + 1));
    uint32_t *const wanted = argsort_of(s, x, n);
    memcpy(sorted, x, bytes);
    void *const there = lend(at->dev, on_device, sorted, bytes);
    must_be_ok(oplus_sort_by(at->dev, s->less, there, n), "sort_by");
    end_loan(at->dev, there, sorted, bytes);
    for (size_t i = 0; i < n; i++)
        if (memcmp(sorted + i * s->size, x + wanted[i] * s->size, s->size) != 0) wrong(at, "sort_by", n, i);
    free(x);
    free(sorted);
    free(wanted);
}

static void sort_is_stable(rng *r, const place *at) { sort_of_kind(r, at, draw(r, at), any_size(r)); }

static void large_elements_are_sorted(rng *r, const place *at)
{
    if (at->accelerator) return;
    sort_of_kind(r, at, &few_at_a_time[0], rng_below(r, 300));
    sort_of_kind(r, at, &few_at_a_time[1], rng_below(r, 60));
}

static void argsort_is_stable(rng *r, const place *at)
{
    static const oplus_type *const types[] = {&oplus_u32, &oplus_i64};
    const element_kind *const s = draw(r, at);
    const size_t n = any_size(r), bytes = n * s->size;
    const bool on_device = at->accelerator && rng_below(r, 2);
    const oplus_type *const index = types[at->accelerator && !at->thorough ? 0 : rng_below(r, 2)];
    char *const x = elements_of(r, s, n), *const kept = must(malloc(bytes + 1));
    char *const indices = must(malloc(n * index->size + 1));
    uint32_t *const wanted = argsort_of(s, x, n);
    memcpy(kept, x, bytes);
    void *const there = lend(at->dev, on_device, x, bytes), *const to =
                                                                lend(at->dev, on_device, indices, n * index->size);
    must_be_ok(oplus_argsort_by(at->dev, s->less, there, n, index, to), "argsort_by");
    end_loan(at->dev, there, x, bytes);
    end_loan(at->dev, to, indices, n * index->size);
    for (size_t i = 0; i < n; i++) {
        uint64_t own = 0;
        memcpy(&own, indices + i * index->size, index->size);
        if (own != wanted[i]) wrong(at, "argsort_by", n, i);
    }
    assert_memory_equal(x, kept, bytes);
    free(x);
    free(kept);
    free(indices);
    free(wanted);
}

static size_t place_in(const element_kind *s, const void *at)
{
    if (s->size == sizeof(wide)) return (size_t)((const wide *)at)->place[0];
    return ((const item *)at)->place[0] | (size_t)((const item *)at)->place[1] << 16;
}

/* What is no order gives the same elements, each once, and touches nothing beside them. */
static void loses_nothing(rng *r, const place *at, const element_kind *s, const oplus_fn *less, size_t n)
{
    const size_t size = s->size, bytes = n * size;
    char *const x = elements_of(r, s, n), *const sorted = must(malloc(bytes + 2 * size));
    bool *const seen = must(calloc(n + 1, 1));
    memset(sorted, 0xee, bytes + 2 * size);
    memcpy(sorted + size, x, bytes);
    must_be_ok(oplus_sort_by(at->dev, less, sorted + size, n), "sort_by");
    for (size_t i = 0; i < n; i++) {
        const size_t from = place_in(s, sorted + (i + 1) * size);
        if (from >= n || seen[from] || memcmp(sorted + (i + 1) * size, x + from * size, size) != 0)
            wrong(at, "sort_by what is no order", n, i);
        seen[from] = true;
    }
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)sorted[i] != 0xee || (unsigned char)sorted[bytes + size + i] != 0xee)
            wrong(at, "sort_by what is no order", n, n);
    free(x);
    free(sorted);
    free(seen);
}

static void no_order_loses_nothing(rng *r, const place *at)
{
    const oplus_fn *const less = at->accelerator && !at->thorough ? &no_order_fn
                                 : rng_below(r, 3)                ? &no_order_fn
                                                                  : &always_fn;
    loses_nothing(r, at, &kinds[0], less, any_size(r));
    /* On cores blocks of such elements are short, and are merged in several passes. */
    if (!at->accelerator) loses_nothing(r, at, &kinds[WIDE], &no_wide_fn, 30000 + rng_below(r, 2000));
}

/* Integers by their distance from one of them, which is a parameter. */
static void parameter_is_read(rng *r, const place *at)
{
    const size_t n = any_size(r) / 8;
    const uint32_t from = (uint32_t)rng_below(r, 1000);
    uint32_t *const x = must(malloc((n + 1) * sizeof *x)), *const wanted = must(malloc((n + 1) * sizeof *x));
    for (size_t i = 0; i < n; i++) x[i] = (uint32_t)rng_below(r, 1000);
    size_t count = 0;
    for (int distance = 0; distance < 1000; distance++)
        for (size_t i = 0; i < n; i++)
            if (abs((int)x[i] - (int)from) == distance) wanted[count++] = x[i];
    const oplus_fn less = oplus_with(&by_distance_fn, &from);
    must_be_ok(oplus_sort_by(at->dev, &less, x, n), "sort_by");
    for (size_t i = 0; i < n; i++)
        if (x[i] != wanted[i]) wrong(at, "sort_by with a parameter", n, i);
    free(x);
    free(wanted);
}

/* --- segments ----------------------------------------------------------------------------------------------------- */

static const oplus_type *const key_types[] = {&oplus_f32, &oplus_u8,  &oplus_i64, &oplus_i8,  &oplus_i16,
                                              &oplus_u16, &oplus_i32, &oplus_u32, &oplus_u64, &oplus_f64};
static const oplus_type *const value_types[] = {&oplus_u32, &wide_type, &oplus_u8, &odd_type, &oplus_f64, &couple_type};
static const oplus_type *const offset_types[] = {&oplus_u32, &oplus_i64, &oplus_i32, &oplus_u64};

/* Offsets of up to `most` segments of n elements: short ones, up to as many elements as an accelerator's way for short ones
 * takes, or one more, long ones, some of both, empty ones; some elements may be outside. */
static uint64_t *segments_of(rng *r, size_t n, size_t *segments)
{
    const size_t most = 1 + rng_below(r, rng_below(r, 2) ? n + 2 : 20), kind = rng_below(r, 6);
    static const size_t few_of[] = {4, 60, 60, 60, OPI_SHORT_SEGMENT + 1, OPI_SHORT_SEGMENT + 2};
    uint64_t *const offsets = must(malloc((most + 1) * sizeof *offsets));
    uint64_t at = rng_below(r, 2) ? rng_below(r, n + 1) / 2 : 0;
    for (size_t s = 0; s <= most; s++) {
        const size_t left = n - (size_t)at, few = rng_below(r, few_of[kind]);
        const bool is_empty = rng_below(r, 5) == 0, is_long = kind == 2 ? rng_below(r, 8) == 0 : kind == 3;
        const size_t own = is_empty ? 0 : is_long ? rng_below(r, left + 1) : few;
        offsets[s] = at;
        at += own < left ? own : left;
    }
    *segments = most;
    return offsets;
}

static void *as_type(const oplus_type *type, const uint64_t *offsets, size_t n)
{
    char *const made = must(malloc(n * type->size + 1));
    for (size_t i = 0; i < n; i++) memcpy(made + i * type->size, &offsets[i], type->size); /* little endian */
    return made;
}

/* A case: n elements, and offsets of segments. */
typedef struct cut_up {
    const oplus_type *key, *value, *offset;
    size_t n, segments;
    const uint64_t *offsets;
} cut_up;

/* Each segment is sorted by itself, as by oplus_sort or oplus_sort_pairs; what is outside of them stays. */
static void segments_of_case(rng *r, const place *at, const cut_up *c)
{
    const oplus_type *const key = c->key, *const value = c->value, *const offset = c->offset;
    const uint64_t *const offsets = c->offsets;
    const bool on_device = at->accelerator && rng_below(r, 2);
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    const bool pairs = rng_below(r, 2);
    const unsigned kind = (unsigned)rng_below(r, KEY_KINDS);
    const size_t n = c->n, segments = c->segments;
    size_t count;
    char *const given = as_type(offset, offsets, segments + 1);
    const size_t skew = rng_below(r, 2) * value->align; /* values are aligned as their type is, and no more */
    char *const keys = must(malloc(n * key->size + 1)), *const base = must(malloc(skew + n * value->size + 1));
    char *const values = base + skew;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = odd_key(r, key, kind, i, n);
        memcpy(keys + i * key->size, &bits, key->size);
    }
    memset(base, 0, skew);
    for (size_t i = 0; i < n * value->size; i++) values[i] = (char)rng_next(r);
    char *const wanted = must(malloc(n * key->size + 1)), *const wanted_values = must(malloc(n * value->size + 1));
    memcpy(wanted, keys, n * key->size);
    memcpy(wanted_values, values, n * value->size);
    oplus_device *const plain = all_places(&count)[0].dev;
    for (size_t s = 0; s < segments; s++) {
        const size_t begin = (size_t)offsets[s], own = (size_t)offsets[s + 1] - begin;
        char *const k = wanted + begin * key->size, *const v = wanted_values + begin * value->size;
        must_be_ok(pairs ? oplus_sort_pairs(plain, key, order, k, value, v, own)
                         : oplus_sort(plain, key, order, k, own),
                   "sort");
    }
    char *const there = lend(at->dev, on_device, base, skew + n * value->size), *const v = there + skew;
    void *const k = lend(at->dev, on_device, keys, n * key->size), *const o =
                                                                       lend(at->dev, on_device && rng_below(r, 2),
                                                                            given, (segments + 1) * offset->size);
    must_be_ok(pairs ? oplus_segsort_pairs(at->dev, key, order, k, value, v, n, offset, o, segments)
                     : oplus_segsort(at->dev, key, order, k, n, offset, o, segments),
               "segsort");
    end_loan(at->dev, k, keys, n * key->size);
    end_loan(at->dev, there, base, skew + n * value->size);
    end_loan(at->dev, o, given, (segments + 1) * offset->size);
    for (size_t i = 0; i < n; i++)
        if (memcmp(keys + i * key->size, wanted + i * key->size, key->size) != 0 ||
            memcmp(values + i * value->size, wanted_values + i * value->size, value->size) != 0)
            wrong(at, pairs ? "segsort_pairs" : "segsort", n, i);
    free(given);
    free(keys);
    free(base);
    free(wanted);
    free(wanted_values);
}

static void segments_are_sorts(rng *r, const place *at)
{
    const bool some = at->accelerator && !at->thorough;
    cut_up c = {.key = key_types[rng_below(r, some ? 1 : 10)],
                .value = value_types[rng_below(r, some ? 1 : 6)],
                .offset = offset_types[rng_below(r, some ? 1 : 4)],
                .n = any_size(r)};
    uint64_t *const offsets = segments_of(r, c.n, &c.segments);
    c.offsets = offsets;
    segments_of_case(r, at, &c);
    free(offsets);
}

/* Two of the segments are so long that all threads sort each. */
static void long_segments_are_sorts(rng *r, const place *at)
{
    static const uint64_t offsets[] = {0, 70000, 70010, 199990};
    const cut_up c = {&oplus_u32, &oplus_u32, &oplus_u32, 200000, 3, offsets};
    if (!at->accelerator) segments_of_case(r, at, &c);
}

/* Offsets of short segments with `large` long ones among them, of up to `most` elements each; there are about 3 * short_ones
 * elements in the short ones, of which some are just not too long. */
static uint64_t *mixed(rng *r, size_t short_ones, size_t large, size_t most, size_t *segments)
{
    static const size_t odd[] = {0, 1, OPI_SHORT_SEGMENT - 1, OPI_SHORT_SEGMENT};
    const size_t every = large > 0 ? short_ones / large + 1 : SIZE_MAX;
    uint64_t *const offsets = must(malloc((short_ones + large + 1) * sizeof *offsets)), at = rng_below(r, 3);
    size_t s = 0, put = 0;
    const size_t skip = rng_below(r, 2) ? 0 : rng_below(r, every);
    for (size_t k = 0; k < short_ones; k++) {
        offsets[s++] = at;
        at += rng_below(r, 1000) == 0 ? odd[rng_below(r, 4)] : 3;
        if (put == large || k % every != skip % every) continue;
        offsets[s++] = at;
        const size_t least = OPI_SHORT_SEGMENT + 1;
        at += rng_below(r, 4) == 0 || most <= least ? least : most - rng_below(r, most - least);
        put++;
    }
    offsets[s] = at;
    *segments = s;
    return offsets;
}

/* Short segments with no long one, one, as many as an accelerator sorts one by one, one more, or many. */
static void mixed_segments_are_sorts(rng *r, const place *at)
{
    enum { LONG = OPI_SHORT_SEGMENT + 1 };
    static const struct {
        size_t short_ones, large, most;
    } mixes[] = {{3000, 1, LONG},  {3000, 8, 3 * LONG}, {3000, 9, 3 * LONG}, {20, 0, LONG},       {5000, 60, 2 * LONG},
                 {280, 300, LONG}, /* more than 256 long ones */
                 {1, 1, 4000},     {0, 0, LONG},        {100, 12, 5000},     {100000, 1, 100000}, {100000, 20, 10000}};
    const bool some = at->accelerator && !at->thorough;
    const size_t kinds = sizeof mixes / sizeof *mixes, m = rng_below(r, rng_below(r, 8) ? kinds - 2 : kinds);
    cut_up c = {.key = key_types[rng_below(r, some ? 2 : 10)],
                .value = value_types[rng_below(r, some ? 2 : 6)],
                .offset = offset_types[rng_below(r, some ? 2 : 4)]};
    uint64_t *const offsets = mixed(r, mixes[m].short_ones + 1, mixes[m].large, mixes[m].most, &c.segments);
    c.n = (size_t)offsets[c.segments] + rng_below(r, 3);
    c.offsets = offsets;
    segments_of_case(r, at, &c);
    free(offsets);
}

/* --- by some bits ------------------------------------------------------------------------------------------------- */

/* The unsigned integer whose bits count: it is in the order of the key. */
static uint64_t image_of(const oplus_type *key, uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << (8 * key->size - 1), all = sign | (sign - 1);
    const bool is_float = key == &oplus_f32 || key == &oplus_f64;
    const bool is_unsigned = key == &oplus_u8 || key == &oplus_u16 || key == &oplus_u32 || key == &oplus_u64;
    if (is_unsigned) return bits;
    return is_float && (bits & sign) ? ~bits & all : bits ^ sign;
}

typedef struct by_range {
    uint64_t range;
    size_t i;
} by_range;

static int compare_ranges(const void *a, const void *b)
{
    const by_range *const x = a, *const y = b;
    if (x->range != y->range) return x->range < y->range ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

static uint64_t key_at(const char *keys, const oplus_type *key, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, keys + i * key->size, key->size); /* little endian */
    return bits;
}

/* Where the elements come from, by definition. */
static by_range *sorted_ranges(const oplus_type *key, oplus_order order, unsigned low, unsigned high, const char *keys,
                               size_t n)
{
    by_range *const list = must(malloc((n + 1) * sizeof *list));
    const uint64_t mask = high == low ? 0 : UINT64_MAX >> (64 - (high - low));
    for (size_t i = 0; i < n; i++) {
        const uint64_t image = image_of(key, key_at(keys, key, i));
        const uint64_t range = low == high ? 0 : image >> low & mask;
        list[i] = (by_range){order == OPLUS_DESCENDING ? mask - range : range, i};
    }
    qsort(list, n, sizeof *list, compare_ranges);
    return list;
}

typedef struct bits_case {
    const oplus_type *key, *value;
    bool pairs;
    unsigned low, high;
    size_t n;
} bits_case;

static void bits_of_case(rng *r, const place *at, const bits_case *c)
{
    const oplus_type *const key = c->key, *const value = c->value;
    const size_t n = c->n, v_size = c->pairs ? value->size : 0, skew = rng_below(r, 2) * value->align;
    const bool on_device = at->accelerator && rng_below(r, 2);
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    const unsigned kind = (unsigned)rng_below(r, KEY_KINDS);
    char *const keys = must(malloc(n * key->size + 1)), *const base = must(malloc(skew + n * value->size + 1));
    char *const wanted = must(malloc(n * key->size + 1)), *const values = must(malloc(n * value->size + 1));
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = odd_key(r, key, kind, i, n);
        memcpy(keys + i * key->size, &bits, key->size);
    }
    for (size_t i = 0; i < n * value->size; i++) values[i] = (char)rng_next(r);
    memset(base, 0, skew);
    memcpy(base + skew, values, n * value->size);
    memcpy(wanted, keys, n * key->size);
    by_range *const from = sorted_ranges(key, order, c->low, c->high, keys, n);
    void *const k = lend(at->dev, on_device, keys, n * key->size);
    char *const there = lend(at->dev, on_device && rng_below(r, 4) > 0, base, skew + n * value->size);
    must_be_ok(c->pairs ? oplus_sort_pairs_bits(at->dev, key, order, c->low, c->high, k, value, there + skew, n)
                        : oplus_sort_bits(at->dev, key, order, c->low, c->high, k, n),
               "sort_bits");
    end_loan(at->dev, k, keys, n * key->size);
    end_loan(at->dev, there, base, skew + n * value->size);
    for (size_t i = 0; i < n; i++)
        if (memcmp(keys + i * key->size, wanted + from[i].i * key->size, key->size) != 0 ||
            memcmp(base + skew + i * v_size, values + from[i].i * v_size, v_size) != 0)
            fail_msg("%s %s: %s of bits %u to %u of %zu keys %s is wrong at %zu\n    OPLUS_TEST_SEED=%llu", at->where,
                     at->isa, c->pairs ? "sort_pairs_bits" : "sort_bits", c->low, c->high, n, key->name, i,
                     (unsigned long long)test_seed());
    free(keys);
    free(base);
    free(wanted);
    free(values);
    free(from);
}

/* Any range: none, one bit, whole digits, all. */
static bits_case any_bits(rng *r, const place *at)
{
    const bool some = at->accelerator && !at->thorough;
    bits_case c = {.key = key_types[rng_below(r, some ? 3 : 10)],
                   .value = value_types[rng_below(r, some ? 2 : 6)],
                   .pairs = rng_below(r, 2)};
    const unsigned bits = 8 * (unsigned)c.key->size, kind = (unsigned)rng_below(r, 8);
    const unsigned a = (unsigned)rng_below(r, bits + 1), b = (unsigned)rng_below(r, bits + 1);
    c.low = kind == 0 ? 0 : kind == 1 ? a / 8 * 8 : a < b ? a : b;
    c.high = kind == 0 ? bits : kind == 2 ? c.low + (c.low < bits) : a < b ? b : a;
    return c;
}

static void bits_are_compared(rng *r, const place *at)
{
    for (unsigned i = 0; i < 3; i++) {
        bits_case c = any_bits(r, at);
        c.n = i == 0 ? rng_below(r, 300) : any_size(r);
        bits_of_case(r, at, &c);
    }
}

/* All threads deal the keys out, which do not fit a cache. */
static void bits_of_many_are_compared(rng *r, const place *at)
{
    if (at->accelerator) return;
    bits_case c = any_bits(r, at);
    c.n = 300000;
    bits_of_case(r, at, &c);
}

/* --- along an axis: each row is sorted by itself ------------------------------------------------------------------ */

typedef struct shape {
    size_t outer, n, inner;
} shape;

static size_t element_of(shape s, size_t row, size_t i) { return (row / s.inner * s.n + i) * s.inner + row % s.inner; }

/* The bytes of elements in row `row`, or they become those of it. */
static void copy_row(shape s, size_t row, char *all, size_t size, char *own, bool back)
{
    for (size_t i = 0; i < s.n; i++) {
        char *const there = all + element_of(s, row, i) * size, *const here = own + i * size;
        memcpy(back ? there : here, back ? here : there, size);
    }
}

static void axis_of_case(rng *r, const place *at, const oplus_type *key, const oplus_type *index, shape s)
{
    const bool on_device = at->accelerator && rng_below(r, 2), places = rng_below(r, 2);
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    const size_t n = s.outer * s.n * s.inner, result = places ? index->size : key->size;
    const unsigned kind = (unsigned)rng_below(r, KEY_KINDS);
    size_t count;
    oplus_device *const plain = all_places(&count)[0].dev;
    char *const keys = must(malloc(n * key->size + 1)), *const got = must(malloc(n * index->size + 1));
    char *const wanted = must(malloc(n * 8 + 1)), *const row = must(malloc(s.n * 8 + 1)),
                *const found = must(malloc(s.n * 8 + 1));
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = odd_key(r, key, kind, i, n);
        memcpy(keys + i * key->size, &bits, key->size);
    }
    for (size_t o = 0; o < s.outer * s.inner; o++) {
        copy_row(s, o, keys, key->size, row, false);
        must_be_ok(places ? oplus_argsort(plain, key, order, row, s.n, index, found)
                          : oplus_sort(plain, key, order, row, s.n),
                   "sort");
        copy_row(s, o, wanted, result, places ? found : row, true);
    }
    void *const k = lend(at->dev, on_device, keys, n * key->size), *const g =
                                                                       lend(at->dev, on_device, got, n * index->size);
    must_be_ok(places ? oplus_argsort_axis(at->dev, key, order, k, s.outer, s.n, s.inner, index, g)
                      : oplus_sort_axis(at->dev, key, order, k, s.outer, s.n, s.inner),
               "sort_axis");
    end_loan(at->dev, k, keys, n * key->size);
    end_loan(at->dev, g, got, n * index->size);
    const char *const have = places ? got : keys;
    for (size_t i = 0; i < n; i++)
        if (memcmp(have + i * result, wanted + i * result, result) != 0)
            wrong(at, places ? "argsort_axis" : "sort_axis", n, i);
    free(keys);
    free(got);
    free(wanted);
    free(row);
    free(found);
}

static void rows_are_sorts(rng *r, const place *at)
{
    const bool some = at->accelerator && !at->thorough;
    const size_t n = 1 + rng_below(r, (size_t)1 << rng_below(r, 12));
    const size_t inner = rng_below(r, 2) ? 1 : 1 + rng_below(r, (size_t)1 << rng_below(r, 7));
    const shape s = {rng_below(r, 2 + 20000 / n / inner), n, inner};
    axis_of_case(r, at, key_types[rng_below(r, some ? 1 : 10)], offset_types[rng_below(r, some ? 1 : 4)], s);
}

/* All threads sort each of few rows that are long. */
static void long_rows_are_sorts(rng *r, const place *at)
{
    static const shape shapes[] = {{2, 70000, 1}, {1, 70000, 2}, {1, 200000, 1}};
    if (!at->accelerator) axis_of_case(r, at, &oplus_f32, &oplus_u32, shapes[rng_below(r, 3)]);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

#define OFTEN(law) LAW_OFTEN(law, 6, 12)
OFTEN(sort_is_stable)
OFTEN(argsort_is_stable)
OFTEN(no_order_loses_nothing)
OFTEN(parameter_is_read)
OFTEN(segments_are_sorts)
OFTEN(long_segments_are_sorts)
OFTEN(mixed_segments_are_sorts)
OFTEN(bits_are_compared)
OFTEN(bits_of_many_are_compared)
OFTEN(rows_are_sorts)
OFTEN(long_rows_are_sorts)
OFTEN(large_elements_are_sorted)

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_is_stable_often),           cmocka_unit_test(argsort_is_stable_often),
        cmocka_unit_test(no_order_loses_nothing_often),   cmocka_unit_test(parameter_is_read_often),
        cmocka_unit_test(segments_are_sorts_often),       cmocka_unit_test(long_segments_are_sorts_often),
        cmocka_unit_test(mixed_segments_are_sorts_often), cmocka_unit_test(rows_are_sorts_often),
        cmocka_unit_test(long_rows_are_sorts_often),      cmocka_unit_test(large_elements_are_sorted_often),
        cmocka_unit_test(bits_are_compared_often),        cmocka_unit_test(bits_of_many_are_compared_often),
    };
    test_seed();
    return cmocka_run_group_tests_name("sorts", tests, NULL, close_all);
}
