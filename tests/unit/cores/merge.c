/* Merge: any number of runs against a plain merge, for every size of key and of value, on one thread and on several. */
#include "support/laws.h"

#include "cores/merge.h"
#include "cores/sort.h"
#include "cores/cores.h"

#include <stdlib.h>
#include <string.h>

static const oplus_type *const key_types[] = {&oplus_u8,  &oplus_i8,  &oplus_u16, &oplus_i16, &oplus_u32,
                                              &oplus_i32, &oplus_f32, &oplus_u64, &oplus_i64, &oplus_f64};
enum { KEY_TYPES = sizeof key_types / sizeof *key_types, MOST_RUNS = 300 };

static const char *const places[] = {"serial", "threads:2", "threads:3"};
enum { PLACES = sizeof places / sizeof *places };
static oplus_device *device[PLACES];

static int open_devices(void **state)
{
    (void)state;
    for (int d = 0; d < PLACES; d++)
        if (oplus_open(places[d], &device[d]) != OPLUS_OK) return 1;
    return 0;
}

static int close_devices(void **state)
{
    (void)state;
    for (int d = 0; d < PLACES; d++) oplus_close(device[d]);
    return 0;
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* Which keys there are. */
typedef enum shape { ANY, FEW, EQUAL, EDGES, APART /* APART: one run after the other */, SHAPES } shape;

typedef struct runs {
    size_t count, n, key_size, value_size;
    size_t bounds[MOST_RUNS + 1];
    unsigned char *keys, *values;
} runs;

static uint64_t key_of(rng *r, shape shape, size_t run)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     UINT64_MAX,
                                     UINT64_MAX - 1,
                                     UINT64_C(0x8000000080008080),
                                     UINT64_C(0x7fffffff7fff7f7f),
                                     UINT64_C(0x7ff000007f800000),
                                     UINT64_C(0xfff00000ff800000)};
    switch (shape) {
    case FEW:
        return rng_next(r) % 5 * UINT64_C(0x0101010101010101);
    case EQUAL:
        return 42;
    case EDGES:
        return edges[rng_below(r, sizeof edges / sizeof *edges)];
    case APART:
        return run * 64 % 256 + rng_below(r, 64);
    default:
        return rng_next(r) & (rng_below(r, 2) ? UINT64_MAX : UINT64_C(0xff0000ffffffff));
    }
}

/* counts: of each run.  Values say where an element came from, and all their bytes matter. */
static runs make_runs(rng *r, const oplus_type *key, oplus_order order, size_t value_size, shape shape,
                      const size_t *counts, size_t count)
{
    runs x = {.count = count, .key_size = key->size, .value_size = value_size};
    for (size_t i = 0; i < count; i++) x.bounds[i + 1] = x.bounds[i] + counts[i];
    x.n = x.bounds[count];
    x.keys = must(malloc(x.n * key->size + 1));
    x.values = must(malloc(x.n * value_size + 1));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = x.bounds[i]; k < x.bounds[i + 1]; k++) {
            const uint64_t bits = key_of(r, shape, i);
            memcpy(x.keys + k * key->size, &bits, key->size); /* little endian */
        }
        assert_int_equal(oplus_sort(device[0], key, order, x.keys + x.bounds[i] * key->size, counts[i]), OPLUS_OK);
    }
    for (size_t k = 0; k < x.n; k++)
        for (size_t b = 0; b < value_size; b++)
            x.values[k * value_size + b] = (unsigned char)((k * 8 + b / 8) * UINT64_C(0x9e3779b97f4a7c15) >> b % 8 * 8);
    return x;
}

static void free_runs(runs *x)
{
    free(x->keys);
    free(x->values);
}

/* --- the reference: the least of all first elements, again and again ---------------------------------------------- */

static void merge_plainly(const runs *x, const opi_key_order *order, unsigned char *keys, unsigned char *values)
{
    size_t at[MOST_RUNS];
    memcpy(at, x->bounds, sizeof at);
    for (size_t i = 0; i < x->n; i++) {
        size_t least = x->count;
        for (size_t q = 0; q < x->count; q++)
            if (at[q] < x->bounds[q + 1] &&
                (least == x->count || opi_key_at(order, x->keys, at[q]) < opi_key_at(order, x->keys, at[least])))
                least = q;
        memcpy(keys + i * x->key_size, x->keys + at[least] * x->key_size, x->key_size);
        memcpy(values + i * x->value_size, x->values + at[least] * x->value_size, x->value_size);
        at[least]++;
    }
}

static void check(const runs *x, const oplus_type *key, oplus_order sense)
{
    const opi_sort plan = opi_sort_plan(device[0]->cores->isa, key, sense, NULL, NULL, NULL, 0);
    const opi_key_order order = {plan.key_size, plan.float_mask, plan.flip};
    unsigned char *const keys = must(malloc(x->n * x->key_size + 1)), *const to = must(malloc(x->n * x->key_size + 1)),
                         *const values = must(malloc(x->n * x->value_size + 1)),
                         *const beside = must(malloc(x->n * x->value_size + 1));
    merge_plainly(x, &order, keys, values);
    for (int d = 0; d < PLACES; d++) {
        opi_merge merge;
        size_t bounds[MOST_RUNS + 1];
        memcpy(bounds, x->bounds, sizeof bounds);
        memset(to, 0xa5, x->n * x->key_size + 1);
        memset(beside, 0xa5, x->n * x->value_size + 1);
        opi_merge_plan(&merge, order, x->keys, x->value_size, x->values, bounds, x->count, to, beside);
        assert_true(merge.sweep.scratch_bytes <= opi_merge_scratch(x->key_size, x->value_size, x->count));
        assert_int_equal(opi_cores_sweep(device[d]->cores, "test", &merge.sweep, NULL), OPLUS_OK);
        if (memcmp(keys, to, x->n * x->key_size) != 0 || memcmp(values, beside, x->n * x->value_size) != 0 ||
            to[x->n * x->key_size] != 0xa5 || beside[x->n * x->value_size] != 0xa5)
            fail_msg("%s: %zu runs of %s, %zu elements with values of %zu bytes, %s, differ from the plain merge\n    "
                     "OPLUS_TEST_SEED=%llu",
                     places[d], x->count, key->name, x->n, x->value_size, sense ? "descending" : "ascending",
                     (unsigned long long)test_seed());
    }
    free(keys);
    free(to);
    free(values);
    free(beside);
}

static void try_runs(rng *r, const oplus_type *key, size_t value_size, shape shape, const size_t *counts, size_t count)
{
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    runs x = make_runs(r, key, order, value_size, shape, counts, count);
    check(&x, key, order);
    free_runs(&x);
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static const size_t value_sizes[] = {0, 1, 4, 8, 12, 40};
enum { VALUE_SIZES = sizeof value_sizes / sizeof *value_sizes };

static void two_runs_of_every_small_size(void **state)
{
    (void)state;
    rng r = test_rng("two runs");
    for (size_t a = 0; a < 12; a++)
        for (size_t b = 0; b < 12; b++)
            for (int s = 0; s < SHAPES; s++)
                try_runs(&r, key_types[rng_below(&r, KEY_TYPES)], value_sizes[rng_below(&r, VALUE_SIZES)], (shape)s,
                         (const size_t[]){a, b}, 2);
}

static void every_type_with_every_value(void **state)
{
    (void)state;
    rng r = test_rng("every type");
    const size_t counts[] = {700, 0, 1, 3001, 900, 17, 0, 2500, 64};
    for (int t = 0; t < KEY_TYPES; t++)
        for (int v = 0; v < VALUE_SIZES; v++)
            for (int s = 0; s < SHAPES; s++) {
                try_runs(&r, key_types[t], value_sizes[v], (shape)s, counts, 9);
                try_runs(&r, key_types[t], value_sizes[v], (shape)s, counts + 3, 2);
            }
}

/* Elements of a block, of the sweep that merges such runs. */
static size_t block_of(const oplus_type *key, size_t value_size)
{
    opi_merge merge;
    size_t bounds[] = {0, 0};
    opi_merge_plan(&merge, (opi_key_order){.size = key->size}, NULL, value_size, NULL, bounds, 1, NULL, NULL);
    return merge.sweep.block;
}

static void around_the_edges_of_blocks(void **state)
{
    (void)state;
    rng r = test_rng("edges of blocks");
    for (int t = 0; t < KEY_TYPES; t += 3)
        for (int v = 0; v < VALUE_SIZES; v++)
            for (int off = -1; off <= 1; off++) {
                const size_t block = block_of(key_types[t], value_sizes[v]), n = 2 * block + (size_t)off;
                const size_t first = rng_below(&r, n), second = rng_below(&r, n - first);
                const shape shape = (enum shape)rng_below(&r, SHAPES);
                try_runs(&r, key_types[t], value_sizes[v], shape, (const size_t[]){first, n - first}, 2);
                try_runs(&r, key_types[t], value_sizes[v], shape,
                         (const size_t[]){first, second, 0, n - first - second}, 4);
            }
}

static void many_runs(void **state)
{
    (void)state;
    rng r = test_rng("many runs");
    size_t counts[MOST_RUNS];
    for (int round = 0; round < (test_quick() ? 5 : 30); round++) {
        const size_t runs = 1 + rng_below(&r, MOST_RUNS), most = 1 + rng_below(&r, 300);
        for (size_t i = 0; i < runs; i++) counts[i] = rng_below(&r, 10) == 0 ? 0 : rng_below(&r, most);
        if (round % 4 == 0) counts[rng_below(&r, runs)] = 40000; /* beside all the others */
        try_runs(&r, key_types[rng_below(&r, KEY_TYPES)], value_sizes[rng_below(&r, VALUE_SIZES)],
                 (shape)rng_below(&r, SHAPES), counts, runs);
    }
}

/* Runs that follow one another in order are one run, and empty runs are none. */
static void leaves_what_is_in_order(void **state)
{
    (void)state;
    const uint32_t keys[] = {1, 2, 2, 3, 3, 7, 5, 9};
    uint32_t to[8];
    size_t bounds[] = {0, 0, 3, 3, 4, 6, 8, 8};
    opi_merge merge;
    opi_merge_plan(&merge, (opi_key_order){.size = 4}, keys, 0, NULL, bounds, 7, to, NULL);
    assert_int_equal(merge.runs, 2);
    assert_int_equal(bounds[0], 0);
    assert_int_equal(bounds[1], 6);
    assert_int_equal(bounds[2], 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_of_every_small_size), cmocka_unit_test(every_type_with_every_value),
        cmocka_unit_test(around_the_edges_of_blocks),   cmocka_unit_test(many_runs),
        cmocka_unit_test(leaves_what_is_in_order),
    };
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
