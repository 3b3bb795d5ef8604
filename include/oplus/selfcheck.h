/* SPDX-License-Identifier: Apache-2.0 */
/** @file selfcheck.h
 *  Checks that your program, as it was compiled, gets the bits that oplus promises.
 *
 *  Operators are compiled in your translation unit, with your flags, and so is this check.  Include this header where
 *  your operators are, and call oplus_selfcheck once: it does a few scans and reduces of 1000 elements. */
#ifndef OPLUS_SELFCHECK_H
#define OPLUS_SELFCHECK_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- operators that flags could break --------------------------------------------------------------------------- */

OPLUS_STRUCT(oplus_selfcheck_affine, float a; float b;)
OPLUS_STRUCT(oplus_selfcheck_affine64, double a; double b;)
OPLUS_STRUCT(oplus_selfcheck_complex, float re; float im;)

/* cppcheck-suppress unknownMacro */
OPLUS_OP(oplus_selfcheck_compose, oplus_selfcheck_affine, (1, 0), 0, {
    oplus_selfcheck_affine r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_OP(oplus_selfcheck_compose64, oplus_selfcheck_affine64, (1, 0), 0, {
    oplus_selfcheck_affine64 r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_OP(oplus_selfcheck_product, oplus_selfcheck_complex, (1, 0), 0, {
    oplus_selfcheck_complex r;
    r.re = a.re * b.re - a.im * b.im;
    r.im = a.re * b.im + a.im * b.re;
    return r;
})
OPLUS_OP(oplus_selfcheck_sum, float, (0), OPLUS_COMMUTATIVE, { return a + b; })
OPLUS_OP(oplus_selfcheck_sum64, double, (0), OPLUS_COMMUTATIVE, { return a + b; })
OPLUS_OP(oplus_selfcheck_plus0, float, (0), OPLUS_COMMUTATIVE, { return a + 0.0f + b; })
OPLUS_OP(oplus_selfcheck_third, float, (3), OPLUS_COMMUTATIVE, { return a * b / 3; })
OPLUS_SEMIGROUP(oplus_selfcheck_largest, float, OPLUS_COMMUTATIVE | OPLUS_EXACT, {
    return a != a ? a : b != b ? b : a < b ? b : a;
})

/* --- their input: the recurrence of tests/golden/data.h ---------------------------------------------------------- */

enum { OPLUS_SELFCHECK_N = 1000 };

static inline uint64_t oplus_selfcheck_z_(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline float oplus_selfcheck_bits_(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double oplus_selfcheck_scale_(uint64_t z) { return 1.0 / (double)(1u << (z & 15)); }
static inline float oplus_selfcheck_plain_(uint64_t z)
{
    return (float)((int32_t)(z >> 40) - (1 << 23)) * (float)oplus_selfcheck_scale_(z);
}
static inline double oplus_selfcheck_plain64_(uint64_t z)
{
    return (double)((int64_t)(z >> 11) - ((int64_t)1 << 52)) * oplus_selfcheck_scale_(z);
}
static inline float oplus_selfcheck_nearone_(uint64_t z)
{
    return (float)((1 << 23) + (int32_t)(z >> 48) - (1 << 15)) * (1.0f / (1 << 23));
}
static inline double oplus_selfcheck_nearone64_(uint64_t z)
{
    return (double)(((int64_t)1 << 52) + (int64_t)(z >> 19) - ((int64_t)1 << 44)) * (1.0 / (double)((int64_t)1 << 52));
}

/* --- the check --------------------------------------------------------------------------------------------------- */

/** Not for programs to call: compares the hash (FNV-1a) of a result with the expected one.
 *
 *  @return OPLUS_OK; OPLUS_ERR_INTERNAL: they differ, and oplus_last_error() says so with `what` and `remedy`. */
OPLUS_API oplus_status oplus_selfcheck_compare_(const char *what, const void *result, size_t bytes, uint64_t expected,
                                                const char *remedy);

/* Checks that the scan has the expected bits, and the reduce the bits of the scan's last element. */
static inline oplus_status oplus_selfcheck_run_(oplus_device *dev, const oplus_op *op, const void *in, void *out,
                                                uint64_t expected, const char *remedy)
{
    const size_t size = op->type->size;
    oplus_status status = oplus_scan(dev, op, OPLUS_INCLUSIVE, in, OPLUS_SELFCHECK_N, out);
    if (status == OPLUS_OK)
        status = oplus_selfcheck_compare_(op->name, out, OPLUS_SELFCHECK_N * size, expected, remedy);
    if (status != OPLUS_OK) return status;

    double reduced[2];
    status = oplus_reduce(dev, op, in, OPLUS_SELFCHECK_N, reduced);
    if (status == OPLUS_OK && memcmp(reduced, (char *)out + (OPLUS_SELFCHECK_N - 1) * size, size) != 0)
        status = oplus_selfcheck_compare_(op->name, reduced, size, expected, remedy);
    return status;
}

/** Runs operators that compiler flags could break on a device and compares the bits with golden values.
 *
 *  It finds contraction into fused operations, relaxed arithmetic (-ffast-math and its parts), excess precision,
 *  flushed denormals, and compilers told to ignore NaN or -0.  It runs built-in operators too, and so finds a library
 *  that was built with such flags.
 *  @return OPLUS_OK; or OPLUS_ERR_INTERNAL, and oplus_last_error() names the operator and the flag to look for. */
static inline OPLUS_UNUSED_ oplus_status oplus_selfcheck(oplus_device *dev)
{
    const char *const contraction =
        "this translation unit contracts a * b + c: add -ffp-contract=off and remove -ffast-math";
    const char *const alternating =
        "this translation unit contracts a * b - c * d, as gcc 12 does with FMA in spite of "
        "-ffp-contract=off: add -mno-fma -mno-avx512f, or take another compiler";
    const char *const relaxed = "this translation unit reorders sums or keeps excess precision: remove -ffast-math and "
                                "-fassociative-math, add -fexcess-precision=standard (or -msse2 -mfpmath=sse)";
    const char *const flushed = "denormals become 0: remove -ffast-math (also when linking), "
                                "-fdenormal-fp-math, and what sets FTZ or DAZ";
    const char *const zeros = "this translation unit ignores -0: remove -ffast-math and -fno-signed-zeros";
    const char *const nans = "this translation unit assumes that there are no NaNs: remove -ffast-math and "
                             "-ffinite-math-only";
    const char *const reciprocal = "this translation unit multiplies by reciprocals instead of dividing: remove "
                                   "-ffast-math, -freciprocal-math and -mrecip";
    const char *const library = "the library itself was built with relaxed arithmetic: rebuild it with its own flags";
    union {
        oplus_selfcheck_affine affine[OPLUS_SELFCHECK_N];
        oplus_selfcheck_affine64 affine64[OPLUS_SELFCHECK_N];
        oplus_selfcheck_complex pairs[OPLUS_SELFCHECK_N];
        float f32[OPLUS_SELFCHECK_N];
        double f64[OPLUS_SELFCHECK_N];
    } in, out;
    oplus_status status;

#define OPLUS_SELFCHECK_(op, member, element, expected, remedy)                                                        \
    for (uint64_t i = 0; i < OPLUS_SELFCHECK_N; i++) {                                                                 \
        const uint64_t z = oplus_selfcheck_z_(i);                                                                      \
        (void)z;                                                                                                       \
        in.member[i] = element;                                                                                        \
    }                                                                                                                  \
    status = oplus_selfcheck_run_(dev, &op, &in, &out, expected, remedy);                                              \
    if (status != OPLUS_OK) return status;

    /* The constants are the column "scan inclusive" of n = 1000 in tests/golden/tree-v1.txt; the one of `largest` is
     * the hash of running maxima up to index 399 and canonical NaNs from index 400 on. */
    OPLUS_SELFCHECK_(oplus_sum_f32, f32, oplus_selfcheck_plain_(z), 0x267550f64e8329ecu, library)
    OPLUS_SELFCHECK_(oplus_sum_f64, f64, oplus_selfcheck_plain64_(z), 0xeac2f0504e471943u, library)
    OPLUS_SELFCHECK_(oplus_prod_f32, f32, oplus_selfcheck_nearone_(z), 0x783e15e6f53ca322u, library)
    OPLUS_SELFCHECK_(oplus_selfcheck_sum_op, f32, oplus_selfcheck_plain_(z), 0x267550f64e8329ecu, relaxed)
    OPLUS_SELFCHECK_(oplus_selfcheck_sum64_op, f64, oplus_selfcheck_plain64_(z), 0xeac2f0504e471943u, relaxed)
    OPLUS_SELFCHECK_(oplus_selfcheck_sum_op, f32, oplus_selfcheck_bits_((uint32_t)(z >> 41) | (uint32_t)(z & 1) << 31),
                     0xb8515bf411ee5b20u, flushed)
    OPLUS_SELFCHECK_(oplus_selfcheck_plus0_op, f32, oplus_selfcheck_bits_(0x80000000u), 0x92ce8ca02c94aa25u, zeros)
    OPLUS_SELFCHECK_(oplus_selfcheck_third_op, f32, 3 * oplus_selfcheck_nearone_(z), 0xead6c9587e60b10fu, reciprocal)
    OPLUS_SELFCHECK_(oplus_selfcheck_largest_op, f32,
                     i == 400 ? oplus_selfcheck_bits_(0xffc01234u) : oplus_selfcheck_plain_(z), 0x650b612729ac1f02u,
                     nans)

    for (uint64_t i = 0; i < OPLUS_SELFCHECK_N; i++) {
        in.affine[i].a = oplus_selfcheck_nearone_(oplus_selfcheck_z_(2 * i));
        in.affine[i].b = oplus_selfcheck_plain_(oplus_selfcheck_z_(2 * i + 1));
    }
    status = oplus_selfcheck_run_(dev, &oplus_selfcheck_compose_op, &in, &out, 0x3fc5d9af7767237du, contraction);
    if (status != OPLUS_OK) return status;
    for (uint64_t i = 0; i < OPLUS_SELFCHECK_N; i++) {
        in.pairs[i].re = oplus_selfcheck_nearone_(oplus_selfcheck_z_(2 * i));
        in.pairs[i].im = oplus_selfcheck_nearone_(oplus_selfcheck_z_(2 * i + 1)) - 1;
    }
    status = oplus_selfcheck_run_(dev, &oplus_selfcheck_product_op, &in, &out, 0xb83bc575ac37afeau, alternating);
    if (status != OPLUS_OK) return status;
    for (uint64_t i = 0; i < OPLUS_SELFCHECK_N; i++) {
        in.affine64[i].a = oplus_selfcheck_nearone64_(oplus_selfcheck_z_(2 * i));
        in.affine64[i].b = oplus_selfcheck_plain64_(oplus_selfcheck_z_(2 * i + 1));
    }
    return oplus_selfcheck_run_(dev, &oplus_selfcheck_compose64_op, &in, &out, 0x5b948ab8957b7a4eu, contraction);
#undef OPLUS_SELFCHECK_
}

#ifdef __cplusplus
}
#endif
#endif
