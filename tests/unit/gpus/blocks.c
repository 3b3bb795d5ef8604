/* Tasks whose blocks several workers do, with cores as workers, for any number of workers: reduces, scans, maps, extremes and
 * searches have the bits of one core; a sort is one, and stable, whatever its keys, values and repetitions are, and its
 * splitters are exact. */
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

/* --- the other primitives ----------------------------------------------------------------------------------------- */

OPLUS_STRUCT(pair, uint32_t a; uint32_t b;)
OPLUS_OP(pair_join, pair, (1, 0), 0, {
    pair r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_ZIP(weighed, float, float, float, { return a * b + 1.0f; })

typedef struct arrays {
    unsigned char *in, *more, *out;
    size_t n;
} arrays;
#define CALL(name) static oplus_status name(oplus_device *d, const arrays *a)
CALL(reduce) { return oplus_reduce(d, &oplus_sum_f32, a->in, a->n, a->out); }
CALL(reduce_pairs) { return oplus_reduce(d, &pair_join_op, a->in, a->n / 2, a->out); }
CALL(fold) { return oplus_fold(d, &pair_join_op, &(pair){3, 5}, a->in, a->n / 2, a->out); }
CALL(scan) { return oplus_scan(d, &oplus_sum_f32, OPLUS_INCLUSIVE, a->in, a->n, a->out); }
CALL(scan_pairs) { return oplus_scan(d, &pair_join_op, OPLUS_EXCLUSIVE, a->in, a->n / 2, a->out); }
CALL(segscan) { return oplus_segscan(d, &oplus_sum_f32, OPLUS_EXCLUSIVE, a->in, a->more, a->n, a->out); }
CALL(map) { return oplus_map(d, &weighed_fn, (const void *const[]){a->in, a->more}, a->n, a->out); }
CALL(argmax) { return oplus_argmax(d, &oplus_u16, a->in, 2 * a->n, (size_t *)(void *)a->out); }
CALL(argmin) { return oplus_argmin(d, &oplus_f32, a->in, a->n, (size_t *)(void *)a->out); }
CALL(minmax) { return oplus_minmax(d, &oplus_i32, a->in, a->n, a->out); }
CALL(search)
{
    const size_t n = a->n / 2;
    must_be_ok(oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->in, n), "sort");
    return oplus_search(d, &oplus_u32, OPLUS_ASCENDING, a->in, n, OPLUS_UPPER, a->more, a->n, &oplus_u64, a->out);
}
CALL(take) { return oplus_take(d, &oplus_f32, OPLUS_CLIP, a->in, a->n, &oplus_u32, a->more, a->n, a->out); }
CALL(stream)
{
    oplus_carry *carry;
    must_be_ok(oplus_carry_open(&pair_join_op, 77, &carry), "carry");
    oplus_status status = oplus_carry_add(d, carry, a->in, a->n / 4);
    if (status == OPLUS_OK)
        status = oplus_scan_from(d, carry, OPLUS_INCLUSIVE, a->in + a->n / 4 * 8, a->n / 4, a->out + 8);
    if (status == OPLUS_OK) status = oplus_carry_value(carry, a->out);
    oplus_carry_close(carry);
    return status;
}

static const struct {
    const char *name;
    oplus_status (*call)(oplus_device *d, const arrays *a);
} calls[] = {{"reduce", reduce},
             {"reduce of pairs", reduce_pairs},
             {"fold", fold},
             {"scan", scan},
             {"scan of pairs", scan_pairs},
             {"segmented scan", segscan},
             {"map", map},
             {"argmax", argmax},
             {"argmin", argmin},
             {"minmax", minmax},
             {"search", search},
             {"stream", stream},
             {"take", take}};
enum { CALLS = sizeof calls / sizeof *calls };

static void try_call(rng *r, size_t c, oplus_device *core, image x, image y)
{
    opi_gpus *const g = open_workers(2 + (unsigned)rng_below(r, OPI_MOST_WORKERS - 1));
    const size_t n = 4 * (1 + rng_below(r, MOST / 4));
    for (size_t i = 0; i < n; i++) {
        const float a = (float)rng_unit(r);
        const uint32_t b = rng_below(r, 40) ? 0 : 1u << 8 * rng_below(r, 4);
        memcpy(x.keys + 4 * i, &a, 4);
        memcpy(x.keys + 4 * (MOST + i), c == 5 ? (const void *)&b : (const void *)&a, 4);
    }
    memset(x.values, 0xa5, MOST * LARGEST);
    memcpy(y.keys, x.keys, MOST * LARGEST);
    memcpy(y.values, x.values, MOST * LARGEST);
    must_be_ok(calls[c].call(core, &(arrays){x.keys, x.keys + 4 * MOST, x.values, n}), calls[c].name);
    must_be_ok(calls[c].call(&g->dev, &(arrays){y.keys, y.keys + 4 * MOST, y.values, n}), calls[c].name);
    if (memcmp(x.values, y.values, MOST * LARGEST) != 0 || memcmp(x.keys, y.keys, MOST * LARGEST) != 0)
        fail_msg("%s of %zu by %u workers differs; OPLUS_TEST_SEED=%llu", calls[c].name, n, g->count,
                 (unsigned long long)test_seed());
    oplus_close(&g->dev);
}

static void any_call(void **state)
{
    rng r = test_rng("blocks");
    oplus_device *core;
    image x = {must(calloc(MOST, LARGEST)), must(malloc(MOST * LARGEST))},
          y = {must(malloc(MOST * LARGEST)), must(malloc(MOST * LARGEST))};
    (void)state;
    must_be_ok(oplus_open("serial", &core), "serial");
    for (int i = 0; i < (test_quick() ? 5 : 20); i++)
        for (size_t c = 0; c < CALLS; c++) try_call(&r, c, core, x, y);
    oplus_close(core);
    free(x.keys), free(x.values), free(y.keys), free(y.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuts_are_exact), cmocka_unit_test(any_sort),
                                       cmocka_unit_test(any_call)};
    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
