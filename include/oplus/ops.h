/* SPDX-License-Identifier: Apache-2.0 */
/** @file ops.h
 *  The built-in operators: oplus_<operator>_<type>, such as oplus_sum_f32.
 *
 *  | operator       | types              | identity     |                                                      |
 *  |----------------|--------------------|--------------|------------------------------------------------------|
 *  | sum, prod      | all, and complex   | 0, 1         | integers wrap around                                 |
 *  | min, max       | integers, floats   | largest, smallest | a NaN anywhere gives NaN; -0 < +0               |
 *  | and, or, xor   | integers           | ~0, 0, 0     | bitwise                                              |
 *  | land, lor      | integers           | 1, 0         | logical: 0 is false, all else true; gives 0 or 1     |
 *
 *  An element that is joined with no other is the result as it is (docs/tree-v1.md): the reduce of a single 7 by lor
 *  is 7, not 1, and the first result of a scan is the first element.  To get only 0 and 1 from land and lor, give only
 *  0 and 1.  All operators are commutative; all are exact, except the sums and products of floats and complex
 *  numbers. */
#ifndef OPLUS_OPS_H
#define OPLUS_OPS_H

#include <oplus/op.h>

/** Complex numbers, as pairs of floats or doubles (layout of C's float complex, Fortran's complex, NumPy's). */
OPLUS_STRUCT(oplus_complex64, float re; float im;)
OPLUS_STRUCT(oplus_complex128, double re; double im;)
/** @{ @brief The descriptors of the complex types. */
#define oplus_c64  oplus_complex64_type
#define oplus_c128 oplus_complex128_type
/** @} */

/** X(operator, suffix, C type) for every integer type.  OPLUS_FOR_FLOATS and OPLUS_FOR_COMPLEX do the same for the
 *  other types, and OPLUS_FOR_BUILTINS for every built-in operator and type. */
#define OPLUS_FOR_INTEGERS(X, op)                                                                                      \
    X(op, i8, int8_t)                                                                                                  \
    X(op, i16, int16_t)                                                                                                \
    X(op, i32, int32_t)                                                                                                \
    X(op, i64, int64_t)                                                                                                \
    X(op, u8, uint8_t)                                                                                                 \
    X(op, u16, uint16_t)                                                                                               \
    X(op, u32, uint32_t)                                                                                               \
    X(op, u64, uint64_t)
#define OPLUS_FOR_FLOATS(X, op)                                                                                        \
    X(op, f32, float)                                                                                                  \
    X(op, f64, double)
#define OPLUS_FOR_COMPLEX(X, op)                                                                                       \
    X(op, c64, oplus_complex64)                                                                                        \
    X(op, c128, oplus_complex128)
/* clang-format off */
#define OPLUS_FOR_BUILTINS(X)                                                                                          \
    OPLUS_FOR_INTEGERS(X, sum)  OPLUS_FOR_FLOATS(X, sum)  OPLUS_FOR_COMPLEX(X, sum)                                    \
    OPLUS_FOR_INTEGERS(X, prod) OPLUS_FOR_FLOATS(X, prod) OPLUS_FOR_COMPLEX(X, prod)                                   \
    OPLUS_FOR_INTEGERS(X, min)  OPLUS_FOR_FLOATS(X, min)                                                               \
    OPLUS_FOR_INTEGERS(X, max)  OPLUS_FOR_FLOATS(X, max)                                                               \
    OPLUS_FOR_INTEGERS(X, and)                                                                                         \
    OPLUS_FOR_INTEGERS(X, or)                                                                                          \
    OPLUS_FOR_INTEGERS(X, xor)                                                                                         \
    OPLUS_FOR_INTEGERS(X, land)                                                                                        \
    OPLUS_FOR_INTEGERS(X, lor)
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif
#define OPLUS_DECLARE_(op, suffix, T)                                                                                  \
    extern OPLUS_API const OPLUS_OP_TYPE_(T, oplus_none_) oplus_##op##_##suffix;                                       \
    OPLUS_OP_TYPES_(oplus_##op##_##suffix, T, oplus_none_)
OPLUS_FOR_BUILTINS(OPLUS_DECLARE_)
#undef OPLUS_DECLARE_
#ifdef __cplusplus
}
#endif

/* --- by the type that a pointer points to --- */

#if defined(__linux__) && defined(__LP64__)
#define OPLUS_HAS_LONG_LONG_ /* int64_t is long here, and long long is another type */
#endif

#ifndef __cplusplus
#define OPLUS_PICK_INTEGER_(op, p)                                                                                     \
    int8_t:                                                                                                            \
    &oplus_##op##_i8,                                                                                                  \
        int16_t : &oplus_##op##_i16,                                                                                   \
                  int32_t : &oplus_##op##_i32,                                                                         \
                            int64_t : &oplus_##op##_i64,                                                               \
                                      uint8_t : &oplus_##op##_u8,                                                      \
                                                uint16_t : &oplus_##op##_u16,                                          \
                                                           uint32_t : &oplus_##op##_u32,                               \
                                                                      uint64_t : &oplus_##op##_u64                     \
                                                                                 OPLUS_PICK_LONG_LONG_(op)
#ifdef OPLUS_HAS_LONG_LONG_
#define OPLUS_PICK_LONG_LONG_(op) , long long : &oplus_##op##_i64, unsigned long long : &oplus_##op##_u64
#else
#define OPLUS_PICK_LONG_LONG_(op)
#endif
#define OPLUS_PICK_FLOAT_(op, p) float : &oplus_##op##_f32, double : &oplus_##op##_f64
#define OPLUS_PICK_COMPLEX_(op, p)                                                                                     \
    oplus_complex64:                                                                                                   \
    &oplus_##op##_c64, oplus_complex128 : &oplus_##op##_c128
#define OPLUS_PICK_ARITHMETIC_(op, p)                                                                                  \
    _Generic(*(p), OPLUS_PICK_INTEGER_(op, p), OPLUS_PICK_FLOAT_(op, p), OPLUS_PICK_COMPLEX_(op, p))
#define OPLUS_PICK_ORDERED_(op, p) _Generic(*(p), OPLUS_PICK_INTEGER_(op, p), OPLUS_PICK_FLOAT_(op, p))
#define OPLUS_PICK_BITS_(op, p)    _Generic(*(p), OPLUS_PICK_INTEGER_(op, p))
#else
#define OPLUS_OVERLOAD_(op, suffix, T)                                                                                 \
    static inline auto oplus_pick_##op##_(const T *) { return &oplus_##op##_##suffix; }
OPLUS_FOR_BUILTINS(OPLUS_OVERLOAD_)
#ifdef OPLUS_HAS_LONG_LONG_
#define OPLUS_OVERLOAD_LONG_LONG_(op)                                                                                  \
    OPLUS_OVERLOAD_(op, i64, long long)                                                                                \
    OPLUS_OVERLOAD_(op, u64, unsigned long long)
OPLUS_OVERLOAD_LONG_LONG_(sum)
OPLUS_OVERLOAD_LONG_LONG_(prod)
OPLUS_OVERLOAD_LONG_LONG_(min)
OPLUS_OVERLOAD_LONG_LONG_(max)
OPLUS_OVERLOAD_LONG_LONG_(and)
OPLUS_OVERLOAD_LONG_LONG_(or)
OPLUS_OVERLOAD_LONG_LONG_(xor)
OPLUS_OVERLOAD_LONG_LONG_(land)
OPLUS_OVERLOAD_LONG_LONG_(lor)
#undef OPLUS_OVERLOAD_LONG_LONG_
#endif
#undef OPLUS_OVERLOAD_
#define OPLUS_PICK_ARITHMETIC_(op, p) oplus_pick_##op##_(p)
#define OPLUS_PICK_ORDERED_(op, p)    oplus_pick_##op##_(p)
#define OPLUS_PICK_BITS_(op, p)       oplus_pick_##op##_(p)
#endif

/** @{ @brief The address of the built-in operator for the type of *p: oplus_reduce(dev, OPLUS_SUM(x), x, n, &sum). */
#define OPLUS_SUM(p)  OPLUS_PICK_ARITHMETIC_(sum, p)
#define OPLUS_PROD(p) OPLUS_PICK_ARITHMETIC_(prod, p)
#define OPLUS_MIN(p)  OPLUS_PICK_ORDERED_(min, p)
#define OPLUS_MAX(p)  OPLUS_PICK_ORDERED_(max, p)
#define OPLUS_AND(p)  OPLUS_PICK_BITS_(and, p)
#define OPLUS_OR(p)   OPLUS_PICK_BITS_(or, p)
#define OPLUS_XOR(p)  OPLUS_PICK_BITS_(xor, p)
#define OPLUS_LAND(p) OPLUS_PICK_BITS_(land, p)
#define OPLUS_LOR(p)  OPLUS_PICK_BITS_(lor, p)
/** @} */

#endif
