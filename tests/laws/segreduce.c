/* out[s] = the reduce of the slice [offsets[s], offsets[s+1]), anchored at its start. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *offsets;           /* of the problem under test */
static uint32_t *narrow;            /* the same offsets in 32 bits */
static size_t elements;             /* n: the last offset may be smaller */
static bool is_signed;              /* whether the types of the offsets are signed */
static unsigned char *of_its_slice; /* the reduce of the slice of each segment */

static bool is_right(const trial *t, const oplus_type *offset, const void *from, const void *x, void *out, finding *f)
{
    return succeeded(oplus_segreduce(t->at->dev, t->p->s->op, x, elements, offset, from, t->n, out), f);
}

/* The same with all arrays in the device's memory. */
static bool is_right_there(const trial *t, const oplus_type *offset, const void *from, finding *f)
{
    const problem *p = t->p;
    oplus_device *const dev = t->at->dev;
    const size_t bytes[3] = {elements * p->size, (t->n + 1) * offset->size, t->n * p->size};
    const void *const given[3] = {p->x, from, NULL};
    void *mem[3] = {NULL}, *out = output(p, NULL, t->n);
    bool good = true;
    for (int k = 0; k < 3; k++) {
        good = good && succeeded(oplus_alloc(dev, bytes[k], &mem[k]), f);
        if (good && given[k] && bytes[k]) good = succeeded(oplus_copy(dev, mem[k], given[k], bytes[k]), f);
    }
    good = good && is_right(t, offset, mem[1], mem[0], mem[2], f) &&
           succeeded(oplus_copy(dev, out, mem[2], bytes[2]), f) && same(p, out, of_its_slice, t->n, f);
    for (int k = 0; k < 3; k++) oplus_free(dev, mem[k]);
    return good;
}

/* Here t->n is a number of segments. */
static bool segreduce_is_reduce_of_each(const trial *t, finding *f)
{
    const problem *p = t->p;
    const struct {
        const oplus_type *type;
        const void *offsets;
    } way[] = {{is_signed ? &oplus_i64 : &oplus_u64, offsets}, {is_signed ? &oplus_i32 : &oplus_u32, narrow}};
    if (!stand_at(t->at, p->s, true)) return true;
    for (int w = 0; w < 2; w++) {
        void *const out = output(p, NULL, t->n);
        if (!is_right(t, way[w].type, way[w].offsets, p->x, out, f) || !kept_inside(f) ||
            !same(p, out, of_its_slice, t->n, f))
            return false;
        if (t->at->accelerator && t->n > 0 && !is_right_there(t, way[w].type, way[w].offsets, f)) return false;
    }
    return true;
}

/* --- how long the segments are */

static size_t brief(rng *r) { return rng_below(r, 9); }
static size_t up_to_seventy(rng *r) { return rng_below(r, 71); }
static size_t around_edges(rng *r) { return ((size_t)1 << rng_below(r, 14)) + rng_below(r, 3) - 1; }
static size_t one_giant(rng *r) { return rng_below(r, 40) == 0 ? 150000 : rng_below(r, 100); }

/* Fills in the offsets until `max` elements are used up; returns the number of segments. */
static size_t cut(const problem *p, size_t (*length)(rng *r))
{
    const size_t last = p->max > 100 ? p->max - 3 : p->max; /* the last segment need not end at n either */
    rng r = test_rng("cut");
    size_t segments = 0, end = p->max > 5 ? 5 : 0; /* the first segment need not start at 0 */
    offsets = must(malloc((2 * p->max + 2) * sizeof *offsets));
    offsets[0] = end;
    while (end < last && segments < 2 * p->max) {
        size_t n = length(&r);
        if (n == 0 && p->s->op->identity == NULL) n = 1;
        end = n < last - end ? end + n : last;
        offsets[++segments] = end;
    }
    narrow = must(malloc((segments + 1) * sizeof *narrow));
    for (size_t i = 0; i <= segments; i++) narrow[i] = (uint32_t)offsets[i];
    of_its_slice = must(malloc(segments * p->size + 1));
    unsigned char *prefix = must(malloc((p->max + 1) * p->size));
    for (size_t s = 0; s < segments; s++) {
        const size_t n = (size_t)(offsets[s + 1] - offsets[s]);
        reference_prefixes(p->s, NULL, at(p, p->x, offsets[s]), NULL, n, prefix);
        memcpy(of_its_slice + s * p->size, prefix + n * p->size, p->size);
    }
    free(prefix);
    return segments;
}

static void segreduce(void **state)
{
    static size_t (*const lengths[])(rng * r) = {brief, up_to_seventy, around_edges, one_giant};
    const subject *s = *state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        problem p = problem_open(s, i == 0 ? largest(s) / 3 : largest(s), 0, false);
        elements = p.max;
        is_signed = i == 2;
        p.max = cut(&p, lengths[i]);
        for_all(&p, 0, segreduce_is_reduce_of_each);
        p.max = elements;
        problem_close(&p);
        free(offsets);
        free(narrow);
        free(of_its_slice);
    }
}

int main(void) { return run_subjects("segreduce", segreduce, NULL); }
