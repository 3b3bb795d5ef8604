/* SPDX-License-Identifier: Apache-2.0 */
/** @file leaves.h
 *  The tables of an operator's compiled loops, and what such a loop knows about an element. */
#ifndef OPLUS_DETAIL_LEAVES_H
#define OPLUS_DETAIL_LEAVES_H

#include <oplus/detail/compiler.h>

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
    OPLUS_RUN_LEVEL = 16 /**< a run has at most 2^OPLUS_RUN_LEVEL elements: see oplus_leaves::run */
};

/** An operator's compiled loops over one aligned block of 2^level elements, level <= OPLUS_LEAF_LEVEL(size).
 *
 *  `before` is the prefix: the join of all elements before the block.  It is never NULL, except in run and segrun.
 *  After an inclusive scan the caller writes the last result itself: it is the value of a larger node.  `in == out` is
 *  allowed. */
typedef struct oplus_leaves {
    /** Writes the node of the block. */
    void (*node)(const void *in, unsigned level, void *node);
    /** Writes the scan of the block to out, and the node of the block. */
    void (*scan)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node);
    /** Writes the segmented scan of the block to out, the lifted node of the block, and to *head whether the block
     *  contains a head. */
    void (*segscan)(const void *in, const uint8_t *heads, unsigned level, int exclusive, const void *before,
                    const void *identity, void *out, void *node, uint8_t *head);
    /** Reduces short segments: out[s] is the reduce of in[offsets[s]] ... in[offsets[s + 1] - 1], or the identity if
     *  the segment is empty.  Stops before the first segment of OPLUS_SHORT or more elements, and returns the number
     *  of segments done.  May be NULL. */
    size_t (*segments)(const void *in, const uint64_t *offsets, size_t segments, const void *identity, void *out);
    /** Writes the scan of a run of `count` elements to out, and the maximal nodes of the run to nodes, the largest
     *  first.  0 < count <= 2^OPLUS_RUN_LEVEL, and the run begins at a multiple of 2^k >= count.  If `before` is NULL,
     *  no element precedes the run: an exclusive scan then begins with the identity.  The last result of an inclusive
     *  scan of 2^k elements is right only if they do not complete a larger node.  May be NULL. */
    void (*run)(const void *in, size_t count, int exclusive, const void *before, const void *identity, void *out,
                void *nodes);
    /** As oplus_leaves::run for a segmented scan; node_heads[j] is set to whether a head lies in nodes[j].  May be
     *  NULL. */
    void (*segrun)(const void *in, const uint8_t *heads, size_t count, int exclusive, const void *before,
                   const void *identity, void *out, void *nodes, uint8_t *node_heads);
    /** Joins n pairs: out[i] = a[i] (+) b[i].  out may be a or b. */
    void (*zip)(const void *a, const void *b, size_t n, void *out);
} oplus_leaves;

/** The compiled loops of an operator with a captured parameter: as oplus_leaves, with the parameter at param. */
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
    /** As oplus_leaves::zip. */
    void (*zip)(const void *a, const void *b, size_t n, void *out, const void *param);
} oplus_leaves_with;

/** How the loops handle an element.  The members are constants in a typed loop, and variables if the type is known
 *  only at run time. */
typedef struct oplus_element {
    size_t size;                                              /**< size of an element, in bytes */
    void (*combine)(void *out, const void *a, const void *b); /**< *out = *a (+) *b; NULL: combine_with does it */
    void (*lift)(void *out, int head, const void *a,
                 const void *b);                         /**< *out = head ? *b : *a (+) *b; NULL: made of the others */
    void (*copy)(void *out, const void *a, size_t size); /**< *out = *a */
    void (*pick)(void *out, int first, const void *a, const void *b, size_t size); /**< *out = first ? *a : *b */
    /** Takes the place of combine in an operator with a captured parameter, which is at param. */
    void (*combine_with)(void *out, const void *a, const void *b, const void *param);
    /** Takes the place of lift in an operator with a captured parameter, which is at param. */
    void (*lift_with)(void *out, int head, const void *a, const void *b, const void *param);
    const void *param; /**< the captured parameter; NULL where there is none */
} oplus_element;

#ifdef __cplusplus
}
#endif
#endif
