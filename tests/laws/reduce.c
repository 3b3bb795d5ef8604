/* reduce = P(n), for every operator, place and size. */
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

static bool reduce_is_the_last_prefix(const trial *t, finding *f)
{
    const problem *p = t->p;
    if (t->n == 0 && p->s->op->identity == NULL) return true; /* an error: see errors.c */
    void *out = output(p, NULL, 1);
    return succeeded(oplus_reduce(t->at->dev, p->s->op, p->x, t->n, out), f) && kept_inside(f) &&
           same(p, out, at(p, p->prefix, t->n), 1, f);
}

static void reduce(void **state)
{
    const subject *s = *state;
    problem p = problem_open(s, largest(s), 0, false);
    for_all(&p, 0, reduce_is_the_last_prefix);
    problem_close(&p);
}

/* --- the reference agrees with the recursion it stands for */

static void element_of(const void *context, uint64_t i, void *out)
{
    const problem *p = context;
    memcpy(out, at(p, p->x, i), p->size);
}

static void reference(void **state)
{
    const subject *s = *state;
    problem p = problem_open(s, s->limit < 300 ? s->limit : 300, 0, false);
    unsigned char *got = must(malloc(p.size));
    for (size_t n = 1; n <= p.max; n++) {
        finding f;
        reference_reduce(s, element_of, &p, n, got);
        if (!same(&p, got, at(&p, p.prefix, n), 1, &f)) fail_msg("n = %zu: %s", n, f.text);
    }
    free(got);
    problem_close(&p);
}

int main(void) { return run_subjects("reference", reference, NULL) + run_subjects("reduce", reduce, NULL); }
