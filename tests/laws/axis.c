/* Along an axis each row has the bits of the reduce and of the scan of that row by itself, whatever stands around it: for
 * every operator, place, kind, memory, alignment and shape, in place, too. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    size_t outer, n, inner;
} shape;

/* A shape under test. */
typedef struct trial_of {
    const place *at;
    const subject *s;
    shape shape;
    size_t size, rows, items;
    unsigned char *x;
} trial_of;

static size_t index_of(const trial_of *t, size_t row, size_t i)
{
    const size_t inner = t->shape.inner;
    return (row / inner * t->shape.n + i) * inner + row % inner;
}

/* The row by itself. */
static void gather(const trial_of *t, size_t row, unsigned char *to)
{
    for (size_t i = 0; i < t->shape.n; i++) memcpy(to + i * t->size, t->x + index_of(t, row, i) * t->size, t->size);
}

/* --- what is expected: the reference of each row ------------------------------------------------------------------- */

/* Of what the library writes, padding alone may differ. */
static void blank(const subject *s, unsigned char *x)
{
    if (s->blank) s->blank(x);
}

static void finish(const subject *s, unsigned char *x)
{
    if (s->quiet) s->quiet(x);
    blank(s, x);
}

/* Writes P(1) ... P(n) of a row, where 2^level elements make a node of nodes[level]. */
static void scan_row(const trial_of *t, const unsigned char *row, unsigned char *prefix)
{
    const subject *const s = t->s;
    const size_t size = t->size;
    unsigned char *const node = must(malloc(128 * size)), *const before = node + 64 * size;
    for (size_t i = 0; i < t->shape.n; i++) {
        unsigned k = 0;
        unsigned char *const own = prefix + i * size;
        memcpy(own, row + i * size, size);
        for (; i >> k & 1; k++) s->combine(own, node + k * size, own);
        memcpy(node + k * size, own, size);
        const size_t q = (i + 1) & i;
        if (q > 0) s->combine(own, before + (size_t)__builtin_ctzll(q) * size, own);
        memcpy(before + k * size, own, size);
    }
    free(node);
}

static void fail_at(const trial_of *t, const char *call, size_t row, size_t i)
{
    fail_msg("%s %s: %s of %s, %zu x %zu x %zu: element %zu of row %zu is wrong; OPLUS_TEST_SEED=%llu", t->at->where,
             t->at->isa, call, t->s->name, t->shape.outer, t->shape.n, t->shape.inner, i, row,
             (unsigned long long)test_seed());
}

/* Compares what the three calls gave with the reference. */
static void compare(const trial_of *t, const unsigned char *sums, unsigned char *inclusive, unsigned char *exclusive)
{
    const size_t n = t->shape.n, size = t->size;
    unsigned char *const row = must(malloc(2 * (n + 1) * size)), *const prefix = row + (n + 1) * size;
    unsigned char *const own = must(malloc(size));
    for (size_t r = 0; r < t->rows; r++) {
        gather(t, r, row);
        scan_row(t, row, prefix);
        for (size_t i = 0; i < n; i++) {
            const size_t at = index_of(t, r, i) * size;
            memcpy(own, i > 0 ? prefix + (i - 1) * size : t->s->op->identity ? t->s->op->identity : row, size);
            finish(t->s, own);
            blank(t->s, exclusive + at);
            if (t->s->op->identity && memcmp(own, exclusive + at, size) != 0) fail_at(t, "exclusive scan", r, i);
            memcpy(own, prefix + i * size, size);
            finish(t->s, own);
            blank(t->s, inclusive + at);
            if (memcmp(own, inclusive + at, size) != 0) fail_at(t, "inclusive scan", r, i);
        }
        if (n == 0 && !t->s->op->identity) continue;
        if (n == 0) memcpy(own, t->s->op->identity, size);
        finish(t->s, own);
        unsigned char *const sum = (unsigned char *)sums + r * size;
        blank(t->s, sum);
        if (memcmp(own, sum, size) != 0) fail_at(t, "reduce", r, 0);
    }
    free(row);
    free(own);
}

/* --- the calls ----------------------------------------------------------------------------------------------------- */

/* Runs them on arrays at `in`, `sums` and `out`, in this memory or the device's; results come back to this memory. */
static void run(const trial_of *t, void *in, void *sums, void *out, bool in_place, unsigned char *to[3])
{
    oplus_device *const dev = t->at->dev;
    const oplus_op *const op = t->s->op;
    const shape *const s = &t->shape;
    const size_t bytes = t->items * t->size;
    if (s->n > 0 || op->identity) {
        must_be_ok(oplus_reduce_axis(dev, op, in, s->outer, s->n, s->inner, sums), "reduce_axis");
        must_be_ok(oplus_copy(dev, to[0], sums, t->rows * t->size), "copy");
    }
    for (int exclusive = 0; exclusive < (op->identity ? 2 : 1); exclusive++) {
        const oplus_kind kind = exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
        if (in_place) must_be_ok(oplus_copy(dev, out, t->x, bytes), "copy");
        must_be_ok(oplus_scan_axis(dev, op, kind, in_place ? out : in, s->outer, s->n, s->inner, out), "scan_axis");
        must_be_ok(oplus_copy(dev, to[1 + exclusive], out, bytes), "copy");
    }
}

static void try_shape(rng *r, const place *at, const subject *s, shape shape)
{
    trial_of t = {at,  s, shape, s->op->type->size, shape.outer * shape.inner, shape.outer * shape.n * shape.inner,
                  NULL};
    const size_t bytes = t.items * t.size, skew = rng_below(r, 3) * t.size, sums = t.rows * t.size;
    const size_t apart = (bytes > sums ? bytes : sums) + 2 * t.size; /* from one array to the next */
    const bool in_place = rng_below(r, 2) == 0;
    unsigned char *const memory = must(malloc(6 * apart)), *to[3];
    for (size_t k = 0; k < 3; k++) to[k] = memory + (1 + k) * apart;
    t.x = memory + skew;
    for (size_t i = 0; i < t.items; i++) s->random(r, t.x + i * t.size);
    if (at->accelerator && rng_below(r, 4)) {
        unsigned char *there;
        must_be_ok(oplus_alloc(at->dev, 3 * apart, (void **)&there), "alloc");
        must_be_ok(oplus_copy(at->dev, there + skew, t.x, bytes), "copy");
        run(&t, there + skew, there + apart, there + 2 * apart, in_place, to);
        oplus_free(at->dev, there);
    } else {
        run(&t, t.x, memory + 4 * apart, memory + 5 * apart, in_place, to);
    }
    compare(&t, to[0], to[1], to[2]);
    free(memory);
}

/* --- shapes -------------------------------------------------------------------------------------------------------- */

static const shape fixed[] = {{1, 1, 1},     {3, 1, 5},     {7, 2, 1},   {5, 3, 2},    {1000, 8, 1}, {301, 8, 8},
                              {2, 63, 1},    {9, 64, 1},    {4, 65, 3},  {3, 300, 70}, {1, 17, 600}, {2, 33, 1100},
                              {5, 0, 3},     {0, 4, 4},     {4, 4, 0},   {6, 1023, 1}, {3, 4096, 1}, {2, 5000, 1},
                              {1, 20000, 1}, {1, 20000, 3}, {2, 9000, 2}};

/* Any shape of at most `most` elements. */
static shape any_shape(rng *r, size_t most)
{
    const size_t n = 1 + rng_below(r, (size_t)1 << rng_below(r, 13));
    const size_t inner = rng_below(r, 3) == 0 ? 1 : 1 + rng_below(r, (size_t)1 << rng_below(r, 11));
    const size_t small = n > most ? most : n, across = inner > most / small ? most / small : inner;
    return (shape){1 + rng_below(r, most / small / across), small, across};
}

/* Rows of a few hundred elements at most; work-groups do several of them at a time. */
static shape short_rows(rng *r, size_t most)
{
    const size_t n = 1 + rng_below(r, rng_below(r, 2) ? 20 : 300);
    return (shape){1 + rng_below(r, most / n + 1), n, 1};
}

/* Each operator is a program, which takes a second of a compiler on the host's processor. */
static bool is_tried(const place *at, const subject *s)
{
    static const char *const few[] = {"sum_f32", "compose32", "max_i64", "modulo"};
    if (!at->tries.plain) return true;
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        if (strcmp(s->name, few[k]) == 0) return true;
    return false;
}

static void rows_are_by_themselves(void **state)
{
    const subject *const s = *state;
    size_t count;
    const place *const place = all_places(&count);
    const size_t most = s->op->type->size > 64 ? 2000 : 12000;
    rng r = test_rng(s->name);
    for (size_t i = 0; i < count; i++) {
        if (!is_tried(&place[i], s) || !stand_at(&place[i], s, false)) continue;
        const bool all = place[i].thorough && !test_quick();
        for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
            if (fixed[k].outer * fixed[k].n * fixed[k].inner <= 2 * most && rng_below(&r, all ? 2 : 6) == 0)
                try_shape(&r, &place[i], s, fixed[k]);
        for (int more = all ? 4 : 1; more > 0; more--) try_shape(&r, &place[i], s, any_shape(&r, most));
        for (int more = all ? 4 : 1; more > 0; more--) try_shape(&r, &place[i], s, short_rows(&r, most));
    }
}

/* Few rows that are long are dealt out in pieces. */
static void long_rows_are_cut(void **state)
{
    static const shape shapes[] = {{1, 300001, 1}, {2, 150001, 2}, {1, 100003, 5}, {1, 5000, 201}, {2, 262144, 1}};
    const char *const names[] = {"sum_f32", "max_i32", "compose32"};
    size_t count;
    const place *const place = all_places(&count);
    rng r = test_rng("long rows");
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < count; i++) {
            const subject *const s = subject_named(names[k]);
            if (!is_tried(&place[i], s) || !stand_at(&place[i], s, false)) continue;
            for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
                if (rng_below(&r, place[i].accelerator || test_quick() ? 4 : 2) == 0)
                    try_shape(&r, &place[i], s, shapes[j]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_rows_are_cut)};
    const int failed = cmocka_run_group_tests_name("axis, long rows", tests, NULL, NULL);
    return run_subjects("axis", rows_are_by_themselves, NULL) + failed;
}
