/* oplus_op_check: finds what is wrong with an operator, says it with a counterexample, and lets rounding pass. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <oplus/oplus.h>

static oplus_device *dev;

static int open_device(void **state)
{
    (void)state;
    return oplus_open("serial", &dev) != OPLUS_OK;
}

static int close_device(void **state)
{
    (void)state;
    oplus_close(dev);
    return 0;
}

static void passes(const oplus_op *op, const void *samples, size_t n)
{
    if (oplus_op_check(dev, op, samples, n) != OPLUS_OK) fail_msg("%s", oplus_last_error());
}

static void fails(const oplus_op *op, const void *samples, size_t n, const char *message)
{
    assert_int_equal(oplus_op_check(dev, op, samples, n), OPLUS_ERR_ARGUMENT);
    if (!strstr(oplus_last_error(), message)) fail_msg("\"%s\"\n  does not say\n\"%s\"", oplus_last_error(), message);
}

/* Floats of every size and sign, the same each time. */
static void some_floats(float *x, size_t n)
{
    uint32_t random = 1;
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        x[i] = ldexpf((float)(int32_t)random, (int)(random >> 27) - 40);
    }
}

/* --- not associative ---------------------------------------------------------------------------------------------- */

OPLUS_SEMIGROUP(minus, int32_t, 0, { return a - b; })
OPLUS_SEMIGROUP(mean, double, OPLUS_COMMUTATIVE, { return (a + b) / 2; })
OPLUS_SEMIGROUP(rare, int32_t, 0, { return a > 900 && b > 900 ? a - b : a + b; })
OPLUS_SEMIGROUP(capped, int32_t, OPLUS_COMMUTATIVE, {
    const int32_t sum = a + b;
    return sum > 100 ? 100 : sum < -100 ? -100 : sum;
})
OPLUS_SEMIGROUP(capped_above, int32_t, OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a + b > 100 ? 100 : a + b; })

static void minus_is_not_associative(void **state)
{
    (void)state;
    const int32_t x[] = {1, 2, 3};
    fails(&minus_op, x, 3,
          "oplus_op_check: minus is not associative: a = 1, b = 1, c = 1 gives minus(minus(a, b), c) = -1 but "
          "minus(a, minus(b, c)) = 1");
}

static void mean_is_not_associative(void **state)
{
    (void)state;
    const double same[] = {0.1}, x[] = {0.1, 0.1, 7.25};
    passes(&mean_op, same, 1);
    fails(&mean_op, x, 3, "mean is not associative: a = 0.1, b = 0.1, c = 7.25 gives mean(mean(a, b), c) = 3.675 but");
}

static void saturation_both_ways_is_not_associative(void **state)
{
    (void)state;
    const int32_t x[] = {90, 20, -30};
    fails(&capped_op, x, 3, "capped is not associative: a = ");
    const int32_t natural[] = {0, 1, 50, 90, 100};
    passes(&capped_above_op, natural, 5);
}

/* A fault that shows only in pairs among the last of many samples is found by random tries, and moved to earlier
 * samples. */
static void rare_faults_are_found_and_shrunk(void **state)
{
    (void)state;
    int32_t x[1000];
    for (int i = 0; i < 1000; i++) x[i] = i;
    fails(&rare_op, x, 1000, "rare is not associative: a = 901, b = ");
}

/* --- up to rounding */

OPLUS_STRUCT(affine, float a; float b;)
#define COMPOSE                                                                                                        \
    {                                                                                                                  \
        affine r;                                                                                                      \
        r.a = a.a * b.a;                                                                                               \
        r.b = a.b * b.a + b.b;                                                                                         \
        return r;                                                                                                      \
    }
OPLUS_OP(compose, affine, (1, 0), 0, COMPOSE)
OPLUS_OP(swapped, affine, (1, 0), OPLUS_COMMUTATIVE, COMPOSE)
OPLUS_OP(unlike, affine, (0, 1), 0, COMPOSE)
OPLUS_OP(claimed, float, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a + b; })

/* Count, mean and sum of squared deviations of a part of a sample (Chan, Golub, LeVeque, 1979). */
OPLUS_STRUCT(moments, double n; double mean; double m2;)
OPLUS_OP(merge, moments, (0, 0, 0), 0, {
    moments r;
    const double apart = b.mean - a.mean;
    r.n = a.n + b.n;
    r.mean = r.n > 0 ? a.mean + apart * (b.n / r.n) : 0;
    r.m2 = r.n > 0 ? a.m2 + b.m2 + apart * apart * (a.n * b.n / r.n) : 0;
    return r;
})
OPLUS_OP(careless, moments, (0, 0, 0), 0, {
    moments r;
    r.n = a.n + b.n;
    r.mean = (a.mean + b.mean) / 2;
    r.m2 = a.m2 + b.m2;
    return r;
})

static void rounding_passes(void **state)
{
    (void)state;
    float x[200];
    some_floats(x, 200);
    passes(&oplus_sum_f32, x, 200);
    passes(&oplus_prod_f32, x, 200); /* with overflow and underflow */
    passes(&oplus_max_f32, x, 200);
    passes(&compose_op, x, 100);
    passes(&oplus_prod_c64, x, 100);
}

static void values_beyond_finite_pass(void **state)
{
    (void)state;
    const float x[] = {0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, NAN, -NAN, 1e-45f, 3e38f, -3e38f};
    passes(&oplus_sum_f32, x, 10);
    passes(&oplus_min_f32, x, 10);
    passes(&oplus_max_f32, x, 10);
}

static void affine_maps(void **state)
{
    (void)state;
    const affine x[] = {{1, 0}, {2, 1}, {0.5f, 3}, {-1, 0.1f}};
    passes(&compose_op, x, 4);
    fails(&swapped_op, x, 4,
          "swapped is not commutative: a = {a = 2, b = 1}, b = {a = 0.5, b = 3} gives swapped(a, b) = {a = 1, b = 3.5} "
          "but "
          "swapped(b, a) = {a = 1, b = 7}");
    fails(&unlike_op, x, 4,
          "e = {a = 0, b = 1} is not the identity of unlike: a = {a = 1, b = 0} gives unlike(e, a) = {a = 0, b = 1}");
}

static void exactness_is_checked_to_the_bit(void **state)
{
    (void)state;
    const float whole[] = {1, 2, 3}, x[] = {0.1f, 0.2f, 0.3f, 1e8f};
    passes(&claimed_op, whole, 3);
    fails(&claimed_op, x, 4, "claimed is not associative to the bit: a = 0.2, b = 0.2, c = 0.3");
}

/* Cancellation inside the operator: means of 1e6 with deviations of 1. */
static void merging_of_variances(void **state)
{
    (void)state;
    moments x[12];
    for (int i = 0; i < 12; i++) x[i] = (moments){1 + i % 3, 1e6 + 0.1 * i * i, 0.3 * (i % 3)};
    passes(&merge_op, x, 12);
    fails(&careless_op, x, 12, "careless");
}

/* --- identity */

OPLUS_OP(from_one, int64_t, (1), OPLUS_COMMUTATIVE, { return a + b; })
OPLUS_OP(earlier, int64_t, (0), 0, { return (void)b, a; })

static void identity_from_both_sides(void **state)
{
    (void)state;
    const int64_t x[] = {0, 5, INT64_C(-9007199254740993)};
    fails(&from_one_op, x, 3, "e = 1 is not the identity of from_one: a = 0 gives from_one(e, a) = 1");
    fails(&earlier_op, x, 3, "e = 0 is not the identity of earlier: a = 5 gives earlier(e, a) = 0");
    passes(&oplus_sum_i64, x, 2);
}

/* --- records */

OPLUS_STRUCT(mixed, int8_t kind; double x[2]; uint16_t id;)
OPLUS_SEMIGROUP(mix, mixed, 0, {
    mixed r = a;
    r.x[0] = a.x[0] + b.x[0];
    r.x[1] = a.x[1] - b.x[1];
    return r;
})

/* A nested struct; the text does not name its members. */
typedef struct inner {
    uint8_t x;
    uint8_t y;
} inner;
OPLUS_STRUCT(nested, inner pair; uint8_t z;)
OPLUS_SEMIGROUP(last, nested, 0, { return (void)a, b; })
OPLUS_SEMIGROUP(differ, nested, 0, {
    nested r = a;
    r.pair.x = (uint8_t)(a.pair.x - b.pair.x);
    return r;
})

static void records(void **state)
{
    (void)state;
    const mixed x[] = {{-1, {0.1, 1}, 65535}, {2, {1e300, 2}, 7}};
    fails(&mix_op, x, 2, "a = {kind = -1, x = [0.1, 1], id = 65535}");
    const nested y[] = {{{1, 2}, 3}, {{4, 5}, 6}};
    passes(&last_op, y, 2);
    fails(&differ_op, y, 2, "differ is not associative: a = {[1, 2, 3]}, b = {[1, 2, 3]}");
}

typedef struct wide {
    double x[500];
} wide;
OPLUS_DESCRIBE(wide, double x[500];)
OPLUS_SEMIGROUP(wide_minus, wide, 0, {
    wide r;
    for (int i = 0; i < 500; i++) r.x[i] = a.x[i] - b.x[i];
    return r;
})

static void long_values_are_cut(void **state)
{
    (void)state;
    static wide x[2] = {{{1}}, {{2}}};
    fails(&wide_minus_op, x, 2, "..., b = {x = [");
}

/* --- arguments */

static void arguments(void **state)
{
    (void)state;
    const int32_t x[] = {1};
    oplus_op empty = minus_op;
    empty.combine = NULL;
    fails(&minus_op, x, 0, "give at least one sample");
    fails(&minus_op, NULL, 1, "samples is NULL");
    assert_int_equal(oplus_samples(&oplus_f32, 0, 0, NULL), OPLUS_OK);
    fails(NULL, x, 1, "op is NULL");
    fails(&empty, x, 1, "combine");
    fails(&minus_op, x, SIZE_MAX / 2, "n is");
    assert_int_equal(oplus_op_check(NULL, &minus_op, x, 1), OPLUS_ERR_ARGUMENT);
}

static void add_floats(void *out, const void *a, const void *b)
{
    *(float *)out = *(const float *)a + *(const float *)b;
}

/* Filled in by hand: no name, no text, no leaves. */
static void combine_alone_is_enough(void **state)
{
    (void)state;
    const oplus_op bare = {.abi = OPLUS_ABI, .type = &oplus_f32, .combine = add_floats};
    float x[40];
    some_floats(x, 40);
    passes(&bare, x, 40);
}

/* --- loops that do not do what the operator says ------------------------------------------------------------------ */

OPLUS_OP(total, double, (0), 0, { return a + b; })
OPLUS_OP(nearly_total, double, (0), 0, { return a + b * 1.0000000000000002; })

static void loops_are_compared_with_calls(void **state)
{
    (void)state;
    double x[8];
    for (int i = 0; i < 8; i++) x[i] = 1.5 + i;
    passes(&total_op, x, 8);
    oplus_op fused = total_op;
    fused.leaves = nearly_total_op.leaves; /* as if the compiler had changed the rounding of the loops alone */
    fails(&fused, x, 8, "the compiled loops of total give");
    fails(&fused, x, 8, "fused");
}

/* 0 or 7 is 1, which joins as 7 does: 0 is the identity for all integers.  A wrong identity is not accepted because of
 * this. */
OPLUS_OP(either_op_of_ints, int32_t, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a || b; })
OPLUS_OP(wrong_product, int32_t, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a * b; })
OPLUS_OP(wrong_largest, int32_t, (5), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a > b ? a : b; })
OPLUS_OP(wrong_or, int32_t, (1), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a || b; })

static void logical_operators_have_an_identity(void **state)
{
    (void)state;
    static const int32_t x[] = {0, 7, 1, -3, INT32_MIN, 0, 2};
    static const uint8_t y[] = {0, 7, 1, 255, 128, 0, 2};
    static const int32_t zeros[] = {0, 0};
    passes(&oplus_lor_i32, x, 7);
    passes(&oplus_land_i32, x, 7);
    passes(&oplus_lor_u8, y, 7);
    passes(&oplus_land_u8, y, 7);
    passes(&either_op_of_ints_op, x, 7);
    fails(&wrong_product_op, x, 7, "e = 0 is not the identity of wrong_product: a = 7");
    fails(&wrong_largest_op, x, 7, "e = 5 is not the identity of wrong_largest: a = 0");
    fails(&wrong_or_op, x, 7, "e = 1 is not the identity of wrong_or: a = 0 gives wrong_or(e, a) = 1");
    fails(&wrong_or_op, zeros, 2, "e = 1 is not the identity of wrong_or");
}

/* --- operators with a parameter ----------------------------------------------------------------------------------- */

OPLUS_OP_WITH(add_modulo, uint32_t, uint32_t, (0), OPLUS_EXACT | OPLUS_COMMUTATIVE, { return (a + b) % p; })
OPLUS_OP_WITH(sum_above, double, double, (0), 0, { return a + b - p; })
OPLUS_OP_WITH(nearly_above, double, double, (0), 0, { return a + b * 1.0000000000000002 - p; })

static void each_parameter_by_itself(void **state)
{
    (void)state;
    const uint32_t seven = 7, one = 1, x[] = {0, 1, 6, 3, 2};
    const double some = 1.5, none = 0, y[] = {1.25, 2.5, -3};
    oplus_op by_seven = oplus_op_with(&add_modulo_op, &seven);
    passes(&by_seven, x, 5);
    by_seven.identity = &one;
    fails(&by_seven, x, 5, "e = 1 is not the identity of add_modulo: a = 0 gives");
    oplus_op above = oplus_op_with(&sum_above_op, &some), plain = oplus_op_with(&sum_above_op, &none);
    fails(&above, y, 3, "is not the identity of sum_above");
    above.identity = &some;
    passes(&above, y, 3);
    passes(&plain, y, 3);
    plain.leaves_with = nearly_above_op.leaves_with;
    fails(&plain, y, 3, "the compiled loops of sum_above give");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logical_operators_have_an_identity),
        cmocka_unit_test(minus_is_not_associative),
        cmocka_unit_test(mean_is_not_associative),
        cmocka_unit_test(saturation_both_ways_is_not_associative),
        cmocka_unit_test(rare_faults_are_found_and_shrunk),
        cmocka_unit_test(rounding_passes),
        cmocka_unit_test(values_beyond_finite_pass),
        cmocka_unit_test(affine_maps),
        cmocka_unit_test(exactness_is_checked_to_the_bit),
        cmocka_unit_test(merging_of_variances),
        cmocka_unit_test(identity_from_both_sides),
        cmocka_unit_test(records),
        cmocka_unit_test(long_values_are_cut),
        cmocka_unit_test(arguments),
        cmocka_unit_test(combine_alone_is_enough),
        cmocka_unit_test(loops_are_compared_with_calls),
        cmocka_unit_test(each_parameter_by_itself),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
