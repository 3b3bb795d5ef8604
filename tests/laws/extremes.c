/* argmin, argmax and minmax are what a plain loop finds, for every type, place, size and memory: the first of equal elements
 * counts, a NaN is an extreme, and -0 is less than +0. */
#include "support/laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the plain loops: whether x is further down (or up) than y ------------------------------------------------------ */

#define INTEGER(suffix, T)                                                                                             \
    static bool suffix##_beats(const void *x, const void *y, bool greatest)                                            \
    {                                                                                                                  \
        const T a = *(const T *)x, b = *(const T *)y;                                                                  \
        return greatest ? a > b : a < b;                                                                               \
    }
#define FLOATING(suffix, T)                                                                                            \
    static bool suffix##_beats(const void *x, const void *y, bool greatest)                                            \
    {                                                                                                                  \
        const T a = *(const T *)x, b = *(const T *)y;                                                                  \
        if (isnan(a) || isnan(b)) return isnan(a) && !isnan(b);                                                        \
        if (a == 0 && b == 0) return !signbit(a) == greatest && !signbit(b) != greatest;                               \
        return greatest ? a > b : a < b;                                                                               \
    }
INTEGER(i8, int8_t)
INTEGER(i16, int16_t)
INTEGER(i32, int32_t)
INTEGER(i64, int64_t)
INTEGER(u8, uint8_t)
INTEGER(u16, uint16_t)
INTEGER(u32, uint32_t)
INTEGER(u64, uint64_t)
FLOATING(f32, float)
FLOATING(f64, double)

static const struct kind {
    const oplus_type *type;
    bool (*beats)(const void *x, const void *y, bool greatest);
} kinds[] = {{&oplus_f32, f32_beats}, {&oplus_i16, i16_beats}, {&oplus_u64, u64_beats}, {&oplus_u8, u8_beats},
             {&oplus_f64, f64_beats}, {&oplus_i8, i8_beats},   {&oplus_u16, u16_beats}, {&oplus_i32, i32_beats},
             {&oplus_u32, u32_beats}, {&oplus_i64, i64_beats}, {&oplus_bool, u8_beats}};
enum { KINDS_OF_ELEMENTS = sizeof kinds / sizeof *kinds, FEW_KINDS = 3, MOST = 300000 };

static size_t plain(const struct kind *k, const unsigned char *x, size_t n, bool greatest)
{
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        if (k->beats(x + i * k->type->size, x + at * k->type->size, greatest)) at = i;
    return at;
}

/* --- elements: many that are equal, or few; zeros of both signs; sometimes a NaN, with any sign and payload ---------- */

static void fill_float(rng *r, const oplus_type *type, unsigned char *x, size_t n, unsigned style)
{
    for (size_t i = 0; i < n; i++) {
        const double value = style == 0   ? (double)rng_below(r, 3) - 1
                             : style == 1 ? -(double)i
                             : style == 2 ? (rng_below(r, 2) ? 0.0 : -0.0)
                                          : rng_unit(r) - 0.5;
        const float narrow = (float)value;
        memcpy(x + i * type->size, type->size == 4 ? (const void *)&narrow : &value, type->size);
    }
    for (uint64_t k = rng_below(r, 4); k > 0 && n > 0; k--) {
        const uint64_t sign = rng_below(r, 2), payload = 1 + rng_below(r, 1000);
        const uint32_t narrow = (uint32_t)(sign << 31 | 0x7f800000u | payload);
        const uint64_t wide = sign << 63 | UINT64_C(0x7ff0000000000000) | payload;
        memcpy(x + rng_below(r, n) * type->size, type->size == 4 ? (const void *)&narrow : &wide, type->size);
    }
}

static void fill(rng *r, const oplus_type *type, unsigned char *x, size_t n)
{
    const unsigned style = (unsigned)rng_below(r, 5);
    if (type->scalar == OPLUS_F32 || type->scalar == OPLUS_F64) {
        fill_float(r, type, x, n, style);
        return;
    }
    for (size_t i = 0; i < n * type->size; i++)
        x[i] = (unsigned char)(style == 0 ? 0 : style == 1 ? 0xff : style == 2 ? rng_below(r, 2) : rng_next(r));
    if (type == &oplus_bool)
        for (size_t i = 0; i < n; i++) x[i] &= 1;
}

/* --- the law ---------------------------------------------------------------------------------------------------------- */

typedef struct trial_of {
    const place *at;
    const struct kind *kind;
    size_t n;
} trial_of;

static void expect_place(const trial_of *t, const char *call, size_t got, size_t expected)
{
    if (got == expected) return;
    fail_msg("%s %s: %s of %zu elements of %s: %zu, and the plain loop finds %zu; OPLUS_TEST_SEED=%llu", t->at->where,
             t->at->isa, call, t->n, t->kind->type->name, got, expected, (unsigned long long)test_seed());
}

/* The values that minima and maxima give, too. */
static void expect_values(const trial_of *t, const unsigned char *x, const unsigned char *got)
{
    for (int side = 0; side < 2; side++) {
        const oplus_type *const type = t->kind->type;
        unsigned char expected[8] = {0};
        memcpy(expected, x + plain(t->kind, x, t->n, side == 1) * type->size, type->size);
        if (type->scalar == OPLUS_F32) quiet_f32(expected);
        if (type->scalar == OPLUS_F64) quiet_f64(expected);
        if (memcmp(expected, got + (size_t)side * type->size, type->size) != 0)
            fail_msg("%s %s: minmax of %zu elements of %s is wrong on side %d; OPLUS_TEST_SEED=%llu", t->at->where,
                     t->at->isa, t->n, type->name, side, (unsigned long long)test_seed());
    }
}

/* in: the elements where the calls find them; out: room for results. */
static void look(const trial_of *t, const unsigned char *x, const void *in, void *out)
{
    oplus_device *const dev = t->at->dev;
    const oplus_type *const type = t->kind->type;
    size_t at;
    unsigned char both[16];
    must_be_ok(oplus_argmin(dev, type, in, t->n, out), "argmin");
    must_be_ok(oplus_copy(dev, &at, out, sizeof at), "copy");
    expect_place(t, "argmin", at, plain(t->kind, x, t->n, false));
    must_be_ok(oplus_argmax(dev, type, in, t->n, out), "argmax");
    must_be_ok(oplus_copy(dev, &at, out, sizeof at), "copy");
    expect_place(t, "argmax", at, plain(t->kind, x, t->n, true));
    must_be_ok(oplus_minmax(dev, type, in, t->n, out), "minmax");
    must_be_ok(oplus_copy(dev, both, out, 2 * type->size), "copy");
    expect_values(t, x, both);
}

static void try_size(rng *r, const place *at, const struct kind *kind, size_t n)
{
    const size_t size = kind->type->size, skew = rng_below(r, 3); /* arrays are aligned to their type, and to no more */
    const trial_of t = {at, kind, n};
    unsigned char *const mem = must(malloc((n + skew) * size)), *const x = mem + skew * size, result[16], *there;
    fill(r, kind->type, x, n);
    look(&t, x, x, (void *)result);
    if (at->accelerator) {
        must_be_ok(oplus_alloc(at->dev, 64 + (n + skew) * size, (void **)&there), "alloc");
        must_be_ok(oplus_copy(at->dev, there + 64, mem, (n + skew) * size), "copy");
        look(&t, x, there + 64 + skew * size, there);
        oplus_free(at->dev, there);
    }
    free(mem);
}

static void extremes_are_what_a_plain_loop_finds(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 63, 64, 65, 129, 4096, 4097, 16384, 65537, 131072, MOST};
    size_t count;
    const place *place = all_places(&count);
    rng r = test_rng("extremes");
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const bool few = place[i].accelerator && !stand_at(&place[i], NULL, false); /* each type is a program there */
        for (size_t k = 0; k < (few ? FEW_KINDS : KINDS_OF_ELEMENTS); k++) {
            if (kinds[k].type == &oplus_f64 && few) continue;
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) try_size(&r, &place[i], &kinds[k], sizes[s]);
            for (int more = test_quick() ? 2 : 12; more > 0; more--)
                try_size(&r, &place[i], &kinds[k], 1 + rng_below(&r, (size_t)1 << (1 + rng_below(&r, 18))));
        }
    }
}

/* --- along an axis: what the plain loop finds in each row ------------------------------------------------------------- */

typedef struct shape {
    size_t outer, n, inner;
} shape;

/* in, out: as of look(); an index has 4 or 8 bytes. */
static void look_along(const trial_of *t, shape s, bool greatest, const unsigned char *x, const void *in, void *out)
{
    const oplus_type *const type = t->kind->type, *const index = t->n % 2 ? &oplus_u32 : &oplus_i64;
    const size_t rows = s.outer * s.inner, size = type->size;
    unsigned char *const row = must(malloc(s.n * size)), *const got = must(malloc(rows * index->size));
    must_be_ok(
        (greatest ? oplus_argmax_axis : oplus_argmin_axis)(t->at->dev, type, in, s.outer, s.n, s.inner, index, out),
        "argmin_axis");
    must_be_ok(oplus_copy(t->at->dev, got, out, rows * index->size), "copy");
    for (size_t k = 0; k < rows; k++) {
        size_t at = 0;
        memcpy(&at, got + k * index->size, index->size);
        for (size_t i = 0; i < s.n; i++)
            memcpy(row + i * size, x + ((k / s.inner * s.n + i) * s.inner + k % s.inner) * size, size);
        const size_t expected = plain(t->kind, row, s.n, greatest);
        if (at != expected)
            fail_msg("%s %s: arg%s of row %zu of %s, %zu x %zu x %zu: %zu, and the plain loop finds %zu; "
                     "OPLUS_TEST_SEED=%llu",
                     t->at->where, t->at->isa, greatest ? "max" : "min", k, type->name, s.outer, s.n, s.inner, at,
                     expected, (unsigned long long)test_seed());
    }
    free(row);
    free(got);
}

static void try_shape(rng *r, const place *at, const struct kind *kind, shape s)
{
    const size_t n = s.outer * s.n * s.inner, size = kind->type->size, skew = rng_below(r, 3);
    const trial_of t = {at, kind, n};
    const bool greatest = rng_below(r, 2) == 0;
    unsigned char *const mem = must(malloc((n + skew) * size)), *const x = mem + skew * size, *there;
    uint64_t *const out = must(malloc(s.outer * s.inner * sizeof *out));
    fill(r, kind->type, x, n);
    if (at->accelerator && rng_below(r, 4)) {
        must_be_ok(oplus_alloc(at->dev, 64 + (n + skew) * size, (void **)&there), "alloc");
        must_be_ok(oplus_copy(at->dev, there + 64, mem, (n + skew) * size), "copy");
        void *to;
        must_be_ok(oplus_alloc(at->dev, s.outer * s.inner * sizeof *out, &to), "alloc");
        look_along(&t, s, greatest, x, there + 64 + skew * size, to);
        oplus_free(at->dev, to);
        oplus_free(at->dev, there);
    } else {
        look_along(&t, s, greatest, x, x, out);
    }
    free(out);
    free(mem);
}

static void rows_along_an_axis_are_as_plain_loops(void **state)
{
    static const shape shapes[] = {{1, 1, 1},   {5, 1, 3},     {3, 2, 1},     {400, 3, 1}, {90, 5, 33},
                                   {2, 255, 9}, {1, 256, 40},  {3, 257, 31},  {2, 700, 1}, {1, 20, 3000},
                                   {7, 90, 64}, {1, 70001, 1}, {1, 60001, 2}, {2, 9001, 5}};
    size_t count;
    const place *place = all_places(&count);
    rng r = test_rng("extremes along an axis");
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const bool few = place[i].accelerator && !stand_at(&place[i], NULL, false); /* each type is a program there */
        for (size_t k = 0; k < (few ? FEW_KINDS : KINDS_OF_ELEMENTS); k++) {
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                if (!few || rng_below(&r, 3) == 0) try_shape(&r, &place[i], &kinds[k], shapes[s]);
            for (int more = test_quick() ? 2 : 12; more > 0; more--) {
                const size_t n = 1 + rng_below(&r, (size_t)1 << rng_below(&r, 11));
                const size_t inner = rng_below(&r, 3) ? 1 + rng_below(&r, (size_t)1 << rng_below(&r, 8)) : 1;
                try_shape(&r, &place[i], &kinds[k], (shape){1 + rng_below(&r, 1 + 20000 / n / inner), n, inner});
                const size_t few = 1 + rng_below(&r, rng_below(&r, 2) ? 20 : 300); /* short rows */
                try_shape(&r, &place[i], &kinds[k], (shape){1 + rng_below(&r, 1 + 20000 / few), few, 1});
            }
        }
    }
}

/* Few rows, or columns, that are long are dealt out in pieces; the same element is in many of them. */
static void long_rows_are_cut(void **state)
{
    static const shape shapes[] = {{1, 600001, 1}, {2, 300007, 2}, {1, 150001, 7}, {2, 400009, 1}};
    size_t count;
    const place *place = all_places(&count);
    rng r = test_rng("long rows");
    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (place[i].accelerator) continue;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            try_shape(&r, &place[i], &kinds[rng_below(&r, KINDS_OF_ELEMENTS)], shapes[s]);
    }
}

/* One element, at each place of an array of zeros, is found there. */
static void one_is_found_anywhere(void **state)
{
    enum { N = 3000 };
    static int32_t x[N];
    size_t count, at;
    const place *place = all_places(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (place[i].accelerator) continue;
        for (size_t k = 0; k < N; k += test_quick() ? 7 : 1) {
            x[k] = 1;
            must_be_ok(oplus_argmax(place[i].dev, &oplus_i32, x, N, &at), "argmax");
            assert_int_equal(at, k);
            x[k] = -1;
            must_be_ok(oplus_argmin(place[i].dev, &oplus_i32, x, N, &at), "argmin");
            assert_int_equal(at, k);
            x[k] = 0;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_are_what_a_plain_loop_finds), cmocka_unit_test(one_is_found_anywhere),
        cmocka_unit_test(rows_along_an_axis_are_as_plain_loops), cmocka_unit_test(long_rows_are_cut)};
    const int failed = cmocka_run_group_tests_name("extremes", tests, NULL, NULL);
    close_places();
    return failed;
}
