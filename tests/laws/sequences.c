/* Numbers at equal distances are what a plain loop computes for each by itself: of every scalar type, in any memory, and in
 * parts as in the whole. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200000, GUARD = 64, LARGEST = 8, KINDS_OF_NUMBERS = 10 };

/* The plain loop of each scalar type. */
#define INTEGERS(suffix, T)                                                                                            \
    static void expect_##suffix(const void *start, const void *step, uint64_t i, void *out)                            \
    {                                                                                                                  \
        *(T *)out = (T)((uint64_t) * (const T *)start + i * (uint64_t) * (const T *)step);                             \
    }
#define FLOATS(suffix, T)                                                                                              \
    static void expect_##suffix(const void *start, const void *step, uint64_t i, void *out)                            \
    {                                                                                                                  \
        volatile T product = (T)i * *(const T *)step;                                                                  \
        *(T *)out = *(const T *)start + product;                                                                       \
    }
INTEGERS(i8, int8_t)
INTEGERS(i16, int16_t)
INTEGERS(i32, int32_t)
INTEGERS(i64, int64_t)
INTEGERS(u8, uint8_t)
INTEGERS(u16, uint16_t)
INTEGERS(u32, uint32_t)
INTEGERS(u64, uint64_t)
FLOATS(f32, float)
FLOATS(f64, double)

static const struct {
    const oplus_type *type;
    void (*expect)(const void *start, const void *step, uint64_t i, void *out);
} kinds[KINDS_OF_NUMBERS] = {
#define ROW(suffix, T, scalar) {&oplus_##suffix, expect_##suffix},
    OPLUS_FOR_SCALARS(ROW)
#undef ROW
};

static unsigned char *out, *expected;

static int allocate(void **state)
{
    (void)state;
    out = must(malloc((size_t)MOST * LARGEST + 2 * GUARD));
    expected = must(malloc((size_t)MOST * LARGEST));
    return 0;
}

static int release(void **state)
{
    (void)state;
    free(out);
    free(expected);
    close_places();
    return 0;
}

/* A number of a type: small, or for an integer any. */
static void draw_number(rng *r, const oplus_type *type, void *to)
{
    const uint64_t bits = rng_next(r);
    const double small = (double)(int64_t)rng_below(r, 2001) / 8 - 125;
    if (type->scalar == OPLUS_F32)
        *(float *)to = (float)small;
    else if (type->scalar == OPLUS_F64)
        *(double *)to = small;
    else
        memcpy(to, &bits, type->size);
}

static void complain(const place *at, const oplus_type *type, size_t n, uint64_t first, const char *what)
{
    fail_msg("%s %s: iota of %s, n = %zu, first = %llu: %s; OPLUS_TEST_SEED=%llu", at->where, at->isa, type->name, n,
             (unsigned long long)first, what, (unsigned long long)test_seed());
}

/* Writes a sequence at `skew` numbers behind an aligned address, in two parts that meet at `cut`. */
static void write_parts(const place *at, const oplus_type *type, const void *start, const void *step, uint64_t first,
                        size_t n, size_t cut, unsigned char *to)
{
    must_be_ok(oplus_iota(at->dev, type, start, step, first, cut, to), "oplus_iota");
    must_be_ok(oplus_iota(at->dev, type, start, step, first + cut, n - cut, to + cut * type->size), "oplus_iota");
}

static void try_once(rng *r, const place *at, int kind)
{
    static const size_t most[] = {40, 600, 5000, 70000, MOST};
    static const uint64_t firsts[] = {0, 0, 3, (uint64_t)1 << 31, ((uint64_t)1 << 62) + 7};
    const oplus_type *const type = kinds[kind].type;
    const size_t size = type->size, n = rng_below(r, most[rng_below(r, 5)]), skew = rng_below(r, 4) * size;
    const size_t cut = rng_below(r, 2) ? n : rng_below(r, n + 1), bytes = skew + n * size + GUARD;
    const uint64_t first = firsts[rng_below(r, 5)];
    const bool device = at->accelerator && rng_below(r, 2), whole = rng_below(r, 4) == 0;
    _Alignas(LARGEST) char start[LARGEST] = {0}, step[LARGEST];
    void *mem = NULL;
    draw_number(r, type, step);
    if (!whole) draw_number(r, type, start);
    for (size_t i = 0; i < n; i++) kinds[kind].expect(start, step, first + i, expected + i * size);
    memset(out, 0xa5, bytes);
    if (device) {
        must_be_ok(oplus_alloc(at->dev, bytes, &mem), "oplus_alloc");
        must_be_ok(oplus_copy(at->dev, mem, out, bytes), "oplus_copy");
    }
    write_parts(at, type, whole ? NULL : start, step, first, n, cut, (device ? (unsigned char *)mem : out) + skew);
    if (device) must_be_ok(oplus_copy(at->dev, out, mem, bytes), "oplus_copy");
    oplus_free(at->dev, mem);
    if (memcmp(out + skew, expected, n * size) != 0) complain(at, type, n, first, "other bits");
    for (size_t i = 0; i < skew; i++)
        if (out[i] != 0xa5) complain(at, type, n, first, "it writes before its beginning");
    for (size_t i = skew + n * size; i < bytes; i++)
        if (out[i] != 0xa5) complain(at, type, n, first, "it writes behind its end");
}

static void each_is_computed_by_itself(void **state)
{
    size_t places;
    const place *const place = all_places(&places);
    const int times = test_quick() ? 6 : 25;
    rng r = test_rng("sequences");
    (void)state;
    for (size_t p = 0; p < places; p++)
        for (int kind = 0; kind < KINDS_OF_NUMBERS; kind++)
            for (int i = 0; i < times; i++) try_once(&r, &place[p], kind);
}

static void without_start_and_step_it_counts(void **state)
{
    size_t places;
    oplus_device *const dev = all_places(&places)[0].dev;
    int16_t x[5];
    float y[5];
    (void)state;
    must_be_ok(oplus_iota(dev, &oplus_i16, NULL, NULL, 0, 5, x), "oplus_iota");
    must_be_ok(oplus_iota(dev, &oplus_f32, NULL, NULL, 7, 5, y), "oplus_iota");
    for (int i = 0; i < 5; i++) assert_true(x[i] == i && y[i] == (float)(7 + i));
    must_be_ok(oplus_iota(dev, &oplus_f32, NULL, NULL, 0, 0, NULL), "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_computed_by_itself),
                                       cmocka_unit_test(without_start_and_step_it_counts)};
    return cmocka_run_group_tests_name("sequences", tests, allocate, release);
}
