/* Reduce, fold, scan and segmented scan over ranks have the bits of the definition, however the array is cut. */
#include "support/team.h"
#include "cores/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct all {
    const problem *p;
    cuts cuts;
    oplus_kind kind;
    bool in_place;
} all;

/* The part of the problem that this rank has. */
static const unsigned char *own_part(const all *a, int rank) { return at(a->p, a->p->x, a->cuts.at[rank]); }

static bool reduces(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const all *const a = given;
    const problem *const p = a->p;
    const size_t n = cut_count(&a->cuts, comm->rank), total = a->cuts.at[comm->size];
    void *const out = output(p, NULL, 1);
    if (p->init == NULL && total == 0 && p->s->op->identity == NULL) return true;
    const oplus_status status = p->init == NULL ? oplus_reduce_all(dev, comm, p->s->op, own_part(a, comm->rank), n, out)
                                                : oplus_fold_all(dev, comm, p->s->op, comm->rank == 0 ? p->init : NULL,
                                                                 own_part(a, comm->rank), n, out);
    return succeeded(status, f) && kept_inside(f) && same(p, out, at(p, p->prefix, total), 1, f);
}

/* A copy of n elements in the device's memory; NULL stays NULL. */
static bool to_device(oplus_device *dev, const void *from, size_t bytes, void **mem, finding *f)
{
    *mem = NULL;
    return bytes == 0 ||
           (succeeded(oplus_alloc(dev, bytes, mem), f) && succeeded(oplus_copy(dev, *mem, from, bytes), f));
}

/* The same scans in the memory of a device, and the reduce of the elements there. */
static bool scans_there(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const all *const a = given;
    const problem *const p = a->p;
    const size_t begin = a->cuts.at[comm->rank], n = cut_count(&a->cuts, comm->rank), bytes = n * p->size;
    void *const out = output(p, NULL, n), *in = NULL, *heads = NULL, *total = NULL;
    bool good = to_device(dev, own_part(a, comm->rank), bytes, &in, f) &&
                to_device(dev, p->heads ? p->heads + begin : NULL, p->heads ? n : 0, &heads, f) &&
                to_device(dev, p->prefix, p->size, &total, f);
    if (good && a->cuts.at[comm->size] > 0) good = succeeded(oplus_reduce_all(dev, comm, p->s->op, in, n, total), f);
    if (good)
        good = succeeded(p->heads ? oplus_segscan_all(dev, comm, p->s->op, a->kind, in, heads, n, in)
                                  : oplus_scan_all(dev, comm, p->s->op, a->kind, in, n, in),
                         f);
    if (good && n > 0)
        good =
            succeeded(oplus_copy(dev, out, in, bytes), f) &&
            same(p, out, a->kind == OPLUS_EXCLUSIVE ? at(p, p->exclusive, begin) : at(p, p->prefix, begin + 1), n, f);
    if (good && !p->heads && a->cuts.at[comm->size] > 0) {
        void *const value = output(p, NULL, 1);
        good = succeeded(oplus_copy(dev, value, total, p->size), f) &&
               same(p, value, at(p, p->prefix, a->cuts.at[comm->size]), 1, f);
    }
    oplus_free(dev, in);
    oplus_free(dev, heads);
    oplus_free(dev, total);
    return good;
}

static bool scans(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const all *const a = given;
    const problem *const p = a->p;
    const size_t begin = a->cuts.at[comm->rank], n = cut_count(&a->cuts, comm->rank);
    void *const out = output(p, a->in_place ? own_part(a, comm->rank) : NULL, n);
    const void *const in = a->in_place ? out : own_part(a, comm->rank);
    const oplus_status status = p->heads == NULL
                                    ? oplus_scan_all(dev, comm, p->s->op, a->kind, in, n, out)
                                    : oplus_segscan_all(dev, comm, p->s->op, a->kind, in, p->heads + begin, n, out);
    return succeeded(status, f) && kept_inside(f) &&
           same(p, out, a->kind == OPLUS_EXCLUSIVE ? at(p, p->exclusive, begin) : at(p, p->prefix, begin + 1), n, f);
}

/* A size: none, one, around the edges of blocks and tiles, or any. */
static size_t some_size(rng *r, size_t max)
{
    static const size_t edges[] = {0, 1, 2, 32, 64, 1024, 4096, 8192, 16384, 32768};
    const size_t n = edges[rng_below(r, sizeof edges / sizeof *edges)] + rng_below(r, 3);
    if (rng_below(r, 3) > 0) return rng_below(r, max + 1);
    return n > 1 && n - 1 <= max ? n - 1 : n <= max ? n : max;
}

/* Every size of team, cut in any way (a hundred subjects see all of them); the size is any up to the problem's. */
static void try_all(const problem *p, rank_body body, bool kinds, const char *where)
{
    rng r = test_rng(p->s->name);
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        const size_t n = some_size(&r, p->max);
        all a = {.p = p, .cuts = cut(&r, (int)rng_below(&r, CUT_WAYS), n, *ranks), .in_place = rng_below(&r, 2)};
        if (kinds && p->exclusive != NULL) a.kind = (oplus_kind)rng_below(&r, 2);
        run_team(*ranks, where, body, &a, NULL, cut_words(&a.cuts));
    }
}

/* The smallest and the largest team, cut anyhow. */
static void try_few(const problem *p, rank_body body, const char *where)
{
    rng r = test_rng(where);
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        if (ranks > team_sizes() && *ranks != 3 && *ranks != 8) continue;
        all a = {.p = p, .cuts = cut(&r, CUT_ANYHOW, rng_below(&r, p->max + 1), *ranks)};
        if (p->exclusive != NULL) a.kind = (oplus_kind)rng_below(&r, 2);
        run_team(*ranks, where, body, &a, NULL, cut_words(&a.cuts));
    }
}

static size_t some(const subject *s) { return largest(s) < 60000 ? largest(s) : 60000; }

static void reduce(void **state)
{
    problem p = problem_open(*state, some(*state), 0, false);
    try_all(&p, reduces, false, "serial");
    problem_close(&p);
}

static void fold(void **state)
{
    problem p = problem_open(*state, some(*state), 0, true);
    try_all(&p, reduces, false, "serial");
    problem_close(&p);
}

static void scan(void **state)
{
    problem p = problem_open(*state, some(*state), 0, false);
    try_all(&p, scans, true, "serial");
    try_all(&p, scans, true, "threads:2");
    problem_close(&p);
}

static void segscan(void **state)
{
    static const size_t one_in[] = {3, 700, 100000};
    for (size_t i = 0; i < sizeof one_in / sizeof *one_in; i++) {
        problem p = problem_open(*state, some(*state), one_in[i], false);
        try_all(&p, scans, true, "serial");
        problem_close(&p);
    }
}

/* --- on an accelerator */

static bool is_tried(const subject *s)
{
    static const char *const names[] = {"sum_f32", "compose32", "hash1", "sum_u8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(s->name, names[i]) == 0) return true;
    return false;
}

static void device(void **state)
{
    const char *const where = device_to_try();
    if (where == NULL) skip();
    for (int heads = 0; heads < 2; heads++) {
        problem p = problem_open(*state, some(*state), heads ? 700 : 0, false);
        try_few(&p, scans, where);
        try_few(&p, scans_there, where);
        problem_close(&p);
    }
}

/* --- what is exchanged (docs/ranks.md) */

/* Nodes of the canonical cover of [begin, end) in the tree over [at, at + size). */
static size_t cover(size_t at, size_t size, size_t begin, size_t end)
{
    if (end <= at || at + size <= begin) return 0;
    if (begin <= at && at + size <= end) return 1;
    return cover(at, size / 2, begin, end) + cover(at + size / 2, size / 2, begin, end);
}

static size_t most_nodes(const problem *p, const cuts *c)
{
    size_t most = 0;
    for (int q = 0; q < c->ranks; q++) {
        const size_t nodes = cover(0, (size_t)1 << 40, c->at[q], c->at[q + 1]);
        if (nodes > most) most = nodes;
    }
    return p->s->op->flags & OPLUS_EXACT ? 1 : most;
}

static size_t record_bytes(const problem *p, const cuts *c)
{
    return (8 + 1 + most_nodes(p, c) * (p->size + 2) + 7) / 8 * 8;
}

/* Whether the nodes of every rank fit into a note. */
static bool fit_notes(const problem *p, const cuts *c) { return 1 + most_nodes(p, c) * (p->size + 2) <= 216; }

static bool reduces_twice(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    return reduces(dev, comm, given, f) && reduces(dev, comm, given, f);
}

static void expect_traffic(const all *a, rank_body body, size_t exchanges, size_t bytes, const char *words)
{
    traffic sent[MOST_RANKS];
    run_team(a->cuts.ranks, "serial", body, a, sent, words);
    for (int q = 0; q < a->cuts.ranks; q++) {
        assert_int_equal(sent[q].exchanges, exchanges);
        assert_int_equal(sent[q].bytes, bytes * ((size_t)a->cuts.ranks - 1));
    }
}

/* What is exchanged: notes, and then records, unless the ranks have sent all nodes in their notes: because they have
 * few elements, or have the same part as in the call before, or their operator is exact. */
/* --- so many elements that results are written past the caches, and every worker has several parts ---------------- */

typedef struct whole {
    const oplus_op *op;
    const unsigned char *x;
    unsigned char *expected; /* the local scan of everything, on one thread */
    cuts cuts;
} whole;

static bool scans_as_one(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    const size_t size = w->op->type->size, begin = w->cuts.at[comm->rank], n = cut_count(&w->cuts, comm->rank);
    unsigned char *const out = must(aligned_alloc(64, (n * size / 64 + 1) * 64));
    bool good = succeeded(oplus_scan_all(dev, comm, w->op, OPLUS_INCLUSIVE, w->x + begin * size, n, out), f);
    if (good && memcmp(out, w->expected + begin * size, n * size) != 0) {
        snprintf(f->text, sizeof f->text, "other results than the local scan has, of %zu elements", n);
        good = false;
    }
    free(out);
    return good;
}

static void many(void **state)
{
    const subject *const s = *state;
    const size_t size = s->op->type->size, n = 5000011;
    oplus_device *dev = open_at("serial", NULL);
    rng r = test_rng("many");
    whole w = {.op = s->op};
    unsigned char *const x = must(aligned_alloc(64, (n * size / 64 + 1) * 64));
    w.expected = must(aligned_alloc(64, (n * size / 64 + 1) * 64));
    w.x = x;
    for (size_t i = 0; i < n; i++) s->random(&r, x + i * size);
    assert_int_equal(oplus_scan(dev, s->op, OPLUS_INCLUSIVE, x, n, w.expected), OPLUS_OK);
    oplus_close(dev);
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        if (*ranks > 3) continue; /* parts of 8 MiB or more */
        w.cuts = cut(&r, CUT_EVENLY, n, *ranks);
        run_team(*ranks, "serial", scans_as_one, &w, NULL, cut_words(&w.cuts));
        run_team(*ranks, "threads:3", scans_as_one, &w, NULL, cut_words(&w.cuts));
    }
    free(x);
    free(w.expected);
}

/* A sum that rounds, and an operator that does not commute. */
static bool is_large(const subject *s) { return strcmp(s->name, "sum_f64") == 0 || strcmp(s->name, "compose32") == 0; }

/* --- where the result goes --- */

static _Thread_local bool copied;

static oplus_status noting_copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    copied = true;
    return opi_cores_machine.copy(dev, call, dst, src, bytes);
}

/* A device that is not the plain cores may have the address of the result in its own memory; "auto" is such a
 * device. */
static bool device_writes_result(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    opi_machine noting = opi_cores_machine;
    noting.copy = noting_copy;
    noting.is_host = false;
    copied = comm->size == 1; /* one rank: the local call, which knows */
    dev->machine = &noting;
    const bool good = reduces(dev, comm, given, f);
    dev->machine = &opi_cores_machine;
    if (!good || copied) return good;
    snprintf(f->text, sizeof f->text, "the result was not written by the device's copy");
    return false;
}

static void result_is_the_devices(void **state)
{
    problem p = problem_open(*state, 1000, 0, false);
    rng r = test_rng("result");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        all a = {.p = &p, .cuts = cut(&r, CUT_ANYHOW, 1000, *ranks)};
        run_team(*ranks, "serial", device_writes_result, &a, NULL, cut_words(&a.cuts));
    }
    problem_close(&p);
}

static void traffic_is_as_documented(void **state)
{
    enum { NOTE = 256 };
    problem p = problem_open(*state, 400000, 0, false);
    const bool exact = p.s->op->flags & OPLUS_EXACT;
    rng r = test_rng("traffic");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        const size_t other = (size_t)*ranks;
        all few = {.p = &p, .cuts = cut(&r, CUT_EVENLY, 100 * other, *ranks)};
        expect_traffic(&few, reduces, 1, NOTE, "reduce of few");
        expect_traffic(&few, scans, 1, NOTE, "scan of few");

        all uneven = {.p = &p, .cuts = cut(&r, CUT_EVENLY, 100 * other + other / 2, *ranks)};
        const bool told = exact || *ranks == 1;
        expect_traffic(&uneven, scans, told ? 1 : 2, NOTE + (told ? 0 : record_bytes(&p, &uneven.cuts)),
                       "scan, uneven");

        all many = {.p = &p, .cuts = cut(&r, CUT_EVENLY, p.max, *ranks)};
        const size_t record = record_bytes(&p, &many.cuts);
        const bool one = exact || *ranks == 1; /* one exchange is enough */
        const bool large = cut_count(&many.cuts, 0) * p.size > (32 << 10);
        if (!large) continue;
        expect_traffic(&many, reduces, one ? 1 : 2, NOTE + (exact ? 0 : record), "reduce");
        const bool told_then = one || fit_notes(&p, &many.cuts); /* in the second one */
        expect_traffic(&many, reduces_twice, (one ? 1 : 2) + (told_then ? 1 : 2),
                       2 * NOTE + (exact ? 0 : record) + (told_then ? 0 : record), "two reduces");
        expect_traffic(&many, scans, *ranks == 1 ? 1 : 2, NOTE + record, "scan");
    }
    problem_close(&p);
}

static bool is_counted(const subject *s) { return strcmp(s->name, "sum_f32") == 0 || strcmp(s->name, "sum_u8") == 0; }

int main(void)
{
    team_begin();
    const int failed = run_subjects("ranks: reduce", reduce, NULL) + run_subjects("ranks: fold", fold, NULL) +
                       run_subjects("ranks: scan", scan, NULL) + run_subjects("ranks: segscan", segscan, NULL) +
                       run_subjects("ranks: on a device", device, is_tried) +
                       run_subjects("ranks: traffic", traffic_is_as_documented, is_counted) +
                       run_subjects("ranks: many", many, is_large) +
                       run_subjects("ranks: result", result_is_the_devices, is_counted);
    team_end();
    return failed;
}
