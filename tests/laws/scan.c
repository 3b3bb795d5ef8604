/* inclusive[i] = P(i+1), exclusive[i] = P(i), for every operator, place and size, in place and not. */
#include "support/laws.h"

static bool scan_is_all_prefixes(const trial *t, finding *f)
{
    const problem *p = t->p;
    void *out = output(p, t->in_place ? p->x : NULL, t->n);
    return succeeded(oplus_scan(t->at->dev, p->s->op, t->kind, t->in_place ? out : p->x, t->n, out), f) &&
           kept_inside(f) && same(p, out, t->kind == OPLUS_EXCLUSIVE ? p->exclusive : at(p, p->prefix, 1), t->n, f);
}

static void scan(void **state)
{
    const subject *s = *state;
    problem p = problem_open(s, largest(s), 0, false);
    for_all(&p, KINDS | IN_PLACE, scan_is_all_prefixes);
    problem_close(&p);
}

int main(void) { return run_subjects("scan", scan, NULL); }
