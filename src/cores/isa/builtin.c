/* The built-in operators' leaves on this instruction set.
 *
 *   sums and products that round, of floats   tree.h, on vectors
 *   of complex numbers                        the generic loops of oplus/leaf.h
 *   everything else is exact                  exact.h, on vectors of unsigned lanes, shared by signed integers; the
 *                                             minimum of floats is one of integers.  Where vectors do not measure
 *                                             faster, the generic loops block by block. */
#include "cores/builtin.h"
#include "cores/isa/leaves.h"

/* --- 1. operators that round ------------------------------------------------------------------------------------- */

#define ROUNDING(op, suffix, T, identity, flags, ...) ROUNDING_(op##_##suffix, T, __VA_ARGS__)
#define ROUNDING_(name, T, ...)                                                                                        \
    OPLUS_FN_(T, name, (T a, T b), __VA_ARGS__)                                                                        \
    OPLUS_TYPED_ELEMENT_(name, name, T)                                                                                \
    OPLUS_LEAF_SET_(, name, T, OPLUS_STRICT_)
ROUNDING(sum, f32, float, , , OPI_BODY_FLOAT_SUM(float))
ROUNDING(sum, f64, double, , , OPI_BODY_FLOAT_SUM(double))
ROUNDING(prod, f32, float, , , OPI_BODY_FLOAT_PROD(float))
ROUNDING(prod, f64, double, , , OPI_BODY_FLOAT_PROD(double))
OPI_COMPLEX_(ROUNDING, c64, oplus_complex64)
OPI_COMPLEX_(ROUNDING, c128, oplus_complex128)

#define TREE       sum_f32
#define T          float
#define LANE_BITS  32
#define JOIN(a, b) ((a) + (b))
#define NEUTRAL    (-(T)0)
#include "cores/isa/tree.h"
#define TREE       sum_f64
#define T          double
#define LANE_BITS  64
#define JOIN(a, b) ((a) + (b))
#define NEUTRAL    (-(T)0)
#include "cores/isa/tree.h"
#define TREE       prod_f32
#define T          float
#define LANE_BITS  32
#define JOIN(a, b) ((a) * (b))
#define NEUTRAL    ((T)1)
#include "cores/isa/tree.h"
#define TREE       prod_f64
#define T          double
#define LANE_BITS  64
#define JOIN(a, b) ((a) * (b))
#define NEUTRAL    ((T)1)
#include "cores/isa/tree.h"

/* --- 2. exact operators ------------------------------------------------------------------------------------------ */

#define LANE_BITS 8
#include "cores/isa/exact.h"
#define LANE_BITS 16
#include "cores/isa/exact.h"
#define LANE_BITS 32
#include "cores/isa/exact.h"
#define LANE_BITS 64
#include "cores/isa/exact.h"

#ifdef OPI_MASKED_LOADS
#define LANE_BITS 32
#include "cores/isa/exact_segments.h"
#define LANE_BITS 64
#include "cores/isa/exact_segments.h"
#endif

/* Floats in the order of their bits as signed integers, -0 < +0; a NaN becomes the one key that wins. */
#define FLOAT_KEYS(bits, magnitude, infinity)                                                                          \
    OPI_INLINE opi_vector_##bits unkey_##bits(opi_vector_##bits k)                                                     \
    {                                                                                                                  \
        return k ^ ((opi_vector_##bits)((opi_signed_##bits)k < 0) & magnitude);                                        \
    }                                                                                                                  \
    OPI_INLINE opi_vector_##bits key_##bits(opi_vector_##bits v, opi_lane_##bits nan)                                  \
    {                                                                                                                  \
        const opi_vector_##bits is_nan = (opi_vector_##bits)((opi_signed_##bits)(v & magnitude) > infinity);           \
        return select_##bits(is_nan, splat_##bits(nan), unkey_##bits(v));                                              \
    }                                                                                                                  \
    OPI_INLINE opi_vector_##bits key_min_##bits(opi_vector_##bits v) { return key_##bits(v, magnitude + 1); }          \
    OPI_INLINE opi_vector_##bits key_max_##bits(opi_vector_##bits v) { return key_##bits(v, magnitude); }
FLOAT_KEYS(32, UINT32_C(0x7fffffff), INT32_C(0x7f800000))
FLOAT_KEYS(64, UINT64_C(0x7fffffffffffffff), INT64_C(0x7ff0000000000000))

/* Keys of the infinities. */
#define KEY_INF_32       0x7f800000
#define KEY_MINUS_INF_32 0x807fffff
#define KEY_INF_64       0x7ff0000000000000
#define KEY_MINUS_INF_64 0x800fffffffffffff

/* Short segments, in any association: a plain loop for each, which the compiler optimizes well.  One element alone is
 * itself. */
enum { FEW = 256 };
#define PLAIN_SEGMENTS(op, suffix, T, identity, flags, ...)                                                            \
    OPLUS_FN_(T, plain_##op##_##suffix, (T a, T b), __VA_ARGS__)                                                       \
    OPLUS_STRICT_ static size_t op##_##suffix##_plain_segments(const void *in, const uint64_t *offsets,                \
                                                               size_t segments, const void *none, void *out)           \
    {                                                                                                                  \
        for (size_t s = 0; s < segments; s++) {                                                                        \
            const T *const x = (const T *)in + offsets[s];                                                             \
            const size_t n = (size_t)(offsets[s + 1] - offsets[s]);                                                    \
            if (n >= FEW) return s;                                                                                    \
            T sum = *(n > 0 ? x : (const T *)none);                                                                    \
            for (size_t i = 1; i < n; i++) sum = plain_##op##_##suffix(sum, x[i]);                                     \
            ((T *)out)[s] = sum;                                                                                       \
        }                                                                                                              \
        return segments;                                                                                               \
    }
OPI_INTEGER_(PLAIN_SEGMENTS, i8, int8_t, uint32_t, , )
OPI_INTEGER_(PLAIN_SEGMENTS, i16, int16_t, uint32_t, , )
OPI_INTEGER_(PLAIN_SEGMENTS, i32, int32_t, uint32_t, , )
OPI_INTEGER_(PLAIN_SEGMENTS, i64, int64_t, uint64_t, , )
OPI_INTEGER_(PLAIN_SEGMENTS, u8, uint8_t, uint32_t, , )
OPI_INTEGER_(PLAIN_SEGMENTS, u16, uint16_t, uint32_t, , )
OPI_INTEGER_(PLAIN_SEGMENTS, u32, uint32_t, uint32_t, , )
OPI_INTEGER_(PLAIN_SEGMENTS, u64, uint64_t, uint64_t, , )
OPI_FLOAT_(PLAIN_SEGMENTS, f32, float, )
OPI_FLOAT_(PLAIN_SEGMENTS, f64, double, )

/* What both kinds of exact leaves look like:
 *     name_reduce, name_scan_any, name_segscan_any   any n at any place
 *     name_node, name_scan, name_segscan             blocks of the canonical tree
 *     name_segments_any                              short segments */

#define SEGMENTS_PLAIN(name, ...)                                                                                      \
    static size_t name##_segments_any(const void *in, const uint64_t *offsets, size_t segments, const void *identity,  \
                                      void *out)                                                                       \
    {                                                                                                                  \
        return name##_plain_segments(in, offsets, segments, identity, out);                                            \
    }
#ifdef OPI_MASKED_LOADS
#define SEGMENTS(name, bits, own, join, key, unkey)                                                                    \
    static size_t name##_segments_any(const void *in, const uint64_t *offsets, size_t segments, const void *identity,  \
                                      void *out)                                                                       \
    {                                                                                                                  \
        const size_t done = exact_segments_##bits((opi_exact_##bits){(opi_lane_##bits)(own), join, key, unkey}, in,    \
                                                  offsets, segments, out);                                             \
        return done +                                                                                                  \
               name##_plain_segments(in, offsets + done, segments - done, identity, (opi_lane_##bits *)out + done);    \
    }
#else
#define SEGMENTS SEGMENTS_PLAIN
#endif
#define SEGMENTS_8  SEGMENTS_PLAIN
#define SEGMENTS_16 SEGMENTS_PLAIN
#define SEGMENTS_32 SEGMENTS
#define SEGMENTS_64 SEGMENTS

#define VECTOR_REDUCE(name, bits, identity, join, key, unkey)                                                          \
    static void name##_reduce(const void *in, size_t n, void *carry)                                                   \
    {                                                                                                                  \
        exact_reduce_##bits((opi_exact_##bits){(opi_lane_##bits)(identity), join, key, unkey}, in, n, carry);          \
    }

#define VECTOR_SCAN(name, bits, identity, join, key, unkey, suffix, far)                                               \
    static void name##_scan_##suffix(const void *in, size_t n, int exclusive, void *carry, void *out)                  \
    {                                                                                                                  \
        exact_scan_##bits((opi_exact_##bits){(opi_lane_##bits)(identity), join, key, unkey}, in, NULL, n, exclusive,   \
                          carry, out, far);                                                                            \
    }                                                                                                                  \
    static void name##_segscan_##suffix(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry,    \
                                        void *out)                                                                     \
    {                                                                                                                  \
        exact_scan_##bits((opi_exact_##bits){(opi_lane_##bits)(identity), join, key, unkey}, in, heads, n, exclusive,  \
                          carry, out, far);                                                                            \
    }

/* Loops on vectors: they take any n, and those for blocks call them. */
#define VECTORS(name, bits, identity, join, key, unkey)                                                                \
    VECTOR_REDUCE(name, bits, identity, join, key, unkey)                                                              \
    VECTOR_SCAN(name, bits, identity, join, key, unkey, any, false)                                                    \
    VECTOR_SCAN(name, bits, identity, join, key, unkey, far, true)                                                     \
    SEGMENTS_##bits(name, bits, identity, join, key, unkey) enum { name##_streams = 1 };                               \
    static void name##_node(const void *in, unsigned level, void *node)                                                \
    {                                                                                                                  \
        memcpy(node, in, sizeof(opi_lane_##bits));                                                                     \
        name##_reduce((const char *)in + sizeof(opi_lane_##bits), ((size_t)1 << level) - 1, node);                     \
    }                                                                                                                  \
    static void name##_scan(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node)  \
    {                                                                                                                  \
        opi_lane_##bits carry;                                                                                         \
        memcpy(&carry, before, sizeof carry);                                                                          \
        name##_node(in, level, node);                                                                                  \
        name##_scan_any(in, (size_t)1 << level, exclusive, &carry, out);                                               \
    }                                                                                                                  \
    static void name##_segscan(const void *in, const uint8_t *heads, unsigned level, int exclusive,                    \
                               const void *before, const void *unused, void *out, void *node, uint8_t *head)           \
    {                                                                                                                  \
        const size_t n = (size_t)1 << level, last = last_head(heads, n);                                               \
        opi_lane_##bits carry;                                                                                         \
        (void)unused;                                                                                                  \
        memcpy(&carry, before, sizeof carry);                                                                          \
        memcpy(node, (const char *)in + last * sizeof carry, sizeof carry);                                            \
        name##_reduce((const char *)in + (last + 1) * sizeof carry, n - last - 1, node);                               \
        *head = heads[last];                                                                                           \
        name##_segscan_any(in, heads, n, exclusive, &carry, out);                                                      \
    }

/* Where the lifted node of n elements begins: at the last head, or at 0. */
static size_t last_head(const uint8_t *heads, size_t n)
{
    size_t i = n - 1;
    while (i > 0 && !heads[i]) i--;
    return i;
}

#define BLOCK_REDUCE(name, T)                                                                                          \
    static void name##_reduce(const void *in, size_t n, void *carry)                                                   \
    {                                                                                                                  \
        T node, *const before = carry;                                                                                 \
        unsigned level;                                                                                                \
        for (const T *x = in; n > 0; x += (size_t)1 << level, n -= (size_t)1 << level) {                               \
            name##_node(x, level = block_level(n, sizeof(T)), &node);                                                  \
            *before = name(*before, node);                                                                             \
        }                                                                                                              \
    }

/* Generic loops: they take blocks, and those for any n are a row of blocks.  They do not stream. */
#define BLOCKS(name, T, identity, ...)                                                                                 \
    SEGMENTS_PLAIN(name, )                                                                                             \
    enum { name##_streams = 0 };                                                                                       \
    ROUNDING_(name, T, __VA_ARGS__)                                                                                    \
    static void name##_scan_any(const void *in, size_t n, int exclusive, void *carry, void *out)                       \
    {                                                                                                                  \
        const T *x = in;                                                                                               \
        T node, *y = out, *const before = carry;                                                                       \
        while (n > 0) {                                                                                                \
            const unsigned level = block_level(n, sizeof(T));                                                          \
            const size_t count = (size_t)1 << level;                                                                   \
            name##_scan(x, level, exclusive, before, y, &node);                                                        \
            *before = name(*before, node);                                                                             \
            if (!exclusive) y[count - 1] = *before;                                                                    \
            x += count, y += count, n -= count;                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_segscan_any(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry,         \
                                   void *out)                                                                          \
    {                                                                                                                  \
        static const T none = (T)(identity);                                                                           \
        const T *x = in;                                                                                               \
        T node, *y = out, *const before = carry;                                                                       \
        uint8_t head;                                                                                                  \
        while (n > 0) {                                                                                                \
            const unsigned level = block_level(n, sizeof(T));                                                          \
            const size_t count = (size_t)1 << level;                                                                   \
            name##_segscan(x, heads, level, exclusive, before, &none, y, &node, &head);                                \
            *before = head ? node : name(*before, node);                                                               \
            if (!exclusive) y[count - 1] = *before;                                                                    \
            x += count, y += count, heads += count, n -= count;                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_scan_far(const void *in, size_t n, int exclusive, void *carry, void *out)                       \
    {                                                                                                                  \
        name##_scan_any(in, n, exclusive, carry, out);                                                                 \
    }                                                                                                                  \
    static void name##_segscan_far(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry,         \
                                   void *out)                                                                          \
    {                                                                                                                  \
        name##_segscan_any(in, heads, n, exclusive, carry, out);                                                       \
    }

/* Level of the largest block of at most n > 0 elements. */
static unsigned block_level(size_t n, size_t size)
{
    const unsigned level = 63 - (unsigned)__builtin_clzll(n), most = OPLUS_LEAF_LEVEL(size);
    return level < most ? level : most;
}

/* Three mixtures of the two kinds. */
#define FAST(name, bits, T, identity, join, ...) VECTORS(name, bits, identity, join##_##bits, same_##bits, same_##bits)
#define MIXED(name, bits, T, identity, join, ...)                                                                      \
    BLOCKS(name, T, identity, __VA_ARGS__)                                                                             \
    VECTOR_REDUCE(name, bits, identity, join##_##bits, same_##bits, same_##bits)
#define SLOW(name, bits, T, identity, join, ...)                                                                       \
    BLOCKS(name, T, identity, __VA_ARGS__)                                                                             \
    BLOCK_REDUCE(name, T)

/* Vectors where they measure faster than the generic loops.  SSE2 lacks most comparisons and products (scan of int32_t
 * minima in cache: 13 GB/s against 20; of int64_t 6 against 22, its reduce 6 against 17).  Products of bytes are slow
 * everywhere, products of 64 bits before AVX-512 (15 against 24); logical operators on bytes cost more than they move
 * (9 against 13).  Sapphire Rapids, gcc 12, 2026-11. */
#if defined(__SSE2__) && !defined(__AVX2__)
#define HARD_8   MIXED
#define HARD_16  MIXED
#define HARD_32  MIXED
#define HARD_64  SLOW
#define PROD_64  MIXED
#define LOGIC_32 MIXED
#define LOGIC_64 SLOW
#else
#define HARD_8   FAST
#define HARD_16  FAST
#define HARD_32  FAST
#define HARD_64  FAST
#define LOGIC_32 FAST
#define LOGIC_64 FAST
#ifdef __AVX512F__
#define PROD_64 FAST
#else
#define PROD_64 MIXED
#endif
#endif
#define PROD_8   MIXED
#define PROD_16  HARD_16
#define PROD_32  HARD_32
#define LOGIC_8  MIXED
#define LOGIC_16 MIXED

#define FOR_WIDTHS(X) X(8) X(16) X(32) X(64)
#define EXACT_WIDTH(bits)                                                                                              \
    FAST(sum_u##bits, bits, , 0, sum, )                                                                                \
    FAST(and_u##bits, bits, , -1, and, )                                                                               \
    FAST(or_u##bits, bits, , 0, or, )                                                                                  \
    FAST(xor_u##bits, bits, , 0, xor, )                                                                                \
    PROD_##bits(prod_u##bits, bits, uint##bits##_t, 1, prod, OPI_BODY_PROD(uint##bits##_t, uint64_t))                  \
        LOGIC_##bits(land_u##bits, bits, uint##bits##_t, 1, land, OPI_BODY_LAND(uint##bits##_t))                       \
            LOGIC_##bits(lor_u##bits, bits, uint##bits##_t, 0, lor, OPI_BODY_LOR(uint##bits##_t))                      \
                HARD_##bits(min_i##bits, bits, int##bits##_t, INT##bits##_MAX, min_i, OPI_BODY_MIN(int##bits##_t))     \
                    HARD_##bits(max_i##bits, bits, int##bits##_t, INT##bits##_MIN, max_i, OPI_BODY_MAX(int##bits##_t)) \
                        HARD_##bits(min_u##bits, bits, uint##bits##_t, UINT##bits##_MAX, min_u,                        \
                                    OPI_BODY_MIN(uint##bits##_t))                                                      \
                            HARD_##bits(max_u##bits, bits, uint##bits##_t, 0, max_u, OPI_BODY_MAX(uint##bits##_t))
FOR_WIDTHS(EXACT_WIDTH)

VECTORS(min_f32, 32, KEY_INF_32, min_i_32, key_min_32, unkey_32)
VECTORS(max_f32, 32, KEY_MINUS_INF_32, max_i_32, key_max_32, unkey_32)
#if defined(__SSE2__) &&                                                                                               \
    !defined(__AVX2__) /* no comparison of 64-bit lanes: reduce 5 GB/s against 8, scan 4 against 14 */
SLOW(min_f64, 64, double, __builtin_inf(), , OPI_BODY_FLOAT_MIN(double))
SLOW(max_f64, 64, double, -__builtin_inf(), , OPI_BODY_FLOAT_MAX(double))
#else
VECTORS(min_f64, 64, KEY_INF_64, min_i_64, key_min_64, unkey_64)
VECTORS(max_f64, 64, KEY_MINUS_INF_64, max_i_64, key_max_64, unkey_64)
#endif

/* --- 3. the table ------------------------------------------------------------------------------------------------ */

#define EXACT_ROW(row, name)                                                                                           \
    [OPI_BUILTIN_##row] = {.tree = {name##_node, name##_scan, name##_segscan, name##_segments_any, NULL, NULL},        \
                           .reduce = name##_reduce,                                                                    \
                           .scan = name##_scan_any,                                                                    \
                           .segscan = name##_segscan_any,                                                              \
                           .streams = name##_streams,                                                                  \
                           .scan_far = name##_scan_far,                                                                \
                           .segscan_far = name##_segscan_far},
#define SHARED_ROWS(op, bits) EXACT_ROW(op##_i##bits, op##_u##bits) EXACT_ROW(op##_u##bits, op##_u##bits)
#define INTEGER_ROWS(bits)                                                                                             \
    SHARED_ROWS(sum, bits)                                                                                             \
    SHARED_ROWS(and, bits)                                                                                             \
    SHARED_ROWS(or, bits)                                                                                              \
    SHARED_ROWS(xor, bits)                                                                                             \
    SHARED_ROWS(prod, bits)                                                                                            \
    SHARED_ROWS(land, bits)                                                                                            \
    SHARED_ROWS(lor, bits)                                                                                             \
    EXACT_ROW(min_i##bits, min_i##bits)                                                                                \
    EXACT_ROW(max_i##bits, max_i##bits)                                                                                \
    EXACT_ROW(min_u##bits, min_u##bits)                                                                                \
    EXACT_ROW(max_u##bits, max_u##bits)
#define FLOAT_ROWS(bits)                                                                                               \
    EXACT_ROW(min_f##bits, min_f##bits)                                                                                \
    EXACT_ROW(max_f##bits, max_f##bits)                                                                                \
    TREE_ROW(sum_f##bits)                                                                                              \
    TREE_ROW(prod_f##bits)
#define TREE_ROW(name)                                                                                                 \
    [OPI_BUILTIN_##name] = {.node_level = name##_NODE_LEVEL,                                                           \
                            .node_far = name##_node_far,                                                               \
                            .block_far = name##_scan_far,                                                              \
                            .tree = {name##_node_fast, name##_scan_fast, name##_segscan_fast, name##_segments_fast,    \
                                     name##_run, name##_segrun}},
#define GENERIC_ROW(name)                                                                                              \
    [OPI_BUILTIN_##                                                                                                    \
        name] = {.tree = {name##_node, name##_scan, name##_segscan, name##_segments, name##_run, name##_segrun}},

const opi_builtin OPI_ISA_NAME(opi_builtins)[OPI_BUILTINS] = {FOR_WIDTHS(INTEGER_ROWS) FLOAT_ROWS(32) FLOAT_ROWS(64)
                                                                  GENERIC_ROW(sum_c64) GENERIC_ROW(prod_c64)
                                                                      GENERIC_ROW(sum_c128) GENERIC_ROW(prod_c128)};
