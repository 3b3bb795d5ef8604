#include "random/kinds.h"

#include <math.h>
#include <string.h>

/* --- types -------------------------------------------------------------------------------------------------------- */

OPLUS_STRUCT(r3, uint8_t a, b, c;)
OPLUS_STRUCT(r5, uint8_t v[5];)
OPLUS_STRUCT(r8, float a; float b;)
OPLUS_STRUCT(r12, int32_t k; float x, y;)
OPLUS_STRUCT(r16, int8_t k; double d;) /* padded */
OPLUS_STRUCT(
    r20,
    struct {
        float x;
        int16_t n[2];
    } p[2];
    float z;)
OPLUS_STRUCT(r24, double d; float f; int32_t k; int64_t l;)
OPLUS_STRUCT(r40, float v[9]; uint32_t k;)
enum { SEVEN = 7 };
typedef struct two {
    float x, y;
} two;
OPLUS_STRUCT(r44, float v[SEVEN]; two p; uint16_t k[4];) /* its text alone does not say everything */
OPLUS_STRUCT(r1000, float v[125]; uint32_t w[125];)

#define ALONE(suffix, T, scalar) {&oplus_##suffix, {{0, 1, scalar}}},
const kind kinds[] = {
    OPLUS_FOR_SCALARS(ALONE) /* OPLUS_I8 - 1 to OPLUS_F64 - 1 */
    {&r3_type, {{0, 3, OPLUS_U8}}},
    {&r5_type, {{0, 5, OPLUS_U8}}},
    {&r8_type, {{0, 2, OPLUS_F32}}},
    {&r12_type, {{0, 1, OPLUS_I32}, {4, 2, OPLUS_F32}}},
    {&r16_type, {{0, 1, OPLUS_I8}, {8, 1, OPLUS_F64}}},
    {&r20_type, {{0, 1, OPLUS_F32}, {4, 2, OPLUS_I16}, {8, 1, OPLUS_F32}, {12, 2, OPLUS_I16}, {16, 1, OPLUS_F32}}},
    {&r24_type, {{0, 1, OPLUS_F64}, {8, 1, OPLUS_F32}, {12, 1, OPLUS_I32}, {16, 1, OPLUS_I64}}},
    {&r40_type, {{0, 9, OPLUS_F32}, {36, 1, OPLUS_U32}}},
    {&r44_type, {{0, 9, OPLUS_F32}, {36, 4, OPLUS_U16}}},
    {&r1000_type, {{0, 125, OPLUS_F32}, {500, 125, OPLUS_U32}}},
};
enum { R3 = OPLUS_F64, R5, R8, R12, R16, R20, R24, R40, R44, R1000 };
const size_t kind_count = sizeof kinds / sizeof *kinds, scalar_kinds = OPLUS_F64;

static const size_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8}; /* by oplus_scalar */

static void fill_scalar(oplus_scalar scalar, rng *r, int style, void *to)
{
    static const uint32_t odd[] = {0x7fc00000, 0xffc01234, 0x7f800001, 0xff900000, 0x7f800000, 0xff800000,
                                   0,          0x80000000, 1,          0x807fffff, 0x7f7fffff};
    const uint64_t bits = rng_next(r);
    const uint64_t whole = style == 0 ? bits >> 62 : style == 1 ? bits : rng_below(r, 50) == 0;
    const uint32_t special = odd[rng_below(r, sizeof odd / sizeof *odd)];
    const double value = style == 0 ? (double)(bits >> 61) - 3 : rng_unit(r);
    if (scalar == OPLUS_F32) {
        const float x = (float)value;
        memcpy(to, style == 2 && bits % 4 == 0 ? (const void *)&special : &x, sizeof x);
    } else if (scalar == OPLUS_F64) {
        const uint64_t wide = (special & 0x7f800000) == 0x7f800000
                                  ? (uint64_t)(special | (special & 0x7fffff ? 0x7ff00001 : 0x7ff00000)) << 32
                                  : (uint64_t)(special & 0x80000000) << 32 | (special & 0xff);
        memcpy(to, style == 2 && bits % 4 == 0 ? (const void *)&wide : &value, sizeof value);
    } else {
        memcpy(to, &whole, sizes[scalar]);
    }
}

void fill(const kind *k, rng *r, int style, void *to, size_t n)
{
    char *x = to;
    memset(to, 0, n * k->type->size);
    for (size_t i = 0; i < n; i++, x += k->type->size)
        for (const part *p = k->part; p->count; p++)
            for (size_t j = 0; j < p->count; j++)
                fill_scalar(p->scalar, r, style, x + p->offset + j * sizes[p->scalar]);
}

static void canonical_scalar(oplus_scalar scalar, char *x)
{
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, x, sizeof narrow);
    if (scalar == OPLUS_F32 && (narrow & 0x7fffffff) > 0x7f800000) memcpy(x, &(uint32_t){0x7fc00000}, sizeof narrow);
    if (scalar != OPLUS_F64) return;
    memcpy(&wide, x, sizeof wide);
    if ((wide & INT64_MAX) > UINT64_C(0x7ff0000000000000))
        memcpy(x, &(uint64_t){UINT64_C(0x7ff8000000000000)}, sizeof wide);
}

void canonical(const kind *k, void *x, size_t n)
{
    for (const part *p = k->part; p->count; p++) {
        if (p->scalar != OPLUS_F32 && p->scalar != OPLUS_F64) continue;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < p->count; j++)
                canonical_scalar(p->scalar, (char *)x + i * k->type->size + p->offset + j * sizes[p->scalar]);
    }
}

void blank(const kind *k, void *x, size_t n)
{
    const size_t size = k->type->size;
    size_t end = 0;
    for (const part *p = k->part;; p++) {
        const size_t next = p->count ? p->offset : size;
        for (size_t i = 0; next > end && i < n; i++) memset((char *)x + i * size + end, 0, next - end);
        if (!p->count) return;
        end = p->offset + p->count * sizes[p->scalar];
    }
}

/* --- operators of the library, defined anew ----------------------------------------------------------------------- */

#define REFERENCE(op, suffix, T, expression)                                                                           \
    static void op##_##suffix(void *out, const void *x, const void *y)                                                 \
    {                                                                                                                  \
        T a, b;                                                                                                        \
        memcpy(&a, x, sizeof a);                                                                                       \
        memcpy(&b, y, sizeof b);                                                                                       \
        const T r = (T)(expression);                                                                                   \
        memcpy(out, &r, sizeof r);                                                                                     \
    }
#define INTEGER(suffix, T)                                                                                             \
    REFERENCE(sum, suffix, T, (uint64_t)a + (uint64_t)b)                                                               \
    REFERENCE(prod, suffix, T, (uint64_t)a *(uint64_t)b)                                                               \
    REFERENCE(min, suffix, T, a < b ? a : b)                                                                           \
    REFERENCE(max, suffix, T, a > b ? a : b)                                                                           \
    REFERENCE(and, suffix, T, a &b)                                                                                    \
    REFERENCE(or, suffix, T, a | b)                                                                                    \
    REFERENCE(xor, suffix, T, a ^ b)                                                                                   \
    REFERENCE(land, suffix, T, a != 0 && b != 0)                                                                       \
    REFERENCE(lor, suffix, T, a != 0 || b != 0)
#define FLOATING(suffix, T)                                                                                            \
    REFERENCE(sum, suffix, T, a + b)                                                                                   \
    REFERENCE(prod, suffix, T, a *b)                                                                                   \
    REFERENCE(min, suffix, T, isnan(a) ? a : isnan(b) ? b : a < b || (a == b && signbit(a)) ? a : b)                   \
    REFERENCE(max, suffix, T, isnan(a) ? a : isnan(b) ? b : a > b || (a == b && !signbit(a)) ? a : b)
INTEGER(i8, int8_t)
INTEGER(i16, int16_t)
INTEGER(i32, int32_t)
INTEGER(i64, int64_t)
INTEGER(u8, uint8_t)
INTEGER(u16, uint16_t)
INTEGER(u32, uint32_t)
INTEGER(u64, uint64_t)
FLOATING(f32, float)
FLOATING(f64, double)

/* --- operators of a user: not one commutes, most do not even associate, so that only the canonical tree fits ------ */

OPLUS_OP(mix_f32, float, (2), 0, { return a * 0.75f + b; })
OPLUS_SEMIGROUP(mix_f64, double, 0, { return a / (b + 1.25) + b; })
OPLUS_SEMIGROUP(mix_i64, int64_t, 0, { return (int64_t)((uint64_t)a * 3u + (uint64_t)b); })
OPLUS_OP(mix_u8, uint8_t, (9), 0, { return (uint8_t)(a * 5 + b); })
OPLUS_OP(mix_u16, uint16_t, (1), 0, { return (uint16_t)(a * 5u ^ b); })
OPLUS_OP(mix_r3, r3, (1, 2, 3), 0, {
    r3 r;
    r.a = (uint8_t)(a.a * 31 + b.a * 7 + 1);
    r.b = (uint8_t)(a.c ^ b.b);
    r.c = (uint8_t)(b.a + 3 * a.b);
    return r;
})
OPLUS_SEMIGROUP(mix_r5, r5, 0, {
    r5 r;
    for (int i = 0; i < 5; i++) r.v[i] = (uint8_t)(a.v[i] * 5 + b.v[(i + 1) % 5] + i);
    return r;
})
OPLUS_OP(mix_r8, r8, (1, 0), 0, {
    r8 r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_OP(mix_r12, r12, (7, 1, 2), 0, {
    r12 r;
    r.k = (int32_t)((uint32_t)a.k * 3u + (uint32_t)(b.k ^ 5));
    r.x = a.x * 0.5f + b.y;
    r.y = a.y - b.x * 0.25f;
    return r;
})
OPLUS_SEMIGROUP(mix_r16, r16, 0, {
    r16 r;
    r.k = (int8_t)(uint8_t)(a.k * 3 + b.k);
    r.d = a.d - b.d * 0.5;
    return r;
})
OPLUS_SEMIGROUP(mix_r20, r20, 0, {
    r20 r;
    for (int i = 0; i < 2; i++) {
        r.p[i].x = a.p[1 - i].x + b.p[i].x * 0.5f;
        r.p[i].n[0] = (int16_t)(uint16_t)(a.p[i].n[1] + 2 * b.p[i].n[0]);
        r.p[i].n[1] = (int16_t)(a.p[i].n[0] ^ b.p[i].n[1]);
    }
    r.z = a.z * b.p[0].x;
    return r;
})
OPLUS_OP(mix_r24, r24, (1, 2, 3, 4), 0, {
    r24 r;
    r.d = a.d * 0.5 + b.d;
    r.f = a.f - b.f * 0.5f;
    r.k = (int32_t)((uint32_t)a.k * 5u + (uint32_t)b.k);
    r.l = (int64_t)((uint64_t)b.l * 9u + (uint64_t)a.l);
    return r;
})
OPLUS_OP(mix_r40, r40, ({0}, 6), 0, {
    r40 r;
    for (int i = 0; i < 9; i++) r.v[i] = a.v[i] * 0.5f + b.v[(i + 1) % 9];
    r.k = a.k * 3u + b.k;
    return r;
})
OPLUS_OP(mix_r44, r44, ({1}, {2, 3}, {4}), 0, {
    r44 r;
    for (int i = 0; i < SEVEN; i++) r.v[i] = a.v[i] - b.v[6 - i] * 0.25f;
    r.p.x = a.p.y * b.p.x;
    r.p.y = a.p.x + b.p.y;
    for (int i = 0; i < 4; i++) r.k[i] = (uint16_t)(a.k[i] * 7 + b.k[3 - i]);
    return r;
})
OPLUS_SEMIGROUP(mix_r1000, r1000, 0, {
    r1000 r;
    for (int i = 0; i < 125; i++) {
        r.v[i] = a.v[i] - b.v[i] * 0.5f;
        r.w[i] = a.w[i] * 3u + b.w[124 - i];
    }
    return r;
})
/* With a parameter: each is bound to two values, which share a program. */
OPLUS_OP_WITH(with_f32, float, float, (1), 0, { return a * p + b; })
OPLUS_SEMIGROUP_WITH(with_r3, r3, uint8_t, 0, {
    r3 r;
    r.a = (uint8_t)(a.a * p + b.b);
    r.b = (uint8_t)(a.c ^ p);
    r.c = (uint8_t)(b.a + a.b);
    return r;
})
OPLUS_OP_WITH(with_r12, r12, r8, (4, 5, 6), 0, {
    r12 r;
    r.k = (int32_t)((uint32_t)a.k * 7u + (uint32_t)b.k);
    r.x = a.x * p.a + b.y;
    r.y = a.y - b.x * p.b;
    return r;
})
static const float p_f32[] = {0.75f, -0.3f};
static const uint8_t p_r3[] = {3, 255};
static const r8 p_r12[] = {{0.5f, 0.25f}, {-0.7f, 3}};
#define BIND(name, T, i)                                                                                               \
    static oplus_op name##_bound_##i;                                                                                  \
    static void name##_combine_##i(void *out, const void *a, const void *b)                                            \
    {                                                                                                                  \
        *(T *)out = with_##name(*(const T *)a, *(const T *)b, p_##name[i]);                                            \
    }                                                                                                                  \
    __attribute__((constructor)) static void name##_bind_##i(void)                                                     \
    {                                                                                                                  \
        name##_bound_##i = oplus_op_with(&with_##name##_op, &p_##name[i]);                                             \
    }
BIND(f32, float, 0)
BIND(f32, float, 1)
BIND(r3, r3, 0)
BIND(r3, r3, 1)
BIND(r12, r12, 0)
BIND(r12, r12, 1)

/* Defined by a pointer alone. */
static const oplus_op bare_r12_op = {.abi = OPLUS_ABI,
                                     .name = "bare_r12",
                                     .type = &r12_type,
                                     .combine = oplus_mix_r12_combine_,
                                     .identity = &oplus_mix_r12_identity_};

#define BUILT(op, suffix, k, device)                                                                                   \
    {                                                                                                                  \
        &oplus_##op##_##suffix, op##_##suffix, &kinds[k - 1], device                                                   \
    }
#define OWN(name, k, device)                                                                                           \
    {                                                                                                                  \
        &name##_op, oplus_##name##_combine_, &kinds[k], device                                                         \
    }
#define BOUND_OP(name, k, i)                                                                                           \
    {                                                                                                                  \
        &name##_bound_##i, name##_combine_##i, &kinds[k], true                                                         \
    }
#define INTEGERS(s, k)                                                                                                 \
    BUILT(sum, s, k, k == OPLUS_I64), BUILT(prod, s, k, false), BUILT(min, s, k, k == OPLUS_I16),                      \
        BUILT(max, s, k, k == OPLUS_U32), BUILT(and, s, k, false), BUILT(or, s, k, false), BUILT(xor, s, k, false),    \
        BUILT(land, s, k, false), BUILT(lor, s, k, k == OPLUS_U8)
#define FLOATS(s, k)                                                                                                   \
    BUILT(sum, s, k, k == OPLUS_F32), BUILT(prod, s, k, false), BUILT(min, s, k, k == OPLUS_F64),                      \
        BUILT(max, s, k, false)
const operation operations[] = {
    INTEGERS(i8, OPLUS_I8),
    INTEGERS(i16, OPLUS_I16),
    INTEGERS(i32, OPLUS_I32),
    INTEGERS(i64, OPLUS_I64),
    INTEGERS(u8, OPLUS_U8),
    INTEGERS(u16, OPLUS_U16),
    INTEGERS(u32, OPLUS_U32),
    INTEGERS(u64, OPLUS_U64),
    FLOATS(f32, OPLUS_F32),
    FLOATS(f64, OPLUS_F64),
    OWN(mix_f32, OPLUS_F32 - 1, true),
    OWN(mix_f64, OPLUS_F64 - 1, false),
    OWN(mix_i64, OPLUS_I64 - 1, false),
    OWN(mix_u8, OPLUS_U8 - 1, false),
    OWN(mix_u16, OPLUS_U16 - 1, false),
    OWN(mix_r3, R3, true),
    OWN(mix_r5, R5, true),
    OWN(mix_r8, R8, false),
    OWN(mix_r12, R12, true),
    OWN(mix_r16, R16, true),
    OWN(mix_r20, R20, true),
    OWN(mix_r24, R24, true),
    OWN(mix_r40, R40, true),
    OWN(mix_r44, R44, false),
    OWN(mix_r1000, R1000, false),
    BOUND_OP(f32, OPLUS_F32 - 1, 0),
    BOUND_OP(f32, OPLUS_F32 - 1, 1),
    BOUND_OP(r3, R3, 0),
    BOUND_OP(r3, R3, 1),
    BOUND_OP(r12, R12, 0),
    BOUND_OP(r12, R12, 1),
    {&bare_r12_op, oplus_mix_r12_combine_, &kinds[R12], false},
    /* The structs once more, because they cause more trouble than their number says. */
    OWN(mix_r3, R3, false),
    OWN(mix_r5, R5, false),
    OWN(mix_r12, R12, false),
    OWN(mix_r16, R16, false),
    OWN(mix_r20, R20, false),
    OWN(mix_r24, R24, false),
    OWN(mix_r40, R40, false),
    OWN(mix_r8, R8, false),
};
const size_t operation_count = sizeof operations / sizeof *operations;

/* --- functions and predicates ------------------------------------------------------------------------------------- */

OPLUS_MAP(map_f32, float, float, { return a / 3.0f + 1.0f; })
OPLUS_MAP(map_u8, uint8_t, uint8_t, { return (uint8_t)(a * 7 + 3); })
OPLUS_MAP(map_r5, r5, r12, {
    r5 r;
    for (int i = 0; i < 5; i++) r.v[i] = (uint8_t)(a.k + i);
    return r;
})
OPLUS_ZIP(map_r3, r3, uint16_t, r3, {
    r3 r;
    r.a = b.c;
    r.b = (uint8_t)a;
    r.c = (uint8_t)(a >> 8);
    return r;
})
OPLUS_ZIP(map_f64, double, int32_t, float, { return a * 0.1 + b; })
OPLUS_ZIP3(map_r40, r40, r40, int8_t, r24, {
    r40 r;
    for (int i = 0; i < 9; i++) r.v[i] = a.v[8 - i] * c.f;
    r.k = a.k + (uint32_t)b;
    return r;
})
OPLUS_MAP_WITH(map_with, r12, r12, r8, {
    r12 r;
    r.k = a.k;
    r.x = a.x * p.a + p.b;
    r.y = a.y * p.b;
    return r;
})
OPLUS_PREDICATE(pick_f32, float, { return a > 0; })
OPLUS_PREDICATE(pick_i64, int64_t, { return a & 1; })
OPLUS_PREDICATE(pick_u8, uint8_t, { return a > 1; })
OPLUS_PREDICATE(pick_r3, r3, { return a.a == 0 || a.b > a.c; })
OPLUS_PREDICATE(pick_r24, r24, { return a.d == a.d && a.k != 0; })
OPLUS_PREDICATE(pick_r1000, r1000, { return a.w[124] & 1; })
OPLUS_PREDICATE_WITH(pick_with, r5, uint8_t, { return a.v[4] > p; })

static const r8 bound_r8 = {0.3f, 7};
static const uint8_t bound_u8 = 2;

#define GET(T, k) (*(const T *)in[k])
#define ONE1(name, R, A)                                                                                               \
    static void one_##name(void *out, const void *const *in) { *(R *)out = name(GET(A, 0)); }
#define ONE2(name, R, A, B)                                                                                            \
    static void one_##name(void *out, const void *const *in) { *(R *)out = name(GET(A, 0), GET(B, 1)); }
ONE1(map_f32, float, float)
ONE1(map_u8, uint8_t, uint8_t)
ONE1(map_r5, r5, r12)
ONE2(map_r3, r3, uint16_t, r3)
ONE2(map_f64, double, int32_t, float)
static void one_map_r40(void *out, const void *const *in)
{
    *(r40 *)out = map_r40(GET(r40, 0), GET(int8_t, 1), GET(r24, 2));
}
static void one_map_with(void *out, const void *const *in) { *(r12 *)out = map_with(GET(r12, 0), bound_r8); }
#define PICK(name, A)                                                                                                  \
    static void one_##name(void *out, const void *const *in) { *(uint8_t *)out = name(GET(A, 0)) != 0; }
PICK(pick_f32, float)
PICK(pick_i64, int64_t)
PICK(pick_u8, uint8_t)
PICK(pick_r3, r3)
PICK(pick_r24, r24)
PICK(pick_r1000, r1000)
static void one_pick_with(void *out, const void *const *in) { *(uint8_t *)out = pick_with(GET(r5, 0), bound_u8) != 0; }

#define BOUND(name) ((oplus_fn *)(const void *)&name##_fn)
static oplus_fn bound_map, bound_pick;
__attribute__((constructor)) static void bind(void)
{
    bound_map = oplus_with(&map_with_fn, &bound_r8);
    bound_pick = oplus_with(&pick_with_fn, &bound_u8);
}

#define OF(s) &kinds[s - 1]
const function functions[] = {
    {BOUND(map_f32), one_map_f32, OF(OPLUS_F32), {OF(OPLUS_F32)}, true},
    {BOUND(map_u8), one_map_u8, OF(OPLUS_U8), {OF(OPLUS_U8)}, false},
    {BOUND(map_r5), one_map_r5, &kinds[R5], {&kinds[R12]}, true},
    {BOUND(map_r3), one_map_r3, &kinds[R3], {OF(OPLUS_U16), &kinds[R3]}, true},
    {BOUND(map_f64), one_map_f64, OF(OPLUS_F64), {OF(OPLUS_I32), OF(OPLUS_F32)}, false},
    {BOUND(map_r40), one_map_r40, &kinds[R40], {&kinds[R40], OF(OPLUS_I8), &kinds[R24]}, true},
    {&bound_map, one_map_with, &kinds[R12], {&kinds[R12]}, true},
};
const function predicates[] = {
    {BOUND(pick_f32), one_pick_f32, OF(OPLUS_U8), {OF(OPLUS_F32)}, true},
    {BOUND(pick_i64), one_pick_i64, OF(OPLUS_U8), {OF(OPLUS_I64)}, false},
    {BOUND(pick_u8), one_pick_u8, OF(OPLUS_U8), {OF(OPLUS_U8)}, true},
    {BOUND(pick_r3), one_pick_r3, OF(OPLUS_U8), {&kinds[R3]}, true},
    {BOUND(pick_r24), one_pick_r24, OF(OPLUS_U8), {&kinds[R24]}, true},
    {BOUND(pick_r1000), one_pick_r1000, OF(OPLUS_U8), {&kinds[R1000]}, false},
    {&bound_pick, one_pick_with, OF(OPLUS_U8), {&kinds[R5]}, true},
};
const size_t function_count = sizeof functions / sizeof *functions,
             predicate_count = sizeof predicates / sizeof *predicates;

/* --- fused functions ---------------------------------------------------------------------------------------------- */

/* Of those that fit, the one whose number is `which`, counted round and round. */
const operation *operation_after(const function *f, int which, bool device)
{
    int fit = 0;
    for (size_t i = 0; i < operation_count; i++)
        fit += operations[i].of == f->result && (!device || operations[i].device);
    for (size_t i = 0; i < operation_count && fit > 0; i++)
        if (operations[i].of == f->result && (!device || operations[i].device) && which-- % fit == 0)
            return &operations[i];
    return NULL;
}

const function *predicate_after(const function *f)
{
    for (size_t i = 0; i < predicate_count; i++)
        if (predicates[i].input[0] == f->result) return &predicates[i];
    return NULL;
}

const function *function_after(const kind *k)
{
    for (size_t i = 0; i < function_count; i++)
        if (functions[i].fn->arity == 1 && functions[i].input[0] == k) return &functions[i];
    return NULL;
}
