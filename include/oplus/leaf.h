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

#if !defined(__OPTIMIZE__) && !defined(OPLUS_WAIVE_SPEED)
#warning "oplus: without optimisation the loops around operators are ten times slower: add -O2, or -DOPLUS_WAIVE_SPEED"
#endif

/* Operators are compiled without contraction of a * b + c into a fused operation, under all flags of gcc and clang but
 * clang's own -ffp-contract=fast, which oplus_selfcheck reports: gcc takes an attribute, clang a pragma in the
 * function's body.  gcc's SLP vectoriser makes the tree-shaped code of the library's own vectors slow, but joins the
 * members of a user's struct. */
#if defined(__clang__)
#define OPLUS_STRICT_        __attribute__((unused))
#define OPLUS_CONTRACT_OFF_  _Pragma("STDC FP_CONTRACT OFF")
#define OPLUS_HELPER_STRICT_ OPLUS_CONTRACT_OFF_ /* of a function whose body is not ours to begin */
#define OPLUS_IVDEP_
#elif defined(__OPTIMIZE__)
#ifdef OPLUS_TRUSTED_
#define OPLUS_STRICT_ __attribute__((unused, optimize("O3", "fp-contract=off", "no-tree-slp-vectorize")))
#else
#define OPLUS_STRICT_ __attribute__((unused, optimize("O3", "fp-contract=off")))
#endif
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
 * neighbouring members are x*y - z*w and x*w + z*y, as in a complex product, its vectoriser fuses them (vfmaddsub);
 * also neighbours in an array of a body's own that a loop there fills, so that functions of scalars are compiled
 * without both too (OPLUS_UNFUSED_).  -fno-tree-slp-vectorize does not close it: that is of code outside of loops.  So
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
#define OPLUS_BOOL_                              bool
#else
#define OPLUS_ALIGNOF_(T)                        _Alignof(T)
#define OPLUS_STATIC_ASSERT_(condition, message) _Static_assert(condition, message)
#define OPLUS_RESTRICT_                          restrict
#define OPLUS_BOOL_                              _Bool
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

enum {
    OPLUS_SHORT = 64,    /**< a segment of fewer elements is short: see oplus_leaves::segments */
    OPLUS_RUN_LEVEL = 16 /**< level of the most elements of a run: see oplus_leaves::run */
};

/** An operator's compiled loops over one aligned block of 2^level elements, level <= OPLUS_LEAF_LEVEL(size).
 *
 *  `before` is what precedes the block, always present.  The last result of an inclusive scan is the caller's to
 *  write: that value belongs to a larger node.  `in == out` is allowed. */
typedef struct oplus_leaves {
    /** The node of the block. */
    void (*node)(const void *in, unsigned level, void *node);
    /** Its scan, and its node. */
    void (*scan)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node);
    /** Its segmented scan, its lifted node, and whether a head lies in it. */
    void (*segscan)(const void *in, const uint8_t *heads, unsigned level, int exclusive, const void *before,
                    const void *identity, void *out, void *node, uint8_t *head);
    /** The reduce of each of some short segments: out[s] of in[offsets[s]] ... in[offsets[s + 1] - 1], the identity of
     *  none.  Returns how many it has done: it stops before the first of OPLUS_SHORT or more elements.  May be NULL. */
    size_t (*segments)(const void *in, const uint64_t *offsets, size_t segments, const void *identity, void *out);
    /** The scan of `count` elements, 0 < count <= 2^OPLUS_RUN_LEVEL, that begin at a multiple of 2^k >= count, and
     * their maximal nodes, the largest first.  Nothing precedes them if `before` is NULL: an exclusive scan begins with
     * the identity then.  The last result of an inclusive scan of 2^k elements is right where they complete nothing
     * that is larger.  May be NULL. */
    void (*run)(const void *in, size_t count, int exclusive, const void *before, const void *identity, void *out,
                void *nodes);
    /** The same with heads, and whether a head lies in each node.  May be NULL. */
    void (*segrun)(const void *in, const uint8_t *heads, size_t count, int exclusive, const void *before,
                   const void *identity, void *out, void *nodes, uint8_t *node_heads);
} oplus_leaves;

/** The same of an operator with a captured parameter. */
typedef struct oplus_leaves_with {
    /** As oplus_leaves::node. */
    void (*node)(const void *in, unsigned level, void *node, const void *param);
    /** As oplus_leaves::scan. */
    void (*scan)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node,
                 const void *param);
    /** As oplus_leaves::segscan. */
    void (*segscan)(const void *in, const uint8_t *heads, unsigned level, int exclusive, const void *before,
                    const void *identity, void *out, void *node, uint8_t *head, const void *param);
    /** As oplus_leaves::segments. */
    size_t (*segments)(const void *in, const uint64_t *offsets, size_t segments, const void *identity, void *out,
                       const void *param);
    /** As oplus_leaves::run. */
    void (*run)(const void *in, size_t count, int exclusive, const void *before, const void *identity, void *out,
                void *nodes, const void *param);
    /** As oplus_leaves::segrun. */
    void (*segrun)(const void *in, const uint8_t *heads, size_t count, int exclusive, const void *before,
                   const void *identity, void *out, void *nodes, uint8_t *node_heads, const void *param);
} oplus_leaves_with;

/** How the loops touch an element: constants where the type is known, variables where it is not. */
typedef struct oplus_element {
    size_t size;                                              /**< bytes */
    void (*combine)(void *out, const void *a, const void *b); /**< *out = *a (+) *b; NULL: combine_with does it */
    void (*lift)(void *out, int head, const void *a,
                 const void *b);                         /**< *out = head ? *b : *a (+) *b; NULL: from the others */
    void (*copy)(void *out, const void *a, size_t size); /**< *out = *a */
    void (*pick)(void *out, int first, const void *a, const void *b, size_t size); /**< *out = first ? *a : *b */
    /** `combine` of an operator with a captured parameter, which is at param. */
    void (*combine_with)(void *out, const void *a, const void *b, const void *param);
    /** `lift` of such an operator. */
    void (*lift_with)(void *out, int head, const void *a, const void *b, const void *param);
    const void *param; /**< the captured parameter; NULL where there is none */
} oplus_element;

/** *out = *a (+) *b. */
OPLUS_INLINE_ void oplus_join_(oplus_element e, char *out, const char *a, const char *b)
{
    if (e.combine)
        e.combine(out, a, b);
    else
        e.combine_with(out, a, b, e.param);
}

/** One level up: y[i] = x[2i] (+) x[2i+1]. */
OPLUS_INLINE_ void oplus_up_(oplus_element e, const char *OPLUS_RESTRICT_ x, char *OPLUS_RESTRICT_ y, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
        oplus_join_(e, y + i * e.size, x + 2 * i * e.size, x + (2 * i + 1) * e.size);
}

/** One level down: before[2i] = above[i], before[2i+1] = above[i] (+) x[2i].  x is read before its place is written. */
OPLUS_INLINE_ void oplus_down_(oplus_element e, const char *OPLUS_RESTRICT_ above, const char *x, char *before,
                               size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        oplus_join_(e, before + (2 * i + 1) * e.size, above + i * e.size, x + 2 * i * e.size);
        e.copy(before + 2 * i * e.size, above + i * e.size, e.size);
    }
}

/** Two levels up at once: pair[i] = x[4i] (+) x[4i+1], y[i] = pair[i] (+) (x[4i+2] (+) x[4i+3]). */
OPLUS_INLINE_ void oplus_up_quads_(oplus_element e, const char *OPLUS_RESTRICT_ x, char *OPLUS_RESTRICT_ pair,
                                   char *OPLUS_RESTRICT_ y, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        oplus_join_(e, pair + i * e.size, x + 4 * i * e.size, x + (4 * i + 1) * e.size);
        oplus_join_(e, y + i * e.size, x + (4 * i + 2) * e.size, x + (4 * i + 3) * e.size);
        oplus_join_(e, y + i * e.size, pair + i * e.size, y + i * e.size);
    }
}

/** The last two levels down at once: above[i] precedes the quad i.  x is read before its place is written. */
OPLUS_INLINE_ void oplus_down_quads_(oplus_element e, const char *OPLUS_RESTRICT_ above,
                                     const char *OPLUS_RESTRICT_ pair, const char *x, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        oplus_join_(e, out + (4 * i + 1) * e.size, above + i * e.size, x + 4 * i * e.size);
        oplus_join_(e, out + (4 * i + 3) * e.size, above + i * e.size, pair + i * e.size);
        oplus_join_(e, out + (4 * i + 3) * e.size, out + (4 * i + 3) * e.size, x + (4 * i + 2) * e.size);
        oplus_join_(e, out + (4 * i + 2) * e.size, above + i * e.size, pair + i * e.size);
        e.copy(out + 4 * i * e.size, above + i * e.size, e.size);
    }
}

/** The last two levels down at once, inclusive: above[i] precedes the quad i, above[i+1] closes it. */
OPLUS_INLINE_ void oplus_land_quads_(oplus_element e, const char *OPLUS_RESTRICT_ above,
                                     const char *OPLUS_RESTRICT_ pair, const char *x, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        oplus_join_(e, out + 4 * i * e.size, above + i * e.size, x + 4 * i * e.size);
        oplus_join_(e, out + (4 * i + 1) * e.size, above + i * e.size, pair + i * e.size);
        oplus_join_(e, out + (4 * i + 2) * e.size, out + (4 * i + 1) * e.size, x + (4 * i + 2) * e.size);
        e.copy(out + (4 * i + 3) * e.size, above + (i + 1) * e.size, e.size);
    }
}

/** The last level down, inclusive: out[2i] = above[i] (+) x[2i], out[2i+1] = above[i+1]. */
OPLUS_INLINE_ void oplus_land_(oplus_element e, const char *OPLUS_RESTRICT_ above, const char *x, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
    {
        oplus_join_(e, out + 2 * i * e.size, above + i * e.size, x + 2 * i * e.size);
        e.copy(out + (2 * i + 1) * e.size, above + (i + 1) * e.size, e.size);
    }
}

/** out = x[0] (+) ... (+) x[3], as the node of four; t: scratch for one. */
OPLUS_INLINE_ void oplus_quad_(oplus_element e, const char *x, char *out, char *t)
{
    oplus_join_(e, out, x, x + e.size);
    oplus_join_(e, t, x + 2 * e.size, x + 3 * e.size);
    oplus_join_(e, out, out, t);
}

/** Three levels up at once: y[i] is the node of x[8i] ... x[8i+7].  t: scratch for 3. */
OPLUS_INLINE_ void oplus_up_octs_(oplus_element e, const char *OPLUS_RESTRICT_ x, char *OPLUS_RESTRICT_ y, size_t n,
                                  char *t)
{
    char *const left = t, *const right = t + e.size, *const rest = t + 2 * e.size;
    for (size_t i = 0; i < n; i++) {
        oplus_quad_(e, x + 8 * i * e.size, left, rest);
        oplus_quad_(e, x + (8 * i + 4) * e.size, right, rest);
        oplus_join_(e, y + i * e.size, left, right);
    }
}

/** The node of a block.  nodes: scratch for 2^level elements; t: for 3. */
OPLUS_INLINE_ void oplus_node_(oplus_element e, const char *x, unsigned level, char *nodes, char *t, char *node)
{
    size_t n = ((size_t)1 << level) / 2;
    /* In registers.  Of narrow elements vectors are made level by level; of large ones a block has no eight. */
    if (e.size > 2 && e.size <= 512 && n >= 4) {
        oplus_up_octs_(e, x, nodes, n / 4, t);
        x = nodes;
        nodes += n / 4 * e.size;
        n /= 8;
    }
    for (; n >= 1; n /= 2) {
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

/* --- a run: eight elements at a time, between them a stack of nodes ----------------------------------------------- */

/* What is summed up so far: the maximal nodes, node[0] ... node[depth - 1], and prefix[j], which is what precedes the
 * run (+) node[0] (+) ... (+) node[j - 1]. */
enum { OPLUS_RUN_NODES_ = OPLUS_RUN_LEVEL + 2 };

/* Elements at a time, and whether their node is a variable or lies on the stack.  What compilers make of it decides: ns
 * an element of a scan of 40 bytes, with gcc -O3 for AVX-512, gcc -O2 and clang -O2: 2.9, 2.5, 2.2; the other ways 3.0
 * to 4.0, 3.5 to 4.1, 2.0 to 3.3; of 64 bytes: 2.8, 3.5, 3.1; the others 3.0 to 4.4, 4.0 to 6.2, 3.0 to 3.4 (sums, gcc
 * 12, clang 14; 256 KiB; 2026-11-22, Zen 4 EPYC). */
#define OPLUS_RUN_UNIT_(size)  ((size) > 24 && (size) < 64 ? 4u : 8u)
#define OPLUS_RUN_LOCAL_(size) ((size) < 64)

/** The results inside four elements at x, o[1] ... o[3], and their node.  o may be x or the element before it: each
 *  place is read before it is written.  Nothing is copied, but joined twice, of which a compiler makes one: a copy of a
 *  struct waits for the stores of its members.  t: scratch for 13. */
OPLUS_INLINE_ void oplus_run_quad_(oplus_element e, const char *x, const char *before, char *o, char *node, char *t)
{
    const size_t s = e.size;
    char *const p01 = t, *const p23 = t + s, *const p2 = t + 2 * s;
    oplus_join_(e, p01, x, x + s);
    oplus_join_(e, p23, x + 2 * s, x + 3 * s);
    oplus_join_(e, node, p01, p23);
    oplus_join_(e, o + s, before, x);
    oplus_join_(e, p2, before, p01);
    oplus_join_(e, o + 3 * s, p2, x + 2 * s);
    oplus_join_(e, o + 2 * s, before, p01);
}

/** The same of eight. */
OPLUS_INLINE_ void oplus_run_oct_(oplus_element e, const char *x, const char *before, char *o, char *node, char *t)
{
    const size_t s = e.size;
    char *const p01 = t, *const p23 = t + s, *const p45 = t + 2 * s, *const p67 = t + 3 * s, *const p03 = t + 4 * s,
                *const p47 = t + 5 * s, *const p2 = t + 6 * s, *const p4 = t + 7 * s, *const p6 = t + 8 * s;
    oplus_join_(e, p01, x, x + s);
    oplus_join_(e, p23, x + 2 * s, x + 3 * s);
    oplus_join_(e, p45, x + 4 * s, x + 5 * s);
    oplus_join_(e, p67, x + 6 * s, x + 7 * s);
    oplus_join_(e, p03, p01, p23);
    oplus_join_(e, p47, p45, p67);
    oplus_join_(e, node, p03, p47);
    oplus_join_(e, o + s, before, x);
    oplus_join_(e, p2, before, p01);
    oplus_join_(e, o + 3 * s, p2, x + 2 * s);
    oplus_join_(e, o + 2 * s, before, p01);
    oplus_join_(e, p4, before, p03);
    oplus_join_(e, o + 5 * s, p4, x + 4 * s);
    oplus_join_(e, o + 4 * s, before, p03);
    oplus_join_(e, p6, p4, p45);
    oplus_join_(e, o + 7 * s, p6, x + 6 * s);
    oplus_join_(e, o + 6 * s, p4, p45);
}

/** Appends the node at `own` to the stack, which holds `index` nodes of its level and larger; returns the new depth.
 *  Where a node is local, own is not on the stack, else it is the stack's next place.  bare: nothing precedes. */
OPLUS_INLINE_ size_t oplus_run_push_(oplus_element e, char *own, size_t index, size_t depth, char *nodes, char *prefix,
                                     int local, int bare)
{
    const size_t s = e.size;
    for (; index & 1; index >>= 1) {
        char *const left = nodes + --depth * s;
        oplus_join_(e, local ? own : left, left, own);
        if (!local) own = left;
    }
    if (local) e.copy(nodes + depth * s, own, s);
    if (bare && depth == 0)
        e.copy(prefix + s, own, s);
    else
        oplus_join_(e, prefix + (depth + 1) * s, prefix + depth * s, own);
    return depth + 1;
}

/** See oplus_leaves::run.  nodes, prefix: scratch for OPLUS_RUN_NODES_; t: for 14. */
OPLUS_INLINE_ void oplus_run_(oplus_element e, const char *x, size_t count, int exclusive, const char *before,
                              const char *identity, char *out, char *nodes, char *prefix, char *t, char *all)
{
    const size_t s = e.size, unit = OPLUS_RUN_UNIT_(s);
    const int local = OPLUS_RUN_LOCAL_(s);
    char *const node = t + 13 * s;
    size_t depth = 0, i = 0, single = before ? 0 : count < unit ? count : unit; /* one by one up to here */
    e.copy(prefix, before ? before : identity ? identity : x, s);
    for (;; single = count) {
        for (; i < single; i++) {
            e.copy(node, x + i * s, s);
            if (exclusive) e.copy(out + i * s, prefix + depth * s, s);
            depth = oplus_run_push_(e, node, i, depth, nodes, prefix, 1, !before);
            if (!exclusive) e.copy(out + i * s, prefix + depth * s, s);
        }
        if (i == count) break;
        for (; count - i >= unit; i += unit) {
            char *const own = local ? node : nodes + depth * s, *const o = out + i * s - (exclusive ? 0 : s);
            const char *const preceding = prefix + depth * s;
            if (unit == 8)
                oplus_run_oct_(e, x + i * s, preceding, o, own, t);
            else
                oplus_run_quad_(e, x + i * s, preceding, o, own, t);
            if (depth > (before ? 0 : 1))
                oplus_join_(e, o, preceding - s, nodes + (depth - 1) * s);
            else if (exclusive || i > 0)
                e.copy(o, preceding, s);
            depth = oplus_run_push_(e, own, i / unit, depth, nodes, prefix, local, !before);
        }
        if (!exclusive && i > 0) e.copy(out + (i - 1) * s, prefix + depth * s, s);
        if (i == count) break;
    }
    for (i = 0; i < depth; i++) e.copy(all + i * s, nodes + i * s, s);
}

/* --- the same with heads: the lifted operator (f,s) (+) (g,t) = (f|g, g ? t : s (+) t) ------------------------- */

OPLUS_INLINE_ void oplus_lift_(oplus_element e, char *out, int head, const char *a, const char *b)
{
    if (e.lift)
        e.lift(out, head, a, b);
    else if (e.lift_with)
        e.lift_with(out, head, a, b, e.param);
    else if (head)
        e.copy(out, b, e.size);
    else
        oplus_join_(e, out, a, b);
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

/* --- a run with heads -------------------------------------------------------------------------------------------- */

/** As oplus_run_oct_, with the heads h[0] ... h[7], each 0 or 1; returns whether there is one. */
OPLUS_INLINE_ uint8_t oplus_segrun_oct_(oplus_element e, const char *x, const uint8_t *h, const char *before, char *o,
                                        char *node, char *t)
{
    const size_t s = e.size;
    const uint8_t h01 = h[0] | h[1], h23 = h[2] | h[3], h45 = h[4] | h[5], h67 = h[6] | h[7];
    char *const p01 = t, *const p23 = t + s, *const p45 = t + 2 * s, *const p67 = t + 3 * s, *const p03 = t + 4 * s,
                *const p47 = t + 5 * s, *const p2 = t + 6 * s, *const p4 = t + 7 * s, *const p6 = t + 8 * s;
    oplus_lift_(e, p01, h[1], x, x + s);
    oplus_lift_(e, p23, h[3], x + 2 * s, x + 3 * s);
    oplus_lift_(e, p45, h[5], x + 4 * s, x + 5 * s);
    oplus_lift_(e, p67, h[7], x + 6 * s, x + 7 * s);
    oplus_lift_(e, p03, h23, p01, p23);
    oplus_lift_(e, p47, h67, p45, p67);
    oplus_lift_(e, node, h45 | h67, p03, p47);
    oplus_lift_(e, o + s, h[0], before, x);
    oplus_lift_(e, p2, h01, before, p01);
    oplus_lift_(e, o + 3 * s, h[2], p2, x + 2 * s);
    e.copy(o + 2 * s, p2, s);
    oplus_lift_(e, p4, h01 | h23, before, p03);
    oplus_lift_(e, o + 5 * s, h[4], p4, x + 4 * s);
    e.copy(o + 4 * s, p4, s);
    oplus_lift_(e, p6, h45, p4, p45);
    oplus_lift_(e, o + 7 * s, h[6], p6, x + 6 * s);
    e.copy(o + 6 * s, p6, s);
    return (uint8_t)(h01 | h23 | h45 | h67);
}

/** As oplus_run_push_, of a local node in which a head lies if `head`.  Lifted without a jump around a copy, which
 * would wait for the stores of the members (3 doubles: 2.6 ns an element against 1.4; 2026-11-22, Zen 4 EPYC). */
OPLUS_INLINE_ size_t oplus_segrun_push_(oplus_element e, char *own, uint8_t head, size_t index, size_t depth,
                                        char *nodes, uint8_t *flags, char *prefix, int bare)
{
    const size_t s = e.size;
    for (; index & 1; index >>= 1) {
        depth--;
        oplus_lift_(e, own, head, nodes + depth * s, own);
        head |= flags[depth];
    }
    e.copy(nodes + depth * s, own, s);
    flags[depth] = head;
    oplus_lift_(e, prefix + (depth + 1) * s, head || (bare && depth == 0), prefix + depth * s, own);
    return depth + 1;
}

/** See oplus_leaves::segrun.  nodes, flags, prefix: scratch for OPLUS_RUN_NODES_; t: for 14. */
OPLUS_INLINE_ void oplus_segrun_(oplus_element e, const char *x, const uint8_t *heads, size_t count, int exclusive,
                                 const char *before, const char *identity, char *out, char *nodes, uint8_t *flags,
                                 char *prefix, char *t, char *all, uint8_t *all_flags)
{
    const size_t s = e.size;
    char *const node = t + 13 * s;
    size_t depth = 0, i = 0, single = before ? 0 : count < 8 ? count : 8; /* one by one up to here */
    e.copy(prefix, before ? before : identity ? identity : x, s);
    for (;; single = count) {
        for (; i < single; i++) {
            const uint8_t head = heads[i] != 0;
            char *const leaf = t + 12 * s;
            e.copy(leaf, x + i * s, s);
            if (exclusive) e.copy(out + i * s, head ? identity : prefix + depth * s, s);
            depth = oplus_segrun_push_(e, leaf, head, i, depth, nodes, flags, prefix, !before);
            if (!exclusive) e.copy(out + i * s, prefix + depth * s, s);
        }
        if (i == count) break;
        for (; count - i >= 8; i += 8) {
            char *const o = out + i * s - (exclusive ? 0 : s);
            const char *const preceding = prefix + depth * s;
            uint64_t eight;
            uint8_t head = 0, h[8] = {0};
            __builtin_memcpy(&eight, heads + i, 8);
            if (eight) {
                for (unsigned k = 0; k < 8; k++) h[k] = heads[i + k] != 0;
                head = oplus_segrun_oct_(e, x + i * s, h, preceding, o, node, t);
            } else {
                oplus_run_oct_(e, x + i * s, preceding, o, node, t);
            }
            if (depth > (before ? 0 : 1) && !flags[depth - 1])
                oplus_join_(e, o, preceding - s, nodes + (depth - 1) * s);
            else if (exclusive || i > 0)
                e.copy(o, preceding, s);
            for (unsigned k = 0; exclusive && head && k < 8; k++)
                if (h[k]) e.copy(o + k * s, identity, s);
            depth = oplus_segrun_push_(e, node, head, i / 8, depth, nodes, flags, prefix, !before);
        }
        if (!exclusive && i > 0) e.copy(out + (i - 1) * s, prefix + depth * s, s);
        if (i == count) break;
    }
    for (i = 0; i < depth; i++) e.copy(all + i * s, nodes + i * s, s);
    __builtin_memcpy(all_flags, flags, depth); /* the C library's own may be one that cannot be inlined here */
}

/* --- short segments: fixed trees, one jump a segment ------------------------------------------------------------ */

/** out = P(n), 0 < n < 8: a jump instead of a loop, whose end is hard to foresee.  t: scratch for two. */
OPLUS_INLINE_ void oplus_few_(oplus_element e, const char *x, size_t n, char *out, char *t)
{
    char *const u = t + e.size;
    switch (n) {
    case 1:
        e.copy(out, x, e.size);
        return;
    case 2:
        oplus_join_(e, out, x, x + e.size);
        return;
    case 3:
        oplus_join_(e, t, x, x + e.size);
        oplus_join_(e, out, t, x + 2 * e.size);
        return;
    case 4:
        oplus_quad_(e, x, out, t);
        return;
    case 5:
        oplus_quad_(e, x, t, u);
        oplus_join_(e, out, t, x + 4 * e.size);
        return;
    case 6:
        oplus_quad_(e, x, t, u);
        oplus_join_(e, u, x + 4 * e.size, x + 5 * e.size);
        oplus_join_(e, out, t, u);
        return;
    case 7:
        oplus_quad_(e, x, t, u);
        oplus_join_(e, u, x + 4 * e.size, x + 5 * e.size);
        oplus_join_(e, t, t, u);
        oplus_join_(e, out, t, x + 6 * e.size);
        return;
    }
}

/** out = P(n), 8 <= n < OPLUS_SHORT: the nodes of eight, then the rest.  t: scratch for two; octs: for 8. */
OPLUS_INLINE_ void oplus_some_(oplus_element e, const char *x, size_t n, char *out, char *t, char *octs)
{
    const size_t many = n / 8;
    char *const u = t + e.size;
    for (size_t i = 0; i < many; i++, x += 8 * e.size) {
        char *const oct = octs + i * e.size;
        oplus_quad_(e, x, oct, t);
        oplus_quad_(e, x + 4 * e.size, t, u);
        oplus_join_(e, oct, oct, t);
    }
    for (size_t i = 0; i + 1 < many; i += 2)
        oplus_join_(e, octs + i * e.size, octs + i * e.size, octs + (i + 1) * e.size);
    for (size_t i = 0; i + 3 < many; i += 4)
        oplus_join_(e, octs + i * e.size, octs + i * e.size, octs + (i + 2) * e.size);
    e.copy(t, octs, e.size);
    if (many > 4 && many & 2) oplus_join_(e, t, t, octs + 4 * e.size);
    if (many > 1 && many & 1) oplus_join_(e, t, t, octs + (many - 1) * e.size);
    if (n & 4) {
        oplus_quad_(e, x, octs, u);
        oplus_join_(e, t, t, octs);
        x += 4 * e.size;
    }
    if (n & 2) {
        oplus_join_(e, u, x, x + e.size);
        oplus_join_(e, t, t, u);
        x += 2 * e.size;
    }
    if (n & 1) oplus_join_(e, t, t, x);
    e.copy(out, t, e.size);
}

/** See oplus_leaves::segments.  t, octs: as above. */
OPLUS_INLINE_ size_t oplus_segments_(oplus_element e, const char *in, const uint64_t *offsets, size_t segments,
                                     const char *identity, char *out, char *t, char *octs)
{
    for (size_t s = 0; s < segments; s++, out += e.size) {
        const char *const x = in + offsets[s] * e.size;
        const size_t n = (size_t)(offsets[s + 1] - offsets[s]);
        if (n == 0)
            e.copy(out, identity, e.size);
        else if (n < 8)
            oplus_few_(e, x, n, out, t);
        else if (n < OPLUS_SHORT)
            oplus_some_(e, x, n, out, t, octs);
        else
            return s;
    }
    return segments;
}

/* --- an operator's own instance -------------------------------------------------------------------------------- */

/* A parameter or local of a macro could hide a type or an operator of yours: hence each name here begins with
 * oplus_my_. own: how the functions begin, oplus_name in your translation unit. */
/* Inlined always: with many joins in a translation unit gcc would leave some of them calls (reduce of double[5] 3.2 ns
 * an element against 1.1). */
#define OPLUS_TYPED_ELEMENT_(own, name, T)                                                                             \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_combine_(void *oplus_my_out, const void *oplus_my_a,                        \
                                                    const void *oplus_my_b)                                            \
    {                                                                                                                  \
        *(T *)oplus_my_out = name(*(const T *)oplus_my_a, *(const T *)oplus_my_b);                                     \
    }                                                                                                                  \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_lift_(void *oplus_my_out, int oplus_my_head, const void *oplus_my_a,        \
                                                 const void *oplus_my_b)                                               \
    {                                                                                                                  \
        const T oplus_my_y = *(const T *)oplus_my_b, oplus_my_joined = name(*(const T *)oplus_my_a, oplus_my_y);       \
        *(T *)oplus_my_out = oplus_my_head ? oplus_my_y : oplus_my_joined;                                             \
    }                                                                                                                  \
    OPLUS_TYPED_MOVES_(own, T)
#define OPLUS_TYPED_ELEMENT_WITH_(own, name, T, P)                                                                     \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_combine_(void *oplus_my_out, const void *oplus_my_a,                        \
                                                    const void *oplus_my_b, const void *oplus_my_param)                \
    {                                                                                                                  \
        *(T *)oplus_my_out = name(*(const T *)oplus_my_a, *(const T *)oplus_my_b, *(const P *)oplus_my_param);         \
    }                                                                                                                  \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_lift_(void *oplus_my_out, int oplus_my_head, const void *oplus_my_a,        \
                                                 const void *oplus_my_b, const void *oplus_my_param)                   \
    {                                                                                                                  \
        const T oplus_my_y = *(const T *)oplus_my_b,                                                                   \
                oplus_my_joined = name(*(const T *)oplus_my_a, oplus_my_y, *(const P *)oplus_my_param);                \
        *(T *)oplus_my_out = oplus_my_head ? oplus_my_y : oplus_my_joined;                                             \
    }                                                                                                                  \
    OPLUS_TYPED_MOVES_(own, T)
#define OPLUS_TYPED_MOVES_(own, T)                                                                                     \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_copy_(void *oplus_my_out, const void *oplus_my_a, size_t oplus_my_size)     \
    {                                                                                                                  \
        (void)oplus_my_size;                                                                                           \
        *(T *)oplus_my_out = *(const T *)oplus_my_a;                                                                   \
    }                                                                                                                  \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_pick_(void *oplus_my_out, int oplus_my_first, const void *oplus_my_a,       \
                                                 const void *oplus_my_b, size_t oplus_my_size)                         \
    {                                                                                                                  \
        (void)oplus_my_size;                                                                                           \
        const T oplus_my_x = *(const T *)oplus_my_a, oplus_my_y = *(const T *)oplus_my_b;                              \
        *(T *)oplus_my_out = oplus_my_first ? oplus_my_x : oplus_my_y;                                                 \
    }

/* What a loop begins with.  The parameter is copied out of the caller's memory: for all a compiler knows, a result may
 * be written there. */
#define OPLUS_ELEMENT_(own, T)                                                                                         \
    const oplus_element oplus_my_e = {sizeof(T),   own##_combine_, own##_lift_, own##_copy_,                           \
                                      own##_pick_, NULL,           NULL,        NULL};
#define OPLUS_ELEMENT_WITH_(own, T, P)                                                                                 \
    const P oplus_my_p = *(const P *)oplus_my_param;                                                                   \
    const oplus_element oplus_my_e = {sizeof(T),   NULL,           NULL,        own##_copy_,                           \
                                      own##_pick_, own##_combine_, own##_lift_, &oplus_my_p};

/* Of larger elements fixed trees would be long, and gain little. */
#define OPLUS_HAS_SEGMENTS_(T) (sizeof(T) <= 64)
#define OPLUS_HAS_RUN_(T)      (sizeof(T) <= 256)
#define OPLUS_HAS_SEGRUN_(T)   (sizeof(T) <= 24) /* double[5], double[8]: up to 1.6 times the time of blocks */

/* The loops of one set, and their table. */
#define OPLUS_LEAF_SET_(set, own, T, ATTRIBUTES)                                                                       \
    OPLUS_LOOPS_(set, own, T, ATTRIBUTES, oplus_leaves, (), (OPLUS_ELEMENT_(own, T)))
#define OPLUS_LEAF_SET_WITH_(set, own, T, P, ATTRIBUTES)                                                               \
    OPLUS_LOOPS_(set, own, T, ATTRIBUTES, oplus_leaves_with, (, const void *oplus_my_param),                           \
                 (OPLUS_ELEMENT_WITH_(own, T, P)))
#define OPLUS_UNPAREN_(...) __VA_ARGS__
#define OPLUS_LOOPS_(set, own, T, ATTRIBUTES, TABLE, parameter, element)                                               \
    ATTRIBUTES static void own##_node##set(const void *oplus_my_in, unsigned oplus_my_level,                           \
                                           void *oplus_my_node OPLUS_UNPAREN_ parameter)                               \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[1 << OPLUS_LEAF_LEVEL(sizeof(T))],                                     \
            oplus_my_t[OPLUS_LEAF_LEVEL(sizeof(T)) < 3 ? 1 : 3];                                                       \
        oplus_node_(oplus_my_e, (const char *)oplus_my_in, oplus_my_level, (char *)oplus_my_nodes, (char *)oplus_my_t, \
                    (char *)oplus_my_node);                                                                            \
    }                                                                                                                  \
    ATTRIBUTES static void own##_scan##set(const void *oplus_my_in, unsigned oplus_my_level, int oplus_my_exclusive,   \
                                           const void *oplus_my_before, void *oplus_my_out,                            \
                                           void *oplus_my_node OPLUS_UNPAREN_ parameter)                               \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[1 << OPLUS_LEAF_LEVEL(sizeof(T))],                                     \
            oplus_my_ladder[(1 << OPLUS_LEAF_LEVEL(sizeof(T))) + 2];                                                   \
        oplus_scan_(oplus_my_e, (const char *)oplus_my_in, oplus_my_level, oplus_my_exclusive,                         \
                    (const char *)oplus_my_before, (char *)oplus_my_out, (char *)oplus_my_nodes,                       \
                    (char *)oplus_my_ladder, (char *)oplus_my_node);                                                   \
    }                                                                                                                  \
    ATTRIBUTES static void own##_segscan##set(                                                                         \
        const void *oplus_my_in, const uint8_t *oplus_my_heads, unsigned oplus_my_level, int oplus_my_exclusive,       \
        const void *oplus_my_before, const void *oplus_my_identity, void *oplus_my_out, void *oplus_my_node,           \
        uint8_t *oplus_my_head OPLUS_UNPAREN_ parameter)                                                               \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[1 << OPLUS_LEAF_LEVEL(sizeof(T))],                                     \
            oplus_my_ladder[(2 << OPLUS_LEAF_LEVEL(sizeof(T))) + 2];                                                   \
        uint8_t oplus_my_flags[1 << OPLUS_LEAF_LEVEL(sizeof(T))];                                                      \
        oplus_segscan_(oplus_my_e, (const char *)oplus_my_in, oplus_my_heads, oplus_my_level, oplus_my_exclusive,      \
                       (const char *)oplus_my_before, (const char *)oplus_my_identity, (char *)oplus_my_out,           \
                       (char *)oplus_my_nodes, oplus_my_flags, (char *)oplus_my_ladder, (char *)oplus_my_node,         \
                       oplus_my_head);                                                                                 \
    }                                                                                                                  \
    ATTRIBUTES static size_t own##_segments##set(const void *oplus_my_in, const uint64_t *oplus_my_offsets,            \
                                                 size_t oplus_my_segments, const void *oplus_my_identity,              \
                                                 void *oplus_my_out OPLUS_UNPAREN_ parameter)                          \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_t[2], oplus_my_octs[8];                                                      \
        return oplus_segments_(oplus_my_e, (const char *)oplus_my_in, oplus_my_offsets, oplus_my_segments,             \
                               (const char *)oplus_my_identity, (char *)oplus_my_out, (char *)oplus_my_t,              \
                               (char *)oplus_my_octs);                                                                 \
    }                                                                                                                  \
    ATTRIBUTES static void own##_run##set(const void *oplus_my_in, size_t oplus_my_count, int oplus_my_exclusive,      \
                                          const void *oplus_my_before, const void *oplus_my_identity,                  \
                                          void *oplus_my_out, void *oplus_my_all OPLUS_UNPAREN_ parameter)             \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[OPLUS_RUN_NODES_], oplus_my_prefix[OPLUS_RUN_NODES_], oplus_my_t[14];  \
        oplus_run_(oplus_my_e, (const char *)oplus_my_in, oplus_my_count, oplus_my_exclusive,                          \
                   (const char *)oplus_my_before, (const char *)oplus_my_identity, (char *)oplus_my_out,               \
                   (char *)oplus_my_nodes, (char *)oplus_my_prefix, (char *)oplus_my_t, (char *)oplus_my_all);         \
    }                                                                                                                  \
    ATTRIBUTES static void own##_segrun##set(                                                                          \
        const void *oplus_my_in, const uint8_t *oplus_my_heads, size_t oplus_my_count, int oplus_my_exclusive,         \
        const void *oplus_my_before, const void *oplus_my_identity, void *oplus_my_out, void *oplus_my_all,            \
        uint8_t *oplus_my_all_flags OPLUS_UNPAREN_ parameter)                                                          \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[OPLUS_RUN_NODES_], oplus_my_prefix[OPLUS_RUN_NODES_], oplus_my_t[14];  \
        uint8_t oplus_my_flags[OPLUS_RUN_NODES_];                                                                      \
        oplus_segrun_(oplus_my_e, (const char *)oplus_my_in, oplus_my_heads, oplus_my_count, oplus_my_exclusive,       \
                      (const char *)oplus_my_before, (const char *)oplus_my_identity, (char *)oplus_my_out,            \
                      (char *)oplus_my_nodes, oplus_my_flags, (char *)oplus_my_prefix, (char *)oplus_my_t,             \
                      (char *)oplus_my_all, oplus_my_all_flags);                                                       \
    }                                                                                                                  \
    static const TABLE own##_leaves##set OPLUS_UNUSED_ = {own##_node##set,                                             \
                                                          own##_scan##set,                                             \
                                                          own##_segscan##set,                                          \
                                                          OPLUS_HAS_SEGMENTS_(T) ? own##_segments##set : NULL,         \
                                                          OPLUS_HAS_RUN_(T) ? own##_run##set : NULL,                   \
                                                          OPLUS_HAS_SEGRUN_(T) ? own##_segrun##set : NULL};

#ifdef OPLUS_TWO_SETS_
#define OPLUS_TYPED_LEAVES_(name, T)                                                                                   \
    OPLUS_TYPED_ELEMENT_(oplus_##name, name, T)                                                                        \
    OPLUS_LEAF_SET_(_, oplus_##name, T, OPLUS_NARROW_ OPLUS_STRICT_)                                                   \
    OPLUS_LEAF_SET_(_wide_, oplus_##name, T, OPLUS_STRICT_)
#define OPLUS_TYPED_LEAVES_WITH_(name, T, P)                                                                           \
    OPLUS_TYPED_ELEMENT_WITH_(oplus_##name, name, T, P)                                                                \
    OPLUS_LEAF_SET_WITH_(_, oplus_##name, T, P, OPLUS_NARROW_ OPLUS_STRICT_)                                           \
    OPLUS_LEAF_SET_WITH_(_wide_, oplus_##name, T, P, OPLUS_STRICT_)
#define OPLUS_CHOOSE_LEAVES_(name, T, flags)                                                                           \
    ((((flags)&OPLUS_WIDE) != 0 || OPLUS_IS_SCALAR_(T)) ? &oplus_##name##_leaves_wide_ : &oplus_##name##_leaves_)
#else
#define OPLUS_TYPED_LEAVES_(name, T)                                                                                   \
    OPLUS_TYPED_ELEMENT_(oplus_##name, name, T)                                                                        \
    OPLUS_LEAF_SET_(_, oplus_##name, T, OPLUS_NARROW_ OPLUS_STRICT_)
#define OPLUS_TYPED_LEAVES_WITH_(name, T, P)                                                                           \
    OPLUS_TYPED_ELEMENT_WITH_(oplus_##name, name, T, P)                                                                \
    OPLUS_LEAF_SET_WITH_(_, oplus_##name, T, P, OPLUS_NARROW_ OPLUS_STRICT_)
#define OPLUS_CHOOSE_LEAVES_(name, T, flags) (&oplus_##name##_leaves_)
#endif

#ifdef __cplusplus
}
#endif
#endif
