/* SPDX-License-Identifier: Apache-2.0 */
/** @file run.h
 *  The scan of a run: it takes 4 or 8 elements at a time, and keeps a stack of nodes between them. */
#ifndef OPLUS_DETAIL_RUN_H
#define OPLUS_DETAIL_RUN_H

#include <oplus/detail/block.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- a run: four or eight elements at a time, and a stack of nodes ------------------------------------------------ */

/* The stack summarises all elements so far: the maximal nodes, nodes[0] ... nodes[depth - 1], and prefix[j], which is
 * the prefix of the run (+) nodes[0] (+) ... (+) nodes[j - 1]. */
enum { OPLUS_RUN_NODES_ = OPLUS_RUN_LEVEL + 2 };

/* OPLUS_RUN_UNIT_: how many elements are taken at a time.  OPLUS_RUN_LOCAL_: whether their node is a local variable,
 * or lies on the stack of nodes.  Both were chosen by what compilers make of them.  Times of a scan in ns an element,
 * with gcc -O3 for AVX-512, gcc -O2 and clang -O2: elements of 40 bytes 2.9, 2.5, 2.2 (other choices 3.0 to 4.0, 3.5
 * to 4.1, 2.0 to 3.3); elements of 64 bytes 2.8, 3.5, 3.1 (other choices 3.0 to 4.4, 4.0 to 6.2, 3.0 to 3.4).  Sums,
 * gcc 12, clang 14; 256 KiB; 2026-11-22, Zen 4 EPYC. */
#define OPLUS_RUN_UNIT_(size)  ((size) > 24 && (size) < 64 ? 4u : 8u)
#define OPLUS_RUN_LOCAL_(size) ((size) < 64)

/** The results o[1] ... o[3] of four elements at x, and the node of the four.  o may be x or the element before x:
 *  each place is read before it is written.  The code does not copy a result but joins it a second time, which a
 *  compiler makes one join: a copy of a struct would wait for the stores of its members.  t: scratch for 13
 *  elements. */
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

/** The results o[1] ... o[7] of eight elements at x, and the node of the eight; as oplus_run_quad_. */
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

/** Appends the node at `own` to the stack and returns the new depth.  `index` says how many nodes of this level came
 *  before in the run.  If `local`, own is outside of the stack; else own is the next place of the stack.  `bare`: no
 *  element precedes the run. */
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

/** The scan of a run: see oplus_leaves::run.  nodes, prefix: scratch for OPLUS_RUN_NODES_ elements; t: scratch for
 *  14. */
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

#ifdef __cplusplus
}
#endif
#endif
