/* Results too large for the caches are written past them, by other loops.  They have the bits of a scan in place, which
 * never writes past the caches, whatever the alignment of the output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <oplus/oplus.h>

#include "cores/isa.h"

enum { BYTES = (8 << 20) + 12345 * 16, SHIFTS = 3 };

OPLUS_STRUCT(line, float slope; float start;)
OPLUS_OP(then, line, (1, 0), 0, {
    line both;
    both.slope = a.slope * b.slope;
    both.start = a.start * b.slope + b.start;
    return both;
})

static const oplus_op *const ops[] = {&oplus_sum_f32, &oplus_prod_f64, &oplus_sum_u8,  &oplus_xor_i16, &oplus_sum_i32,
                                      &oplus_min_i64, &oplus_max_f32,  &oplus_sum_c64, &then_op};
static const char *const places[] = {"serial", "threads:3"};

static unsigned char *in, *in_place, *out, *heads;

static int allocate(void **state)
{
    (void)state;
    in = malloc(BYTES);
    in_place = aligned_alloc(64, BYTES / 64 * 64 + 64);
    out = aligned_alloc(64, BYTES / 64 * 64 + 64 + 4096);
    heads = malloc(BYTES);
    return !(in && in_place && out && heads);
}

static int release(void **state)
{
    (void)state;
    free(in);
    free(in_place);
    free(out);
    free(heads);
    return 0;
}

/* Values near one, so that products stay finite; a NaN of any payload in the last third. */
static void fill(const oplus_type *type)
{
    uint32_t random = 7;
    for (size_t i = 0; i < BYTES; i++) heads[i] = (random = random * 1664525u + 1013904223u) >> 24 == 0;
    if (type->scalar != OPLUS_F32 && type->scalar != OPLUS_F64 && type->scalar != OPLUS_RECORD) {
        for (size_t i = 0; i < BYTES; i++) in[i] = (unsigned char)((random = random * 1664525u + 1013904223u) >> 24);
        return;
    }
    const uint32_t nan = 0xffc01234;
    for (size_t i = 0; i + 8 <= BYTES; i += 8) {
        random = random * 1664525u + 1013904223u;
        const double d = 1 + ((double)random - 0x1p31) * 0x1p-50;
        const float f[2] = {(float)(1 + ((double)random - 0x1p31) * 0x1p-40), (float)(random >> 8) * 0x1p-24f};
        memcpy(in + i, type->scalar == OPLUS_F64 ? (const void *)&d : (const void *)f, 8);
    }
    if (type->scalar != OPLUS_F64) memcpy(in + BYTES / 3 * 2 / 8 * 8, &nan, sizeof nan);
}

/* A scan of elements that begin inside a block of the tree. */
static void scan_from_third(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *x, size_t n, void *to)
{
    oplus_carry *carry;
    assert_int_equal(oplus_carry_open(op, 3, &carry), OPLUS_OK);
    assert_int_equal(oplus_scan_from(dev, carry, kind, x, n, to), OPLUS_OK);
    oplus_carry_close(carry);
}

static void compare(const oplus_op *op, const char *place, const char *isa, int way, size_t shift)
{
    const size_t size = op->type->size, n = BYTES / size;
    const oplus_kind kind = way & 1 ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    unsigned char *const to = out + shift * size;
    oplus_device *dev;
    assert_int_equal(oplus_open(place, &dev), OPLUS_OK);
    memcpy(in_place, in, n * size);
    memset(out, 0x55, n * size + 4096);
    if (way & 2) {
        assert_int_equal(oplus_segscan(dev, op, kind, in_place, heads, n, in_place), OPLUS_OK);
        assert_int_equal(oplus_segscan(dev, op, kind, in, heads, n, to), OPLUS_OK);
    } else if (way & 4) {
        scan_from_third(dev, op, kind, in_place, n, in_place);
        scan_from_third(dev, op, kind, in, n, to);
    } else {
        assert_int_equal(oplus_scan(dev, op, kind, in_place, n, in_place), OPLUS_OK);
        assert_int_equal(oplus_scan(dev, op, kind, in, n, to), OPLUS_OK);
    }
    oplus_close(dev);
    if (memcmp(to, in_place, n * size)) { /* as a whole: the sanitizers make each call slow */
        size_t i = 0;
        while (memcmp(to + i * size, in_place + i * size, size) == 0) i++;
        fail_msg("%s on %s %s, way %d, %zu elements off a line: result %zu of %zu differs", op->name, place, isa, way,
                 shift, i, n);
    }
    for (size_t i = 0; i < shift * size; i++) assert_int_equal(out[i], 0x55);
    for (size_t i = 0; i < 64; i++) assert_int_equal(to[n * size + i], 0x55);
}

static void streamed_as_in_place(void **state)
{
    (void)state;
    const size_t shifts[SHIFTS] = {0, 1, 64};
    const opi_isa *isas[4];
    const int isa_count = opi_isa_list(isas);
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        fill(ops[o]->type);
        for (int i = getenv("OPLUS_TEST_QUICK") ? isa_count - 1 : 0; i < isa_count; i++)
            for (int p = 0; p < 2; p++)
                for (int way = 0; way < 6; way++)
                    for (int s = 0; s < SHIFTS; s++) {
                        setenv("OPLUS_ISA", isas[i]->name, 1);
                        compare(ops[o], places[p], isas[i]->name, way, shifts[s]);
                    }
        unsetenv("OPLUS_ISA");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(streamed_as_in_place)};
    return cmocka_run_group_tests(tests, allocate, release);
}
