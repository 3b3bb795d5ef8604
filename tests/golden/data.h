/* The input of the golden values, and the list of rows: which operator, type and data.
 *
 * Element i is made from z(i), the (i+1)-th number of splitmix64 with seed 0, by exact integer steps and a product with
 * a power of two; libm has no part in it.  Included by generate.c and by tests/unit/task/golden.c; knows nothing of oplus.
 *
 *   plain     float: (top 24 bits - 2^23) * 2^-(low 4 bits);  double: (top 53 bits - 2^52) * 2^-(low 4 bits)
 *   nearone   float: 1 + (top 16 bits - 2^15) * 2^-23;  double: 1 + (top 45 bits - 2^44) * 2^-52
 *   tiny      a denormal: top bits as its fraction, lowest bit as its sign
 *   special   by the low 6 bits: 0: a NaN with a payload and any sign, 1-8: -0, 9-16: +0, 17-24: tiny, 25: +inf,
 *             26: -inf, others: plain
 *   minus0    -0
 *   bits      (integers) the low bits of z(i); of "prod" with the lowest bit set, lest the product become 0
 *
 * Complex numbers take z(2i), z(2i+1); of "nearone" the imaginary part is less by 1.  Affine maps (a, b) take "nearone"
 * of z(2i) and "plain" of z(2i+1).  2x2 matrices take z(4i) ... z(4i+3) in row-major order, the lowest bits
 * set to 1 0 / any 1, so that products stay invertible. */
#ifndef GOLDEN_DATA_H
#define GOLDEN_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* X(operator, type, data, C type).  "affine": a then b is (a.a * b.a, a.b * b.a + b.b); "matrix": a * b modulo 2^32;
 * "third": (a * b) / 3; "plus0": (a + 0) + b; the others are built-in operators. */
#define GOLDEN_BUILTIN_ROWS(X)                                                                                         \
    X(sum, f32, plain, float)                                                                                          \
    X(sum, f32, tiny, float)                                                                                           \
    X(sum, f32, special, float)                                                                                        \
    X(sum, f32, minus0, float)                                                                                         \
    X(sum, f64, plain, double)                                                                                         \
    X(sum, f64, tiny, double)                                                                                          \
    X(sum, f64, special, double)                                                                                       \
    X(sum, c64, plain, golden_c64)                                                                                     \
    X(sum, c128, plain, golden_c128)                                                                                   \
    X(prod, f32, nearone, float)                                                                                       \
    X(prod, f32, special, float)                                                                                       \
    X(prod, f64, nearone, double)                                                                                      \
    X(prod, c64, nearone, golden_c64)                                                                                  \
    X(prod, c128, nearone, golden_c128)                                                                                \
    X(min, f32, plain, float)                                                                                          \
    X(min, f32, special, float)                                                                                        \
    X(min, f64, special, double)                                                                                       \
    X(max, f32, plain, float)                                                                                          \
    X(max, f32, special, float)                                                                                        \
    X(max, f64, special, double)                                                                                       \
    X(sum, u8, bits, uint8_t)                                                                                          \
    X(sum, i32, bits, int32_t)                                                                                         \
    X(sum, u64, bits, uint64_t)                                                                                        \
    X(prod, u32, bits, uint32_t)                                                                                       \
    X(max, i16, bits, int16_t)                                                                                         \
    X(xor, u64, bits, uint64_t)
#define GOLDEN_OWN_ROWS(X)                                                                                             \
    X(affine, f32, plain, golden_affine32)                                                                             \
    X(affine, f64, plain, golden_affine64)                                                                             \
    X(matrix, u32, bits, golden_matrix)                                                                                \
    X(third, f32, nearone, float)                                                                                      \
    X(plus0, f32, minus0, float)

/* How many elements; the last ones are left out where time is short. */
static const size_t golden_n[] = {1, 2, 3, 7, 13, 64, 100, 1000, 4096, 65537, 1000003};
enum { GOLDEN_SIZES = sizeof golden_n / sizeof golden_n[0] };

#ifndef GOLDEN_TYPES_DEFINED
typedef struct golden_c64 {
    float re, im;
} golden_c64;
typedef struct golden_c128 {
    double re, im;
} golden_c128;
typedef struct golden_affine32 {
    float a, b;
} golden_affine32;
typedef struct golden_affine64 {
    double a, b;
} golden_affine64;
typedef struct golden_matrix {
    uint32_t m[4];
} golden_matrix;
#endif

/* --- numbers -------------------------------------------------------------------------------------------------- */

static inline uint64_t golden_z(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Where segments begin, besides at 0: about one in 64. */
static inline uint8_t golden_head(uint64_t i) { return (golden_z(i + ((uint64_t)1 << 40)) & 63) == 0; }

static inline float golden_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double golden_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^-k */
static inline double golden_power(unsigned k) { return 1.0 / (double)((uint64_t)1 << k); }

static inline float plain_float(uint64_t z)
{
    return (float)((int32_t)(z >> 40) - (1 << 23)) * (float)golden_power(z & 15);
}
static inline double plain_double(uint64_t z)
{
    return (double)((int64_t)(z >> 11) - ((int64_t)1 << 52)) * golden_power(z & 15);
}
static inline float nearone_float(uint64_t z)
{
    return (float)((1 << 23) + (int32_t)(z >> 48) - (1 << 15)) * (float)golden_power(23);
}
static inline double nearone_double(uint64_t z)
{
    return (double)(((int64_t)1 << 52) + (int64_t)(z >> 19) - ((int64_t)1 << 44)) * golden_power(52);
}
static inline float tiny_float(uint64_t z) { return golden_float_of((uint32_t)(z >> 41) | (uint32_t)(z & 1) << 31); }
static inline double tiny_double(uint64_t z) { return golden_double_of(z >> 12 | (z & 1) << 63); }

static inline float special_float(uint64_t z)
{
    const unsigned which = z & 63;
    if (which == 0) return golden_float_of(0x7fc00000u | (uint32_t)(z >> 42) | (uint32_t)(z >> 6 & 1) << 31);
    if (which <= 16) return golden_float_of(which <= 8 ? 0x80000000u : 0);
    if (which <= 24) return tiny_float(z);
    if (which <= 26) return golden_float_of(which == 25 ? 0x7f800000u : 0xff800000u);
    return plain_float(z);
}
static inline double special_double(uint64_t z)
{
    const unsigned which = z & 63;
    if (which == 0) return golden_double_of(0x7ff8000000000000u | z >> 13 | (z >> 6 & 1) << 63);
    if (which <= 16) return golden_double_of(which <= 8 ? 0x8000000000000000u : 0);
    if (which <= 24) return tiny_double(z);
    if (which <= 26) return golden_double_of(which == 25 ? 0x7ff0000000000000u : 0xfff0000000000000u);
    return plain_double(z);
}
static inline float minus0_float(uint64_t z) { return (void)z, golden_float_of(0x80000000u); }

/* --- element i of each row: operator_type_data(i) -------------------------------------------------------------- */

#define GOLDEN_SCALAR(op, type, data, T, expression)                                                                   \
    static inline T op##_##type##_##data(uint64_t i) { return expression; }
GOLDEN_SCALAR(sum, f32, plain, float, plain_float(golden_z(i)))
GOLDEN_SCALAR(sum, f32, tiny, float, tiny_float(golden_z(i)))
GOLDEN_SCALAR(sum, f32, special, float, special_float(golden_z(i)))
GOLDEN_SCALAR(sum, f32, minus0, float, minus0_float(i))
GOLDEN_SCALAR(sum, f64, plain, double, plain_double(golden_z(i)))
GOLDEN_SCALAR(sum, f64, tiny, double, tiny_double(golden_z(i)))
GOLDEN_SCALAR(sum, f64, special, double, special_double(golden_z(i)))
GOLDEN_SCALAR(prod, f32, nearone, float, nearone_float(golden_z(i)))
GOLDEN_SCALAR(prod, f32, special, float, special_float(golden_z(i)))
GOLDEN_SCALAR(prod, f64, nearone, double, nearone_double(golden_z(i)))
GOLDEN_SCALAR(min, f32, plain, float, plain_float(golden_z(i)))
GOLDEN_SCALAR(min, f32, special, float, special_float(golden_z(i)))
GOLDEN_SCALAR(min, f64, special, double, special_double(golden_z(i)))
GOLDEN_SCALAR(max, f32, plain, float, plain_float(golden_z(i)))
GOLDEN_SCALAR(max, f32, special, float, special_float(golden_z(i)))
GOLDEN_SCALAR(max, f64, special, double, special_double(golden_z(i)))
GOLDEN_SCALAR(sum, u8, bits, uint8_t, (uint8_t)golden_z(i))
GOLDEN_SCALAR(sum, i32, bits, int32_t, (int32_t)golden_z(i))
GOLDEN_SCALAR(sum, u64, bits, uint64_t, golden_z(i))
GOLDEN_SCALAR(prod, u32, bits, uint32_t, (uint32_t)golden_z(i) | 1)
GOLDEN_SCALAR(max, i16, bits, int16_t, (int16_t)golden_z(i))
GOLDEN_SCALAR(xor, u64, bits, uint64_t, golden_z(i))
GOLDEN_SCALAR(third, f32, nearone, float, 3 * nearone_float(golden_z(i)))
GOLDEN_SCALAR(plus0, f32, minus0, float, minus0_float(i))
#undef GOLDEN_SCALAR

#define GOLDEN_PAIR(op, type, data, T, first, second)                                                                  \
    static inline T op##_##type##_##data(uint64_t i)                                                                   \
    {                                                                                                                  \
        const uint64_t p = golden_z(2 * i), q = golden_z(2 * i + 1);                                                   \
        const T pair = {first, second};                                                                                \
        return pair;                                                                                                   \
    }
GOLDEN_PAIR(sum, c64, plain, golden_c64, plain_float(p), plain_float(q))
GOLDEN_PAIR(sum, c128, plain, golden_c128, plain_double(p), plain_double(q))
GOLDEN_PAIR(prod, c64, nearone, golden_c64, nearone_float(p), nearone_float(q) - 1)
GOLDEN_PAIR(prod, c128, nearone, golden_c128, nearone_double(p), nearone_double(q) - 1)
GOLDEN_PAIR(affine, f32, plain, golden_affine32, nearone_float(p), plain_float(q))
GOLDEN_PAIR(affine, f64, plain, golden_affine64, nearone_double(p), plain_double(q))
#undef GOLDEN_PAIR

static inline golden_matrix matrix_u32_bits(uint64_t i)
{
    golden_matrix x;
    for (unsigned k = 0; k < 4; k++) x.m[k] = (uint32_t)golden_z(4 * i + k);
    x.m[0] |= 1;
    x.m[1] &= ~1u;
    x.m[3] |= 1;
    return x;
}

/* --- checksum ------------------------------------------------------------------------------------------------- */

/* 64-bit FNV-1a of bytes, continued from `hash`; elements are hashed as they lie in little-endian memory. */
#define GOLDEN_HASH_START 0xcbf29ce484222325u
static inline uint64_t golden_hash(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

#endif
