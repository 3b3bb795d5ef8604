/* The reduces of short segments, of every built-in operator on every instruction set, and of operators of a user: each
 * is P(n) of its own elements, bit for bit, whatever is beside it. */
#include "support/laws.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cores/isa.h"
#include "cores/quiet.h"

OPLUS_STRUCT(map, float a; float b;)
OPLUS_OP(compose, map, (1, 0), 0, {
    map r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_STRUCT(pair, int32_t first; int32_t last;) /* does not commute, and is exact */
OPLUS_OP(ends, pair, (0, 0), 0, {
    pair r;
    r.first = a.first;
    r.last = b.last;
    return r;
})
OPLUS_OP(my_sum, float, (0), 0, { return a + b; })

enum { MOST_BYTES = 16, MOST_SEGMENTS = 1300, LONGEST = 20000, GUARD = 0xa5 };

typedef size_t (*leaf)(const void *in, const uint64_t *offsets, size_t segments, const void *identity, void *out);

typedef struct leaf_trial {
    const char *where; /* an instruction set, or what else compiled the leaf */
    const oplus_op *op;
    leaf segments;
    const opi_isa *isa;
} leaf_trial;

static uint64_t offsets[MOST_SEGMENTS + 1];

/* --- the definition ---------------------------------------------------------------------------------------------- */

static void node(const oplus_op *op, const unsigned char *x, size_t n, unsigned char *out)
{
    unsigned char right[MOST_BYTES];
    if (n == 1) {
        memcpy(out, x, op->type->size);
        return;
    }
    node(op, x, n / 2, out);
    node(op, x + n / 2 * op->type->size, n / 2, right);
    op->combine(out, out, right);
}

/* P(n). */
static void prefix(const oplus_op *op, const unsigned char *x, size_t n, unsigned char *out)
{
    const size_t last = n & -n;
    unsigned char right[MOST_BYTES];
    if (n == 0) {
        memcpy(out, op->identity, op->type->size);
    } else if (n == last) {
        node(op, x, n, out);
    } else {
        prefix(op, x, n - last, out);
        node(op, x + (n - last) * op->type->size, last, right);
        op->combine(out, out, right);
    }
}

/* --- elements and lengths ---------------------------------------------------------------------------------------- */

static bool is_float(const oplus_type *type, oplus_scalar scalar)
{
    return type->scalar == scalar || (type->scalar == OPLUS_RECORD && type->size == (scalar == OPLUS_F32 ? 8 : 16));
}

/* With zeros of both signs, which a sum of zeros keeps, and now and then a NaN. */
static double random_number(rng *r)
{
    static const double special[] = {0.0, -0.0, -0.0, 1.0, -1.0, 1e-42, 3e38, -3e38};
    const uint64_t bits = rng_next(r);
    if (bits % 997 == 0) return __builtin_nan("");
    return bits % 3 == 0 ? special[bits >> 8 & 7] : (double)(bits >> 11) * 0x1p-53 * 4 - 2;
}

static void fill(rng *r, const oplus_type *type, size_t n, unsigned char *x, bool zeros)
{
    const size_t bytes = n * type->size;
    if (is_float(type, OPLUS_F32))
        for (size_t at = 0; at < bytes; at += 4) memcpy(x + at, &(float){zeros ? -0.0f : (float)random_number(r)}, 4);
    else if (is_float(type, OPLUS_F64))
        for (size_t at = 0; at < bytes; at += 8) memcpy(x + at, &(double){zeros ? -0.0 : random_number(r)}, 8);
    else
        for (size_t at = 0; at < bytes; at++) x[at] = zeros ? 0 : (unsigned char)rng_next(r);
}

static size_t constant;

static size_t as_said(rng *r) { return (void)r, constant; }
static size_t tiny(rng *r) { return rng_below(r, 4); }
static size_t brief(rng *r) { return rng_below(r, 71); }
static size_t mostly_none(rng *r) { return rng_below(r, 8) == 0; }
static size_t mostly_few(rng *r) { return rng_below(r, 4) == 0 ? rng_below(r, 9) : 0; }
static size_t middling(rng *r) { return rng_below(r, 300); }
static size_t some_long(rng *r) { return rng_below(r, 37) == 0 ? rng_below(r, 500) : rng_below(r, 6); }
static size_t around_powers(rng *r) { return ((size_t)64 << rng_below(r, 6)) + rng_below(r, 5) - 2; }
static size_t one_giant(rng *r) { return rng_below(r, 300) == 0 ? LONGEST : rng_below(r, 20); }

/* --- the check --------------------------------------------------------------------------------------------------- */

static void expect_results(const leaf_trial *t, const unsigned char *x, size_t begin, size_t end, unsigned char *out)
{
    const size_t size = t->op->type->size;
    opi_quiet quiet;
    opi_quiet_plan(&quiet, t->isa, t->op->type);
    for (size_t s = begin; s < end; s++) {
        const size_t n = (size_t)(offsets[s + 1] - offsets[s]);
        _Alignas(16) unsigned char want[MOST_BYTES], got[MOST_BYTES];
        prefix(t->op, x + offsets[s] * size, n, want);
        memcpy(got, out + s * size, size);
        opi_quiet_run(&quiet, want, 1);
        opi_quiet_run(&quiet, got, 1);
        if (memcmp(want, got, size) != 0)
            fail_msg("%s, %s: segment %zu of %zu elements is wrong (seed %llu)", t->op->name, t->where, s, n,
                     (unsigned long long)test_seed());
    }
}

/* Segments that follow `skipped` elements, in memory that ends where the last of them does. */
static void check(const leaf_trial *t, size_t count, size_t (*length)(rng *), size_t skipped, bool zeros)
{
    const size_t size = t->op->type->size;
    rng r = test_rng("segments");
    offsets[0] = skipped;
    for (size_t s = 0; s < count; s++) offsets[s + 1] = offsets[s] + length(&r);
    const size_t n = (size_t)offsets[count], room = count * size + 64;
    unsigned char *const x = must(malloc(n * size + 1)), *const out = must(malloc(room));
    fill(&r, t->op->type, n, x, zeros);
    memset(out, GUARD, room);
    for (size_t s = 0; s < count; s++) {
        const size_t done = t->segments(x, offsets + s, count - s, t->op->identity, out + s * size);
        assert_in_range(done, 0, count - s);
        expect_results(t, x, s, s + done, out);
        s += done;
        for (size_t at = s * size; at < room; at++) assert_int_equal(out[at], GUARD);
        if (s < count) assert_true(offsets[s + 1] - offsets[s] >= OPLUS_SHORT); /* only such a one stops a leaf */
    }
    free(x);
    free(out);
}

static void check_all(const leaf_trial *t)
{
    static size_t (*const lengths[])(rng *) = {tiny,      brief,    mostly_none, mostly_few,
                                               some_long, middling, one_giant,   around_powers};
    for (constant = 0; constant <= 70; constant++)
        for (size_t skipped = 0; skipped < 2; skipped++) check(t, 35, as_said, skipped, false);
    for (constant = 0; constant < 20; constant++) check(t, 35, as_said, 1, true);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        const bool long_ones = lengths[k] == middling || lengths[k] == around_powers;
        check(t, long_ones ? 100 : MOST_SEGMENTS, lengths[k], k % 4, false);
        for (size_t count = 1; count < 70; count += count < 20 ? 1 : 7) check(t, count, lengths[k], count % 4, false);
    }
}

static void built_in_operators(void **state)
{
    (void)state;
#define OPERATOR(op, suffix, T) &oplus_##op##_##suffix,
    static const oplus_op *const ops[] = {OPLUS_FOR_BUILTINS(OPERATOR)};
    const opi_isa *list[4];
    const int count = opi_isa_list(list);
    assert_int_equal(sizeof ops / sizeof *ops, OPI_BUILTINS);
    for (int i = 0; i < count; i++)
        for (size_t b = 0; b < OPI_BUILTINS; b++) {
            const leaf_trial t = {list[i]->name, ops[b], list[i]->builtin[ops[b]->builtin - 1].tree.segments, list[i]};
            check_all(&t);
        }
}

static void operators_of_a_user(void **state)
{
    (void)state;
    static const oplus_op *const ops[] = {&compose_op, &ends_op, &my_sum_op};
    const opi_isa *list[4];
    const int count = opi_isa_list(list);
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        check_all(&(leaf_trial){"here", ops[k], ops[k]->leaves->segments, list[count - 1]});
}

/* --- are offsets in order? --------------------------------------------------------------------------------------- */

/* One offset that is too small, at each place, and one that is too large for a sign. */
static void falls(void **state)
{
    (void)state;
    enum { MOST = 70 };
    const opi_isa *list[4];
    uint64_t wide[MOST + 1];
    uint32_t narrow[MOST + 1];
    for (int i = opi_isa_list(list) - 1; i >= 0; i--)
        for (size_t n = 0; n <= MOST; n++)
            for (uint64_t gap = 0; gap < 2; gap++)
                for (size_t wrong = 1; wrong <= n + 1; wrong++) { /* n + 1: none is */
                    for (size_t k = 0; k <= n; k++) {
                        wide[k] = (UINT64_C(1) << 40) + k * gap - (k == wrong);
                        narrow[k] = (uint32_t)(UINT32_C(0xffffff00) + k * gap - (k == wrong));
                    }
                    assert_int_equal(list[i]->falls_u64(wide + 1, n, gap), wrong <= n);
                    assert_int_equal(list[i]->falls_u32(narrow + 1, n, gap), wrong <= n);
                    if (wrong > n) continue;
                    for (size_t k = wrong; k <= n; k++) wide[k] = (UINT64_C(1) << 63) + k;
                    assert_true(list[i]->falls_u64(wide + 1, n, gap));
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_operators),
        cmocka_unit_test(operators_of_a_user),
        cmocka_unit_test(falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
