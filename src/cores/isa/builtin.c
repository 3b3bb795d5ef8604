/* The built-in operators' leaves on this instruction set.
 *
 *   sums and products that round, of floats   tree.h, on vectors
 *   of complex numbers                        the generic loops of oplus/leaf.h
 *   everything else is exact                  exact_leaves.h: on vectors (exact.h), or, where these do not measure
 *                                             faster, the generic loops.  exact_integers.h and exact_floats.h list the
 *                                             operators; the minimum of floats is one of integers. */
#include "cores/builtin.h"
#include "cores/isa/leaves.h"

/* --- 1. operators that round ------------------------------------------------------------------------------------- */

#define ROUNDING(op, suffix, T, identity, flags, ...)                                                                  \
    OPLUS_FN_(T, op##_##suffix, (T a, T b), __VA_ARGS__)                                                               \
    GENERIC_LOOPS(op##_##suffix, T)
#define GENERIC_LOOPS(name, T)                                                                                         \
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
#define QUIET      OPI_ISA_NAME(opi_quiet_f32)
#include "cores/isa/tree.h"
#define TREE       sum_f64
#define T          double
#define LANE_BITS  64
#define JOIN(a, b) ((a) + (b))
#define NEUTRAL    (-(T)0)
#define QUIET      OPI_ISA_NAME(opi_quiet_f64)
#include "cores/isa/tree.h"
#define TREE       prod_f32
#define T          float
#define LANE_BITS  32
#define JOIN(a, b) ((a) * (b))
#define NEUTRAL    ((T)1)
#define QUIET      OPI_ISA_NAME(opi_quiet_f32)
#include "cores/isa/tree.h"
#define TREE       prod_f64
#define T          double
#define LANE_BITS  64
#define JOIN(a, b) ((a) * (b))
#define NEUTRAL    ((T)1)
#define QUIET      OPI_ISA_NAME(opi_quiet_f64)
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

/* Where the lifted node of n elements begins: at the last head, or at 0. */
static size_t last_head(const uint8_t *heads, size_t n)
{
    size_t i = n - 1;
    while (i > 0 && !heads[i]) i--;
    return i;
}

/* Level of the largest block of at most n > 0 elements. */
static unsigned block_level(size_t n, size_t size)
{
    const unsigned level = 63 - (unsigned)__builtin_clzll(n), most = OPLUS_LEAF_LEVEL(size);
    return level < most ? level : most;
}

/* Which leaves of an operator are loops on vectors. */
#define NO_LEAF      0
#define REDUCE_ALONE 1
#define ALL_LEAVES   2

/* Minimum and maximum (ORDER), products and logical operators by width: vectors where they measure faster than the
 * generic loops.  SSE2 lacks most comparisons and products (scan of int32_t minima in cache: 13 GB/s against 20; of
 * int64_t 6 against 22, its reduce 6 against 17; of double 4 against 14, its reduce 5 against 8).  Products of bytes are
 * slow everywhere, products of 64 bits before AVX-512 (15 against 24); logical operators on bytes cost more than they
 * move (9 against 13).  Sapphire Rapids, gcc 12, 2026-11. */
#if defined(__SSE2__) && !defined(__AVX2__)
#define ORDER_8        REDUCE_ALONE
#define ORDER_16       REDUCE_ALONE
#define ORDER_32       REDUCE_ALONE
#define ORDER_64       NO_LEAF
#define FLOAT_ORDER_64 NO_LEAF
#define PROD_64        REDUCE_ALONE
#define LOGIC_32       REDUCE_ALONE
#define LOGIC_64       NO_LEAF
#else
#define ORDER_8        ALL_LEAVES
#define ORDER_16       ALL_LEAVES
#define ORDER_32       ALL_LEAVES
#define ORDER_64       ALL_LEAVES
#define FLOAT_ORDER_64 ALL_LEAVES
#define LOGIC_32       ALL_LEAVES
#define LOGIC_64       ALL_LEAVES
#ifdef __AVX512F__
#define PROD_64 ALL_LEAVES
#else
#define PROD_64 REDUCE_ALONE
#endif
#endif
#define FLOAT_ORDER_32 ALL_LEAVES
#define PROD_8         REDUCE_ALONE
#define PROD_16        ORDER_16
#define PROD_32        ORDER_32
#define LOGIC_8        REDUCE_ALONE
#define LOGIC_16       REDUCE_ALONE

#define LANES(name) OPI_PASTE(name, LANE_BITS) /* the function, the type or the constant of this width */
#define GLUE_(a, b) a##b
#define GLUE(a, b)  GLUE_(a, b)

#define LANE_BITS 8
#include "cores/isa/exact_integers.h"
#define LANE_BITS 16
#include "cores/isa/exact_integers.h"
#define LANE_BITS 32
#include "cores/isa/exact_integers.h"
#define LANE_BITS 64
#include "cores/isa/exact_integers.h"

#define LANE_BITS 32
#include "cores/isa/exact_floats.h"
#define LANE_BITS 64
#include "cores/isa/exact_floats.h"

/* --- 3. the table ------------------------------------------------------------------------------------------------ */

#define EXACT_ROW(row, name)   EXACT_ROW_(row, name, name##_by_bin)
#define LOGICAL_ROW(row, name) EXACT_ROW_(row, name, NULL)
#define EXACT_ROW_(row, name, by_bin_)                                                                                 \
    [OPI_BUILTIN_##                                                                                                    \
        row] = {.tree = {name##_node, name##_scan, name##_segscan, name##_segments_any, NULL, NULL, name##_zip},       \
                .reduce = name##_reduce,                                                                               \
                .scan = name##_scan_any,                                                                               \
                .segscan = name##_segscan_any,                                                                         \
                .streams = name##_streams,                                                                             \
                .scan_far = name##_scan_far,                                                                           \
                .segscan_far = name##_segscan_far,                                                                     \
                .by_bin = by_bin_},
#define SHARED_ROWS(op, bits)       SHARED_ROWS_(EXACT_ROW, op, bits)
#define SHARED_ROWS_(ROW, op, bits) ROW(op##_i##bits, op##_u##bits) ROW(op##_u##bits, op##_u##bits)
#define INTEGER_ROWS(bits)                                                                                             \
    SHARED_ROWS(sum, bits)                                                                                             \
    SHARED_ROWS(and, bits)                                                                                             \
    SHARED_ROWS(or, bits)                                                                                              \
    SHARED_ROWS(xor, bits)                                                                                             \
    SHARED_ROWS(prod, bits)                                                                                            \
    SHARED_ROWS_(LOGICAL_ROW, land, bits)                                                                              \
    SHARED_ROWS_(LOGICAL_ROW, lor, bits)                                                                               \
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
                            .block_far = BLOCK_FAR(name),                                                              \
                            .scan_blocks = name##_scan_blocks,                                                         \
                            .tree = {name##_node_fast, name##_scan_fast, name##_segscan_fast, name##_segments_fast,    \
                                     name##_run, name##_segrun, name##_zip}},
#define GENERIC_ROW(name)                                                                                              \
    [OPI_BUILTIN_##name] = {                                                                                           \
        .tree = {name##_node, name##_scan, name##_segscan, name##_segments, name##_run, name##_segrun, name##_zip}},

/* With SSE2 it is faster to look for NaNs afterwards, and to stream from a stage (scan of float from memory: 15 and 21
 * GB/s against 14 and 19; Zen 4, gcc 12, 2026-11-23). */
#if defined(__SSE2__) && !defined(__AVX2__)
#define BLOCK_FAR(name) NULL
#else
#define BLOCK_FAR(name) name##_scan_far
#endif

const opi_builtin OPI_ISA_NAME(opi_builtins)[OPI_BUILTINS] = {
    INTEGER_ROWS(8) INTEGER_ROWS(16) INTEGER_ROWS(32) INTEGER_ROWS(64) FLOAT_ROWS(32) FLOAT_ROWS(64)
        GENERIC_ROW(sum_c64) GENERIC_ROW(prod_c64) GENERIC_ROW(sum_c128) GENERIC_ROW(prod_c128)};
