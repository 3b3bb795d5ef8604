/* Laws of what moves elements: filter, sort and transpose. */
#include "support/keys.h"
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(tagged, uint32_t key; uint32_t place;)
OPLUS_STRUCT(chunk24, uint64_t word[3];)
OPLUS_PREDICATE_WITH(key_below, tagged, uint32_t, { return a.key < p; })
OPLUS_PREDICATE_WITH(key_not_below, tagged, uint32_t, { return !(a.key < p); })

static size_t any_size(rng *r) { return rng_below(r, (size_t)1 << (1 + rng_below(r, test_quick() ? 15 : 18))); }

static tagged *tagged_elements(rng *r, size_t n, uint32_t keys)
{
    tagged *x = must(malloc((n + 1) * sizeof *x));
    for (size_t i = 0; i < n; i++) x[i] = (tagged){(uint32_t)rng_below(r, keys), (uint32_t)i};
    return x;
}

/* --- filter */

/* filter(p) and filter(!p) are two increasing subsequences that together are all of x. */
static void filter_parts(rng *r, const place *where)
{
    const size_t n = any_size(r);
    const uint32_t limit = (uint32_t)rng_below(r, 1001);
    tagged *x = tagged_elements(r, n, 1000), *yes = must(malloc((n + 1) * sizeof *x)),
           *no = must(malloc((n + 1) * sizeof *x));
    const oplus_fn below = oplus_with(&key_below_fn, &limit), not_below = oplus_with(&key_not_below_fn, &limit);
    size_t kept = 0, left = 0, i = 0, j = 0;
    assert_int_equal(oplus_filter(where->dev, &below, x, n, yes, &kept), OPLUS_OK);
    assert_int_equal(oplus_filter(where->dev, &not_below, x, n, no, &left), OPLUS_OK);
    if (kept + left != n)
        fail_msg("%s %s: %zu are kept and %zu are not, of %zu", where->where, where->isa, kept, left, n);
    for (size_t k = 0; k < n; k++) {
        const tagged *const next = x[k].key < limit ? &yes[i++] : &no[j++];
        if (memcmp(next, &x[k], sizeof *next) != 0)
            fail_msg("%s %s, n = %zu: element %zu is not where filter should put it\n    OPLUS_TEST_SEED=%llu",
                     where->where, where->isa, n, k, (unsigned long long)test_seed());
    }

    /* --- the same in place, and once more: what is kept is kept --- */
    assert_int_equal(oplus_filter(where->dev, &below, x, n, x, &kept), OPLUS_OK);
    assert_memory_equal(x, yes, kept * sizeof *x);
    assert_int_equal(oplus_filter(where->dev, &below, x, kept, x, &left), OPLUS_OK);
    assert_int_equal(left, kept);
    assert_memory_equal(x, yes, kept * sizeof *x);
    free(x);
    free(yes);
    free(no);
}

/* --- sort --------------------------------------------------------------------------------------------------------- */

static const oplus_type *const key_types[] = {&oplus_i8,  &oplus_i16, &oplus_i32, &oplus_i64, &oplus_u8,
                                              &oplus_u16, &oplus_u32, &oplus_u64, &oplus_f32, &oplus_f64};
enum { KEY_TYPES = sizeof key_types / sizeof *key_types };

/* The order, by definition: unsigned numbers that compare as the keys do. */
static uint64_t rank_of(const oplus_type *type, const unsigned char *key)
{
    uint64_t bits = 0;
    memcpy(&bits, key, type->size); /* little endian */
    const uint64_t sign = UINT64_C(1) << (8 * type->size - 1), all = sign | (sign - 1);
    switch (type->scalar) {
    case OPLUS_U8:
    case OPLUS_U16:
    case OPLUS_U32:
    case OPLUS_U64:
        return bits;
    case OPLUS_F32:
    case OPLUS_F64:
        return bits & sign ? ~bits & all : bits | sign;
    default:
        return bits ^ sign;
    }
}

static unsigned char *random_keys(rng *r, const oplus_type *type, size_t n)
{
    unsigned char *keys = must(malloc(n * type->size + 1));
    const uint64_t masks[] = {UINT64_MAX, 0xff, UINT64_C(0xff000000000000ff), UINT64_C(0xf0f0f0f0f0f0f0f0), 0};
    const uint64_t mask = masks[rng_below(r, 5)];
    const bool power_law = rng_below(r, 4) == 0, organ_pipe = rng_below(r, 8) == 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = rng_next(r) & mask;
        if (power_law) key >>= rng_below(r, 8 * type->size);
        if (organ_pipe) key = i < n / 2 ? i : n - i;
        memcpy(keys + i * type->size, &key, type->size);
    }
    return keys;
}

/* Sorted pairs are in order, equal keys in the order they came in, and each value is still beside its key. */
static void pairs_are_stable(rng *r, const place *where)
{
    const size_t n = any_size(r);
    const oplus_type *const type = key_types[rng_below(r, KEY_TYPES)];
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    unsigned char *before = random_keys(r, type, n), *keys = must(malloc(n * type->size + 1));
    uint32_t *places = must(malloc((n + 1) * sizeof *places));
    memcpy(keys, before, n * type->size);
    for (size_t i = 0; i < n; i++) places[i] = (uint32_t)i;
    assert_int_equal(oplus_sort_pairs(where->dev, type, order, keys, &oplus_u32, places, n), OPLUS_OK);
    for (size_t i = 0; i < n; i++) {
        bool wrong = places[i] >= n || memcmp(keys + i * type->size, before + places[i] * type->size, type->size) != 0;
        if (i > 0) {
            const uint64_t a = rank_of(type, keys + (i - 1) * type->size), b = rank_of(type, keys + i * type->size);
            wrong = wrong || (order == OPLUS_ASCENDING ? a > b : a < b) || (a == b && places[i - 1] >= places[i]);
        }
        if (wrong)
            fail_msg("%s %s: sort_pairs of %zu %s, %s, is wrong at %zu\n    OPLUS_TEST_SEED=%llu", where->where,
                     where->isa, n, type->name, order ? "descending" : "ascending", i, (unsigned long long)test_seed());
    }

    /* --- keys alone give the same keys; and sorting twice is sorting once --- */
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(oplus_sort(where->dev, type, order, before, n), OPLUS_OK);
        if (memcmp(before, keys, n * type->size) != 0)
            fail_msg("%s %s: sort of %zu %s, %s, differs from sort_pairs\n    OPLUS_TEST_SEED=%llu", where->where,
                     where->isa, n, type->name, order ? "descending" : "ascending", (unsigned long long)test_seed());
    }
    free(before);
    free(keys);
    free(places);
}

/* Keys alone have the bits that one core gives, whatever the keys.  On CUDA some problems are large enough to be dealt
 * twice (gpu/sort/keys.cl). */
static void keys_as_on_one_core(rng *r, const place *where)
{
    static const oplus_type *const types[] = {&oplus_u32, &oplus_i64, &oplus_f32, &oplus_f64, &oplus_u64, &oplus_i32};
    const oplus_type *const type = types[rng_below(r, 6)];
    const unsigned kind = (unsigned)rng_below(r, KEY_KINDS);
    const bool large = strncmp(where->where, "cuda", 4) == 0 && rng_below(r, 4) == 0;
    const size_t n = large ? ((size_t)1 << 20) + rng_below(r, (size_t)1 << 21) : any_size(r);
    const size_t into = rng_below(r, 4) * type->size;
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    unsigned char *const memory = must(malloc(n * type->size + 32)), *const keys = memory + into;
    unsigned char *const wanted = must(malloc(n * type->size + 1));
    oplus_device *core;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = odd_key(r, type, kind, i, n);
        memcpy(keys + i * type->size, &key, type->size); /* little endian */
    }
    memcpy(wanted, keys, n * type->size);
    assert_int_equal(oplus_open("threads:1", &core), OPLUS_OK);
    assert_int_equal(oplus_sort(core, type, order, wanted, n), OPLUS_OK);
    oplus_close(core);
    assert_int_equal(oplus_sort(where->dev, type, order, keys, n), OPLUS_OK);
    if (memcmp(keys, wanted, n * type->size) != 0)
        fail_msg("%s %s: sort of %zu %s of kind %u, %s, differs from one core\n    OPLUS_TEST_SEED=%llu", where->where,
                 where->isa, n, type->name, kind, order ? "descending" : "ascending", (unsigned long long)test_seed());
    free(memory);
    free(wanted);
}

/* If no two keys are equal, ascending reversed is descending. */
static void reversed_is_the_other_order(rng *r, const place *where)
{
    const size_t n = any_size(r);
    uint64_t *up = must(malloc((n + 1) * sizeof *up)), *down = must(malloc((n + 1) * sizeof *down));
    for (size_t i = 0; i < n; i++) up[i] = down[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    assert_int_equal(oplus_sort(where->dev, &oplus_u64, OPLUS_ASCENDING, up, n), OPLUS_OK);
    assert_int_equal(oplus_sort(where->dev, &oplus_u64, OPLUS_DESCENDING, down, n), OPLUS_OK);
    for (size_t i = 0; i < n; i++) assert_true(up[i] == down[n - 1 - i]);
    free(up);
    free(down);
}

/* --- transpose */

/* Twice is the identity; once puts (r,c) at (c,r). */
static void transpose_twice(rng *r, const place *where)
{
    const oplus_type *const types[] = {&oplus_u8,     &oplus_u16,     &small3_type,  &oplus_f32,    &oplus_f64,
                                       &mixed12_type, &matrix22_type, &chunk24_type, &huge5000_type};
    const oplus_type *const type = types[rng_below(r, sizeof types / sizeof *types)];
    const size_t limit = type->size > 1000 ? 20 : test_quick() ? 150 : 700, size = type->size;
    const bool square = rng_below(r, 3) == 0;
    const size_t rows = rng_below(r, 8) == 0 ? rng_below(r, 3) : rng_below(r, limit);
    const size_t cols = square ? rows : rng_below(r, 8) == 0 ? rng_below(r, 3) : rng_below(r, limit), n = rows * cols;
    unsigned char *x = must(malloc(n * size + 1)), *y = must(malloc(n * size + 1)), *z = must(malloc(n * size + 1));
    for (size_t i = 0; i < n * size; i++) x[i] = (unsigned char)rng_next(r);
    assert_int_equal(oplus_transpose(where->dev, type, x, rows, cols, y), OPLUS_OK);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < cols; k++)
            if (memcmp(x + (i * cols + k) * size, y + (k * rows + i) * size, size) != 0)
                fail_msg("%s %s: transpose of %zu x %zu %s is wrong at (%zu,%zu)\n    OPLUS_TEST_SEED=%llu",
                         where->where, where->isa, rows, cols, type->name, i, k, (unsigned long long)test_seed());
    assert_int_equal(oplus_transpose(where->dev, type, y, cols, rows, z), OPLUS_OK);
    if (n > 0) assert_memory_equal(x, z, n * size);
    if (rows == cols || rows == 1 || cols == 1) {
        assert_int_equal(oplus_transpose(where->dev, type, z, rows, cols, z), OPLUS_OK);
        if (n > 0 && memcmp(y, z, n * size) != 0)
            fail_msg("%s %s: transpose in place of %zu x %zu %s differs\n    OPLUS_TEST_SEED=%llu", where->where,
                     where->isa, rows, cols, type->name, (unsigned long long)test_seed());
    }
    free(x);
    free(y);
    free(z);
}

/* --- what one value replaces, and what decides --- */

/* The result of a reduce may replace an element of its input, wherever that lies. */
static void a_result_among_the_elements(rng *r, const place *where)
{
    const size_t n = 1 + any_size(r), at = rng_below(r, 2) ? n - 1 : rng_below(r, n);
    uint32_t *x = must(malloc(n * sizeof *x)), expected = 0, got;
    void *mem;
    for (size_t i = 0; i < n; i++) expected += x[i] = (uint32_t)rng_next(r);
    must_be_ok(oplus_alloc(where->dev, n * sizeof *x, &mem), "oplus_alloc");
    must_be_ok(oplus_copy(where->dev, mem, x, n * sizeof *x), "oplus_copy");
    must_be_ok(oplus_reduce(where->dev, &oplus_sum_u32, mem, n, (uint32_t *)mem + at), "oplus_reduce");
    must_be_ok(oplus_copy(where->dev, &got, (uint32_t *)mem + at, sizeof got), "oplus_copy");
    if (got != expected)
        fail_msg("%s %s, n = %zu: the sum in place of element %zu is another\n    OPLUS_TEST_SEED=%llu", where->where,
                 where->isa, n, at, (unsigned long long)test_seed());
    oplus_free(where->dev, mem);
    free(x);
}

OPLUS_MAP(lowest_byte, uint8_t, uint32_t, { return (uint8_t)(a >> 4); })
OPLUS_MAP(as_a_byte, uint8_t, uint32_t, { return a; })

/* A function that gives a byte decides by that byte, after it has been converted: 256 is 0. */
static void a_byte_decides(rng *r, const place *where)
{
    const oplus_fn *const keep[] = {&as_a_byte_fn, &lowest_byte_fn};
    const size_t n = any_size(r) % 5000, which = rng_below(r, 2);
    uint32_t *x = must(malloc((n + 1) * sizeof *x)), *out = must(malloc((n + 1) * sizeof *x));
    size_t kept, expected = 0;
    for (size_t i = 0; i < n; i++) x[i] = (uint32_t)rng_below(r, 1 << 14) << 6;
    for (size_t i = 0; i < n; i++) expected += (uint8_t)(which ? x[i] >> 4 : x[i]) != 0;
    must_be_ok(oplus_filter(where->dev, keep[which], x, n, out, &kept), "oplus_filter");
    if (kept != expected)
        fail_msg("%s %s, n = %zu: %zu are kept, and not %zu\n    OPLUS_TEST_SEED=%llu", where->where, where->isa, n,
                 kept, expected, (unsigned long long)test_seed());
    free(x);
    free(out);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

#define OFTEN(law) LAW_OFTEN(law, 10, 40)
OFTEN(filter_parts)
OFTEN(pairs_are_stable)
OFTEN(keys_as_on_one_core)
OFTEN(reversed_is_the_other_order)
OFTEN(transpose_twice)
OFTEN(a_result_among_the_elements)
OFTEN(a_byte_decides)

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_parts_often),        cmocka_unit_test(pairs_are_stable_often),
        cmocka_unit_test(keys_as_on_one_core_often), cmocka_unit_test(reversed_is_the_other_order_often),
        cmocka_unit_test(transpose_twice_often),     cmocka_unit_test(a_result_among_the_elements_often),
        cmocka_unit_test(a_byte_decides_often),
    };
    test_seed();
    return cmocka_run_group_tests_name("moves", tests, NULL, close_all);
}
