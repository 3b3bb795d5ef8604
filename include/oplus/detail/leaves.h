/* SPDX-License-Identifier: Apache-2.0 */
/** @file leaves.h
 *  The tables of compiled loops that an operator has, and what such a loop knows of an element. */
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

#ifdef __cplusplus
}
#endif
#endif
