/* out[s] = the reduce of the slice [offsets[s], offsets[s+1]), anchored at its start. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t *offsets;             /* of the problem under test */
static unsigned char *of_its_slice; /* the reduce of each segment */

/* Here t->n is a number of segments. */
static bool segreduce_is_reduce_of_each(const trial *t, finding *f)
{
    const problem *p = t->p;
    if (!stand_at(t->at, p->s, true)) return true;
    void *out = output(p, NULL, t->n);
    return succeeded(oplus_segreduce(t->at->dev, p->s->op, p->x, offsets, t->n, out), f) && kept_inside(f) &&
           same(p, out, of_its_slice, t->n, f);
}

/* --- how long the segments are */

static size_t brief(rng *r) { return rng_below(r, 9); }
static size_t around_edges(rng *r) { return ((size_t)1 << rng_below(r, 14)) + rng_below(r, 3) - 1; }
static size_t one_giant(rng *r) { return rng_below(r, 40) == 0 ? 150000 : rng_below(r, 100); }

/* Fills in the offsets until `max` elements are used up; returns the number of segments. */
static size_t cut(const problem *p, size_t (*length)(rng *r))
{
    rng r = test_rng("cut");
    size_t segments = 0, end = p->max > 5 ? 5 : 0; /* the first segment need not start at 0 */
    offsets = must(malloc((2 * p->max + 2) * sizeof *offsets));
    offsets[0] = end;
    while (end < p->max && segments < 2 * p->max) {
        size_t n = length(&r);
        if (n == 0 && p->s->op->identity == NULL) n = 1;
        end = n < p->max - end ? end + n : p->max;
        offsets[++segments] = end;
    }
    of_its_slice = must(malloc(segments * p->size + 1));
    unsigned char *prefix = must(malloc((p->max + 1) * p->size));
    for (size_t s = 0; s < segments; s++) {
        const size_t n = offsets[s + 1] - offsets[s];
        reference_prefixes(p->s, NULL, at(p, p->x, offsets[s]), NULL, n, prefix);
        memcpy(of_its_slice + s * p->size, prefix + n * p->size, p->size);
    }
    free(prefix);
    return segments;
}

static void segreduce(void **state)
{
    static size_t (*const lengths[])(rng * r) = {brief, around_edges, one_giant};
    const subject *s = *state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        problem p = problem_open(s, i == 0 ? largest(s) / 3 : largest(s), 0, false);
        const size_t elements = p.max;
        p.max = cut(&p, lengths[i]);
        for_all(&p, 0, segreduce_is_reduce_of_each);
        p.max = elements;
        problem_close(&p);
        free(offsets);
        free(of_its_slice);
    }
}

int main(void) { return run_subjects("segreduce", segreduce, NULL); }
