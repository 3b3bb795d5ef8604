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

/* --- all segments of one length after each other, so that no jump is hard to foresee ---------------------------- */

/* Segments at a time, and from how many on it pays to order them. */
enum { OPLUS_BATCH_ = 512, OPLUS_BATCH_LEAST_ = 64, OPLUS_BATCH_PARTS_ = 4 };

/** Short segments, at most OPLUS_BATCH_. */
typedef struct oplus_batch {
    size_t count;                 /**< of them; the next one, if there is one, is not short */
    int ordered;                  /**< by length; if not, lengths change so seldom that their own order is as good */
    size_t in_order;              /**< how many the order has: all, or where most are empty, only those that are not */
    uint16_t end[OPLUS_SHORT];    /**< where in the order those of each length end, if ordered */
    uint16_t order[OPLUS_BATCH_]; /**< their numbers */
    uint8_t length[OPLUS_BATCH_]; /**< elements of each */
} oplus_batch;

/* By counting, each quarter of the batch for itself: an increment waits for the one before it where both are of the
 * same length. */
OPLUS_STRICT_ static inline void oplus_batch_order_(oplus_batch *batch)
{
    uint16_t at[OPLUS_BATCH_PARTS_][OPLUS_SHORT] = {{0}}, place = 0;
    batch->in_order = batch->count;
    const size_t part = batch->count / OPLUS_BATCH_PARTS_, rest = OPLUS_BATCH_PARTS_ * part;
    const uint8_t *const length = batch->length;
    for (size_t i = 0; i < part; i++)
        for (size_t p = 0; p < OPLUS_BATCH_PARTS_; p++) at[p][length[p * part + i]]++;
    for (size_t i = rest; i < batch->count; i++) at[0][length[i]]++;
    for (size_t n = 0; n < OPLUS_SHORT; n++) {
        for (size_t p = 0; p < OPLUS_BATCH_PARTS_; p++) {
            const uint16_t many = at[p][n];
            at[p][n] = place;
            place = (uint16_t)(place + many);
        }
        batch->end[n] = place;
    }
    for (size_t i = 0; i < part; i++)
        for (size_t p = 0; p < OPLUS_BATCH_PARTS_; p++)
            batch->order[at[p][length[p * part + i]]++] = (uint16_t)(p * part + i);
    for (size_t i = rest; i < batch->count; i++) batch->order[at[0][length[i]]++] = (uint16_t)i;
}

/* The order of those that are not empty, as they come; returns how often their lengths change. */
OPLUS_STRICT_ static inline size_t oplus_batch_present_(oplus_batch *batch)
{
    size_t many = 0, changes = 0;
    for (size_t s = 0; s < batch->count; s++) {
        batch->order[many] = (uint16_t)s;
        many += batch->length[s] != 0;
    }
    for (size_t i = 1; i < many; i++) changes += batch->length[batch->order[i]] != batch->length[batch->order[i - 1]];
    batch->in_order = many;
    return changes;
}

OPLUS_STRICT_ static inline void oplus_batch_(const uint64_t *offsets, size_t segments, oplus_batch *batch)
{
    const size_t most = segments < (size_t)OPLUS_BATCH_ ? segments : (size_t)OPLUS_BATCH_;
    uint64_t any = 0;
    size_t changes = 0, empty = 0;
    memset(batch->length, 0, sizeof batch->length); /* gcc 12 would warn of those that are not */
    for (size_t s = 0; s < most; s++) {
        const uint64_t n = offsets[s + 1] - offsets[s];
        any |= n;
        batch->length[s] = (uint8_t)n;
    }
    for (size_t s = 0; s < most; s += 8) OPLUS_PREFETCH_(offsets + most + s);
    batch->count = any < OPLUS_SHORT ? most : 0;
    if (any >= OPLUS_SHORT)
        while (offsets[batch->count + 1] - offsets[batch->count] < OPLUS_SHORT) batch->count++;
    for (size_t s = 0; s < batch->count; s++) empty += batch->length[s] == 0;
    for (size_t s = 1; s < batch->count; s++) changes += batch->length[s] != batch->length[s - 1];
    batch->in_order = batch->count;
    if (empty > batch->count / 2) changes = oplus_batch_present_(batch);
    batch->ordered = batch->in_order >= OPLUS_BATCH_LEAST_ && changes > batch->in_order / 4;
    if (batch->ordered)
        oplus_batch_order_(batch);
    else if (batch->in_order == batch->count)
        for (size_t s = 0; s < batch->count; s++) batch->order[s] = (uint16_t)s;
}

/** Where in the order those from i on end that are of its length. */
OPLUS_STRICT_ static inline size_t oplus_batch_end_(const oplus_batch *batch, size_t i)
{
    const uint8_t n = batch->length[batch->order[i]];
    if (batch->ordered) return batch->end[n % OPLUS_SHORT];
    do i++;
    while (i < batch->in_order && batch->length[batch->order[i]] == n);
    return i;
}

/** The reduces of `count` segments of n elements each; order: which ones they are.  Elements as far ahead as those of
 *  the whole batch reach are asked for: in the order of lengths they come from all over the place.  t, octs: as above. */
OPLUS_INLINE_ void oplus_equal_(oplus_element e, const char *in, const uint64_t *offsets, const uint16_t *order,
                                size_t count, size_t n, size_t ahead, const char *identity, char *out, char *t,
                                char *octs)
{
    for (size_t i = 0; i < count; i++) {
        const char *const x = in + offsets[order[i]] * e.size;
        char *const to = out + order[i] * e.size;
        if (n == 0) {
            e.copy(to, identity, e.size);
            continue;
        }
        for (size_t byte = 0; byte < n * e.size; byte += 64) OPLUS_PREFETCH_(x + ahead + byte);
        if (n < 8)
            oplus_few_(e, x, n, to, t);
        else
            oplus_some_(e, x, n, to, t, octs);
    }
}

/** See oplus_leaves::segments.  t, octs: as above. */
OPLUS_INLINE_ size_t oplus_segments_(oplus_element e, const char *in, const uint64_t *offsets, size_t segments,
                                     const char *identity, char *out, char *t, char *octs)
{
    oplus_batch batch;
    size_t done = 0;
    do {
        oplus_batch_(offsets + done, segments - done, &batch);
        const uint64_t *const at = offsets + done;
        const size_t ahead = (size_t)(at[batch.count] - at[0]) * e.size;
        char *const to = out + done * e.size;
        if (batch.in_order < batch.count)
            for (size_t s = 0; s < batch.count; s++) e.copy(to + s * e.size, identity, e.size);
        for (size_t i = 0, end; i < batch.in_order; i = end) {
            const uint16_t *const order = batch.order + i;
            end = oplus_batch_end_(&batch, i);
            switch (batch.length[*order]) {
#define OPLUS_CASE_(n)                                                                                                 \
    case n:                                                                                                            \
        oplus_equal_(e, in, at, order, end - i, n, ahead, identity, to, t, octs);                                      \
        break;
                OPLUS_CASE_(0)
                OPLUS_CASE_(1)
                OPLUS_CASE_(2)
                OPLUS_CASE_(3)
                OPLUS_CASE_(4)
                OPLUS_CASE_(5)
                OPLUS_CASE_(6)
                OPLUS_CASE_(7)
#undef OPLUS_CASE_
            default:
                oplus_equal_(e, in, at, order, end - i, 8 + (batch.length[*order] - 8u) % (OPLUS_SHORT - 8), ahead,
                             identity, to, t, octs);
            }
        }
        done += batch.count;
    } while (done < segments && batch.count == OPLUS_BATCH_);
    return done;
}

#ifdef __cplusplus
}
#endif
#endif
