/* Segmented scan is the scan of the lifted operator, whether heads are rare, frequent or everywhere. */
#include "support/laws.h"

static bool segscan_is_the_lifted_scan(const trial *t, finding *f)
{
    const problem *p = t->p;
    void *out = output(p, t->in_place ? p->x : NULL, t->n);
    return succeeded(oplus_segscan(t->at->dev, p->s->op, t->kind, t->in_place ? out : p->x, p->heads, t->n, out), f) &&
           kept_inside(f) && same(p, out, t->kind == OPLUS_EXCLUSIVE ? p->exclusive : at(p, p->prefix, 1), t->n, f);
}

static void segscan(void **state)
{
    static const size_t one_in[] = {100000, 700, 3};
    const subject *s = *state;
    for (size_t i = 0; i < sizeof one_in / sizeof *one_in; i++) {
        const size_t max = i == 1 ? largest(s) : largest(s) / 3;
        problem p = problem_open(s, max, one_in[i], false);
        for_all(&p, KINDS | IN_PLACE | (i == 1 ? 0 : FEW_SIZES), segscan_is_the_lifted_scan);
        problem_close(&p);
    }
}

int main(void) { return run_subjects("segscan", segscan, NULL); }
