/* A sort whose blocks several workers sort and merge, with cores as workers: that it is a sort, and stable, for any number of
 * workers, keys, values and repetitions, and where its splitters are. */
#include "gpus/gpus.h"
#include "gpus/splitters.h"
#include "gpus/ways.h"
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60000, LARGEST = 24 };

static opi_gpus *open_workers(unsigned count)
{
    opi_gpus *const g = must(calloc(1, sizeof *g));
    g->dev.machine = &opi_gpus_machine;
    for (unsigned w = 0; w < count; w++) must_be_ok(oplus_open("serial", &g->worker[w]), "serial");
    g->dev.cores = g->worker[0]->cores;
    g->count = count;
    g->wanted = (opi_ways_wanted){.count = 1, .name = {"blocks"}};
    return g;
}

/* Few different keys, many, or nearly sorted ones. */
static void fill(rng *r, unsigned char *keys, size_t size, size_t n)
{
    const size_t kinds = rng_below(r, 4) ? SIZE_MAX : 1 + rng_below(r, 20);
    const bool rising = rng_below(r, 4) == 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = rising ? i + rng_below(r, 3) : (uint64_t)rng_below(r, kinds);
        memcpy(keys + i * size, &x, size);
    }
}

/* --- splitters ---------------------------------------------------------------------------------------------------- */

static void cuts_are_exact(void **state)
{
    rng r = test_rng("splitters");
    uint32_t *const keys = must(malloc(MOST * sizeof *keys));
    (void)state;
    for (int i = 0; i < 60; i++) {
        opi_gpus *const g = open_workers(2 + (unsigned)rng_below(&r, OPI_MOST_WORKERS - 1));
        opi_gpus_runs runs = {.key = &oplus_u32, .order = OPLUS_ASCENDING};
        const size_t n = rng_below(&r, MOST), target = rng_below(&r, n + 1);
        size_t at = 0, cut[OPI_MOST_WORKERS], before = 0;
        fill(&r, (unsigned char *)keys, 4, n);
        for (unsigned q = 0; q < g->count; q++) {
            const size_t left = n - at;
            runs.n[q] = q + 1 == g->count ? left : rng_below(&r, left + 1);
            runs.keys[q] = (const char *)(keys + at);
            must_be_ok(oplus_sort(g->worker[0], &oplus_u32, OPLUS_ASCENDING, keys + at, runs.n[q]), "sort");
            at += runs.n[q];
        }
        must_be_ok(opi_gpus_split(g, "test", &runs, target, cut), "split");
        for (unsigned q = 0; q < g->count; q++) before += cut[q];
        assert_int_equal(before, target);
        /* What is before a cut comes before what is behind any other; equal keys stay in the order of the runs. */
        for (unsigned q = 0; q < g->count; q++)
            for (unsigned p = 0; p < g->count; p++) {
                if (cut[q] == 0 || cut[p] == runs.n[p]) continue;
                const uint32_t a = ((const uint32_t *)(const void *)runs.keys[q])[cut[q] - 1],
                               b = ((const uint32_t *)(const void *)runs.keys[p])[cut[p]];
                assert_true(q <= p ? a <= b : a < b);
            }
        oplus_close(&g->dev);
    }
    free(keys);
}

/* --- sorts -------------------------------------------------------------------------------------------------------- */

static const oplus_type *const keys_of[] = {&oplus_u8, &oplus_i16, &oplus_u32, &oplus_f32, &oplus_i64, &oplus_f64};
static const oplus_type *const values_of[] = {NULL, &oplus_u8, &oplus_u32, &oplus_f64};
enum { KEYS = sizeof keys_of / sizeof *keys_of, VALUES = sizeof values_of / sizeof *values_of };

typedef struct image {
    unsigned char *keys, *values;
} image;

static void sort(oplus_device *dev, const oplus_type *key, oplus_order order, const oplus_type *value, image x,
                 size_t n)
{
    must_be_ok(value ? oplus_sort_pairs(dev, key, order, x.keys, value, x.values, n)
                     : oplus_sort(dev, key, order, x.keys, n),
               "sort");
}

/* There: in memory that the device has allocated; else in the host's, from and to which blocks are copied. */
static void try_sort(rng *r, oplus_device *core, image expected, image given, bool there)
{
    opi_gpus *const g = open_workers(2 + (unsigned)rng_below(r, OPI_MOST_WORKERS - 1));
    const oplus_type *const key = keys_of[rng_below(r, KEYS)], *const value = values_of[rng_below(r, VALUES)];
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    const size_t n = 1 + rng_below(r, MOST), keys = n * key->size, values = value ? n * value->size : 0;
    char text[2048];
    image x = given;
    fill(r, expected.keys, key->size, n);
    for (size_t i = 0; i < values; i++) expected.values[i] = (unsigned char)rng_next(r);
    memcpy(given.keys, expected.keys, keys);
    memcpy(given.values, expected.values, values);
    if (there) {
        must_be_ok(oplus_alloc(&g->dev, keys, (void **)&x.keys), "alloc");
        must_be_ok(oplus_alloc(&g->dev, values + 1, (void **)&x.values), "alloc");
        memcpy(x.keys, given.keys, keys);
        memcpy(x.values, given.values, values);
    }
    must_be_ok(oplus_explain(&g->dev, text, sizeof text), "explain");
    sort(&g->dev, key, order, value, x, n);
    must_be_ok(oplus_explain(&g->dev, NULL, 0), "explain");
    assert_non_null(strstr(text, n < g->count * 1024 ? "> one " : "> blocks "));
    sort(&g->dev, key, order, value, x, n);
    sort(core, key, order, value, expected, n);
    if (memcmp(x.keys, expected.keys, keys) != 0 || memcmp(x.values, expected.values, values) != 0)
        fail_msg("%zu %s with values of %zu bytes by %u workers differ; OPLUS_TEST_SEED=%llu", n, key->name,
                 value ? value->size : 0, g->count, (unsigned long long)test_seed());
    if (there) oplus_free(&g->dev, x.keys), oplus_free(&g->dev, x.values);
    oplus_close(&g->dev);
}

static void any_sort(void **state)
{
    rng r = test_rng("sorts in blocks");
    oplus_device *core;
    image expected = {must(malloc(MOST * LARGEST)), must(malloc(MOST * LARGEST))},
          given = {must(malloc(MOST * LARGEST)), must(malloc(MOST * LARGEST))};
    (void)state;
    must_be_ok(oplus_open("serial", &core), "serial");
    for (int i = 0; i < (test_quick() ? 60 : 200); i++) try_sort(&r, core, expected, given, i % 2);
    oplus_close(core);
    free(expected.keys), free(expected.values), free(given.keys), free(given.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuts_are_exact), cmocka_unit_test(any_sort)};
    return cmocka_run_group_tests_name("sorts in blocks", tests, NULL, NULL);
}
