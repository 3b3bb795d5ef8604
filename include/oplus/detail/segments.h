/* SPDX-License-Identifier: Apache-2.0 */
/** @file segments.h
 *  The reduces of short segments. */
#ifndef OPLUS_DETAIL_SEGMENTS_H
#define OPLUS_DETAIL_SEGMENTS_H

#include <oplus/detail/block.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
