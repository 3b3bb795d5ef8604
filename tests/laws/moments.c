/* Means and variances have the bits of a plain restatement of their tree, for every type, place, size and memory, and are
 * as right as a computation in two passes with more digits. */
#include "support/laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70000, TYPES = 10, SKEW = 3 };

/* --- the tree, restated ------------------------------------------------------------------------------------------- */

OPLUS_HELPER oplus_moments joined(oplus_moments a, oplus_moments b)
{
    const double na = (double)a.n, nb = (double)b.n;
    double difference = b.sum - a.sum, weight = 0.5 / na;
    if (a.n != b.n) {
        difference = b.sum - a.sum / na * nb;
        weight = na / (nb * (na + nb));
    }
    return (oplus_moments){a.n + b.n, a.sum + b.sum, (a.m2 + b.m2) + difference * difference * weight};
}

/* The node of 2^level elements. */
static oplus_moments node_of(const double *x, unsigned level)
{
    const size_t half = ((size_t)1 << level) / 2;
    return level == 0 ? (oplus_moments){1, x[0], 0} : joined(node_of(x, level - 1), node_of(x + half, level - 1));
}

static oplus_moments reduced(const double *x, size_t n)
{
    oplus_moments all = {0, 0, 0};
    for (size_t i = 0; i < n;) {
        const unsigned level = 63 - (unsigned)__builtin_clzll(n - i);
        const oplus_moments node = node_of(x + i, level);
        all = i > 0 ? joined(all, node) : node;
        i += (size_t)1 << level;
    }
    return all;
}

static double quiet(double x) { return x == x ? x : (double)NAN; }

static double variance(oplus_moments m, unsigned ddof)
{
    return m.n <= ddof ? (double)NAN : quiet(m.m2 / (double)(m.n - ddof) + (m.sum - m.sum));
}

/* --- elements ----------------------------------------------------------------------------------------------------- */

static const oplus_type *const types[TYPES] = {&oplus_f32, &oplus_u8,  &oplus_f64, &oplus_i64, &oplus_u64,
                                               &oplus_i8,  &oplus_i16, &oplus_u16, &oplus_i32, &oplus_u32};
static const oplus_fn *const makers[TYPES] = {
    &oplus_moments_of_f32, &oplus_moments_of_u8,  &oplus_moments_of_f64, &oplus_moments_of_i64, &oplus_moments_of_u64,
    &oplus_moments_of_i8,  &oplus_moments_of_i16, &oplus_moments_of_u16, &oplus_moments_of_i32, &oplus_moments_of_u32};

static double as_double(const oplus_type *type, const void *x)
{
#define CASE(suffix, T, scalar)                                                                                        \
    case scalar:                                                                                                       \
        return (double)*(const T *)x;
    switch (type->scalar) {
        OPLUS_FOR_SCALARS(CASE)
    default:
        return 0;
    }
#undef CASE
}

/* Numbers around an offset, with a NaN or infinities now and then; or any integers. */
static void fill(rng *r, const oplus_type *type, unsigned char *x, size_t n)
{
    const double offset = rng_below(r, 2) ? 1000 : 0;
    const uint64_t odd = rng_below(r, 6);
    for (size_t i = 0; i < n; i++) {
        const double wide = rng_unit(r) * 8 - 4 + offset;
        const float narrow = (float)wide;
        const uint64_t bits = rng_next(r);
        const bool is_float = type->scalar == OPLUS_F32 || type->scalar == OPLUS_F64;
        const void *const from = !is_float ? (const void *)&bits : type->size == 4 ? (const void *)&narrow : &wide;
        memcpy(x + i * type->size, from, type->size);
    }
    for (uint64_t k = odd < 3 && n > 0 ? odd : 0; k > 0; k--) {
        const double sign = rng_below(r, 2) ? 1 : -1, wide = rng_below(r, 3) ? sign * INFINITY : (double)NAN;
        const float narrow = (float)wide;
        if (type->scalar == OPLUS_F32) memcpy(x + rng_below(r, n) * 4, &narrow, 4);
        if (type->scalar == OPLUS_F64) memcpy(x + rng_below(r, n) * 8, &wide, 8);
    }
}

/* --- the law ------------------------------------------------------------------------------------------------------ */

typedef struct trial_of {
    const place *at;
    int type;
    size_t n;
    const void *in; /* where the calls find the elements */
    void *out;      /* room for a result, in the same memory */
} trial_of;

static void expect_bits(const trial_of *t, const char *what, const void *got, const void *wanted, size_t bytes)
{
    if (memcmp(got, wanted, bytes) == 0) return;
    double a, b;
    memcpy(&a, (const char *)got + bytes - sizeof a, sizeof a);
    memcpy(&b, (const char *)wanted + bytes - sizeof b, sizeof b);
    fail_msg("%s %s: %s of %zu elements of %s ends in %a, and not in %a; OPLUS_TEST_SEED=%llu", t->at->where,
             t->at->isa, what, t->n, types[t->type]->name, a, b, (unsigned long long)test_seed());
}

/* What is wanted is computed from the doubles x. */
static void look(const trial_of *t, const double *x)
{
    oplus_device *const dev = t->at->dev;
    const void *const in[] = {t->in};
    oplus_moments wanted = reduced(x, t->n), got;
    const double mean = quiet(wanted.sum / (double)wanted.n);
    double value;
    wanted.sum = quiet(wanted.sum);
    wanted.m2 = quiet(wanted.m2);
    must_be_ok(oplus_map_reduce(dev, makers[t->type], &oplus_join_moments, in, t->n, t->out), "map_reduce");
    must_be_ok(oplus_copy(dev, &got, t->out, sizeof got), "copy");
    expect_bits(t, "moments", &got, &wanted, sizeof got);
    if (t->n == 0) return;
    must_be_ok(oplus_mean(dev, types[t->type], t->in, t->n, t->out), "mean");
    must_be_ok(oplus_copy(dev, &value, t->out, sizeof value), "copy");
    expect_bits(t, "the mean", &value, &mean, sizeof mean);
    for (unsigned ddof = 0; ddof < 3 && ddof < t->n; ddof++) {
        const double expected = variance(wanted, ddof);
        must_be_ok(oplus_variance(dev, types[t->type], ddof, t->in, t->n, t->out), "variance");
        must_be_ok(oplus_copy(dev, &value, t->out, sizeof value), "copy");
        expect_bits(t, "the variance", &value, &expected, sizeof value);
    }
}

/* skew: elements by which arrays are aligned to less than a vector. */
static void try_size(rng *r, const place *at, int type, size_t n, size_t skew)
{
    const size_t size = types[type]->size;
    unsigned char *const mem = must(malloc((n + skew) * size + 1)), *const x = mem + skew * size, *there;
    double *const exact = must(malloc((n + 1) * sizeof *exact));
    oplus_moments result;
    fill(r, types[type], x, n);
    for (size_t i = 0; i < n; i++) exact[i] = as_double(types[type], x + i * size);
    look(&(trial_of){at, type, n, x, &result}, exact);
    if (at->accelerator) {
        must_be_ok(oplus_alloc(at->dev, 64 + (n + skew) * size, (void **)&there), "alloc");
        must_be_ok(oplus_copy(at->dev, there + 64, mem, (n + skew) * size + (n + skew == 0)), "copy");
        look(&(trial_of){at, type, n, there + 64 + skew * size, there}, exact);
        oplus_free(at->dev, there);
    }
    free(exact);
    free(mem);
}

static const size_t sizes[] = {0, 1, 2, 3, 5, 7, 15, 16, 17, 63, 64, 65, 127, 1023, 1024, 1025, 4097, 16384, MOST};

static void try_all(rng *r, const place *at)
{
    for (int k = 0; k < TYPES; k++) {
        for (size_t s = at->accelerator; s < sizeof sizes / sizeof *sizes; s++)
            try_size(r, at, k, sizes[s], rng_below(r, SKEW));
        for (int more = test_quick() ? 1 : 6; more > 0; more--)
            try_size(r, at, k, 1 + rng_below(r, (size_t)1 << (1 + rng_below(r, 16))), rng_below(r, SKEW));
    }
}

/* Whether all is tried at a place.  Elsewhere each type and each way is a program that must be compiled first, which takes
 * seconds. */
static bool is_for_all(const place *at)
{
    return stand_at(at, NULL, false) && (!at->accelerator || at->tries.plain == NULL);
}

static void moments_are_those_of_the_tree(void **state)
{
    size_t count;
    const place *place = all_places(&count);
    rng r = test_rng("moments");
    (void)state;
    bool tried = false;
    for (size_t i = 0; i < count; i++) {
        if (is_for_all(&place[i]))
            try_all(&r, &place[i]);
        else if (!tried)
            try_size(&r, &place[i], 0, MOST, 0);
        tried |= place[i].accelerator;
    }
}

/* --- running moments, by key, and from moments that are there already --------------------------------------------- */

static void running_means_are_those_of_the_beginnings(void **state)
{
    enum { N = 3000 };
    static float x[N];
    static double exact[N], means[N], variances[N];
    size_t count;
    const place *place = all_places(&count);
    rng r = test_rng("running moments");
    (void)state;
    for (size_t i = 0; i < N; i++) exact[i] = x[i] = (float)rng_unit(&r) + 5;
    for (size_t i = 0; i < count; i++) {
        if (!is_for_all(&place[i])) continue;
        must_be_ok(oplus_map_scan(place[i].dev, OPLUS_MOMENTS_OF(x), &oplus_join_moments, OPLUS_INCLUSIVE,
                                  &oplus_mean_of_fn, OPLUS_IN(x), N, means),
                   "map_scan");
        for (size_t k = 0; k < N; k++) assert_true(means[k] == oplus_mean_of(reduced(exact, k + 1)));
        if (place[i].accelerator) continue;
        must_be_ok(oplus_map_scan(place[i].dev, OPLUS_MOMENTS_OF(x), &oplus_join_moments, OPLUS_INCLUSIVE,
                                  &oplus_sample_variance_of_fn, OPLUS_IN(x), N, variances),
                   "map_scan");
        for (size_t k = 1; k < N; k++) assert_true(variances[k] == variance(reduced(exact, k + 1), 1));
        assert_true(isnan(variances[0]));
    }
}

static void groups_have_moments(void **state)
{
    enum { N = 1000 };
    static oplus_moments x[N], sums[N];
    static int32_t keys[N], out_keys[N];
    static double exact[N];
    oplus_device *const dev = all_places(&(size_t){0})[0].dev;
    rng r = test_rng("moments of groups");
    size_t runs, begin = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        exact[i] = rng_unit(&r);
        x[i] = (oplus_moments){1, exact[i], 0};
        keys[i] = i == 0 ? 0 : keys[i - 1] + (rng_below(&r, 9) == 0);
    }
    must_be_ok(OPLUS_REDUCE_BY_KEY(dev, oplus_join_moments, keys, x, N, out_keys, sums, &runs), "reduce_by_key");
    for (size_t k = 0; k < runs; k++) {
        size_t end = begin;
        while (end < N && keys[end] == out_keys[k]) end++;
        const oplus_moments wanted = reduced(exact + begin, end - begin);
        assert_memory_equal(&sums[k], &wanted, sizeof wanted);
        begin = end;
    }
    must_be_ok(oplus_op_check(dev, &oplus_join_moments, x, 100), "op_check");
}

/* --- how right they are ------------------------------------------------------------------------------------------- */

/* A variance of 1/12 beside a mean of 10^9, where sums of squares have no right digit: eight digits are right. */
static void a_large_mean_does_no_harm(void **state)
{
    enum { N = 100000 };
    static double x[N];
    oplus_device *const dev = all_places(&(size_t){0})[0].dev;
    rng r = test_rng("a large mean");
    long double sum = 0, squares = 0;
    double mean, found;
    (void)state;
    for (int i = 0; i < N; i++) sum += x[i] = 1e9 + rng_unit(&r);
    for (int i = 0; i < N; i++) squares += (x[i] - sum / N) * (x[i] - sum / N);
    must_be_ok(OPLUS_MEAN(dev, x, N, &mean), "mean");
    must_be_ok(OPLUS_VARIANCE(dev, 0, x, N, &found), "variance");
    assert_true(fabsl(mean - sum / N) < 1e-6L);
    assert_true(fabsl(found - squares / N) < 1e-8L * (squares / N));
}

/* Of integers the mean is rounded once; equal ones have no variance. */
static void integers_are_exact(void **state)
{
    enum { N = 99999 };
    static int32_t x[N];
    oplus_device *const dev = all_places(&(size_t){0})[0].dev;
    rng r = test_rng("means of integers");
    int64_t sum = 0;
    double found;
    (void)state;
    for (int i = 0; i < N; i++) sum += x[i] = (int32_t)rng_next(&r);
    must_be_ok(OPLUS_MEAN(dev, x, N, &found), "mean");
    assert_true(found == (double)sum / N);
    for (int i = 0; i < N; i++) x[i] = -77;
    for (size_t n = 2; n <= N; n += n < 3000 ? 1 : 7919) {
        must_be_ok(OPLUS_VARIANCE(dev, 1, x, n, &found), "variance");
        if (found != 0 || signbit(found)) fail_msg("the variance of %zu equal integers is %g", n, found);
    }
}

/* Of none, of one, and of infinities. */
static void nothing_is_a_nan(void **state)
{
    const oplus_moments none = {0, 0, 0}, one = {1, 7, 0};
    const double up[] = {1, INFINITY, 3}, both[] = {-(double)INFINITY, INFINITY};
    oplus_device *const dev = all_places(&(size_t){0})[0].dev;
    double found;
    (void)state;
    assert_true(isnan(oplus_mean_of(none)) && isnan(oplus_variance_of(none, 0)) && isnan(oplus_variance_of(one, 1)));
    assert_true(oplus_mean_of(one) == 7 && oplus_variance_of(one, 0) == 0);
    must_be_ok(oplus_mean(dev, &oplus_f64, up, 3, &found), "mean");
    assert_true(found == (double)INFINITY);
    must_be_ok(oplus_variance(dev, &oplus_f64, 0, up, 3, &found), "variance");
    assert_true(isnan(found));
    must_be_ok(oplus_variance(dev, &oplus_f64, 0, up + 1, 1, &found), "variance");
    assert_true(isnan(found));
    must_be_ok(oplus_mean(dev, &oplus_f64, both, 2, &found), "mean");
    assert_true(isnan(found));
    const bool bits[] = {true, false, true, true};
    must_be_ok(oplus_mean(dev, &oplus_bool, bits, 4, &found), "mean");
    assert_true(found == 0.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moments_are_those_of_the_tree),
                                       cmocka_unit_test(running_means_are_those_of_the_beginnings),
                                       cmocka_unit_test(groups_have_moments),
                                       cmocka_unit_test(a_large_mean_does_no_harm),
                                       cmocka_unit_test(integers_are_exact),
                                       cmocka_unit_test(nothing_is_a_nan)};
    const int failed = cmocka_run_group_tests_name("moments", tests, NULL, NULL);
    close_places();
    return failed;
}
