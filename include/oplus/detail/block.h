/* SPDX-License-Identifier: Apache-2.0 */
/** @file block.h
 *  The node and the scan of an aligned block of 2^level elements, level by level. */
#ifndef OPLUS_DETAIL_BLOCK_H
#define OPLUS_DETAIL_BLOCK_H

#include <oplus/detail/leaves.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Joins two elements: *out = *a (+) *b. */
OPLUS_INLINE_ void oplus_join_(oplus_element e, char *out, const char *a, const char *b)
{
    if (e.combine)
        e.combine(out, a, b);
    else
        e.combine_with(out, a, b, e.param);
}

/** Joins n pairs: out[i] = a[i] (+) b[i].  out may be a or b: each pair is read before its place is written. */
OPLUS_INLINE_ void oplus_zip_(oplus_element e, const char *a, const char *b, char *out, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++) oplus_join_(e, out + i * e.size, a + i * e.size, b + i * e.size);
}

/** One level up: y[i] = x[2i] (+) x[2i+1], for n results. */
OPLUS_INLINE_ void oplus_up_(oplus_element e, const char *OPLUS_RESTRICT_ x, char *OPLUS_RESTRICT_ y, size_t n)
{
    OPLUS_IVDEP_ for (size_t i = 0; i < n; i++)
        oplus_join_(e, y + i * e.size, x + 2 * i * e.size, x + (2 * i + 1) * e.size);
}

/** One level down: before[2i] = above[i], before[2i+1] = above[i] (+) x[2i].  `before` may be x: each element of x is
 *  read before its place is written. */
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

/** The last two levels down at once, exclusive: above[i] is the prefix of elements 4i to 4i+3.  out may be x: each
 *  element of x is read before its place is written. */
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

/** The last two levels down at once, inclusive: above[i] is the prefix of elements 4i to 4i+3, above[i+1] the result
 *  of the last of them. */
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

/** The node of four elements: *out = (x[0] (+) x[1]) (+) (x[2] (+) x[3]).  t: scratch for one element. */
OPLUS_INLINE_ void oplus_quad_(oplus_element e, const char *x, char *out, char *t)
{
    oplus_join_(e, out, x, x + e.size);
    oplus_join_(e, t, x + 2 * e.size, x + 3 * e.size);
    oplus_join_(e, out, out, t);
}

/** Three levels up at once: y[i] is the node of x[8i] ... x[8i+7].  t: scratch for 3 elements. */
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

/** The node of a block of 2^level elements.  nodes: scratch for 2^level elements; t: scratch for 3. */
OPLUS_INLINE_ void oplus_node_(oplus_element e, const char *x, unsigned level, char *nodes, char *t, char *node)
{
    size_t n = ((size_t)1 << level) / 2;
    /* Eight elements at once stay in registers.  Elements of 1 or 2 bytes vectorise better level by level; a block of
     * very large elements has fewer than eight. */
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

/** The scan of a block of 2^level elements, and its node.  nodes: scratch for 2^level elements; ladder: scratch for
 *  2^level + 2. */
OPLUS_INLINE_ void oplus_scan_(oplus_element e, const char *x, unsigned level, int exclusive, const char *before,
                               char *out, char *nodes, char *ladder, char *node)
{
    const unsigned bottom = e.size >= 8 && level >= 2 ? 2 : 1; /* quads suit structs, pairs narrow elements */
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

#ifdef __cplusplus
}
#endif
#endif
