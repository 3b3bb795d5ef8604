/* SPDX-License-Identifier: Apache-2.0 */
/** @file leaf.h
 *  The loops inside a block: what one core does with 2^level neighbouring elements of any type.
 *
 *  They are ordinary functions, always inlined.  Called with constants (by OPLUS_OP, in your translation unit) they
 *  become typed loops around your operator that the compiler vectorises; called with variables (by the library,
 *  for an operator known only at run time) they are the same loops around a call.  One text, one tree, the same bits.
 *
 *  The association is the canonical tree of docs/tree-v1.md, a Brent-Kung network: an up-sweep makes the node of every
 *  aligned pair, level by level; a down-sweep turns what precedes a node into what precedes each of its halves
 *  (Brent and Kung, "A regular layout for parallel adders", IEEE Trans. Comput. C-31, 1982).  Every loop runs over
 *  independent iterations, so the latency of an operator is hidden and struct operators vectorise too. */
#ifndef OPLUS_LEAF_H
#define OPLUS_LEAF_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- what would break the promise of equal bits --------------------------------------------------------------- */

#ifndef OPLUS_WAIVE_SAME_BITS
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||                         \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "oplus: -ffast-math (or a part of it) changes results; compile without it, or define OPLUS_WAIVE_SAME_BITS"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16 /* 16: as 0, with a true _Float16 */
#error "oplus: this target keeps excess precision (x87); use -msse2 -mfpmath=sse, or define OPLUS_WAIVE_SAME_BITS"
#endif
#endif

/* Operators are compiled without contraction of a * b + c into a fused operation, under all flags of gcc and clang but
 * clang's own -ffp-contract=fast, which oplus_selfcheck reports: gcc takes an attribute, clang a pragma in the
 * function's body.  gcc's SLP vectoriser makes tree-shaped code slow. */
#if defined(__clang__)
#define OPLUS_STRICT_        __attribute__((unused))
#define OPLUS_CONTRACT_OFF_  _Pragma("STDC FP_CONTRACT OFF")
#define OPLUS_HELPER_STRICT_ OPLUS_CONTRACT_OFF_ /* of a function whose body is not ours to begin */
#define OPLUS_IVDEP_
#elif defined(__OPTIMIZE__)
#define OPLUS_STRICT_ __attribute__((unused, optimize("O3", "fp-contract=off", "no-tree-slp-vectorize")))
#define OPLUS_CONTRACT_OFF_
#define OPLUS_HELPER_STRICT_
#define OPLUS_IVDEP_ _Pragma("GCC ivdep")
#else
#define OPLUS_STRICT_ __attribute__((unused, optimize("fp-contract=off")))
#define OPLUS_CONTRACT_OFF_
#define OPLUS_HELPER_STRICT_
#define OPLUS_IVDEP_
#endif

/* gcc for x86 with FMA or AVX-512 has a trap that -ffp-contract=off does not close (seen with gcc 12): where
 * neighbouring members are x*y - z*w and x*w + z*y, as in a complex product, its vectoriser fuses them (vfmaddsub).  So
 * the loops around a struct are compiled without AVX, which is also faster than 256-bit vectors that de-interleave
 * structs across lanes (a reduce of 8-byte structs in cache: 17 against 10 GB/s; gcc 12, 2026-11-21, Xeon with
 * AVX-512).  With AVX-512, scalars and operators flagged OPLUS_WIDE get a second set of loops for all that the target
 * has. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX__) && !defined(OPLUS_TRUSTED_)
#define OPLUS_NARROW_  __attribute__((target("no-avx")))
#define OPLUS_UNFUSED_ __attribute__((target("no-fma,no-avx512f")))
#ifdef __AVX512F__
#define OPLUS_TWO_SETS_
#endif
#else
#define OPLUS_NARROW_
#define OPLUS_UNFUSED_
#endif

#define OPLUS_UNUSED_ __attribute__((unused))
#define OPLUS_INLINE_ OPLUS_NARROW_ static inline __attribute__((always_inline, unused))
#ifndef OPLUS_API
#define OPLUS_API __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
#define OPLUS_ALIGNOF_(T)                        alignof(T)
#define OPLUS_STATIC_ASSERT_(condition, message) static_assert(condition, message)
#define OPLUS_RESTRICT_                          __restrict
#else
#define OPLUS_ALIGNOF_(T)                        _Alignof(T)
#define OPLUS_STATIC_ASSERT_(condition, message) _Static_assert(condition, message)
#define OPLUS_RESTRICT_                          restrict
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- the typed loops of an operator --------------------------------------------------------------------------- */

/** Level of the largest block: 2^level elements of `size` bytes are at most 4096 bytes, so that a block, its nodes and
 *  its results stay in a first-level cache together. */
#define OPLUS_LEAF_LEVEL(size)                                                                                         \
    ((size) <= 1      ? 12                                                                                             \
     : (size) <= 2    ? 11                                                                                             \
     : (size) <= 4    ? 10                                                                                             \
     : (size) <= 8    ? 9                                                                                              \
     : (size) <= 16   ? 8                                                                                              \
     : (size) <= 32   ? 7                                                                                              \
     : (size) <= 64   ? 6                                                                                              \
     : (size) <= 128  ? 5                                                                                              \
     : (size) <= 256  ? 4                                                                                              \
     : (size) <= 512  ? 3                                                                                              \
     : (size) <= 1024 ? 2                                                                                              \
     : (size) <= 2048 ? 1                                                                                              \
                      : 0)

/** An operator's compiled loops over one aligned block of 2^level elements, level <= OPLUS_LEAF_LEVEL(size).
 *
 *  `before` is what precedes the block, always present.  The last result of an inclusive
 *  scan is the caller's to write: that value belongs to a larger node.  `in == out` is allowed. */
typedef struct oplus_leaves {
    /** The node of the block. */
    void (*node)(const void *in, unsigned level, void *node);
    /** Its scan, and its node. */
    void (*scan)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node);
    /** Its segmented scan, its lifted node, and whether a head lies in it. */
    void (*segscan)(const void *in, const uint8_t *heads, unsigned level, int exclusive, const void *before,
                    const void *identity, void *out, void *node, uint8_t *head);
} oplus_leaves;

/** How the loops touch an element: constants where the type is known, variables where it is not. */
typedef struct oplus_element {
    size_t size;                                              /**< bytes */
    void (*combine)(void *out, const void *a, const void *b); /**< *out = *a (+) *b */
    void (*lift)(void *out, int head, const void *a,
                 const void *b);                         /**< *out = head ? *b : *a (+) *b; NULL: from the others */
    void (*copy)(void *out, const void *a, size_t size); /**< *out = *a */
    void (*pick)(void *out, int first, const void *a, const void *b, size_t size); /**< *out = first ? *a : *b */
} oplus_element;

/** One level up: y[i] = x[2i] (+) x[2i+1]. */
OPLUS_INLINE_ void oplus_up_(oplus_element e, const char *OPLUS_RESTRICT_ x, char *OPLUS_RESTRICT_ y, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++) e.combine(y + i * e.size, x + 2 * i * e.size, x + (2 * i + 1) * e.size);
}

/** One level down: before[2i] = above[i], before[2i+1] = above[i] (+) x[2i].  x is read before its place is written. */
OPLUS_INLINE_ void oplus_down_(oplus_element e, const char *OPLUS_RESTRICT_ above, const char *x, char *before,
                               size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        e.combine(before + (2 * i + 1) * e.size, above + i * e.size, x + 2 * i * e.size);
        e.copy(before + 2 * i * e.size, above + i * e.size, e.size);
    }
}

/** Two levels up at once: pair[i] = x[4i] (+) x[4i+1], y[i] = pair[i] (+) (x[4i+2] (+) x[4i+3]). */
OPLUS_INLINE_ void oplus_up_quads_(oplus_element e, const char *OPLUS_RESTRICT_ x, char *OPLUS_RESTRICT_ pair,
                                   char *OPLUS_RESTRICT_ y, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        e.combine(pair + i * e.size, x + 4 * i * e.size, x + (4 * i + 1) * e.size);
        e.combine(y + i * e.size, x + (4 * i + 2) * e.size, x + (4 * i + 3) * e.size);
        e.combine(y + i * e.size, pair + i * e.size, y + i * e.size);
    }
}

/** The last two levels down at once: above[i] precedes the quad i.  x is read before its place is written. */
OPLUS_INLINE_ void oplus_down_quads_(oplus_element e, const char *OPLUS_RESTRICT_ above,
                                     const char *OPLUS_RESTRICT_ pair, const char *x, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        e.combine(out + (4 * i + 1) * e.size, above + i * e.size, x + 4 * i * e.size);
        e.combine(out + (4 * i + 3) * e.size, above + i * e.size, pair + i * e.size);
        e.combine(out + (4 * i + 3) * e.size, out + (4 * i + 3) * e.size, x + (4 * i + 2) * e.size);
        e.combine(out + (4 * i + 2) * e.size, above + i * e.size, pair + i * e.size);
        e.copy(out + 4 * i * e.size, above + i * e.size, e.size);
    }
}

/** The last two levels down at once, inclusive: above[i] precedes the quad i, above[i+1] closes it. */
OPLUS_INLINE_ void oplus_land_quads_(oplus_element e, const char *OPLUS_RESTRICT_ above,
                                     const char *OPLUS_RESTRICT_ pair, const char *x, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        e.combine(out + 4 * i * e.size, above + i * e.size, x + 4 * i * e.size);
        e.combine(out + (4 * i + 1) * e.size, above + i * e.size, pair + i * e.size);
        e.combine(out + (4 * i + 2) * e.size, out + (4 * i + 1) * e.size, x + (4 * i + 2) * e.size);
        e.copy(out + (4 * i + 3) * e.size, above + (i + 1) * e.size, e.size);
    }
}

/** The last level down, inclusive: out[2i] = above[i] (+) x[2i], out[2i+1] = above[i+1]. */
OPLUS_INLINE_ void oplus_land_(oplus_element e, const char *OPLUS_RESTRICT_ above, const char *x, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        e.combine(out + 2 * i * e.size, above + i * e.size, x + 2 * i * e.size);
        e.copy(out + (2 * i + 1) * e.size, above + (i + 1) * e.size, e.size);
    }
}

/** The node of a block.  nodes: scratch for 2^level elements. */
OPLUS_INLINE_ void oplus_node_(oplus_element e, const char *x, unsigned level, char *nodes, char *node)
{
    for (size_t n = ((size_t)1 << level) / 2; n >= 1; n /= 2) {
        oplus_up_(e, x, nodes, n);
        x = nodes;
        nodes += n * e.size;
    }
    e.copy(node, x, e.size);
}

/** Scan of a block.  nodes: scratch for 2^level elements; ladder: for 2^level + 2. */
OPLUS_INLINE_ void oplus_scan_(oplus_element e, const char *x, unsigned level, int exclusive, const char *before,
                               char *out, char *nodes, char *ladder, char *node)
{
    const unsigned bottom = e.size >= 8 && level >= 2 ? 2 : 1; /* quads pay for structs, pairs for narrow elements */
    const size_t count = (size_t)1 << level;
    char *const pair = nodes;
    const char *at_level[64];
    at_level[0] = x;
    if (level == 0) {
        e.copy(node, x, e.size);
        e.copy(out, before, e.size);
        return;
    }
    if (bottom == 2) nodes += count / 4 * e.size;
    for (unsigned k = bottom; k <= level; k++) {
        if (k == 2 && bottom == 2)
            oplus_up_quads_(e, x, pair, nodes, count / 4);
        else
            oplus_up_(e, at_level[k - 1], nodes, count >> k);
        at_level[k] = nodes;
        nodes += (count >> k) * e.size;
    }
    e.copy(node, at_level[level], e.size);

    char *above = ladder, *below = ladder + (count / 2 + 1) * e.size;
    e.copy(above, before, e.size);
    for (unsigned k = level - 1; k >= bottom; k--) {
        oplus_down_(e, above, at_level[k], below, count >> (k + 1));
        char *swap = above;
        above = below;
        below = swap;
    }
    const size_t groups = count >> bottom;
    e.copy(above + groups * e.size, before, e.size); /* any value: the caller writes the last inclusive result */
    if (exclusive && bottom == 2)
        oplus_down_quads_(e, above, pair, x, out, groups);
    else if (exclusive)
        oplus_down_(e, above, x, out, groups);
    else if (bottom == 2)
        oplus_land_quads_(e, above, pair, x, out, groups);
    else
        oplus_land_(e, above, x, out, groups);
}

/* --- the same with heads: the lifted operator (f,s) (+) (g,t) = (f|g, g ? t : s (+) t) ------------------------- */

OPLUS_INLINE_ void oplus_lift_(oplus_element e, char *out, int head, const char *a, const char *b)
{
    if (e.lift)
        e.lift(out, head, a, b);
    else if (head)
        e.copy(out, b, e.size);
    else
        e.combine(out, a, b);
}

/** One level up: y[i] = h[2i+1] ? x[2i+1] : x[2i] (+) x[2i+1], g[i] = h[2i] | h[2i+1]. */
OPLUS_INLINE_ void oplus_seg_up_(oplus_element e, const char *OPLUS_RESTRICT_ x, const uint8_t *OPLUS_RESTRICT_ h,
                                 char *OPLUS_RESTRICT_ y, uint8_t *OPLUS_RESTRICT_ g, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
        oplus_lift_(e, y + i * e.size, h[2 * i + 1], x + 2 * i * e.size, x + (2 * i + 1) * e.size);
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++) g[i] = (uint8_t)(h[2 * i] | h[2 * i + 1]);
}

/** One level down: before[2i] = above[i], before[2i+1] = h[2i] ? x[2i] : above[i] (+) x[2i]. */
OPLUS_INLINE_ void oplus_seg_down_(oplus_element e, const char *OPLUS_RESTRICT_ above, const char *x,
                                   const uint8_t *OPLUS_RESTRICT_ h, char *OPLUS_RESTRICT_ before, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        oplus_lift_(e, before + (2 * i + 1) * e.size, h[2 * i], above + i * e.size, x + 2 * i * e.size);
        e.copy(before + 2 * i * e.size, above + i * e.size, e.size);
    }
}

/** The last level down, inclusive: out[2i] = h[2i] ? x[2i] : above[i] (+) x[2i], out[2i+1] = above[i+1]. */
OPLUS_INLINE_ void oplus_seg_land_(oplus_element e, const char *OPLUS_RESTRICT_ above, const char *x,
                                   const uint8_t *OPLUS_RESTRICT_ h, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        oplus_lift_(e, out + 2 * i * e.size, h[2 * i], above + i * e.size, x + 2 * i * e.size);
        e.copy(out + (2 * i + 1) * e.size, above + (i + 1) * e.size, e.size);
    }
}

/** Segmented scan of a block.  nodes, flags: scratch for 2^level elements and bytes; ladder: for 2 * 2^level + 2. */
OPLUS_INLINE_ void oplus_segscan_(oplus_element e, const char *x, const uint8_t *heads, unsigned level, int exclusive,
                                  const char *before, const char *identity, char *out, char *nodes, uint8_t *flags,
                                  char *ladder, char *node, uint8_t *head)
{
    const char *at_level[64];
    const uint8_t *flag_at_level[64];
    at_level[0] = x;
    flag_at_level[0] = heads;
    for (unsigned k = 1; k <= level; k++) {
        const size_t n = (size_t)1 << (level - k);
        oplus_seg_up_(e, at_level[k - 1], flag_at_level[k - 1], nodes, flags, n);
        at_level[k] = nodes;
        flag_at_level[k] = flags;
        nodes += n * e.size;
        flags += n;
    }
    e.copy(node, at_level[level], e.size);
    *head = flag_at_level[level][0];

    const size_t count = (size_t)1 << level, half = count / 2;
    char *above = ladder, *below = ladder + count * e.size;
    e.copy(above, before, e.size);
    for (unsigned k = level; k-- > 1;) {
        oplus_seg_down_(e, above, at_level[k], flag_at_level[k], below, (size_t)1 << (level - 1 - k));
        char *swap = above;
        above = below;
        below = swap;
    }
    if (exclusive) {
        if (level > 0) {
            oplus_seg_down_(e, above, x, heads, below, half);
            above = below;
        }
        OPLUS_IVDEP_ for (size_t i = 0; i < count; i++)
            e.pick(out + i * e.size, heads[i], identity, above + i * e.size, e.size);
    } else if (level > 0) {
        oplus_seg_land_(e, above, x, heads, out, half - 1);
        oplus_lift_(e, out + (count - 2) * e.size, heads[count - 2], above + (half - 1) * e.size,
                    x + (count - 2) * e.size);
    }
}

/* --- an operator's own instance -------------------------------------------------------------------------------- */

/* A parameter or local of a macro could hide a type or an operator of yours: hence each name here ends in an
 * underscore.  own: how the functions begin, oplus_name in your translation unit. */
#define OPLUS_TYPED_ELEMENT_(own, name, T)                                                                             \
    OPLUS_NARROW_ OPLUS_STRICT_ static inline void own##_combine_(void *out_, const void *a_, const void *b_)          \
    {                                                                                                                  \
        *(T *)out_ = name(*(const T *)a_, *(const T *)b_);                                                             \
    }                                                                                                                  \
    OPLUS_NARROW_ OPLUS_STRICT_ static inline void own##_lift_(void *out_, int head_, const void *a_, const void *b_)  \
    {                                                                                                                  \
        const T y_ = *(const T *)b_, joined_ = name(*(const T *)a_, y_);                                               \
        *(T *)out_ = head_ ? y_ : joined_;                                                                             \
    }                                                                                                                  \
    OPLUS_NARROW_ OPLUS_STRICT_ static inline void own##_copy_(void *out_, const void *a_, size_t size_)               \
    {                                                                                                                  \
        (void)size_;                                                                                                   \
        *(T *)out_ = *(const T *)a_;                                                                                   \
    }                                                                                                                  \
    OPLUS_NARROW_ OPLUS_STRICT_ static inline void own##_pick_(void *out_, int first_, const void *a_, const void *b_, \
                                                               size_t size_)                                           \
    {                                                                                                                  \
        (void)size_;                                                                                                   \
        const T x_ = *(const T *)a_, y_ = *(const T *)b_;                                                              \
        *(T *)out_ = first_ ? x_ : y_;                                                                                 \
    }
#define OPLUS_ELEMENT_(own, T)                                                                                         \
    {                                                                                                                  \
        sizeof(T), own##_combine_, own##_lift_, own##_copy_, own##_pick_                                               \
    }

/* The three loops of one set, and their table. */
#define OPLUS_LEAF_SET_(set, own, T, ATTRIBUTES)                                                                       \
    ATTRIBUTES static void own##_node##set(const void *in_, unsigned level_, void *node_)                              \
    {                                                                                                                  \
        const oplus_element e_ = OPLUS_ELEMENT_(own, T);                                                               \
        T nodes_[1 << OPLUS_LEAF_LEVEL(sizeof(T))];                                                                    \
        oplus_node_(e_, (const char *)in_, level_, (char *)nodes_, (char *)node_);                                     \
    }                                                                                                                  \
    ATTRIBUTES static void own##_scan##set(const void *in_, unsigned level_, int exclusive_, const void *before_,      \
                                           void *out_, void *node_)                                                    \
    {                                                                                                                  \
        const oplus_element e_ = OPLUS_ELEMENT_(own, T);                                                               \
        T nodes_[1 << OPLUS_LEAF_LEVEL(sizeof(T))], ladder_[(1 << OPLUS_LEAF_LEVEL(sizeof(T))) + 2];                   \
        oplus_scan_(e_, (const char *)in_, level_, exclusive_, (const char *)before_, (char *)out_, (char *)nodes_,    \
                    (char *)ladder_, (char *)node_);                                                                   \
    }                                                                                                                  \
    ATTRIBUTES static void own##_segscan##set(const void *in_, const uint8_t *heads_, unsigned level_, int exclusive_, \
                                              const void *before_, const void *identity_, void *out_, void *node_,     \
                                              uint8_t *head_)                                                          \
    {                                                                                                                  \
        const oplus_element e_ = OPLUS_ELEMENT_(own, T);                                                               \
        T nodes_[1 << OPLUS_LEAF_LEVEL(sizeof(T))], ladder_[(2 << OPLUS_LEAF_LEVEL(sizeof(T))) + 2];                   \
        uint8_t flags_[1 << OPLUS_LEAF_LEVEL(sizeof(T))];                                                              \
        oplus_segscan_(e_, (const char *)in_, heads_, level_, exclusive_, (const char *)before_,                       \
                       (const char *)identity_, (char *)out_, (char *)nodes_, flags_, (char *)ladder_, (char *)node_,  \
                       head_);                                                                                         \
    }                                                                                                                  \
    static const oplus_leaves own##_leaves##set OPLUS_UNUSED_ = {own##_node##set, own##_scan##set, own##_segscan##set};

#ifdef OPLUS_TWO_SETS_
#define OPLUS_TYPED_LEAVES_(name, T)                                                                                   \
    OPLUS_TYPED_ELEMENT_(oplus_##name, name, T)                                                                        \
    OPLUS_LEAF_SET_(_, oplus_##name, T, OPLUS_NARROW_ OPLUS_STRICT_)                                                   \
    OPLUS_LEAF_SET_(_wide_, oplus_##name, T, OPLUS_STRICT_)
#define OPLUS_CHOOSE_LEAVES_(name, T, flags)                                                                           \
    ((((flags)&OPLUS_WIDE) != 0 || OPLUS_IS_SCALAR_(T)) ? &oplus_##name##_leaves_wide_ : &oplus_##name##_leaves_)
#ifdef __cplusplus
#define OPLUS_IS_SCALAR_(T) (!__is_class(T) && !__is_union(T))
#else
/* clang-format off */
#define OPLUS_IS_SCALAR_(T) \
    _Generic(*(T *)0, int8_t: 1, int16_t: 1, int32_t: 1, int64_t: 1, \
                      uint8_t: 1, uint16_t: 1, uint32_t: 1, uint64_t: 1, float: 1, double: 1, default: 0)
/* clang-format on */
#endif
#else
#define OPLUS_TYPED_LEAVES_(name, T)                                                                                   \
    OPLUS_TYPED_ELEMENT_(oplus_##name, name, T)                                                                        \
    OPLUS_LEAF_SET_(_, oplus_##name, T, OPLUS_NARROW_ OPLUS_STRICT_)
#define OPLUS_CHOOSE_LEAVES_(name, T, flags) (&oplus_##name##_leaves_)
#endif

#ifdef __cplusplus
}
#endif
#endif
