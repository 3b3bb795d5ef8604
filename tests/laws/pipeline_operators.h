/* Operators and predicates of laws/pipeline.  Their reference is the core, so that they have no functions of their own. */
#ifndef TEST_LAWS_PIPELINE_OPERATORS_H
#define TEST_LAWS_PIPELINE_OPERATORS_H

#include "support/subjects.h"

/* --- structs of 12 to 64 bytes; operators that do not commute ------------------------------------------------------ */

/* x -> m[0] x + m[i] for each i, one after the other: associative, and in one order only. */
#define AFFINE_OF(name, member, words)                                                                                 \
    OPLUS_STRUCT(name, member m[words];)                                                                               \
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
#define AFFINE(name, words) AFFINE_OF(name, uint32_t, words)
AFFINE(words3, 3)
AFFINE(words4, 4)
AFFINE(words5, 5)
AFFINE(words6, 6)
AFFINE(words8, 8)
AFFINE(words10, 10)
AFFINE(words12, 12)
AFFINE(words16, 16)

/* Nodes with heads are larger than an element and a head, so that no member lies across such an address. */
AFFINE_OF(aligned16, __attribute__((aligned(16))) uint32_t, 12)
AFFINE_OF(aligned32, __attribute__((aligned(32))) uint32_t, 8)
AFFINE_OF(aligned64, __attribute__((aligned(64))) uint32_t, 16)

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
    AFFINE_SUBJECT(words3),    AFFINE_SUBJECT(words4),
    AFFINE_SUBJECT(words5),    AFFINE_SUBJECT(words6),
    AFFINE_SUBJECT(words8),    AFFINE_SUBJECT(words10),
    AFFINE_SUBJECT(words12),   AFFINE_SUBJECT(words16),
    AFFINE_SUBJECT(aligned16), AFFINE_SUBJECT(aligned32),
    AFFINE_SUBJECT(aligned64), {.name = "mixed24", .op = &join24_op, .random = random_mixed24}};
enum { STRUCTS = sizeof structs / sizeof *structs };

/* --- predicates ---------------------------------------------------------------------------------------------------- */

OPLUS_STRUCT(pair16, uint16_t a; uint16_t b;)
OPLUS_PREDICATE_WITH(below_u8, uint8_t, uint8_t, { return a < p; })
OPLUS_PREDICATE_WITH(below_u16, uint16_t, uint32_t, { return a < p; })
OPLUS_PREDICATE_WITH(below_f32, float, float, { return a < p; })
OPLUS_PREDICATE(odd_u32, uint32_t, { return (a & 1) == 1; })
OPLUS_PREDICATE(small_u64, uint64_t, { return a >> 63 == 0; })
OPLUS_PREDICATE(sum_is_odd, pair16, { return ((a.a + a.b) & 1) == 1; })
OPLUS_PREDICATE(first_is_less, pair32, { return a.a < a.b; })
OPLUS_PREDICATE(any_bit, matrix22, { return (a.m[0] & 3) != 0; })
OPLUS_PREDICATE(all_u32, uint32_t, { return a == a; })
OPLUS_PREDICATE(no_u16, uint16_t, { return a != a; })
OPLUS_PREDICATE(odd_words3, words3, { return (a.m[1] & 1) == 1; })
OPLUS_PREDICATE(odd_words5, words5, { return (a.m[4] & 1) == 1; })
OPLUS_PREDICATE(small_words6, words6, { return a.m[2] >> 30 == 0; })
OPLUS_PREDICATE(odd_words8, words8, { return (a.m[7] & 1) == 1; })
OPLUS_PREDICATE(odd_words10, words10, { return (a.m[9] & 1) == 1; })
OPLUS_PREDICATE(small_words12, words12, { return a.m[0] >> 30 == 0; })
OPLUS_PREDICATE(odd_words16, words16, { return (a.m[15] & 1) == 1; })
OPLUS_PREDICATE(odd_aligned64, aligned64, { return (a.m[15] & 1) == 1; })

static const oplus_fn *const plain[] = {&odd_u32_fn,       &small_u64_fn,    &sum_is_odd_fn,   &first_is_less_fn,
                                        &any_bit_fn,       &all_u32_fn,      &no_u16_fn,       &odd_words3_fn,
                                        &odd_words5_fn,    &small_words6_fn, &odd_words8_fn,   &odd_words10_fn,
                                        &small_words12_fn, &odd_words16_fn,  &odd_aligned64_fn};
enum { PLAIN = sizeof plain / sizeof *plain };

/* A predicate; its parameter stays where it is. */
static inline oplus_fn draw_predicate(rng *r)
{
    static uint8_t limit8;
    static uint32_t limit32;
    static float limit;
    limit8 = (uint8_t)rng_next(r);
    limit32 = (uint32_t)rng_below(r, 70000);
    limit = (float)rng_unit(r);
    switch (rng_below(r, 8)) {
    case 0:
        return oplus_with(&below_u8_fn, &limit8);
    case 1:
        return oplus_with(&below_u16_fn, &limit32);
    case 2:
        return oplus_with(&below_f32_fn, &limit);
    default:
        return *plain[rng_below(r, PLAIN)];
    }
}

#endif
