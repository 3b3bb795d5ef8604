/* Sorting: every key type, order, kind of input and size of value, against a stable merge sort of indices; the same on
 * one thread and on several.  tests/laws/faults.c tests failing allocations. */
#include "support/laws.h"

#include "cores/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const oplus_type *const key_types[] = {&oplus_i8,  &oplus_i16, &oplus_i32, &oplus_i64, &oplus_u8,
                                              &oplus_u16, &oplus_u32, &oplus_u64, &oplus_f32, &oplus_f64};
enum { KEY_TYPES = sizeof key_types / sizeof *key_types };

static const char *const threads[] = {"serial", "threads:1", "threads:2", "threads:3", "threads:4", "threads:5"};
enum { THREADS = sizeof threads / sizeof *threads, PLACES_MAX = THREADS + 5 };
static int places;
static char place_name[PLACES_MAX][40];
static oplus_device *device[PLACES_MAX]; /* first those of `threads`, then by digits, then each instruction set */

static bool open_place(const char *where, const char *isa, const char *way)
{
    snprintf(place_name[places], sizeof place_name[places], "%s %s %s", where, isa ? isa : "", way ? way : "");
    if (way) setenv("OPLUS_WAY", way, 1);
    device[places] = open_at(where, isa);
    if (way) unsetenv("OPLUS_WAY");
    return device[places++] != NULL;
}

static int open_devices(void **state)
{
    (void)state;
    const opi_isa *isa[4];
    const int isas = opi_isa_list(isa);
    for (int d = 0; d < THREADS; d++)
        if (!open_place(threads[d], NULL, NULL)) return 1;
    if (!open_place("serial", NULL, "digits")) return 1;
    for (int i = 0; i < isas; i++)
        if (!open_place("threads:2", isa[i]->name, NULL)) return 1;
    return 0;
}

static int close_devices(void **state)
{
    (void)state;
    for (int d = 0; d < places; d++) oplus_close(device[d]);
    return 0;
}

/* --- inputs */

static uint64_t seed;

static uint64_t any_bits(void) /* splitmix64 */
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

typedef enum shape {
    RANDOM,
    EQUAL,
    SORTED,
    REVERSED,
    BACKWARDS_IN_PARTS,
    FEW,
    HIGH_BITS,
    LOW_BITS,
    SKEWED,
    OUTLIER,
    SPECIAL,
    ORGAN_PIPE,
    NEARLY_SORTED,
    POWER_LAW,
    SHAPES
} shape;
static const char *const shape_name[] = {"random",  "equal",      "sorted",        "reversed", "backwards in parts",
                                         "few",     "high bits",  "low bits",      "skewed",   "outlier",
                                         "special", "organ pipe", "nearly sorted", "power law"};

static uint64_t special(const oplus_type *t)
{
    static const uint32_t f32[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
                                   0xffffffff, 0x00000001, 0x80000001, 0x007fffff, 0x3f800000, 0xbf800000, 0x7fffffff};
    const uint32_t bits = f32[any_bits() % (sizeof f32 / sizeof *f32)];
    if (t->scalar == OPLUS_F32) return bits;
    if (t->scalar == OPLUS_F64) return (uint64_t)bits << 32 | (any_bits() & 1);
    const uint64_t top = (uint64_t)1 << (8 * t->size - 1);
    const uint64_t edge[] = {0, 1, top, top - 1, top + 1, UINT64_MAX};
    return edge[any_bits() % 6];
}

static uint64_t key_bits(const oplus_type *t, shape s, size_t i, size_t n)
{
    switch (s) {
    case EQUAL:
        return 42;
    case SORTED:
        return i >> (n > 1000);
    case REVERSED:
        return n - i;
    case BACKWARDS_IN_PARTS:
        return (i / 1000 + 1) * 2000 - i;
    case FEW:
        return any_bits() % 5 * 0x0101010101010101u;
    case HIGH_BITS:
        return any_bits() << (8 * t->size - 8 * t->size / 4);
    case LOW_BITS:
        return any_bits() & 0xfff;
    case SKEWED:
        return any_bits() >> (any_bits() % (8 * t->size));
    case OUTLIER:
        return i == n / 2 ? UINT64_MAX : any_bits() & 0xff;
    case SPECIAL:
        return special(t);
    case ORGAN_PIPE:
        return i < n / 2 ? i : n - i;
    case NEARLY_SORTED:
        return any_bits() % 50 ? i : any_bits() % n;
    case POWER_LAW: /* P(key >= k) is 1 / k */
        return UINT32_MAX / ((any_bits() >> 32) + 1);
    default:
        return any_bits();
    }
}

static void *fill(const oplus_type *t, shape s, size_t n)
{
    unsigned char *const keys = calloc(n + 1, t->size);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key_bits(t, s, i, n);
        memcpy(keys + i * t->size, &bits, t->size); /* little-endian */
    }
    return keys;
}

/* --- the reference: indices, merged */

/* Whether key b comes strictly before key a; for floats the total order by its definition, not by the library's
 * method. */
static bool before(const oplus_type *t, const unsigned char *a, const unsigned char *b)
{
#define COMPARE(scalar, T)                                                                                             \
    case scalar: {                                                                                                     \
        T x, y;                                                                                                        \
        memcpy(&x, a, sizeof x);                                                                                       \
        memcpy(&y, b, sizeof y);                                                                                       \
        return y < x;                                                                                                  \
    }
#define COMPARE_FLOAT(scalar, U, top)                                                                                  \
    case scalar: {                                                                                                     \
        U x, y;                                                                                                        \
        memcpy(&x, a, sizeof x);                                                                                       \
        memcpy(&y, b, sizeof y);                                                                                       \
        const bool x_negative = x >> top, y_negative = y >> top;                                                       \
        if (x_negative != y_negative) return y_negative;                                                               \
        return x_negative ? y > x : y < x;                                                                             \
    }
    switch (t->scalar) {
        COMPARE(OPLUS_I8, int8_t)
        COMPARE(OPLUS_I16, int16_t)
        COMPARE(OPLUS_I32, int32_t)
        COMPARE(OPLUS_I64, int64_t)
        COMPARE(OPLUS_U8, uint8_t)
        COMPARE(OPLUS_U16, uint16_t)
        COMPARE(OPLUS_U32, uint32_t)
        COMPARE(OPLUS_U64, uint64_t)
        COMPARE_FLOAT(OPLUS_F32, uint32_t, 31)
        COMPARE_FLOAT(OPLUS_F64, uint64_t, 63)
    default:
        fail();
    }
    return false;
}

static void merge_sort(const oplus_type *t, oplus_order order, const unsigned char *keys, size_t *index, size_t *other,
                       size_t n)
{
    if (n < 2) return;
    const size_t half = n / 2;
    merge_sort(t, order, keys, index, other, half);
    merge_sort(t, order, keys, index + half, other, n - half);
    memcpy(other, index, half * sizeof *index);
    for (size_t a = 0, b = half, out = 0; a < half; out++) {
        const unsigned char *const x = keys + other[a] * t->size, *const y = b < n ? keys + index[b] * t->size : NULL;
        const bool later_first = y && (order == OPLUS_ASCENDING ? before(t, x, y) : before(t, y, x));
        index[out] = later_first ? index[b++] : other[a++];
    }
}

static size_t *reference(const oplus_type *t, oplus_order order, const void *keys, size_t n)
{
    size_t *const index = malloc((n + 1) * sizeof *index), *const other = malloc((n + 1) * sizeof *other);
    for (size_t i = 0; i < n; i++) index[i] = i;
    merge_sort(t, order, keys, index, other, n);
    free(other);
    return index;
}

static void *permuted(const void *from, size_t size, const size_t *index, size_t n)
{
    unsigned char *const to = malloc(n * size + 1);
    for (size_t i = 0; i < n; i++) memcpy(to + i * size, (const unsigned char *)from + index[i] * size, size);
    return to;
}

/* --- one comparison */

static void expect_same(const char *what, const void *got, const void *want, size_t size, size_t n, const oplus_type *t,
                        oplus_order order, shape s, size_t value_size, int d)
{
    if (n == 0 || memcmp(got, want, n * size) == 0) return;
    size_t i = 0;
    while (memcmp((const unsigned char *)got + i * size, (const unsigned char *)want + i * size, size) == 0) i++;
    fail_msg("%s differ at %zu of %zu: key %s, order %d, %s, value of %zu bytes, on %s", what, i, n, t->name,
             (int)order, shape_name[s], value_size, place_name[d]);
}

/* value_size 0: keys alone. */
static void check(const oplus_type *t, oplus_order order, shape s, size_t n, size_t value_size, int first, int last)
{
    seed = n * 31 + (uint64_t)s * 7 + value_size;
    const oplus_type value = {OPLUS_ABI, "value", "char bytes[];", value_size, 1, OPLUS_RECORD, NULL};
    void *const keys = fill(t, s, n);
    unsigned char *const values = malloc(n * value_size + 1);
    for (size_t i = 0; i < n * value_size; i++) values[i] = (unsigned char)any_bits();
    for (size_t i = 0; i < n; i++) memcpy(values + i * value_size, &i, value_size < 8 ? value_size : 8);
    size_t *const index = reference(t, order, keys, n);
    void *const want_keys = permuted(keys, t->size, index, n), *const want_values =
                                                                   permuted(values, value_size, index, n);
    unsigned char *const got_keys = malloc(n * t->size + 1), *const got_values = malloc(n * value_size + 1);

    for (int d = first; d <= last; d++) {
        memcpy(got_keys, keys, n * t->size);
        memcpy(got_values, values, n * value_size);
        const oplus_status status = value_size ? oplus_sort_pairs(device[d], t, order, got_keys, &value, got_values, n)
                                               : oplus_sort(device[d], t, order, got_keys, n);
        if (status != OPLUS_OK) fail_msg("%s", oplus_last_error());
        expect_same("keys", got_keys, want_keys, t->size, n, t, order, s, value_size, d);
        expect_same("values", got_values, want_values, value_size, n, t, order, s, value_size, d);
    }
    free(keys), free(values), free(index), free(want_keys), free(want_values), free(got_keys), free(got_values);
}

/* --- the tests */

static void sorts_every_type_shape_and_small_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 34, 63, 64, 65, 255, 256, 257, 1000, 5000};
    for (int t = 0; t < KEY_TYPES; t++)
        for (int s = 0; s < SHAPES; s++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                for (int order = 0; order < 2; order++) {
                    check(key_types[t], (oplus_order)order, (shape)s, sizes[i], 0, 0, 0);
                    check(key_types[t], (oplus_order)order, (shape)s, sizes[i], 4, 0, 0);
                }
}

static void carries_values_of_every_size(void **state)
{
    (void)state;
    static const size_t value_sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 100, 1000};
    static const size_t sizes[] = {2, 33, 257, 40000};
    for (int t = 0; t < KEY_TYPES; t++)
        for (size_t v = 0; v < sizeof value_sizes / sizeof *value_sizes; v++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                if (sizes[i] * value_sizes[v] > 5000000 || (test_quick() && ((size_t)t + v + i) % 3 != 0)) continue;
                check(key_types[t], OPLUS_ASCENDING, FEW, sizes[i], value_sizes[v], 0, 2);
                check(key_types[t], OPLUS_DESCENDING, RANDOM, sizes[i], value_sizes[v], 0, 2);
            }
}

/* Around the smallest input that is partitioned for threads, and the smallest that leaves a cache. */
static void agrees_on_every_number_of_threads(void **state)
{
    (void)state;
    const size_t u32_cache = OPI_SORT_CACHE_BYTES / 4;
    const size_t sizes[] = {(1 << 15) - 1, 1 << 15,       (1 << 15) + 1, 100003,
                            (1 << 17) - 1, (1 << 17) + 1, u32_cache,     u32_cache + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int s = 0; s < SHAPES; s++) {
            const bool odd = (i + (size_t)s) % 2 != 0;
            if (!test_quick() || odd) check(&oplus_u32, OPLUS_ASCENDING, (shape)s, sizes[i], 0, 0, places - 1);
            if (!test_quick() || !odd) check(&oplus_f64, OPLUS_DESCENDING, (shape)s, sizes[i], 4, 0, places - 1);
        }
}

/* A million: partitions of partitions where the keys crowd, in either scratch array. */
static void sorts_a_million_of_any_shape(void **state)
{
    (void)state;
    const size_t n = test_quick() ? 300001 : 1000001;
    for (int s = 0; s < SHAPES; s++) {
        check(&oplus_u32, OPLUS_ASCENDING, (shape)s, n, 0, 0, 2);
        check(&oplus_i64, OPLUS_DESCENDING, (shape)s, n, 0, 2, 2);
        check(&oplus_f32, OPLUS_DESCENDING, (shape)s, n, 0, THREADS, places - 1);
        check(&oplus_f64, OPLUS_ASCENDING, (shape)s, n, 0, THREADS, places - 1);
        check(&oplus_f32, OPLUS_ASCENDING, (shape)s, n, 4, 0, 2);
        check(&oplus_i16, OPLUS_DESCENDING, (shape)s, n, 12, 2, 2);
        check(&oplus_u8, OPLUS_ASCENDING, (shape)s, n, 8, 0, 0);
        check(&oplus_f64, OPLUS_ASCENDING, (shape)s, n, 16, 3, 3);
    }
}

/* Keys alone, which vectors partition, and some of the parts again: the same as by digits. */
static void sorts_what_no_cache_holds(void **state)
{
    (void)state;
    const shape shapes[] = {RANDOM, POWER_LAW, OUTLIER, FEW, SKEWED, NEARLY_SORTED};
    const size_t n = OPI_SORT_VECTOR_BYTES / 4 + 1;
    uint32_t *const got = malloc(n * sizeof *got);
    for (size_t s = 0; s < (test_quick() ? 2 : sizeof shapes / sizeof *shapes); s++) {
        uint32_t *const keys = fill(&oplus_u32, shapes[s], n), *const want = fill(&oplus_u32, EQUAL, n);
        memcpy(want, keys, n * sizeof *keys);
        assert_int_equal(oplus_sort(device[THREADS], &oplus_u32, OPLUS_ASCENDING, want, n), OPLUS_OK);
        for (int d = 0; d <= 2; d += 2) {
            memcpy(got, keys, n * sizeof *keys);
            assert_int_equal(oplus_sort(device[d], &oplus_u32, OPLUS_ASCENDING, got, n), OPLUS_OK);
            expect_same("keys", got, want, sizeof *got, n, &oplus_u32, OPLUS_ASCENDING, shapes[s], 0, d);
        }
        free(keys), free(want);
    }
    free(got);
}

/* As a bucket with counters of 32 bits sees it: an index beyond them asks for wide records. */
static void chooses_records_by_size(void **state)
{
    (void)state;
    const opi_isa *isa;
    assert_int_equal(opi_isa_choose("test", &isa), OPLUS_OK);
    char keys[1], values[1];
    const oplus_type large = {OPLUS_ABI, "large", "char bytes[12];", 12, 1, OPLUS_RECORD, NULL};
    assert_int_equal(opi_sort_plan(isa, &oplus_u16, OPLUS_ASCENDING, keys, NULL, NULL, 9).format->bytes, 4);
    assert_int_equal(opi_sort_plan(isa, &oplus_f64, OPLUS_ASCENDING, keys, NULL, NULL, 9).format->bytes, 8);
    assert_int_equal(opi_sort_plan(isa, &oplus_f32, OPLUS_ASCENDING, keys, &oplus_u8, values, 9).format->bytes, 8);
    assert_int_equal(opi_sort_plan(isa, &oplus_f32, OPLUS_ASCENDING, keys, &oplus_u64, values, 9).format->bytes, 16);
    assert_int_equal(opi_sort_plan(isa, &oplus_f32, OPLUS_ASCENDING, keys, &large, values, UINT32_MAX).format->bytes,
                     8);
    if (SIZE_MAX > UINT32_MAX)
        assert_int_equal(
            opi_sort_plan(isa, &oplus_f32, OPLUS_ASCENDING, keys, &large, values, (size_t)UINT32_MAX + 2).format->bytes,
            16);
}

#define EXPECT(status, word, call)                                                                                     \
    do {                                                                                                               \
        assert_int_equal(call, status);                                                                                \
        if (!strstr(oplus_last_error(), word)) fail_msg("\"%s\" does not name %s", oplus_last_error(), word);          \
    } while (0)

static void refuses_wrong_arguments(void **state)
{
    (void)state;
    const oplus_type record = {OPLUS_ABI, "point", "float x; float y;", 8, 4, OPLUS_RECORD, NULL};
    uint32_t keys[8] = {3, 2, 1, 0, 7, 6, 5, 4};
    oplus_device *const dev = device[0];
    EXPECT(OPLUS_ERR_ARGUMENT, "dev", oplus_sort(NULL, &oplus_u32, OPLUS_ASCENDING, keys, 8));
    EXPECT(OPLUS_ERR_ARGUMENT, "key", oplus_sort(dev, NULL, OPLUS_ASCENDING, keys, 8));
    EXPECT(OPLUS_ERR_ARGUMENT, "oplus_sort_pairs", oplus_sort(dev, &record, OPLUS_ASCENDING, keys, 4));
    EXPECT(OPLUS_ERR_ARGUMENT, "order", oplus_sort(dev, &oplus_u32, (oplus_order)2, keys, 8));
    EXPECT(OPLUS_ERR_ARGUMENT, "keys", oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, NULL, 8));
    EXPECT(OPLUS_ERR_ARGUMENT, "n", oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, keys, SIZE_MAX / 2));
    EXPECT(OPLUS_ERR_ARGUMENT, "value", oplus_sort_pairs(dev, &oplus_u32, OPLUS_ASCENDING, keys, NULL, keys + 4, 4));
    EXPECT(OPLUS_ERR_ARGUMENT, "values", oplus_sort_pairs(dev, &oplus_u32, OPLUS_ASCENDING, keys, &oplus_u32, NULL, 4));
    EXPECT(OPLUS_ERR_OVERLAP, "values",
           oplus_sort_pairs(dev, &oplus_u32, OPLUS_ASCENDING, keys, &oplus_u32, keys + 3, 4));
    EXPECT(OPLUS_ERR_OVERLAP, "keys", oplus_sort_pairs(dev, &oplus_u32, OPLUS_ASCENDING, keys, &oplus_u32, keys, 4));
    assert_int_equal(oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, NULL, 0), OPLUS_OK);
    for (uint32_t i = 0; i < 8; i++) assert_int_equal(keys[i], i ^ 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_every_type_shape_and_small_size),
        cmocka_unit_test(carries_values_of_every_size),
        cmocka_unit_test(agrees_on_every_number_of_threads),
        cmocka_unit_test(sorts_a_million_of_any_shape),
        cmocka_unit_test(sorts_what_no_cache_holds),
        cmocka_unit_test(chooses_records_by_size),
        cmocka_unit_test(refuses_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
