/* The minimum and the maximum of two floats, for each pair of kinds of floats: zeros, denormals, numbers, infinities, NaNs of
 * each sign and payload.  A NaN wins, and then -0 < +0; both as built-in operators and as functions of a text. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bits of floats, and of doubles of the same kinds. */
static const uint32_t kinds_f32[] = {0,          1,          0x007fffff, 0x00800000, 0x3f7fffff, 0x3f800000,
                                     0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff};
static const uint64_t kinds_f64[] = {0,
                                     1,
                                     UINT64_C(0x000fffffffffffff),
                                     UINT64_C(0x0010000000000000),
                                     UINT64_C(0x3fefffffffffffff),
                                     UINT64_C(0x3ff0000000000000),
                                     UINT64_C(0x7fefffffffffffff),
                                     UINT64_C(0x7ff0000000000000),
                                     UINT64_C(0x7ff0000000000001),
                                     UINT64_C(0x7ff7ffffffffffff),
                                     UINT64_C(0x7ff8000000000000),
                                     UINT64_C(0x7fffffffffffffff)};
enum {
    SIGNED = 2 * sizeof kinds_f32 / sizeof *kinds_f32,
    PAIRS = SIGNED * SIGNED,
    WIDTHS = 2 /* f32, f64 */
};

/* Bits of 4 or 8 bytes.  The magnitudes above `infinity` are those of NaNs. */
typedef struct width {
    const char *subject; /* what must be compiled at a place */
    const oplus_type *type;
    const oplus_op *least, *greatest;
    uint64_t sign, infinity, nan;
} width;

static const width widths[WIDTHS] = {
    {"max_f32", &oplus_f32, &oplus_min_f32, &oplus_max_f32, 0x80000000, 0x7f800000, 0x7fc00000},
    {"max_f64", &oplus_f64, &oplus_min_f64, &oplus_max_f64, UINT64_C(0x8000000000000000), UINT64_C(0x7ff0000000000000),
     UINT64_C(0x7ff8000000000000)},
};

static uint64_t kind(int w, int i)
{
    const int half = SIGNED / 2;
    const uint64_t bits = w == 0 ? kinds_f32[i % half] : kinds_f64[i % half];
    return i < half ? bits : bits | widths[w].sign;
}

/* The order of bits is that of magnitudes: no float is compared here. */
static bool is_less(const width *w, uint64_t a, uint64_t b)
{
    const bool a_below = a & w->sign, b_below = b & w->sign;
    return a_below != b_below ? a_below : a_below ? a > b : a < b;
}

static uint64_t expected(const width *w, uint64_t a, uint64_t b, bool greatest)
{
    if ((a & ~w->sign) > w->infinity || (b & ~w->sign) > w->infinity) return w->nan;
    return is_less(w, a, b) == greatest ? b : a;
}

/* --- the calls ------------------------------------------------------------------------------------------------------ */

typedef struct pairs {
    uint64_t a[PAIRS], b[PAIRS]; /* arrays of elements, */
    uint64_t both[2 * PAIRS];    /* and the pairs side by side */
    uint64_t got[PAIRS];
    uint32_t offsets[PAIRS + 1];
} pairs;

static void put(void *array, size_t size, size_t i, uint64_t bits) { memcpy((char *)array + i * size, &bits, size); }

static uint64_t get(const void *array, size_t size, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * size, size);
    return bits;
}

static void fill(pairs *p, int w)
{
    const size_t size = widths[w].type->size;
    for (size_t i = 0; i < PAIRS; i++) {
        const uint64_t a = kind(w, (int)i / SIGNED), b = kind(w, (int)i % SIGNED);
        put(p->a, size, i, a);
        put(p->b, size, i, b);
        put(p->both, size, 2 * i, a);
        put(p->both, size, 2 * i + 1, b);
        p->offsets[i] = (uint32_t)(2 * i);
    }
    p->offsets[PAIRS] = 2 * PAIRS;
}

static void check(const pairs *p, int w, bool greatest, const char *where, const char *what)
{
    const size_t size = widths[w].type->size;
    for (size_t i = 0; i < PAIRS; i++) {
        const uint64_t a = get(p->a, size, i), b = get(p->b, size, i), got = get(p->got, size, i);
        const uint64_t want = expected(&widths[w], a, b, greatest);
        if (got != want)
            fail_msg("%s, %s, %s of 0x%llx and 0x%llx: 0x%llx, not 0x%llx", where, what, greatest ? "max" : "min",
                     (unsigned long long)a, (unsigned long long)b, (unsigned long long)got, (unsigned long long)want);
    }
}

static void try_operators(oplus_device *dev, pairs *p, int w, bool greatest, const char *where)
{
    const oplus_op *const op = greatest ? widths[w].greatest : widths[w].least;
    assert_int_equal(oplus_segreduce(dev, op, p->both, 2 * PAIRS, &oplus_u32, p->offsets, PAIRS, p->got), OPLUS_OK);
    check(p, w, greatest, where, "segments of two");
    for (size_t i = 0; i < PAIRS; i++) {
        const size_t size = widths[w].type->size;
        assert_int_equal(oplus_reduce(dev, op, (char *)p->both + 2 * i * size, 2, (char *)p->got + i * size), OPLUS_OK);
    }
    check(p, w, greatest, where, "reduces of two");
}

static void try_text(oplus_device *dev, pairs *p, int w, bool greatest, const char *where)
{
    const oplus_type *const types[] = {widths[w].type, widths[w].type};
    const void *const arrays[] = {p->a, p->b};
    oplus_fn *fn;
    assert_int_equal(oplus_fn_make(NULL, types[0], 2, types, NULL, greatest ? "max(a, b)" : "min(a, b)", &fn),
                     OPLUS_OK);
    assert_int_equal(oplus_map(dev, fn, arrays, PAIRS, p->got), OPLUS_OK);
    oplus_fn_free(fn);
    check(p, w, greatest, where, "a text");
}

static void pairs_of_kinds_have_one_extreme(void **state)
{
    pairs *const p = must(malloc(sizeof *p));
    size_t place_count;
    const place *const at = all_places(&place_count);
    (void)state;
    for (int w = 0; w < WIDTHS; w++) {
        fill(p, w);
        for (size_t k = 0; k < place_count; k++)
            for (int greatest = 0; greatest < 2 && stand_at(&at[k], subject_named(widths[w].subject), false);
                 greatest++) {
                try_operators(at[k].dev, p, w, greatest, at[k].where);
                try_text(at[k].dev, p, w, greatest, at[k].where);
            }
    }
    free(p);
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_of_kinds_have_one_extreme)};
    return cmocka_run_group_tests_name("float_pairs", tests, NULL, close_all);
}
