/* A window has the bits of the reduce of its elements by themselves, wherever it is, and a scan from the end those of the
 * scan of the elements in the opposite order by the operator with its operands exchanged: for every operator, place, memory,
 * alignment and length. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays under test. */
typedef struct trial_of {
    const place *at;
    const subject *s;
    size_t n, w, size;
    unsigned char *x;
} trial_of;

/* --- the reference ------------------------------------------------------------------------------------------------- */

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

/* The tree over elements that come one after the other. */
typedef struct tree {
    const subject *s;
    size_t size, count;
    bool exchanged;
    unsigned char *node, *own; /* the last node of 2^k elements is node k */
} tree;

static tree tree_of(const trial_of *t, bool exchanged)
{
    tree of = {t->s, t->size, 0, exchanged, must(malloc(66 * t->size)), NULL};
    of.own = of.node + 64 * t->size;
    return of;
}

static void join(const tree *of, unsigned char *out, const unsigned char *a, const unsigned char *b)
{
    if (of->exchanged)
        of->s->combine(out, b, a);
    else
        of->s->combine(out, a, b);
}

static void add(tree *of, const unsigned char *x)
{
    unsigned k = 0;
    memcpy(of->own, x, of->size);
    for (; of->count >> k & 1; k++) join(of, of->own, of->node + k * of->size, of->own);
    memcpy(of->node + k * of->size, of->own, of->size);
    of->count++;
}

/* The reduce of all that has been added. */
static const unsigned char *total(tree *of)
{
    bool any = false;
    for (unsigned k = 64; k-- > 0;) {
        if (!(of->count >> k & 1)) continue;
        if (any)
            join(of, of->own, of->own, of->node + k * of->size);
        else
            memcpy(of->own, of->node + k * of->size, of->size);
        any = true;
    }
    return of->own;
}

static void fail_at(const trial_of *t, const char *call, size_t i)
{
    fail_msg("%s %s: %s of %s, n = %zu, w = %zu: element %zu is wrong; OPLUS_TEST_SEED=%llu", t->at->where, t->at->isa,
             call, t->s->name, t->n, t->w, i, (unsigned long long)test_seed());
}

static void compare(const trial_of *t, const char *call, size_t i, const unsigned char *wanted, unsigned char *got)
{
    unsigned char *const own = must(malloc(t->size));
    memcpy(own, wanted, t->size);
    finish(t->s, own);
    blank(t->s, got);
    if (memcmp(own, got, t->size) != 0) fail_at(t, call, i);
    free(own);
}

static void compare_window(const trial_of *t, size_t i, unsigned char *results)
{
    tree of = tree_of(t, false);
    for (size_t k = i + 1 > t->w ? i + 1 - t->w : 0; k <= i; k++) add(&of, t->x + k * t->size);
    compare(t, "window", i, total(&of), results + i * t->size);
    free(of.node);
}

/* All of them, or so many at random, among them those around the first whole window. */
static void compare_windows(rng *r, const trial_of *t, unsigned char *results)
{
    enum { JOINS = 10000 };
    const size_t long_ones = t->w < t->n ? t->w : t->n, most = JOINS / long_ones + 3;
    if (t->n <= most) {
        for (size_t i = 0; i < t->n; i++) compare_window(t, i, results);
        return;
    }
    for (size_t k = 0; k < most; k++) compare_window(t, (size_t)rng_below(r, t->n), results);
    for (size_t i = t->w > 2 ? t->w - 2 : 0; i < t->w + 1 && i < t->n; i++) compare_window(t, i, results);
    compare_window(t, t->n - 1, results);
}

static void compare_reverse(const trial_of *t, unsigned char *inclusive, unsigned char *exclusive)
{
    tree of = tree_of(t, !(t->s->op->flags & OPLUS_COMMUTATIVE));
    for (size_t i = t->n; i-- > 0;) {
        if (exclusive)
            compare(t, "exclusive scan from the end", i, of.count ? total(&of) : t->s->op->identity,
                    exclusive + i * t->size);
        add(&of, t->x + i * t->size);
        compare(t, "scan from the end", i, total(&of), inclusive + i * t->size);
    }
    free(of.node);
}

/* --- the calls ----------------------------------------------------------------------------------------------------- */

/* Runs them on arrays in this memory or the device's; results come back to this memory. */
static void run(const trial_of *t, void *in, void *out, bool in_place, unsigned char *to[3])
{
    oplus_device *const dev = t->at->dev;
    const oplus_op *const op = t->s->op;
    const size_t bytes = t->n * t->size;
    must_be_ok(oplus_window(dev, op, in, t->n, t->w, out), "window");
    must_be_ok(oplus_copy(dev, to[0], out, bytes), "copy");
    for (int exclusive = 0; exclusive < (op->identity ? 2 : 1); exclusive++) {
        const oplus_kind kind = exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
        if (in_place) must_be_ok(oplus_copy(dev, out, t->x, bytes), "copy");
        must_be_ok(oplus_scan_reverse(dev, op, kind, in_place ? out : in, t->n, out), "scan_reverse");
        must_be_ok(oplus_copy(dev, to[1 + exclusive], out, bytes), "copy");
    }
}

static void try_sizes(rng *r, const place *at, const subject *s, size_t n, size_t w)
{
    trial_of t = {at, s, n, w, s->op->type->size, NULL};
    const size_t bytes = n * t.size, skew = rng_below(r, 3) * t.size, apart = bytes + 2 * t.size;
    const bool in_place = rng_below(r, 2) == 0;
    unsigned char *const memory = must(malloc(3 * apart)), *to[3], *there = NULL;
    unsigned char *const arrays = must(malloc(2 * apart)), *const back = must(malloc(2 * apart));
    for (size_t k = 0; k < 3; k++) to[k] = memory + k * apart;
    memset(arrays, 0xa5, 2 * apart); /* the input, the output, and what nothing may write around them */
    for (size_t i = 0; i < n; i++) s->random(r, arrays + skew + i * t.size);
    memcpy(back, arrays, 2 * apart);
    t.x = back + skew;
    if (at->accelerator && rng_below(r, 4)) {
        must_be_ok(oplus_alloc(at->dev, 2 * apart, (void **)&there), "alloc");
        must_be_ok(oplus_copy(at->dev, there, arrays, 2 * apart), "copy");
        run(&t, there + skew, there + apart, in_place, to);
        must_be_ok(oplus_copy(at->dev, arrays, there, 2 * apart), "copy");
        oplus_free(at->dev, there);
    } else {
        run(&t, arrays + skew, arrays + apart, in_place, to);
    }
    const bool same =
        memcmp(arrays, back, apart) == 0 && memcmp(arrays + apart + bytes, back + apart + bytes, apart - bytes) == 0;
    if (!same) fail_at(&t, "what is not the output", 0);
    compare_windows(r, &t, to[0]);
    compare_reverse(&t, to[1], s->op->identity ? to[2] : NULL);
    free(memory);
    free(arrays);
    free(back);
}

/* --- sizes --------------------------------------------------------------------------------------------------------- */

static const size_t sizes[][2] = {
    {1, 1},       {1, 2},        {2, 2},       {3, 1},       {5, 3},       {64, 64},         {65, 63},    {100, 7},
    {255, 16},    {256, 255},    {300, 1000},  {1000, 2},    {1000, 31},   {1025, 512},      {4096, 127}, {5000, 1023},
    {9000, 4096}, {12000, 4097}, {8000, 7999}, {8000, 8000}, {8000, 8001}, {6000, SIZE_MAX}, {4500, 3}};

/* Each operator is three programs, each of which takes some seconds of a compiler on the host's processor, most of all where
 * work-items are in groups: there one must do, which is not commutative and has floats; and in one shape, unless all is tried, or
 * the shape has been asked for. */
static bool is_tried(const place *at, const subject *s)
{
    const bool asked = !at->tries.plain, in_groups = at->shape && strcmp(at->shape, "group") == 0;
    if (asked && !(in_groups && test_quick())) return true;
    const bool other = in_groups && !asked && !test_all();
    return !other && strcmp(s->name, "compose32") == 0;
}

static size_t any_below(rng *r, size_t most)
{
    const size_t n = 1 + (size_t)rng_below(r, (size_t)2 << rng_below(r, 14));
    return n < most ? n : most;
}

static void windows_are_reduces(void **state)
{
    const subject *const s = *state;
    size_t count;
    const place *const place = all_places(&count);
    const size_t most = s->op->type->size > 64 ? 2000 : 12000;
    rng r = test_rng(s->name);
    for (size_t i = 0; i < count; i++) {
        if (!is_tried(&place[i], s) || !stand_at(&place[i], s, false)) continue;
        const bool all = place[i].thorough && !test_quick();
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (sizes[k][0] <= most && rng_below(&r, all ? 6 : 12) == 0)
                try_sizes(&r, &place[i], s, sizes[k][0], sizes[k][1]);
        for (int more = all ? 3 : 1; more > 0; more--)
            try_sizes(&r, &place[i], s, any_below(&r, most), any_below(&r, most));
    }
}

/* Arrays that go in many blocks, and windows that take several steps. */
static void long_windows_go_step_by_step(void **state)
{
    static const size_t shapes[][2] = {
        {300001, 300}, {262144, 70000}, {300007, 140001}, {280000, 1 << 17}, {270001, 8191}};
    const char *const names[] = {"sum_f32", "max_i32", "compose32", "sum_u8"};
    size_t count;
    const place *const place = all_places(&count);
    rng r = test_rng("long windows");
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < count; i++) {
            const subject *const s = subject_named(names[k]);
            if (!is_tried(&place[i], s) || !stand_at(&place[i], s, false)) continue;
            for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
                if (rng_below(&r, place[i].accelerator || test_quick() ? 8 : 5) == 0)
                    try_sizes(&r, &place[i], s, shapes[j][0], shapes[j][1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_windows_go_step_by_step)};
    const int failed = cmocka_run_group_tests_name("windows, long", tests, NULL, NULL);
    return run_subjects("windows", windows_are_reduces, NULL) + failed;
}
