/* The parts of fused calls that laws/fused tries: functions, operators and predicates of all kinds that are there. */
#ifndef TEST_FUSED_FUNCTIONS_H
#define TEST_FUSED_FUNCTIONS_H

#include <oplus/oplus.h>

#include <math.h>
#include <stdlib.h>

enum { INPUTS = 8, LARGEST = 72 /* bytes of an element */ };

/* --- elements of 1 to 12 bytes ------------------------------------------------------------------------------------ */

OPLUS_ZIP(product, float, float, float, { return a * b; })
OPLUS_PREDICATE(large, float, { return a > 0.5f; })

OPLUS_MAP(widened, uint32_t, uint8_t, { return (uint32_t)a * 2654435761u; })
OPLUS_MAP(narrowed, uint16_t, uint32_t, { return (uint16_t)(a >> 16); })
OPLUS_PREDICATE(top, uint32_t, { return a >> 31; })

OPLUS_MAP(turned, uint8_t, uint8_t, { return (uint8_t)(a << 3 | a >> 5); })
OPLUS_OP(mixed, uint8_t, (9), 0, { return (uint8_t)(a * 5 + b); })
OPLUS_PREDICATE(high, uint8_t, { return a > 100; })

OPLUS_STRUCT(three, int32_t a; int32_t b; int32_t c;)
OPLUS_OP(first_or, three, (0, 0, 0), 0, { return a.a != 0 ? a : b; })
OPLUS_ZIP(three_of, three, int32_t, int16_t, {
    three t;
    t.a = a % 5 == 0 ? b : 0;
    t.b = a;
    t.c = b;
    return t;
})
OPLUS_PREDICATE(far, three, { return a.b % 3 != 0; })

/* --- results of another type than the elements -------------------------------------------------------------------- */

OPLUS_STRUCT(line, double slope; double start;)
OPLUS_OP(then, line, (1, 0), 0, {
    line both;
    both.slope = a.slope * b.slope;
    both.start = a.start * b.slope + b.start;
    return both;
})
OPLUS_MAP(line_of, line, double, {
    line l;
    l.slope = 1 - a * a;
    l.start = a;
    return l;
})
OPLUS_MAP(start_of, double, line, { return a.start; })
OPLUS_PREDICATE(falls, line, { return a.slope < 0; })

OPLUS_ZIP(sharper, double, float, float, { return (double)a * b; })

/* --- parameters, of all four -------------------------------------------------------------------------------------- */

OPLUS_STRUCT(scale, float by; int16_t plus;)
OPLUS_ZIP_WITH(scaled, float, int16_t, float, scale, { return (float)a * p.by + (float)p.plus * b; })
OPLUS_OP_WITH(leaning, float, float, (1), 0, { return a * p + b; })
OPLUS_PREDICATE_WITH(above, float, float, { return a > p; })
OPLUS_MAP_WITH(beside, uint8_t, float, uint8_t, { return (uint8_t)(a > 1 ? p : 7); })

/* --- large elements ----------------------------------------------------------------------------------------------- */

OPLUS_STRUCT(forty, float v[9]; uint32_t k;)
OPLUS_SEMIGROUP(mix_forty, forty, 0, {
    forty r;
    for (int i = 0; i < 9; i++) r.v[i] = a.v[i] * 0.5f + b.v[(i + 1) % 9];
    r.k = a.k * 3u + b.k;
    return r;
})
OPLUS_ZIP3(forty_of, forty, float, uint16_t, int8_t, {
    forty r;
    for (int i = 0; i < 9; i++) r.v[i] = a * (float)i;
    r.k = b + (uint32_t)(uint8_t)c;
    return r;
})
OPLUS_PREDICATE(even, forty, { return a.k % 2 == 0; })

OPLUS_STRUCT(nine, int64_t v[9];)
OPLUS_SEMIGROUP(mix_nine, nine, 0, {
    nine r;
    for (int i = 0; i < 9; i++) r.v[i] = (int64_t)((uint64_t)a.v[i] * 3u ^ (uint64_t)b.v[8 - i]);
    return r;
})
OPLUS_MAP(nine_of, nine, uint64_t, {
    nine r;
    for (int i = 0; i < 9; i++) r.v[i] = (int64_t)(a >> i);
    return r;
})
OPLUS_PREDICATE(sparse, nine, { return a.v[1] % 7 == 0; })
OPLUS_MAP(fifth, uint64_t, nine, { return (uint64_t)a.v[5]; })

/* --- texts: their functions are generic, those of macros beside them are C's -------------------------------------- */

OPLUS_OP(closer, float, (1e30f), 0, {
    const int i = a > -1000 && a < 1000 ? (int)a : 7;
    const int k = b > -1000 && b < 1000 ? (int)b : 7;
    return abs(i) <= abs(k) ? a : b;
})
OPLUS_MAP(rooted, double, float, { return sqrt(fmin(a * a, 9)); })

/* --- all of them -------------------------------------------------------------------------------------------------- */

typedef struct fusion {
    const oplus_fn *before, *keep, *after; /* keep and after: NULL if there is none */
    const oplus_op *op;
} fusion;

enum { FUSIONS = 12 };

typedef struct fusions {
    fusion all[FUSIONS];
    int count;
    oplus_fn bound[4];
    oplus_op bound_op;
    oplus_fn *made[4];
} fusions;

static inline oplus_fn *made_of(fusions *f, int k, const oplus_type *result, unsigned arity, const oplus_type *type,
                                const char *text)
{
    const oplus_type *input[INPUTS];
    for (unsigned i = 0; i < arity; i++) input[i] = type;
    return oplus_fn_make(NULL, result, arity, input, NULL, text, &f->made[k]) == OPLUS_OK ? f->made[k] : NULL;
}

static inline void add_fusion(fusions *f, const oplus_fn *before, const oplus_fn *keep, const oplus_fn *after,
                              const oplus_op *op)
{
    f->all[f->count++] = (fusion){before, keep, after, op};
}

static inline void open_fusions(fusions *f)
{
    static const scale half = {0.5f, 3}, twice = {-2, 1};
    static const float lean = 0.75f, limit = 0.25f;
    static const uint8_t other = 200;
    f->count = 0;
    f->bound[0] = oplus_with(&scaled_fn, &half);
    f->bound[1] = oplus_with(&above_fn, &limit);
    f->bound[2] = oplus_with(&beside_fn, &other);
    f->bound[3] = oplus_with(&scaled_fn, &twice);
    f->bound_op = oplus_op_with(&leaning_op, &lean);
    made_of(f, 0, &oplus_f32, 2, &oplus_f32, "abs(min(a, b)) + floor(a)");
    made_of(f, 1, NULL, 1, &oplus_f32, "abs(a) > sqrt(2)");
    made_of(f, 2, &oplus_u16, 8, &oplus_u8, "a + b * 3 ^ c + d + e * 5 ^ f + g + h");
    made_of(f, 3, &oplus_f32, 1, &oplus_f64, "max(a, -1)");
    add_fusion(f, &product_fn, &large_fn, NULL, &oplus_sum_f32);
    add_fusion(f, &f->bound[0], &f->bound[1], &f->bound[2], &f->bound_op);
    add_fusion(f, &line_of_fn, &falls_fn, &start_of_fn, &then_op);
    add_fusion(f, f->made[0], f->made[1], &rooted_fn, &closer_op);
    add_fusion(f, &widened_fn, &top_fn, &narrowed_fn, &oplus_xor_u32);
    add_fusion(f, &three_of_fn, &far_fn, NULL, &first_or_op);
    add_fusion(f, &turned_fn, &high_fn, NULL, &mixed_op);
    add_fusion(f, &sharper_fn, NULL, f->made[3], &oplus_sum_f64);
    add_fusion(f, &forty_of_fn, &even_fn, NULL, &mix_forty_op);
    add_fusion(f, &nine_of_fn, &sparse_fn, &fifth_fn, &mix_nine_op);
    add_fusion(f, f->made[2], NULL, NULL, &oplus_sum_u16);
    add_fusion(f, &f->bound[3], NULL, NULL, &oplus_sum_f32); /* `before` alone has a parameter, another value */
}

static inline void close_fusions(fusions *f)
{
    for (size_t k = 0; k < sizeof f->made / sizeof *f->made; k++) oplus_fn_free(f->made[k]);
}

#endif
