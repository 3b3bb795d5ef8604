/* Algebraic laws between the primitives, bit for bit, on random problems at random places.  There is no reference here:
 * the library computes both sides.  Memory is allocated to the byte, so that a sanitizer sees every access outside. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A random problem: some subject, some input, some place to compute at. */
typedef struct draw {
    problem p; /* its input only */
    oplus_device *dev;
    const place *at;
    size_t n;
    rng *r;
} draw;

static unsigned char *elements(const draw *d, size_t n) { return must(malloc(n * d->p.size + (n == 0))); }
static unsigned char *nth(const draw *d, unsigned char *array, size_t i) { return array + i * d->p.size; }
static const oplus_op *op(const draw *d) { return d->p.s->op; }
static bool has_identity(const draw *d) { return op(d)->identity != NULL; }

static void run(const draw *d, oplus_status status)
{
    if (status != OPLUS_OK)
        fail_msg("%s on %s %s, n = %zu: %s", d->p.s->name, d->at->where, d->at->isa, d->n, oplus_last_error());
}

static void expect_same(const draw *d, const char *what, const void *got, const void *expected, size_t n)
{
    finding f;
    if (same(&d->p, got, expected, n, &f)) return;
    fail_msg("%s: %s on %s %s, n = %zu: %s\n    OPLUS_TEST_SEED=%llu", what, d->p.s->name, d->at->where, d->at->isa,
             d->n, f.text, (unsigned long long)test_seed());
}

static unsigned char *scanned(const draw *d, oplus_kind kind)
{
    unsigned char *out = elements(d, d->n);
    run(d, oplus_scan(d->dev, op(d), kind, d->p.x, d->n, out));
    return out;
}

/* --- scan and reduce */

static void scan_ends_in_reduce(const draw *d)
{
    unsigned char *y = scanned(d, OPLUS_INCLUSIVE), *sum = elements(d, 1);
    for (int k = 0; k < 4; k++) {
        const size_t i = k == 0 ? d->n - 1 : rng_below(d->r, d->n);
        run(d, oplus_reduce(d->dev, op(d), d->p.x, i + 1, sum));
        expect_same(d, "scan[i] == reduce(first i+1)", nth(d, y, i), sum, 1);
    }
    free(sum);
    free(y);
}

static void exclusive_is_inclusive_shifted(const draw *d)
{
    if (!has_identity(d)) return;
    unsigned char *y = scanned(d, OPLUS_INCLUSIVE), *z = scanned(d, OPLUS_EXCLUSIVE);
    expect_same(d, "exclusive[0] == identity", z, op(d)->identity, 1);
    expect_same(d, "exclusive[i+1] == inclusive[i]", nth(d, z, 1), y, d->n - 1);
    free(y);
    free(z);
}

static void appending_changes_nothing(const draw *d)
{
    unsigned char *y = scanned(d, OPLUS_INCLUSIVE), *head = elements(d, d->n);
    const size_t m = rng_below(d->r, d->n + 1);
    run(d, oplus_scan(d->dev, op(d), OPLUS_INCLUSIVE, d->p.x, m, head));
    expect_same(d, "scan(x) is the start of scan(x ++ y)", y, head, m);
    free(head);
    free(y);
}

/* --- streams */

static void scan_is_cut_anywhere(const draw *d)
{
    for (int kind = OPLUS_INCLUSIVE; kind <= (has_identity(d) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE); kind++) {
        unsigned char *whole = scanned(d, (oplus_kind)kind), *parts = elements(d, d->n);
        oplus_carry *carry;
        run(d, oplus_carry_open(op(d), 0, &carry));
        for (size_t begin = 0, m; begin < d->n; begin += m) {
            m = rng_below(d->r, rng_below(d->r, 4) == 0 ? d->n - begin + 1 : d->n / 4 + 2);
            if (m > d->n - begin) m = d->n - begin;
            run(d, oplus_scan_from(d->dev, carry, (oplus_kind)kind, nth(d, d->p.x, begin), m, nth(d, parts, begin)));
        }
        expect_same(d, "scan(x ++ y) == scan(x) ++ scan_from(carry, y)", parts, whole, d->n);
        oplus_carry_close(carry);
        free(whole);
        free(parts);
    }
}

/* --- segments */

static void one_head_is_a_scan(const draw *d)
{
    uint8_t *heads = must(calloc(d->n, 1));
    heads[0] = (uint8_t)rng_below(d->r, 2);
    for (int kind = OPLUS_INCLUSIVE; kind <= (has_identity(d) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE); kind++) {
        unsigned char *y = scanned(d, (oplus_kind)kind), *z = elements(d, d->n);
        run(d, oplus_segscan(d->dev, op(d), (oplus_kind)kind, d->p.x, heads, d->n, z));
        expect_same(d, "segscan with one head == scan", z, y, d->n);
        free(y);
        free(z);
    }
    free(heads);
}

static void heads_everywhere_change_nothing(const draw *d)
{
    uint8_t *heads = must(malloc(d->n));
    memset(heads, 1 + (int)rng_below(d->r, 255), d->n);
    unsigned char *y = elements(d, d->n);
    run(d, oplus_segscan(d->dev, op(d), OPLUS_INCLUSIVE, d->p.x, heads, d->n, y));
    expect_same(d, "segscan with heads everywhere == x", y, d->p.x, d->n);
    if (has_identity(d)) {
        run(d, oplus_segscan(d->dev, op(d), OPLUS_EXCLUSIVE, d->p.x, heads, d->n, y));
        for (size_t i = 0; i < d->n; i++)
            expect_same(d, "exclusive segscan with heads everywhere == identity", nth(d, y, i), op(d)->identity, 1);
    }
    free(y);
    free(heads);
}

static void segments_are_slices(const draw *d)
{
    enum { SEGMENTS = 9 };
    uint64_t offsets[SEGMENTS + 1] = {0};
    for (int s = 1; s <= SEGMENTS; s++) { /* random, sorted */
        offsets[s] = rng_below(d->r, d->n + 1);
        for (int i = s; i > 0 && offsets[i - 1] > offsets[i]; i--) {
            const uint64_t swap = offsets[i];
            offsets[i] = offsets[i - 1];
            offsets[i - 1] = swap;
        }
    }
    for (int s = 1; s <= SEGMENTS; s++)
        if (offsets[s] == offsets[s - 1] && !has_identity(d)) return;
    unsigned char *sums = elements(d, SEGMENTS), *sum = elements(d, 1);
    run(d, oplus_segreduce(d->dev, op(d), d->p.x, d->n, &oplus_u64, offsets, SEGMENTS, sums));
    for (int s = 0; s < SEGMENTS; s++) {
        run(d, oplus_reduce(d->dev, op(d), nth(d, d->p.x, offsets[s]), offsets[s + 1] - offsets[s], sum));
        expect_same(d, "segreduce[s] == reduce(slice s)", nth(d, sums, (size_t)s), sum, 1);
    }
    free(sums);
    free(sum);
}

/* --- addresses */

static void addresses_do_not_matter(const draw *d)
{
    const size_t from = rng_below(d->r, 16), to = rng_below(d->r, 16), at_heads = rng_below(d->r, 64);
    unsigned char *x = elements(d, d->n + from), *y = elements(d, d->n + to), *z = elements(d, d->n);
    uint8_t *heads = must(calloc(d->n, 1)), *moved = must(malloc(d->n + at_heads));
    memcpy(nth(d, x, from), d->p.x, d->n * d->p.size);
    for (size_t i = 0; i < d->n; i++) heads[i] = rng_below(d->r, 50) == 0;
    memcpy(moved + at_heads, heads, d->n);

    run(d, oplus_scan(d->dev, op(d), OPLUS_INCLUSIVE, d->p.x, d->n, z));
    run(d, oplus_scan(d->dev, op(d), OPLUS_INCLUSIVE, nth(d, x, from), d->n, nth(d, y, to)));
    expect_same(d, "scan at another address", nth(d, y, to), z, d->n);
    run(d, oplus_segscan(d->dev, op(d), OPLUS_INCLUSIVE, d->p.x, heads, d->n, z));
    run(d, oplus_segscan(d->dev, op(d), OPLUS_INCLUSIVE, nth(d, x, from), moved + at_heads, d->n, nth(d, y, to)));
    expect_same(d, "segscan at another address", nth(d, y, to), z, d->n);
    run(d, oplus_reduce(d->dev, op(d), d->p.x, d->n, z));
    run(d, oplus_reduce(d->dev, op(d), nth(d, x, from), d->n, nth(d, y, to)));
    expect_same(d, "reduce at another address", nth(d, y, to), z, 1);
    free(x);
    free(y);
    free(z);
    free(heads);
    free(moved);
}

/* --- all of them */

/* Log-uniform, so that small sizes are as likely as large ones. */
static size_t any_size(rng *r, size_t limit)
{
    const size_t n = 1 + rng_below(r, (size_t)1 << (1 + rng_below(r, 17)));
    return n < limit ? n : limit;
}

static void laws(void **state)
{
    static void (*const law_of[])(const draw *d) = {
        scan_ends_in_reduce, exclusive_is_inclusive_shifted,  appending_changes_nothing, scan_is_cut_anywhere,
        one_head_is_a_scan,  heads_everywhere_change_nothing, segments_are_slices,       addresses_do_not_matter,
    };
    const subject *s = *state;
    rng r = test_rng(s->name);
    size_t place_count;
    const place *place = all_places(&place_count);
    for (size_t i = 0; i < sizeof law_of / sizeof *law_of; i++)
        for (int round = 0; round < (test_quick() ? 5 : 25); round++) {
            draw d = {{.s = s, .size = s->op->type->size}, .at = &place[rng_below(&r, place_count)], .r = &r};
            if (!stand_at(d.at, s, true)) continue;
            d.dev = d.at->dev;
            d.n = any_size(&r, s->limit);
            d.p.x = elements(&d, d.n);
            for (size_t k = 0; k < d.n; k++) s->random(&r, nth(&d, d.p.x, k));
            law_of[i](&d);
            free(d.p.x);
        }
}

int main(void) { return run_subjects("algebra", laws, NULL); }
