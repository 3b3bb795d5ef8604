/* The built-in operators, written once: bodies as OPLUS_OP takes them, over a (earlier) and b (later).
 *
 * OPI_FOR_BODIES(X) calls X(operator, suffix, T, (identity), flags, body) for every built-in of oplus/ops.h.  The
 * bodies keep to what C, OpenCL C and CUDA have in common.  Integers are computed unsigned and at least 32 bits wide,
 * so that they wrap around and never promote to a signed int. */
#ifndef OPI_BUILTIN_H
#define OPI_BUILTIN_H

#include <oplus/ops.h>

/* One line for each body, one line for each operator. */
/* clang-format off */

/* --- bodies ------------------------------------------------------------------------------------------------------ */

#define OPI_BODY_SUM(T, U)      { return (T)((U)a + (U)b); }
#define OPI_BODY_PROD(T, U)     { return (T)((U)a * (U)b); }
#define OPI_BODY_MIN(T)         { return a < b ? a : b; }
#define OPI_BODY_MAX(T)         { return a < b ? b : a; }
#define OPI_BODY_AND(T)         { return (T)(a & b); }
#define OPI_BODY_OR(T)          { return (T)(a | b); }
#define OPI_BODY_XOR(T)         { return (T)(a ^ b); }
#define OPI_BODY_LAND(T)        { return (T)(a != 0 && b != 0); }
#define OPI_BODY_LOR(T)         { return (T)(a != 0 || b != 0); }
#define OPI_BODY_FLOAT_SUM(T)   { return a + b; }
#define OPI_BODY_FLOAT_PROD(T)  { return a * b; }
/* A NaN is neither less nor equal, and the sum is then a NaN; between two zeros the signs decide. */
#define OPI_BODY_FLOAT_MIN(T)   { return a < b ? a : b < a ? b : a != b ? a + b : a != 0 ? a : -(-a - b); }
#define OPI_BODY_FLOAT_MAX(T)   { return a < b ? b : b < a ? a : a != b ? a + b : a != 0 ? a : a + b; }
#define OPI_BODY_COMPLEX_SUM(T) { T r; r.re = a.re + b.re; r.im = a.im + b.im; return r; }
/* Not written as a.re * b.re - a.im * b.im, which is the same value: gcc 12 turns - and + in neighbouring members into
 * one fused operation (vfmaddsub), whatever -ffp-contract=off says. */
#define OPI_BODY_COMPLEX_PROD(T) { T r; r.re = a.re * b.re + a.im * -b.im; r.im = a.re * b.im + a.im * b.re; return r; }

/* --- the table --------------------------------------------------------------------------------------------------- */

#define OPI_INTEGER_(X, suffix, T, U, least, most)                                                                     \
    X(sum, suffix, T, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_SUM(T, U))                                        \
    X(prod, suffix, T, (1), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_PROD(T, U))                                      \
    X(min, suffix, T, (most), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_MIN(T))                                        \
    X(max, suffix, T, (least), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_MAX(T))                                       \
    X(and, suffix, T, ((T) ~(U)0), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_AND(T))                                   \
    X(or, suffix, T, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_OR(T))                                             \
    X(xor, suffix, T, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_XOR(T))                                           \
    X(land, suffix, T, (1), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_LAND(T))                                         \
    X(lor, suffix, T, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_LOR(T))
#define OPI_FLOAT_(X, suffix, T, infinity)                                                                             \
    X(sum, suffix, T, (0), OPLUS_COMMUTATIVE, OPI_BODY_FLOAT_SUM(T))                                                   \
    X(prod, suffix, T, (1), OPLUS_COMMUTATIVE, OPI_BODY_FLOAT_PROD(T))                                                 \
    X(min, suffix, T, (infinity), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_FLOAT_MIN(T))                              \
    X(max, suffix, T, (-infinity), OPLUS_COMMUTATIVE | OPLUS_EXACT, OPI_BODY_FLOAT_MAX(T))
#define OPI_COMPLEX_(X, suffix, T)                                                                                     \
    X(sum, suffix, T, (0, 0), OPLUS_COMMUTATIVE, OPI_BODY_COMPLEX_SUM(T))                                              \
    X(prod, suffix, T, (1, 0), OPLUS_COMMUTATIVE, OPI_BODY_COMPLEX_PROD(T))

#define OPI_FOR_BODIES(X)                                                                                              \
    OPI_INTEGER_(X, i8, int8_t, uint32_t, INT8_MIN, INT8_MAX)                                                          \
    OPI_INTEGER_(X, i16, int16_t, uint32_t, INT16_MIN, INT16_MAX)                                                      \
    OPI_INTEGER_(X, i32, int32_t, uint32_t, INT32_MIN, INT32_MAX)                                                      \
    OPI_INTEGER_(X, i64, int64_t, uint64_t, INT64_MIN, INT64_MAX)                                                      \
    OPI_INTEGER_(X, u8, uint8_t, uint32_t, 0, UINT8_MAX)                                                               \
    OPI_INTEGER_(X, u16, uint16_t, uint32_t, 0, UINT16_MAX)                                                            \
    OPI_INTEGER_(X, u32, uint32_t, uint32_t, 0, UINT32_MAX)                                                            \
    OPI_INTEGER_(X, u64, uint64_t, uint64_t, 0, UINT64_MAX)                                                            \
    OPI_FLOAT_(X, f32, float, __builtin_inff())                                                                        \
    OPI_FLOAT_(X, f64, double, __builtin_inf())                                                                        \
    OPI_COMPLEX_(X, c64, oplus_complex64)                                                                              \
    OPI_COMPLEX_(X, c128, oplus_complex128)

#endif
