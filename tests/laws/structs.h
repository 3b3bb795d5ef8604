/* Operators over structs of 12 to 64 bytes, which do not commute.  Their reference is the core, so that they have no
 * function of their own. */
#ifndef TEST_LAWS_STRUCTS_H
#define TEST_LAWS_STRUCTS_H

#include "support/subjects.h"

/* x -> m[0] x + m[i] for each i, one after the other: associative, and in one order only. */
#define AFFINE(name, words)                                                                                            \
    OPLUS_STRUCT(name, uint32_t m[words];)                                                                             \
    OPLUS_OP(then_##name, name, ({1}), 0, {                                                                            \
        name r;                                                                                                        \
        r.m[0] = a.m[0] * b.m[0];                                                                                      \
        for (int i = 1; i < words; i++) r.m[i] = a.m[i] * b.m[0] + b.m[i];                                             \
        return r;                                                                                                      \
    })                                                                                                                 \
    static void random_##name(rng *r, void *out)                                                                       \
    {                                                                                                                  \
        for (int i = 0; i < words; i++) ((name *)out)->m[i] = (uint32_t)rng_next(r);                                   \
    }
AFFINE(words3, 3)
AFFINE(words4, 4)
AFFINE(words5, 5)
AFFINE(words6, 6)
AFFINE(words8, 8)
AFFINE(words10, 10)
AFFINE(words12, 12)
AFFINE(words16, 16)

/* Sums of floats show in which order they are taken. */
OPLUS_STRUCT(mixed24, double sum; uint64_t scale; float f; uint16_t last; uint16_t most;)
OPLUS_OP(join24, mixed24, (0, 1, 0, 0, 0), 0, {
    mixed24 r;
    r.sum = a.sum + b.sum;
    r.scale = a.scale * b.scale;
    r.f = a.f + b.f;
    r.last = b.last;
    r.most = a.most > b.most ? a.most : b.most;
    return r;
})

static void random_mixed24(rng *r, void *out)
{
    mixed24 *x = out;
    x->sum = rng_unit(r);
    x->scale = rng_next(r) | 1;
    x->f = (float)rng_unit(r);
    x->last = (uint16_t)rng_next(r);
    x->most = (uint16_t)rng_next(r);
}

#define AFFINE_SUBJECT(type)                                                                                           \
    {                                                                                                                  \
        .name = #type, .op = &then_##type##_op, .random = random_##type                                                \
    }
static const subject structs[] = {
    AFFINE_SUBJECT(words3),  AFFINE_SUBJECT(words4),  AFFINE_SUBJECT(words5),
    AFFINE_SUBJECT(words6),  AFFINE_SUBJECT(words8),  AFFINE_SUBJECT(words10),
    AFFINE_SUBJECT(words12), AFFINE_SUBJECT(words16), {.name = "mixed24", .op = &join24_op, .random = random_mixed24}};
enum { STRUCTS = sizeof structs / sizeof *structs };

#endif
