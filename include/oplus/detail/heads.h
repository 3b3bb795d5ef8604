/* SPDX-License-Identifier: Apache-2.0 */
/** @file heads.h
 *  The loops of block.h and run.h with heads: segmented scans of a block and of a run. */
#ifndef OPLUS_DETAIL_HEADS_H
#define OPLUS_DETAIL_HEADS_H

#include <oplus/detail/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- a block with heads: the lifted operator (f,s) (+) (g,t) = (f|g, g ? t : s (+) t) -------------------------- */

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

/** The segmented scan of a block of 2^level elements, its node, and whether it contains a head.  nodes: scratch for
 *  2^level elements; flags: scratch for 2^level bytes; ladder: scratch for 2 * 2^level + 2 elements. */
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

/** As oplus_run_oct_, with the heads h[0] ... h[7], each 0 or 1; returns 1 if one of them is 1, else 0. */
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

/** As oplus_run_push_ with a local node; `head` is 1 if a head lies in the node.  The lifted operator is used also
 *  where a copy would do: a copy would wait for the stores of the members (3 doubles: 2.6 ns an element against 1.4;
 *  2026-11-22, Zen 4 EPYC). */
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

/** The segmented scan of a run: see oplus_leaves::segrun.  nodes, flags, prefix: scratch for OPLUS_RUN_NODES_ elements
 *  (bytes, for flags); t: scratch for 14 elements. */
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

#ifdef __cplusplus
}
#endif
#endif
