/* What a text means: the same on one core and on OpenCL's cores, and as in the macros if these can say it. */
#include "support/eager.h"
#include "support/laws.h"
#include "task/late.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16 };

static oplus_device *devs[3];
static const char *const wheres[3] = {"serial", "opencl:cpu", "opencl:cpu"}, *const shapes[3] = {NULL, "chunk",
                                                                                                 "group"};

static int open_all(void **state)
{
    const char *const asked = getenv("OPLUS_TEST_DEVICES");
    (void)state;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && asked && !*asked)
            printf("not tried on %s: OPLUS_TEST_DEVICES is empty\n", wheres[i]);
        else if (oplus_open(wheres[i], &devs[i]) != OPLUS_OK)
            printf("not tried on %s: %s\n", wheres[i], oplus_last_error());
    }
    return devs[0] == NULL;
}

static int close_all(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) oplus_close(devs[i]);
    return 0;
}

/* The i-th device, made ready for one more text; NULL: it is not there, or is not tried.  A text means the same in
 * kernels of both shapes, which differ in what is around it; groups, which PoCL takes long to compile, get some of the
 * texts. */
static oplus_device *ready(int i)
{
    enum { GROUP = 2, GROUP_EVERY = 4 };
    static int texts;
    if (i == GROUP && texts++ % GROUP_EVERY != 0 && !test_long()) return NULL;
    if (shapes[i])
        setenv("OPLUS_SHAPE", shapes[i], 1);
    else
        unsetenv("OPLUS_SHAPE");
    return devs[i];
}

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", what, oplus_last_error());
}

/* --- predicates are converted to bool ----------------------------------------------------------------------------- */

OPLUS_PREDICATE(bit_40, uint64_t, { return a & ((uint64_t)1 << 40); })
OPLUS_PREDICATE_WITH(bits_of, uint64_t, uint64_t, { return a & p; })
OPLUS_PREDICATE(half_less, float, { return a - 0.5f; })

static void keeps(const oplus_fn *fn, const void *x, size_t n, size_t size, const void *expected, size_t kept)
{
    for (int i = 0; i < 3; i++) {
        unsigned char out[MOST * 8];
        size_t got;
        oplus_device *const dev = ready(i);
        if (!dev) continue;
        good(oplus_filter(dev, fn, x, n, out, &got), fn->name);
        if (got != kept || memcmp(out, expected, kept * size) != 0)
            fail_msg("%s on %s keeps %zu, and not the %zu expected", fn->name, wheres[i], got, kept);
    }
}

static void text_keeps(const oplus_type *type, const char *text, const void *x, size_t n, const void *expected,
                       size_t kept)
{
    oplus_fn *fn;
    good(eager_fn_make(NULL, NULL, 1, &type, NULL, text, &fn), text);
    keeps(fn, x, n, type->size, expected, kept);
    oplus_fn_free(fn);
}

static void predicates(void **state)
{
    (void)state;
    const uint64_t high = UINT64_C(1) << 40, words[] = {1, high, 0, high | 1}, with_high[] = {high, high | 1};
    const float floats[] = {0.5f, 1, 0, -0.0f}, not_half[] = {1, 0, -0.0f};
    const oplus_fn bits = oplus_with(&bits_of_fn, &high);
    keeps(&bit_40_fn, words, 4, 8, with_high, 2);
    keeps(&bits, words, 4, 8, with_high, 2);
    keeps(&half_less_fn, floats, 4, 4, not_half, 3);
    keeps(&half_less_fn, (const float[]){NAN, 0.5f}, 2, 4, (const uint32_t[]){0x7fc00000}, 1);
    assert_true(bit_40(high) && half_less(1) && !half_less(0.5f));
    text_keeps(&oplus_u64, "a & ((uint64_t)1 << 40)", words, 4, with_high, 2);
    text_keeps(&oplus_f32, "a - 0.5f", floats, 4, not_half, 3);
    text_keeps(&oplus_f32, "r = a - 0.5f;", floats, 4, not_half, 3);
    text_keeps(&oplus_f32, "if (a > 7) return 0; return a - 0.5f;", floats, 4, not_half, 3);
}

/* --- operands are constant in texts, and variables in macros ------------------------------------------------------ */

OPLUS_OP(added, int32_t, (0), 0, {
    a += b;
    return a;
})
OPLUS_MAP_WITH(doubled, int32_t, int32_t, int32_t, {
    p += p;
    a *= p;
    return a;
})

static void macros_assign(void **state)
{
    (void)state;
    const int32_t x[] = {1, 2, 3}, two = 2;
    const oplus_fn fn = oplus_with(&doubled_fn, &two);
    for (int i = 0; i < 3; i++) {
        int32_t sum, out[3];
        oplus_device *const dev = ready(i);
        if (!dev) continue;
        good(oplus_reduce(dev, &added_op, x, 3, &sum), "added");
        good(oplus_map(dev, &fn, (const void *const[]){x}, 3, out), "doubled");
        assert_int_equal(sum, 6);
        assert_int_equal(out[2], 12);
    }
}

static void is_constant(oplus_status status)
{
    static const char *const says[] = {"does not compile", "operands of a text are constant", "a == 3"};
    for (int i = 0; i < 3; i++)
        if (!strstr(oplus_last_error(), says[i])) fail_msg("\"%s\" does not say %s", oplus_last_error(), says[i]);
    assert_int_equal(status, OPLUS_ERR_COMPILE);
}

static void texts_do_not(void **state)
{
    (void)state;
    const oplus_type *const types[] = {&oplus_i32, &oplus_c64};
    oplus_fn *fn = NULL;
    oplus_op *op = NULL;
    is_constant(eager_fn_make(NULL, NULL, 1, types, NULL, "a = 3", &fn));
    is_constant(eager_fn_make(NULL, NULL, 1, types, &oplus_i32, "p = a", &fn));
    is_constant(eager_fn_make(NULL, NULL, 1, types + 1, NULL, "a.re = 3", &fn));
    is_constant(eager_fn_make(NULL, &oplus_i32, 1, types, NULL, "a++", &fn));
    is_constant(eager_op_make(NULL, &oplus_i32, NULL, 0, NULL, "b += a", NULL, &op));
    is_constant(eager_op_make(NULL, &oplus_c64, NULL, 0, NULL, "a.im = 3; return a;", NULL, &op));
    assert_true(!fn && !op);
}

/* --- functions are generic over the type of an element ------------------------------------------------------------ */

/* text over x (and y, z), all of one type, gives these results, bit for bit. */
static void gives(const oplus_type *type, const oplus_type *result, const char *text, unsigned arity,
                  const void *const *in, size_t n, const void *expected)
{
    const oplus_type *const types[] = {type, type, type};
    oplus_fn *fn;
    good(eager_fn_make(NULL, result, arity, types, NULL, text, &fn), text);
    for (int i = 0; i < 3; i++) {
        unsigned char out[MOST * 8];
        oplus_device *const dev = ready(i);
        if (!dev) continue;
        good(oplus_map(dev, fn, in, n, out), text);
        for (size_t k = 0; k < n; k++)
            if (memcmp(out + k * result->size, (const char *)expected + k * result->size, result->size) != 0)
                fail_msg("%s of %s on %s %s: element %zu is wrong", text, type->name, wheres[i],
                         shapes[i] ? shapes[i] : "", k);
    }
    oplus_fn_free(fn);
}

#define GIVES_1(s, T, text, X, E)                                                                                      \
    do {                                                                                                               \
        const T x[] = {OPLUS_UNPAREN_ X}, e[] = {OPLUS_UNPAREN_ E};                                                    \
        gives(&oplus_##s, &oplus_##s, text, 1, (const void *const[]){x}, sizeof x / sizeof *x, e);                     \
    } while (0)
#define GIVES_2(s, T, text, X, Y, E)                                                                                   \
    do {                                                                                                               \
        const T x[] = {OPLUS_UNPAREN_ X}, y[] = {OPLUS_UNPAREN_ Y}, e[] = {OPLUS_UNPAREN_ E};                          \
        gives(&oplus_##s, &oplus_##s, text, 2, (const void *const[]){x, y}, sizeof x / sizeof *x, e);                  \
    } while (0)

static void integers(void **state)
{
    (void)state;
    GIVES_1(i8, int8_t, "abs(a)", (5, -5, -128), (5, 5, -128)); /* wraps, as the function abs does */
    GIVES_1(i64, int64_t, "abs(a)", (-5000000000, INT64_MIN), (5000000000, INT64_MIN));
    GIVES_1(i16, int16_t, "abs(a + a)", (-20000), (-25536)); /* of the int 40000 */
    GIVES_1(u32, uint32_t, "abs(a)", (4000000000u, 1), (4000000000u, 1));
    GIVES_1(i32, int32_t, "sign(a)", (-7, 0, INT32_MAX), (-1, 0, 1));
    GIVES_1(u8, uint8_t, "sign(a)", (0, 255), (0, 1));
    GIVES_1(i64, int64_t, "floor(a) + ceil(a) - round(a) + trunc(a) - rint(a)", (INT64_MAX, -3), (INT64_MAX, -3));
    GIVES_1(i64, int64_t, "min(max(a, 2), 5)", (1, 3, INT64_MAX), (2, 3, 5));
    GIVES_2(i8, int8_t, "abs(min(a, b))", (-128, 3), (1, 4), (-128, 3));
    GIVES_2(u64, uint64_t, "max(a, b)", (UINT64_MAX, 1), (2, 7), (UINT64_MAX, 7));
    GIVES_2(i32, int32_t, "max(min(a, (uint8_t)9), (int16_t)b)", (20, -5), (3, -7), (9, -5));
    GIVES_1(i32, int32_t, "sqrt(a) * 10", (2, 16), (14, 40)); /* a double */
    GIVES_1(i32, int32_t, "pow(a, 2) + fmax(a, 2.5) * 2", (1, 3), (6, 15));
    /* The sum of the operands is unsigned, but each is converted to double by itself. */
    GIVES_2(i32, int32_t, "pow(a, 2u) + fmin(a, (uint32_t)b)", (-3, 4), (2, 3), (6, 19));
    GIVES_2(i64, int64_t, "copysign(a, (uint64_t)b) + fma(a, 1u, (uint64_t)b)", (-3, 4), (2, 3), (2, 11));
}

static void reals(void **state)
{
    (void)state;
    const double inf = (double)INFINITY, nan = (double)NAN;
    GIVES_1(f32, float, "abs(a)", (-1.5f, -0.0f, -INFINITY), (1.5f, 0, INFINITY));
    GIVES_1(f32, float, "abs /* of a float */ (a)", (-1.5f), (1.5f));
    GIVES_1(f64, double, "abs(a)", (-1.5, 5000000000.5, -inf), (1.5, 5000000000.5, inf));
    GIVES_1(f64, double, "sign(a)", (-3, 0.1, -0.0, 0, nan), (-1, 1, -0.0, 0, nan));
    GIVES_1(f32, float, "floor(a) + ceil(a) * 10 + trunc(a) * 100", (1.5f, -1.5f), (121, -112));
    GIVES_1(f64, double, "round(a) * 10 + rint(a)", (2.5, -0.5), (32, -10));
    GIVES_1(f32, float, "sqrt(a)", (2, 9), (sqrtf(2), 3));
    GIVES_1(f64, double, "sqrt(a)", (2, 9), (sqrt(2), 3));
    GIVES_1(f32, float, "fabs(-a) + ldexp(a, 3)", (1, 2), (9, 18));
    GIVES_1(f32, float, "1e9f * (sizeof sqrt(a) - 4)", (1), (0)); /* single precision */
    GIVES_1(f32, float, "sizeof pow(a, 2) + sizeof fma(a, 1, a) + sizeof fmod(a, 2.0)", (1), (16));
    GIVES_2(f32, float, "min(a, b)", (0.0f, -0.0f, NAN, 1, 3), (-0.0f, 0.0f, 1, NAN, 2), (-0.0f, -0.0f, NAN, NAN, 2));
    GIVES_2(f64, double, "max(a, b)", (0.0, -0.0, nan, 1, 3), (-0.0, 0.0, 1, nan, 2), (0, 0, nan, nan, 3));
    GIVES_2(f64, double, "max(min(a, b), 0)", (-1, 5), (1, 4), (0, 4));
    GIVES_2(f64, double, "copysign(hypot(a, b), -1) + fmod(a, 2)", (3, 6), (4, 8), (-4, -10));
    GIVES_1(f32, float, "asinh(a) + acosh(a + 1) + atanh(a) + lgamma(a + 1) + erf(a) + (erfc(a) - tgamma(a + 1))", (0),
            (0));
}

/* Also of a signalling NaN, which C libraries and devices treat in different ways. */
static void missing(void **state)
{
    (void)state;
    const uint32_t x[] = {0x7fa00000, 0x3f800000, 0x7fc00000, 0x80000000, 0},
                   y[] = {0x3f800000, 0xffa00000, 0x7fa00000, 0, 0x80000000},
                   least[] = {0x3f800000, 0x3f800000, 0x7fc00000, 0x80000000, 0x80000000},
                   most[] = {0x3f800000, 0x3f800000, 0x7fc00000, 0, 0};
    const void *const in[] = {x, y};
    gives(&oplus_f32, &oplus_f32, "fminf(a, b)", 2, in, 5, least);
    gives(&oplus_f32, &oplus_f32, "fmaxf(a, b)", 2, in, 5, most);
    gives(&oplus_f32, &oplus_f32, "fmin(a, b)", 2, in, 5, least);
    gives(&oplus_f32, &oplus_f32, "fmax((double)a, b)", 2, in, 5, most);
}

/* The body of a macro has C's functions, on a device too. */
OPLUS_MAP(whole_abs, int32_t, float, { return abs((int)a) + (int)(sizeof sqrt(a)); })
OPLUS_ZIP(larger, double, float, double, { return fmaxf(a, 2) + fmin(a, b); })

static void macros_have_those_of_c(void **state)
{
    (void)state;
    const float x[] = {-1.5f, 7};
    const double y[] = {3, NAN};
    for (int i = 0; i < 3; i++) {
        int32_t whole[2];
        double sum[2];
        oplus_device *const dev = ready(i);
        if (!dev) continue;
        good(oplus_map(dev, &whole_abs_fn, (const void *const[]){x}, 2, whole), "whole_abs");
        good(oplus_map(dev, &larger_fn, (const void *const[]){x, y}, 2, sum), "larger");
        assert_true(whole[0] == 9 && whole[1] == 15);
        assert_true(sum[0] == 0.5 && sum[1] == 14);
    }
}

/* --- the type of what a text gives -------------------------------------------------------------------------------- */

static void types(void **state)
{
    (void)state;
    static const struct {
        const oplus_type *input;
        const char *text;
        const oplus_type *type;
    } row[] = {
        {&oplus_i64, "a * 0.5", &oplus_f64},
        {&oplus_i64, "1.0/a // half", &oplus_f64},
        {&oplus_i64, "a / 2", &oplus_i64},
        {&oplus_i8, "a", &oplus_i8},
        {&oplus_i8, "a + a", &oplus_i32},
        {&oplus_i8, "abs(a)", &oplus_i8},
        {&oplus_u16, "max(a, a)", &oplus_u16},
        {&oplus_u16, "a ? a : 0u", &oplus_u32},
        {&oplus_f64, "a > 2", &oplus_i32},
        {&oplus_f64, "(_Bool)a", &oplus_u8},
        {&oplus_f32, "a * 2", &oplus_f32},
        {&oplus_f32, "a * 0.5", &oplus_f64},
        {&oplus_f32, "sqrt(a)", &oplus_f32},
        {&oplus_i32, "sqrt(a)", &oplus_f64},
        {&oplus_i32, "({ float x = a; x; })", &oplus_f32},
        {&oplus_i32, "1ll", &oplus_i64},
        {&oplus_u32, "1ull << a", &oplus_u64},
        {&oplus_i64, "if (a > 1) return a; return 0.5;", &oplus_f64},
        {&oplus_i64, "if (a > 1) { return (int)a; } else return (uint8_t)1;", &oplus_i32},
        {&oplus_i64, "float r = a; return r;", &oplus_f32},
        {&oplus_i32, "r = a; r *= 0.5f", &oplus_f32},
        {&oplus_i64, "r = a * 0.5 // half", &oplus_f64},
        {&oplus_i8, "r = a > 1 ? a, 2 : 0.5; r = 7", &oplus_f64},
        {&oplus_i64, "for (r = 1; r < a; r = r * 2.5) ;", &oplus_f64},
        {&oplus_i64, "r = a, r += 1;", &oplus_i64},
        {&oplus_u16, "r++;", &oplus_u16},
        {&oplus_u16, "memcpy(&r, &a, sizeof r)", &oplus_u16},
        {&oplus_c64, "a.re * 0.5f", &oplus_f32},
        {&oplus_c64, "a", &oplus_c64},
        {&oplus_c64, "oplus_complex64 x = a; return x;", &oplus_c64},
        {&oplus_c64, "r.re = a.im; r.im = a.re", &oplus_c64},
        {&oplus_i32, "a ? \"x\" : \"y\"", &oplus_i32}, /* no element: this is found out when it is made */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const oplus_type *type = NULL;
        good(oplus_text_type(1, &row[i].input, NULL, row[i].text, &type), row[i].text);
        if (type != row[i].type) fail_msg("'%s' of %s is said to give %s", row[i].text, row[i].input->name, type->name);
    }
    const oplus_type *const two[] = {&oplus_i32, &oplus_f64}, *type;
    good(oplus_text_type(2, two, &oplus_f32, "a + p", &type), "a + p");
    assert_ptr_equal(type, &oplus_f32);
    good(oplus_text_type(2, two, &oplus_c64, "p", &type), "p");
    assert_ptr_equal(type, &oplus_c64);
    assert_int_equal(oplus_text_type(2, two, NULL, "if (a) return q; return 1;", &type), OPLUS_ERR_COMPILE);
    assert_non_null(strstr(oplus_last_error(), "function:1:15: error"));
    assert_int_equal(oplus_text_type(2, two, NULL, NULL, &type), OPLUS_ERR_ARGUMENT);
    assert_int_equal(oplus_text_type(0, two, NULL, "a", &type), OPLUS_ERR_ARGUMENT);
    assert_int_equal(oplus_text_type(1, two, NULL, "a", NULL), OPLUS_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicates),
        cmocka_unit_test(macros_assign),
        cmocka_unit_test(texts_do_not),
        cmocka_unit_test(integers),
        cmocka_unit_test(reals),
        cmocka_unit_test(missing),
        cmocka_unit_test(macros_have_those_of_c),
        cmocka_unit_test(types),
    };
    return cmocka_run_group_tests_name("meaning", tests, open_all, close_all);
}
