/* Carries: any partition, summarised in any order and joined in any order, is the whole, bit for bit. */
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

static void run(const problem *p, const place *at_place, oplus_status status)
{
    if (status != OPLUS_OK) fail_msg("%s on %s: %s", p->s->name, at_place->where, oplus_last_error());
}

static void check_value(const problem *p, const place *where, const char *what, const oplus_carry *carry,
                        const void *expected)
{
    finding f;
    unsigned char *value = must(malloc(p->size));
    run(p, where, oplus_carry_value(carry, value));
    if (!same(p, value, expected, 1, &f))
        fail_msg("%s: %s on %s %s: %s\n    OPLUS_TEST_SEED=%llu", what, p->s->name, where->where, where->isa, f.text,
                 (unsigned long long)test_seed());
    free(value);
}

/* Half of the time a multiple of a power of two: a way of a device may take what begins and ends there only. */
static size_t rounded(rng *r, size_t n)
{
    const unsigned k = rng_below(r, 2) ? (unsigned)rng_below(r, 15) : 0;
    return n >> k ? n >> k << k : n;
}

/* --- P(n) from parts */

enum { MOST_PARTS = 12 };

/* Joins random neighbours until one carry is left. */
static void joined_in_any_order(const problem *p, const place *where, rng *r)
{
    size_t cut[MOST_PARTS + 1] = {0};
    oplus_carry *carry[MOST_PARTS];
    int parts = 1 + (int)rng_below(r, MOST_PARTS);
    const size_t n = 1 + rng_below(r, p->max);

    /* --- 1. cut, also into empty parts --- */
    for (int i = 1; i < parts; i++) {
        cut[i] = rounded(r, rng_below(r, n + 1));
        for (int k = i; cut[k - 1] > cut[k]; k--) {
            const size_t swap = cut[k];
            cut[k] = cut[k - 1];
            cut[k - 1] = swap;
        }
    }
    cut[parts] = n;

    /* --- 2. summarise each, itself in pieces --- */
    for (int i = 0; i < parts; i++) {
        run(p, where, oplus_carry_open(p->s->op, cut[i], &carry[i]));
        for (size_t begin = cut[i], m; begin < cut[i + 1]; begin += m) {
            m = rounded(r, 1 + rng_below(r, cut[i + 1] - begin));
            run(p, where, oplus_carry_add(where->dev, carry[i], at(p, p->x, begin), m));
        }
    }

    /* --- 3. join --- */
    for (; parts > 1; parts--) {
        const int left = (int)rng_below(r, (size_t)parts - 1);
        run(p, where, oplus_carry_join(carry[left], carry[left + 1]));
        oplus_carry_close(carry[left + 1]);
        memmove(&carry[left + 1], &carry[left + 2], (size_t)(parts - left - 2) * sizeof *carry);
    }
    check_value(p, where, "carry_join in any order == reduce", carry[0], at(p, p->prefix, n));

    /* --- 4. and it still goes on --- */
    if (n < p->max) {
        run(p, where, oplus_carry_add(where->dev, carry[0], at(p, p->x, n), p->max - n));
        check_value(p, where, "carry_add after carry_join == reduce", carry[0], at(p, p->prefix, p->max));
    }
    oplus_carry_close(carry[0]);
}

/* --- a range that begins anywhere: the left fold of its maximal aligned nodes */

static void node(const problem *p, uint64_t begin, unsigned k, size_t offset, unsigned char *out)
{
    if (k == 0) {
        memcpy(out, at(p, p->x, begin - offset), p->size);
        return;
    }
    unsigned char right[8192];
    node(p, begin, k - 1, offset, out);
    node(p, begin + (UINT64_C(1) << (k - 1)), k - 1, offset, right);
    p->s->combine(out, out, right);
}

/* The fold of x[0..n) as the elements [first, first + n) of a longer sequence. */
static void range_fold(const problem *p, uint64_t first, size_t n, unsigned char *out)
{
    unsigned char *next = must(malloc(p->size));
    for (uint64_t begin = first, end = first + n; begin < end;) {
        unsigned k = 0;
        while (k < 63 && begin % (UINT64_C(2) << k) == 0 && (UINT64_C(2) << k) <= end - begin) k++;
        node(p, begin, k, first, next);
        if (begin == first)
            memcpy(out, next, p->size);
        else
            p->s->combine(out, out, next);
        begin += UINT64_C(1) << k;
    }
    if (p->s->quiet != NULL) p->s->quiet(out);
    free(next);
}

static void begins_anywhere(const problem *p, const place *where, rng *r)
{
    static const uint64_t bases[] = {
        0, 1, 7, 1000, 65535, UINT64_C(1) << 32, (UINT64_C(1) << 33) - 3, UINT64_C(1) << 62};
    const bool at_tile =
        rng_below(r, 2) == 1; /* then n is larger, too, so that several tiles are summarised together */
    const uint64_t tile = UINT64_C(1) << (10 + rng_below(r, 5));
    const uint64_t base = bases[rng_below(r, sizeof bases / sizeof *bases)] + rng_below(r, 100);
    const uint64_t first = at_tile ? base / tile * tile + rng_below(r, 8) * tile : base;
    const size_t most = at_tile ? 50000 : 20000, n = 1 + rng_below(r, p->max < most ? p->max : most);
    unsigned char *expected = must(malloc(p->size)), *out = must(malloc(n * p->size));
    oplus_carry *carry;
    range_fold(p, first, n, expected);

    run(p, where, oplus_carry_open(p->s->op, first, &carry));
    run(p, where, oplus_carry_add(where->dev, carry, p->x, n));
    check_value(p, where, "the value of a carry that begins anywhere", carry, expected);
    oplus_carry_close(carry);

    run(p, where, oplus_carry_open(p->s->op, first, &carry));
    run(p, where, oplus_scan_from(where->dev, carry, OPLUS_INCLUSIVE, p->x, n, out));
    check_value(p, where, "the value after scan_from that begins anywhere", carry, expected);
    oplus_carry_close(carry);

    finding f;
    for (int k = 0; k < 5; k++) { /* each result is the value that a carry over as many elements has */
        const size_t i = k == 0 ? n - 1 : rng_below(r, n);
        range_fold(p, first, i + 1, expected);
        if (!same(p, out + i * p->size, expected, 1, &f))
            fail_msg("scan_from at first = %llu, element %zu of %zu: %s on %s %s: %s\n    OPLUS_TEST_SEED=%llu",
                     (unsigned long long)first, i, n, p->s->name, where->where, where->isa, f.text,
                     (unsigned long long)test_seed());
    }
    free(expected);
    free(out);
}

/* --- nothing added */

static void empty(const problem *p, const place *where)
{
    oplus_carry *carry, *other;
    run(p, where, oplus_carry_open(p->s->op, 5, &carry));
    run(p, where, oplus_carry_open(p->s->op, 5, &other));
    run(p, where, oplus_carry_add(where->dev, carry, NULL, 0));
    run(p, where, oplus_carry_join(carry, other));
    if (p->s->op->identity != NULL) check_value(p, where, "an empty carry is the identity", carry, p->s->op->identity);
    oplus_carry_close(carry);
    oplus_carry_close(other);
    oplus_carry_close(NULL);
}

/* --- a value in front: the stream of a fold, and a scan that begins with it */

static void begins_with_init(const problem *p, const place *where, rng *r)
{
    const size_t n = 1 + rng_below(r, p->max);
    unsigned char *out = must(malloc(n * p->size));
    finding f;
    for (int kind = OPLUS_INCLUSIVE; kind <= OPLUS_EXCLUSIVE; kind++) {
        oplus_carry *carry;
        run(p, where, oplus_carry_open(p->s->op, 0, &carry));
        run(p, where, oplus_carry_init(carry, p->init));
        check_value(p, where, "carry_init is the value of no elements", carry, p->prefix);
        for (size_t begin = 0, m; begin < n; begin += m) {
            m = 1 + rng_below(r, n - begin);
            run(p, where,
                oplus_scan_from(where->dev, carry, (oplus_kind)kind, at(p, p->x, begin), m, out + begin * p->size));
        }
        check_value(p, where, "carry_init, then scan_from == fold", carry, at(p, p->prefix, n));
        if (!same(p, out, at(p, p->prefix, kind == OPLUS_INCLUSIVE), n, &f))
            fail_msg("scan_from after carry_init, kind %d: %s on %s %s: %s\n    OPLUS_TEST_SEED=%llu", kind, p->s->name,
                     where->where, where->isa, f.text, (unsigned long long)test_seed());
        oplus_carry_close(carry);
    }
    free(out);
}

static void init_errors(const problem *p, const place *where)
{
    oplus_carry *left, *right;
    run(p, where, oplus_carry_open(p->s->op, 0, &left));
    run(p, where, oplus_carry_open(p->s->op, 0, &right));
    assert_int_equal(oplus_carry_init(NULL, p->init), OPLUS_ERR_ARGUMENT);
    assert_int_equal(oplus_carry_init(right, NULL), OPLUS_ERR_ARGUMENT);
    run(p, where, oplus_carry_init(right, p->init));
    assert_int_equal(oplus_carry_init(right, p->init), OPLUS_ERR_ARGUMENT);
    assert_int_equal(oplus_carry_join(left, right), OPLUS_ERR_ARGUMENT);
    oplus_carry_close(left);
    oplus_carry_close(right);
}

static void carry_laws(void **state)
{
    const subject *s = *state;
    size_t place_count;
    const place *place = all_places(&place_count);
    rng r = test_rng(s->name);
    problem p = problem_open(s, s->limit < 150000 ? s->limit : 150000, 0, false);
    problem q = problem_open(s, s->limit < 30000 ? s->limit : 30000, 0, true);
    for (size_t i = 0; i < place_count; i++) {
        if (!stand_at(&place[i], s, false)) continue;
        empty(&p, &place[i]);
        for (int round = 0; round < (test_quick() ? 2 : 8); round++) {
            joined_in_any_order(&p, &place[i], &r);
            begins_anywhere(&p, &place[i], &r);
            begins_with_init(&q, &place[i], &r);
        }
        init_errors(&q, &place[i]);
    }
    problem_close(&p);
    problem_close(&q);
}

int main(void) { return run_subjects("carry", carry_laws, NULL); }
