/* NaN, zeros, denormals and the floating-point mode of the caller: results have the same bits whatever these are. */
#include "support/laws.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

OPLUS_STRUCT(pair_of_kinds, float v[3]; int32_t k; double x, y;)
OPLUS_OP(add_kinds, pair_of_kinds, ({0, 0, 0}, 0, 0, 0), 0, {
    pair_of_kinds r;
    for (int i = 0; i < 3; i++) r.v[i] = a.v[i] + b.v[i];
    r.k = a.k + b.k;
    r.x = a.x * b.y;
    r.y = a.y + b.x;
    return r;
})

static void quiet_kinds(void *p)
{
    pair_of_kinds *x = p;
    for (int i = 0; i < 3; i++) quiet_f32(&x->v[i]);
    quiet_f64(&x->x);
    quiet_f64(&x->y);
}

/* --- inputs */

/* NaNs of any sign and payload, quiet and signalling, among infinities, zeros, denormals and numbers. */
static float odd_f32(rng *r)
{
    static const uint32_t special[] = {0x7f800000, 0xff800000, 0, 0x80000000, 1, 0x807fffff, 0x7f7fffff, 0x00800000};
    uint32_t bits = special[rng_below(r, 8)];
    float x = (float)rng_unit(r);
    switch (rng_below(r, 6)) {
    case 0:
        bits = 0x7f800001 | ((uint32_t)rng_next(r) & 0x807fffff);
        break; /* falls through to the copy below */
    case 1:
        break;
    default:
        return x;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double odd_f64(rng *r)
{
    static const uint64_t special[] = {UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0xfff0000000000000),
                                       0,
                                       UINT64_C(0x8000000000000000),
                                       1,
                                       UINT64_C(0x800fffffffffffff),
                                       UINT64_C(0x7fefffffffffffff),
                                       UINT64_C(0x0010000000000000)};
    uint64_t bits = special[rng_below(r, 8)];
    double x = rng_unit(r);
    switch (rng_below(r, 6)) {
    case 0:
        bits = UINT64_C(0x7ff0000000000001) | (rng_next(r) & UINT64_C(0x800fffffffffffff));
        break;
    case 1:
        break;
    default:
        return x;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void random_f32(rng *r, void *out) { *(float *)out = odd_f32(r); }
static void random_f64(rng *r, void *out) { *(double *)out = odd_f64(r); }
static void random_two_f32(rng *r, void *out) { random_f32(r, out), random_f32(r, (float *)out + 1); }
static void random_two_f64(rng *r, void *out) { random_f64(r, out), random_f64(r, (double *)out + 1); }

static void random_mixed(rng *r, void *out)
{
    mixed12 *x = out;
    *x = (mixed12){(int32_t)rng_next(r), odd_f32(r), odd_f32(r)};
}

static void random_kinds(rng *r, void *out)
{
    pair_of_kinds *x = out;
    memset(x, 0, sizeof *x);
    for (int i = 0; i < 3; i++) x->v[i] = odd_f32(r);
    x->k = (int32_t)rng_below(r, 100);
    x->x = odd_f64(r);
    x->y = odd_f64(r);
}

/* A few NaNs among numbers: one that is missed shows. */
static void rare_f32(rng *r, void *out) { *(float *)out = rng_below(r, 3000) == 0 ? odd_f32(r) : (float)rng_unit(r); }
static void rare_f64(rng *r, void *out) { *(double *)out = rng_below(r, 3000) == 0 ? odd_f64(r) : rng_unit(r); }

/* Denormals and zeros only: flushing changes them most. */
static void tiny_f32(rng *r, void *out)
{
    const uint32_t bits = (uint32_t)(rng_below(r, 8) ? rng_next(r) & 0x800003ff : rng_next(r) & 0x80000000);
    memcpy(out, &bits, sizeof bits);
}

static void tiny_f64(rng *r, void *out)
{
    const uint64_t bits = rng_next(r) & (rng_below(r, 8) ? UINT64_C(0x80000000000003ff) : UINT64_C(0x8000000000000000));
    memcpy(out, &bits, sizeof bits);
}

static subject with_input(const char *name, void (*random)(rng *r, void *out))
{
    subject s = *subject_named(name);
    s.random = random;
    return s;
}

/* --- the laws of scan and reduce, once more */

static bool all_primitives(const trial *t, finding *f)
{
    const problem *p = t->p;
    oplus_device *dev = t->at->dev;
    const oplus_op *op = p->s->op;
    void *out = output(p, t->in_place ? p->x : NULL, t->n);
    const void *in = t->in_place ? out : p->x;
    const uint64_t offsets[2] = {0, t->n};
    if (!succeeded(p->heads ? oplus_segscan(dev, op, t->kind, in, p->heads, t->n, out)
                            : oplus_scan(dev, op, t->kind, in, t->n, out),
                   f) ||
        !same(p, out, t->kind == OPLUS_EXCLUSIVE ? p->exclusive : at(p, p->prefix, 1), t->n, f))
        return false;
    if (t->n == 0 || p->heads) return true;
    if (!succeeded(oplus_reduce(dev, op, p->x, t->n, output(p, NULL, 1)), f)) return false;
    out = output(p, NULL, 1);
    if (!succeeded(oplus_reduce(dev, op, p->x, t->n, out), f) || !same(p, out, at(p, p->prefix, t->n), 1, f))
        return false;
    out = output(p, NULL, 1);
    if (stand_at(t->at, p->s, true) &&
        (!succeeded(oplus_segreduce(dev, op, p->x, t->n, &oplus_u64, offsets, 1, out), f) ||
         !same(p, out, at(p, p->prefix, t->n), 1, f)))
        return false;
    oplus_carry *carry;
    out = output(p, NULL, 1);
    const bool added = succeeded(oplus_carry_open(op, 0, &carry), f) &&
                       succeeded(oplus_carry_add(dev, carry, p->x, t->n), f) &&
                       succeeded(oplus_carry_value(carry, out), f) && same(p, out, at(p, p->prefix, t->n), 1, f);
    oplus_carry_close(carry);
    return added;
}

static void try_with(const subject *s, size_t max)
{
    for (size_t heads = 0; heads < 30; heads += 20) {
        problem p = problem_open(s, max, heads, false);
        for_all(&p, KINDS | IN_PLACE | (test_quick() || heads > 0 ? FEW_SIZES : 0), all_primitives);
        problem_close(&p);
    }
}

static size_t some(void) { return test_quick() ? 40009 : 100003; }

static void nan_comes_out_canonical(void **state)
{
    const subject kinds = {"add_kinds", &add_kinds_op, oplus_add_kinds_combine_, random_kinds, quiet_kinds, NULL, 0};
    const subject cases[] = {
        with_input("sum_f32", random_f32),       with_input("sum_f64", random_f64),
        with_input("prod_f32", random_f32),      with_input("prod_f64", random_f64),
        with_input("min_f32", random_f32),       with_input("min_f64", random_f64),
        with_input("max_f32", random_f32),       with_input("max_f64", random_f64),
        with_input("sum_c64", random_two_f32),   with_input("sum_c128", random_two_f64),
        with_input("prod_c64", random_two_f32),  with_input("prod_c128", random_two_f64),
        with_input("compose32", random_two_f32), with_input("compose64", random_two_f64),
        with_input("bare", random_two_f32),      with_input("last_f64", random_f64),
        with_input("join12", random_mixed),      kinds,
        with_input("sum_f32", rare_f32),         with_input("min_f64", rare_f64),
        with_input("max_f32", rare_f32),         with_input("last_f64", rare_f64),
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) try_with(&cases[i], some());
}

static void denormals_and_zeros_are_kept(void **state)
{
    const subject cases[] = {
        with_input("sum_f32", tiny_f32), with_input("sum_f64", tiny_f64), with_input("min_f32", tiny_f32),
        with_input("max_f32", tiny_f32), with_input("min_f64", tiny_f64), with_input("max_f64", tiny_f64),
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) try_with(&cases[i], some());
}

/* --- by hand */

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void min_and_max_have_rules(void **state)
{
    static const float x[][3] = {{0.0f, -0.0f, 0.0f}, {-0.0f, 0.0f, 0.0f}, {1, -INFINITY, 2}, {1, 2, INFINITY}};
    static const uint32_t least[] = {0x80000000, 0x80000000, 0xff800000, 0x3f800000};
    static const uint32_t most[] = {0, 0, 0x40000000, 0x7f800000};
    size_t place_count;
    const place *place = all_places(&place_count);
    (void)state;
    for (size_t k = 0; k < place_count; k++)
        for (size_t i = 0; i < 4 && stand_at(&place[k], subject_named("max_f32"), false); i++) {
            float got;
            assert_int_equal(oplus_reduce(place[k].dev, &oplus_min_f32, x[i], 3, &got), OPLUS_OK);
            assert_int_equal(bits_of(got), least[i]);
            assert_int_equal(oplus_reduce(place[k].dev, &oplus_max_f32, x[i], 3, &got), OPLUS_OK);
            assert_int_equal(bits_of(got), most[i]);
        }
    float got;
    assert_int_equal(oplus_reduce(place->dev, &oplus_min_f32, NULL, 0, &got), OPLUS_OK);
    assert_int_equal(bits_of(got), 0x7f800000);
    assert_int_equal(oplus_reduce(place->dev, &oplus_max_f32, NULL, 0, &got), OPLUS_OK);
    assert_int_equal(bits_of(got), 0xff800000);
}

/* A sum of nothing but -0 is -0: no identity is ever mixed in. */
static void sum_of_minus_zeros(void **state)
{
    enum { N = 40000 };
    static float x[N], y[N];
    size_t place_count;
    const place *place = all_places(&place_count);
    (void)state;
    for (size_t i = 0; i < N; i++) x[i] = -0.0f;
    for (size_t k = 0; k < place_count; k++)
        for (size_t n = 1; n <= N && stand_at(&place[k], subject_named("sum_f32"), false); n = n * 3 + 1) {
            float got;
            assert_int_equal(oplus_reduce(place[k].dev, &oplus_sum_f32, x, n, &got), OPLUS_OK);
            assert_int_equal(bits_of(got), 0x80000000);
            assert_int_equal(oplus_scan(place[k].dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, n, y), OPLUS_OK);
            assert_memory_equal(x, y, n * sizeof *x);
        }
}

/* --- the caller's mode */

typedef struct mode {
    const char *name;
    unsigned csr; /* bits to set in MXCSR */
    int rounding; /* or a rounding direction */
} mode;

static const mode modes[] = {
#if defined(__SSE__)
    {"flush to zero", 0x8000, FE_TONEAREST},
    {"denormals are zero", 0x0040, FE_TONEAREST},
    {"both", 0x8040, FE_TONEAREST},
#endif
    {"upward", 0, FE_UPWARD},
    {"downward", 0, FE_DOWNWARD},
    {"toward zero", 0, FE_TOWARDZERO},
};

static const mode *set_by_caller;

/* As all_primitives, in another mode, which must be unchanged afterwards. */
static bool in_another_mode(const trial *t, finding *f)
{
    const int rounding = fegetround();
#if defined(__SSE__)
    const unsigned csr = _mm_getcsr();
    _mm_setcsr(csr | set_by_caller->csr);
#endif
    fesetround(set_by_caller->rounding);
    const bool holds = all_primitives(t, f);
    bool restored = fegetround() == set_by_caller->rounding;
#if defined(__SSE__)
    restored = restored && (_mm_getcsr() & 0x8040) == set_by_caller->csr;
    _mm_setcsr(csr);
#endif
    fesetround(rounding);
    if (holds && !restored) strcpy(f->text, "the caller's floating-point mode was not restored");
    if (!holds) {
        const size_t used = strlen(f->text);
        snprintf(f->text + used, sizeof f->text - used, " (the caller's mode: %s)", set_by_caller->name);
    }
    return holds && restored;
}

static void mode_of_the_caller_does_not_matter(void **state)
{
    const subject cases[] = {
        with_input("sum_f32", tiny_f32), with_input("sum_f64", tiny_f64), with_input("min_f32", tiny_f32),
        *subject_named("sum_f32"),       *subject_named("sum_c128"),      *subject_named("compose32"),
        *subject_named("compose64"),     *subject_named("bare"),          *subject_named("prod_f64"),
    };
    (void)state;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            problem p = problem_open(&cases[i], test_quick() ? 40009 : 70001, m % 2 ? 0 : 100, false);
            set_by_caller = &modes[m];
            for_all(&p, KINDS | IN_PLACE | FEW_SIZES, in_another_mode);
            problem_close(&p);
        }
}

/* A map computes in the same mode, and its NaNs are canonical too. */
OPLUS_MAP(third, float, float, { return a / 3.0f; })

static void map_is_covered_too(void **state)
{
    enum { N = 70000 };
    float *x = must(malloc(N * sizeof *x)), *y = must(malloc(N * sizeof *y)), *z = must(malloc(N * sizeof *z));
    const void *in[1] = {x};
    rng r = test_rng("map");
    size_t place_count;
    const place *place = all_places(&place_count);
    (void)state;
    for (size_t i = 0; i < N; i++) {
        if (i % 2)
            tiny_f32(&r, &x[i]);
        else
            random_f32(&r, &x[i]);
        z[i] = third(x[i]);
        quiet_f32(&z[i]);
    }
    for (size_t k = 0; k < place_count; k++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            if (!stand_at(&place[k], NULL, false)) continue;
            const int rounding = fegetround();
#if defined(__SSE__)
            const unsigned csr = _mm_getcsr();
            _mm_setcsr(csr | modes[m].csr);
#endif
            fesetround(modes[m].rounding);
            const oplus_status status = oplus_map(place[k].dev, &third_fn, in, N, y);
#if defined(__SSE__)
            _mm_setcsr(csr);
#endif
            fesetround(rounding);
            assert_int_equal(status, OPLUS_OK);
            assert_memory_equal(y, z, N * sizeof *y);
        }
    free(x);
    free(y);
    free(z);
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    output(NULL, NULL, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_comes_out_canonical), cmocka_unit_test(denormals_and_zeros_are_kept),
        cmocka_unit_test(min_and_max_have_rules),  cmocka_unit_test(sum_of_minus_zeros),
        cmocka_unit_test(map_is_covered_too),      cmocka_unit_test(mode_of_the_caller_does_not_matter),
    };
    test_seed();
    return cmocka_run_group_tests_name("nan", tests, NULL, close_all);
}
