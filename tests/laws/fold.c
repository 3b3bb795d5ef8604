/* fold = P(n) with P(0) = init, for every operator, place and size; it needs no identity. */
#include "support/laws.h"

static bool fold_is_the_last_prefix(const trial *t, finding *f)
{
    const problem *p = t->p;
    void *out = output(p, NULL, 1);
    return succeeded(oplus_fold(t->at->dev, p->s->op, p->init, p->x, t->n, out), f) && kept_inside(f) &&
           same(p, out, at(p, p->prefix, t->n), 1, f);
}

static bool fold_over_its_own_init(const trial *t, finding *f)
{
    const problem *p = t->p;
    void *out = output(p, p->init, 1);
    return succeeded(oplus_fold(t->at->dev, p->s->op, out, p->x, t->n, out), f) && kept_inside(f) &&
           same(p, out, at(p, p->prefix, t->n), 1, f);
}

static void fold(void **state)
{
    const subject *s = *state;
    problem p = problem_open(s, largest(s), 0, true);
    for_all(&p, 0, fold_is_the_last_prefix);
    problem_close(&p);
    p = problem_open(s, s->limit < 5000 ? s->limit : 5000, 0, true);
    for_all(&p, 0, fold_over_its_own_init);
    problem_close(&p);
}

int main(void) { return run_subjects("fold", fold, NULL); }
