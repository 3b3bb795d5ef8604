/* Reduce, fold, scan and segmented scan over ranks have the bits of the definition, however the array is cut. */
#include "support/team.h"

#include <stdlib.h>
#include <string.h>

typedef struct all {
    const problem *p;
    cuts cuts;
    oplus_kind kind;
    bool in_place;
} all;

/* The part of this rank. */
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

/* Every size of team, with three ways of cutting; the array's size is anything up to the problem's. */
static void try_all(const problem *p, rank_body body, bool kinds, const char *where)
{
    rng r = test_rng(p->s->name);
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int way = 0; way < CUT_WAYS; way++) {
            const size_t n = rng_below(&r, 8) == 0 ? rng_below(&r, 20) : rng_below(&r, p->max + 1);
            all a = {.p = p, .cuts = cut(&r, way, n, *ranks), .in_place = rng_below(&r, 2)};
            if (kinds && p->exclusive != NULL) a.kind = (oplus_kind)rng_below(&r, 2);
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

int main(void)
{
    team_begin();
    const int failed = run_subjects("ranks: reduce", reduce, NULL) + run_subjects("ranks: fold", fold, NULL) +
                       run_subjects("ranks: scan", scan, NULL) + run_subjects("ranks: segscan", segscan, NULL);
    team_end();
    return failed;
}
