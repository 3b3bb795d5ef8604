#include "support/subjects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- random elements -------------------------------------------------------------------------------------------- */

/* Mostly of size 1, sometimes of any exponent, a denormal or a zero of either sign: values that are rounded, and that
 * padding or flushing would change. */
static double any_float(rng *r, double denormal)
{
    static const double zero[2] = {0.0, -0.0};
    const double unit = rng_unit(r);
    switch (rng_below(r, 32)) {
    case 0:
        return zero[rng_below(r, 2)];
    case 1:
        return (double)rng_below(r, 1000) * denormal;
    case 2:
    case 3:
        return unit * (double)(UINT64_C(1) << rng_below(r, 40));
    case 4:
    case 5:
        return unit / (double)(UINT64_C(1) << rng_below(r, 40));
    default:
        return unit;
    }
}

static float any_f32(rng *r) { return (float)any_float(r, 0x1p-149); }
static double any_f64(rng *r) { return any_float(r, 0x1p-1074); }

/* Within a hundredth of 1 or -1: products of millions stay in range. */
static double near_one(rng *r) { return (rng_below(r, 2) ? 1.0 : -1.0) * (1.0 + 0.01 * rng_unit(r)); }

#define RANDOM_INTEGER(suffix, T)                                                                                      \
    static void random_sum_##suffix(rng *r, void *out) { *(T *)out = (T)rng_next(r); }                                 \
    static void random_prod_##suffix(rng *r, void *out) { *(T *)out = (T)(rng_next(r) | 1); }                          \
    static void random_min_##suffix(rng *r, void *out) { *(T *)out = (T)(rng_next(r) | rng_next(r)); }                 \
    static void random_max_##suffix(rng *r, void *out) { *(T *)out = (T)(rng_next(r) & rng_next(r)); }                 \
    static void random_and_##suffix(rng *r, void *out)                                                                 \
    {                                                                                                                  \
        *(T *)out = (T) ~(rng_next(r) & rng_next(r) & rng_next(r) & rng_next(r) & rng_next(r) & rng_next(r));          \
    }                                                                                                                  \
    static void random_or_##suffix(rng *r, void *out)                                                                  \
    {                                                                                                                  \
        *(T *)out = (T)(rng_next(r) & rng_next(r) & rng_next(r) & rng_next(r) & rng_next(r) & rng_next(r));            \
    }                                                                                                                  \
    static void random_xor_##suffix(rng *r, void *out) { *(T *)out = (T)rng_next(r); }                                 \
    static void random_land_##suffix(rng *r, void *out) { *(T *)out = (T)(rng_below(r, 500) != 0); }                   \
    static void random_lor_##suffix(rng *r, void *out) { *(T *)out = (T)(rng_below(r, 500) == 0); }
#define RANDOM_FLOAT(suffix, T)                                                                                        \
    static void random_sum_##suffix(rng *r, void *out) { *(T *)out = any_##suffix(r); }                                \
    static void random_prod_##suffix(rng *r, void *out) { *(T *)out = (T)near_one(r); }                                \
    static void random_min_##suffix(rng *r, void *out) { *(T *)out = any_##suffix(r); }                                \
    static void random_max_##suffix(rng *r, void *out) { *(T *)out = any_##suffix(r); }
#define RANDOM_COMPLEX(suffix, T, any, R)                                                                              \
    static void random_sum_##suffix(rng *r, void *out)                                                                 \
    {                                                                                                                  \
        T *z = out;                                                                                                    \
        z->re = any(r);                                                                                                \
        z->im = any(r);                                                                                                \
    }                                                                                                                  \
    static void random_prod_##suffix(rng *r, void *out)                                                                \
    {                                                                                                                  \
        T *z = out; /* of size 1: a point of the unit square's diagonal cross, turned by a little */                   \
        const double c = near_one(r), s = 0.01 * rng_unit(r);                                                          \
        const bool turn = rng_below(r, 2);                                                                             \
        z->re = (R)(turn ? s : c);                                                                                     \
        z->im = (R)(turn ? c : s);                                                                                     \
    }

RANDOM_INTEGER(i8, int8_t)
RANDOM_INTEGER(i16, int16_t)
RANDOM_INTEGER(i32, int32_t)
RANDOM_INTEGER(i64, int64_t)
RANDOM_INTEGER(u8, uint8_t)
RANDOM_INTEGER(u16, uint16_t)
RANDOM_INTEGER(u32, uint32_t)
RANDOM_INTEGER(u64, uint64_t)
RANDOM_FLOAT(f32, float)
RANDOM_FLOAT(f64, double)
RANDOM_COMPLEX(c64, oplus_complex64, any_f32, float)
RANDOM_COMPLEX(c128, oplus_complex128, any_f64, double)

/* --- the canonical NaN ------------------------------------------------------------------------------------------ */

void quiet_f32(void *x)
{
    float f;
    memcpy(&f, x, sizeof f);
    if (f != f) memcpy(x, &(uint32_t){0x7fc00000}, 4);
}

void quiet_f64(void *x)
{
    double f;
    memcpy(&f, x, sizeof f);
    if (f != f) memcpy(x, &(uint64_t){UINT64_C(0x7ff8000000000000)}, 8);
}

static void quiet_two_f32(void *x)
{
    quiet_f32(x);
    quiet_f32((char *)x + 4);
}

static void quiet_two_f64(void *x)
{
    quiet_f64(x);
    quiet_f64((char *)x + 8);
}

static void quiet_mixed12(void *x) { quiet_two_f32((char *)x + 4); }
static void quiet_padded16(void *x) { quiet_f64((char *)x + offsetof(padded16, sum)); }
static void blank_padded16(void *x) { memset((char *)x + 1, 0, offsetof(padded16, sum) - 1); }

#define quiet_i8   NULL
#define quiet_i16  NULL
#define quiet_i32  NULL
#define quiet_i64  NULL
#define quiet_u8   NULL
#define quiet_u16  NULL
#define quiet_u32  NULL
#define quiet_u64  NULL
#define quiet_c64  quiet_two_f32
#define quiet_c128 quiet_two_f64

/* --- the built-in operators, defined once more ------------------------------------------------------------------- */

#define DEFINE(name, T, expression)                                                                                    \
    static void combine_##name(void *out, const void *pa, const void *pb)                                              \
    {                                                                                                                  \
        const T a = *(const T *)pa, b = *(const T *)pb;                                                                \
        *(T *)out = (T)(expression);                                                                                   \
    }
#define DEFINE_INTEGER(suffix, T)                                                                                      \
    DEFINE(sum_##suffix, T, (uint64_t)a + (uint64_t)b)                                                                 \
    DEFINE(prod_##suffix, T, (uint64_t)a *(uint64_t)b)                                                                 \
    DEFINE(min_##suffix, T, a < b ? a : b)                                                                             \
    DEFINE(max_##suffix, T, a > b ? a : b)                                                                             \
    DEFINE(and_##suffix, T, a &b)                                                                                      \
    DEFINE(or_##suffix, T, a | b)                                                                                      \
    DEFINE(xor_##suffix, T, a ^ b)                                                                                     \
    DEFINE(land_##suffix, T, a != 0 && b != 0)                                                                         \
    DEFINE(lor_##suffix, T, a != 0 || b != 0)
/* A NaN anywhere gives NaN; -0 < +0. */
#define DEFINE_FLOAT(suffix, T)                                                                                        \
    DEFINE(sum_##suffix, T, a + b)                                                                                     \
    DEFINE(prod_##suffix, T, a *b)                                                                                     \
    DEFINE(min_##suffix, T, a != a ? a : b != b ? b : a == b ? (1 / a < 1 / b ? a : b) : a < b ? a : b)                \
    DEFINE(max_##suffix, T, a != a ? a : b != b ? b : a == b ? (1 / a > 1 / b ? a : b) : a > b ? a : b)
#define DEFINE_COMPLEX(suffix, T)                                                                                      \
    static void combine_sum_##suffix(void *out, const void *pa, const void *pb)                                        \
    {                                                                                                                  \
        const T a = *(const T *)pa, b = *(const T *)pb;                                                                \
        *(T *)out = (T){a.re + b.re, a.im + b.im};                                                                     \
    }                                                                                                                  \
    static void combine_prod_##suffix(void *out, const void *pa, const void *pb)                                       \
    {                                                                                                                  \
        const T a = *(const T *)pa, b = *(const T *)pb;                                                                \
        *(T *)out = (T){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};                                         \
    }

DEFINE_INTEGER(i8, int8_t)
DEFINE_INTEGER(i16, int16_t)
DEFINE_INTEGER(i32, int32_t)
DEFINE_INTEGER(i64, int64_t)
DEFINE_INTEGER(u8, uint8_t)
DEFINE_INTEGER(u16, uint16_t)
DEFINE_INTEGER(u32, uint32_t)
DEFINE_INTEGER(u64, uint64_t)
DEFINE_FLOAT(f32, float)
DEFINE_FLOAT(f64, double)
DEFINE_COMPLEX(c64, oplus_complex64)
DEFINE_COMPLEX(c128, oplus_complex128)

/* --- a user's operators ----------------------------------------------------------------------------------------- */

/* x -> a x + b, the earlier first: it rounds, and does not commute. */
OPLUS_OP(compose32, affine32, (1, 0), 0, {
    affine32 r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_OP(compose64, affine64, (1, 0), 0, {
    affine64 r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})

/* A rotation, that is a product of complex numbers: the shape that gcc 12's vectoriser fuses (vfmaddsub), even under
 * -ffp-contract=off, where the processor may. */
OPLUS_OP(rotate, turn32, (1, 0), 0, {
    turn32 r;
    r.c = a.c * b.c - a.s * b.s;
    r.s = a.c * b.s + a.s * b.c;
    return r;
})

/* 2 x 2 matrices modulo 2^32: exact, and does not commute.  Once as it is, once declared exact. */
OPLUS_OP(multiply, matrix22, ({1, 0, 0, 1}), 0, {
    matrix22 r;
    r.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];
    r.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];
    r.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];
    r.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];
    return r;
})
OPLUS_OP(multiply_exact, matrix22, ({1, 0, 0, 1}), OPLUS_EXACT, {
    matrix22 r;
    r.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];
    r.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];
    r.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];
    r.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];
    return r;
})

/* The earlier, the later: without an identity; the result shows the order of the operands. */
OPLUS_SEMIGROUP(first_u32, uint32_t, OPLUS_EXACT, {
    (void)b;
    return a;
})
OPLUS_SEMIGROUP(last_f64, double, 0, {
    (void)a;
    return b;
})

/* Not associative at all.  The canonical tree defines its bits all the same, and another tree gives other bits: this
 * subject tells one association from another.  Once with an identity that is none, in case the library joins it in, and
 * once without. */
OPLUS_SEMIGROUP(hash8, uint64_t, 0, { return (a * 0x9e3779b97f4a7c15u + 1) ^ ((b << 23 | b >> 41) * 3); })
OPLUS_OP(hash4, uint32_t, (12345), 0, { return (a * 0x9e3779b1u + 1) ^ ((b << 13 | b >> 19) * 3); })
OPLUS_OP(hash2, uint16_t, (7), 0, { return (uint16_t)((a * 40503u + 1) ^ ((unsigned)b << 5 | b >> 11) * 3); })
OPLUS_SEMIGROUP(hash1, uint8_t, 0, { return (uint8_t)((a * 167u + 1) ^ ((unsigned)b << 3 | b >> 5) * 5); })

/* Odd sizes. */
OPLUS_OP(join3, small3, (1, 0, 0), 0, {
    small3 r;
    r.scale = (uint8_t)(a.scale * b.scale);
    r.shift = (uint8_t)(a.shift * b.scale + b.shift);
    r.mask = (uint8_t)(a.mask ^ b.mask);
    return r;
})
OPLUS_OP(join12, mixed12, (0, 1, 0), 0, {
    mixed12 r;
    r.count = (int32_t)((uint32_t)a.count + (uint32_t)b.count);
    r.scale = a.scale * b.scale;
    r.shift = a.shift * b.scale + b.shift;
    return r;
})
OPLUS_OP(join16, padded16, (0, 0), 0, {
    padded16 r;
    r.mask = (int8_t)(a.mask ^ b.mask);
    r.sum = a.sum + b.sum;
    return r;
})

/* Larger than a block: affine maps side by side. */
OPLUS_SEMIGROUP(join5000, huge5000, 0, {
    huge5000 r;
    for (int i = 0; i < 1250; i += 2) {
        r.v[i + 1] = a.v[i + 1] * b.v[i] + b.v[i + 1];
        r.v[i] = a.v[i] * b.v[i];
    }
    return r;
})

/* Defined by `combine` alone: no text, no loops; it is called through a pointer. */
static void combine_bare(void *out, const void *pa, const void *pb)
{
    const affine32 a = *(const affine32 *)pa, b = *(const affine32 *)pb;
    const float scaled = a.b * b.a;
    *(affine32 *)out = (affine32){a.a * b.a, scaled + b.b};
}
static const affine32 bare_identity = {1, 0};
static const oplus_op bare_op = {
    .abi = OPLUS_ABI, .name = "bare", .type = &affine32_type, .identity = &bare_identity, .combine = combine_bare};
static const oplus_op bare_hash_op = {
    .abi = OPLUS_ABI, .name = "bare_hash", .type = &oplus_u64, .combine = oplus_hash8_combine_};
static const oplus_op bare_exact_op = {.abi = OPLUS_ABI,
                                       .name = "bare_exact",
                                       .type = &matrix22_type,
                                       .flags = OPLUS_EXACT,
                                       .combine = oplus_multiply_combine_};

/* With a captured parameter: affine maps modulo p, in the tree's order and in any order; an operator that is not
 * associative, with a struct that is padded; one that rounds; one whose identity depends on p; one defined by
 * `combine_with` alone. */
OPLUS_OP_WITH(modulo, pair32, uint32_t, (1, 0), 0, {
    pair32 r;
    r.a = (uint32_t)((uint64_t)a.a * b.a % p);
    r.b = (uint32_t)(((uint64_t)a.b * b.a + b.b) % p);
    return r;
})
OPLUS_OP_WITH(modulo_exact, pair32, uint32_t, (1, 0), OPLUS_EXACT, {
    pair32 r;
    r.a = (uint32_t)((uint64_t)a.a * b.a % p);
    r.b = (uint32_t)(((uint64_t)a.b * b.a + b.b) % p);
    return r;
})
OPLUS_OP_WITH(hash_with, uint64_t, mixing, (99), 0,
              { return (a * p.factor + 1) ^ ((b << p.shift | b >> (64 - p.shift)) * 3); })
OPLUS_SEMIGROUP_WITH(leak, float, float, 0, { return a * p + b; })
OPLUS_SEMIGROUP_WITH(beyond, int32_t, int32_t, OPLUS_EXACT | OPLUS_COMMUTATIVE,
                     { return (int32_t)((uint32_t)a + (uint32_t)b - (uint32_t)p); })
static const uint32_t prime = 4294967291u;
static const mixing mix = {23, 0x9e3779b97f4a7c15u};
static const float kept = 0.75f;
static const int32_t neutral = 1234567;
static oplus_op modulo_bound, modulo_exact_bound, hash_with_bound, leak_bound, beyond_bound;
static const oplus_op bare_with_op = {.abi = OPLUS_ABI,
                                      .name = "bare_with",
                                      .type = &oplus_u64,
                                      .param_type = &mixing_type,
                                      .param = &mix,
                                      .combine_with = oplus_hash_with_combine_};

__attribute__((constructor)) static void bind(void)
{
    modulo_bound = oplus_op_with(&modulo_op, &prime);
    modulo_exact_bound = oplus_op_with(&modulo_exact_op, &prime);
    hash_with_bound = oplus_op_with(&hash_with_op, &mix);
    leak_bound = oplus_op_with(&leak_op, &kept);
    beyond_bound = oplus_op_with(&beyond_op, &neutral);
    beyond_bound.identity = &neutral;
}

#define COMBINE_WITH(name, T, p)                                                                                       \
    static void combine_##name(void *out, const void *a, const void *b)                                                \
    {                                                                                                                  \
        *(T *)out = name(*(const T *)a, *(const T *)b, p);                                                             \
    }
COMBINE_WITH(modulo, pair32, prime)
COMBINE_WITH(hash_with, uint64_t, mix)
COMBINE_WITH(leak, float, kept)
COMBINE_WITH(beyond, int32_t, neutral)

static void random_pair32(rng *r, void *out)
{
    pair32 *x = out;
    x->a = (uint32_t)(1 + rng_below(r, prime - 1));
    x->b = (uint32_t)rng_below(r, prime);
}

#define RANDOM_AFFINE(T, R, any)                                                                                       \
    static void random_##T(rng *r, void *out)                                                                          \
    {                                                                                                                  \
        T *x = out;                                                                                                    \
        x->a = (R)near_one(r);                                                                                         \
        x->b = any(r);                                                                                                 \
    }
RANDOM_AFFINE(affine32, float, any_f32)
RANDOM_AFFINE(affine64, double, any_f64)

static void random_bytes(rng *r, void *out, size_t size)
{
    for (size_t i = 0; i < size; i++) ((unsigned char *)out)[i] = (unsigned char)rng_next(r);
}

static void random_1(rng *r, void *out) { random_bytes(r, out, 1); }
static void random_2(rng *r, void *out) { random_bytes(r, out, 2); }
static void random_4(rng *r, void *out) { random_bytes(r, out, 4); }
static void random_8(rng *r, void *out) { random_bytes(r, out, 8); }

static void random_matrix22(rng *r, void *out)
{
    matrix22 *x = out;
    for (int i = 0; i < 4; i++) x->m[i] = (uint32_t)rng_next(r);
    x->m[0] |= 1; /* odd determinant: products keep all their bits */
    x->m[3] |= 1;
    x->m[1] &= ~UINT32_C(1);
}

static void random_small3(rng *r, void *out)
{
    small3 *x = out;
    random_bytes(r, x, 3);
    x->scale |= 1;
}

static void random_mixed12(rng *r, void *out)
{
    mixed12 *x = out;
    x->count = (int32_t)rng_next(r);
    x->scale = (float)near_one(r);
    x->shift = any_f32(r);
}

static void random_padded16(rng *r, void *out)
{
    padded16 *x = out;
    memset(x, 0, sizeof *x);
    x->mask = (int8_t)rng_next(r);
    x->sum = any_f64(r);
}

static void random_huge5000(rng *r, void *out)
{
    huge5000 *x = out;
    for (int i = 0; i < 1250; i++) x->v[i] = (uint32_t)rng_next(r) | !(i & 1);
}

/* --- the table --------------------------------------------------------------------------------------------------- */

enum { MILLION = 1100000 };

const subject subjects[] = {
#define BUILTIN(op, suffix, T)                                                                                         \
    {#op "_" #suffix, &oplus_##op##_##suffix, combine_##op##_##suffix, random_##op##_##suffix, quiet_##suffix, NULL,   \
     MILLION},
    OPLUS_FOR_BUILTINS(BUILTIN)
#undef BUILTIN
        {"compose32", &compose32_op, oplus_compose32_combine_, random_affine32, quiet_two_f32, NULL, MILLION},
    {"compose64", &compose64_op, oplus_compose64_combine_, random_affine64, quiet_two_f64, NULL, MILLION},
    {"rotate", &rotate_op, oplus_rotate_combine_, random_prod_c64, quiet_two_f32, NULL, MILLION},
    {"multiply", &multiply_op, oplus_multiply_combine_, random_matrix22, NULL, NULL, MILLION},
    {"multiply_exact", &multiply_exact_op, oplus_multiply_exact_combine_, random_matrix22, NULL, NULL, MILLION},
    {"first_u32", &first_u32_op, oplus_first_u32_combine_, random_4, NULL, NULL, MILLION},
    {"last_f64", &last_f64_op, oplus_last_f64_combine_, random_sum_f64, quiet_f64, NULL, MILLION},
    {"hash8", &hash8_op, oplus_hash8_combine_, random_8, NULL, NULL, MILLION},
    {"hash4", &hash4_op, oplus_hash4_combine_, random_4, NULL, NULL, MILLION},
    {"hash2", &hash2_op, oplus_hash2_combine_, random_2, NULL, NULL, MILLION},
    {"hash1", &hash1_op, oplus_hash1_combine_, random_1, NULL, NULL, MILLION},
    {"join3", &join3_op, oplus_join3_combine_, random_small3, NULL, NULL, MILLION},
    {"join12", &join12_op, oplus_join12_combine_, random_mixed12, quiet_mixed12, NULL, MILLION},
    {"join16", &join16_op, oplus_join16_combine_, random_padded16, quiet_padded16, blank_padded16, MILLION},
    {"join5000", &join5000_op, oplus_join5000_combine_, random_huge5000, NULL, NULL, 700},
    {"bare", &bare_op, combine_bare, random_affine32, quiet_two_f32, NULL, MILLION},
    {"bare_hash", &bare_hash_op, oplus_hash8_combine_, random_8, NULL, NULL, MILLION},
    {"bare_exact", &bare_exact_op, oplus_multiply_combine_, random_matrix22, NULL, NULL, MILLION},
    {"modulo", &modulo_bound, combine_modulo, random_pair32, NULL, NULL, MILLION},
    {"modulo_exact", &modulo_exact_bound, combine_modulo, random_pair32, NULL, NULL, MILLION},
    {"hash_with", &hash_with_bound, combine_hash_with, random_8, NULL, NULL, MILLION},
    {"leak", &leak_bound, combine_leak, random_sum_f32, quiet_f32, NULL, MILLION},
    {"beyond", &beyond_bound, combine_beyond, random_4, NULL, NULL, MILLION},
    {"bare_with", &bare_with_op, combine_hash_with, random_8, NULL, NULL, MILLION},
};
const size_t subject_count = sizeof subjects / sizeof *subjects;

const subject *subject_named(const char *name)
{
    for (size_t i = 0; i < subject_count; i++)
        if (strcmp(subjects[i].name, name) == 0) return &subjects[i];
    fprintf(stderr, "no subject is named %s\n", name);
    abort();
}
