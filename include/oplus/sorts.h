/* SPDX-License-Identifier: Apache-2.0 */
/** @file sorts.h
 *  Sorts beyond oplus_sort: in the order of a function, and of many segments at once.  oplus.h includes this header; the
 *  conventions at its beginning hold here, too.
 *
 *  The function is one of two elements: less(a, b) is not 0 if a comes before b.
 *
 *      OPLUS_ZIP(by_price, uint8_t, item, item, { return a.price < b.price; })      (&by_price_fn)
 *
 *  It should be a strict weak order (no element comes before itself; if a comes before b and b before c, then a before c;
 *  "neither comes before the other" goes on from element to element in the same way), and always give the same answer for
 *  the same two elements.  This is not checked.  For a function that is not, for example `a.x <= b.x`, or `a.x < b.x`
 *  where some x is a NaN, the result is the same elements in some order, which may differ from device to device.
 *
 *  Where the order is that of a number in each element, oplus_sort_pairs and oplus_argsort_keys are faster. */
#ifndef OPLUS_SORTS_H
#define OPLUS_SORTS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Stable sort in the order of a function: elements of any type, in place; elements of which neither comes before the other
 *  stay in the order that they had.
 *
 *  This is a merge sort: log2(n) comparisons for each element.  Scratch memory is as large as the elements.
 *
 *  @param dev       where to compute
 *  @param less      the order: a function of two elements of one type, with a result of type uint8_t
 *  @param elements  n elements
 *  @param n         how many elements there are
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE; OPLUS_ERR_COMPILE: the text of `less` did
 *          not compile; OPLUS_ERR_UNSUPPORTED: an accelerator cannot run `less`, as a function without a text. */
OPLUS_API oplus_status oplus_sort_by(oplus_device *dev, const oplus_fn *less, void *elements, size_t n);

/** Argsort in the order of a function: writes the indices of n elements in their order: the first one is the index of the
 *  element that comes first.  Elements of which neither comes before the other stay in the order of their indices.  The
 *  elements are only read.
 *
 *  Scratch memory is twice as large as the elements, and as large as the indices.
 *
 *  @param dev       where to compute
 *  @param less      the order: a function of two elements of one type, with a result of type uint8_t
 *  @param elements  n elements
 *  @param n         how many elements there are
 *  @param index     the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param indices   room for n indices; must not overlap the elements
 *  @return what oplus_sort_by returns; OPLUS_ERR_OVERLAP. */
OPLUS_API oplus_status oplus_argsort_by(oplus_device *dev, const oplus_fn *less, const void *elements, size_t n,
                                        const oplus_type *index, void *indices);

/** Segmented sort: sorts each segment by itself, in place.  Segment s has the keys from offsets[s] up to, but not
 *  including, offsets[s + 1].  Keys outside of the segments stay where they are.  The order is that of oplus_sort.
 *
 *  The work is balanced whatever the segments are: many short ones, a few long ones, or both.  On an accelerator segments of
 *  at most 128 keys are sorted in one pass over the arrays (values have 1, 2, 4 or 8 bytes then, and on the device addresses
 *  that are multiples of that).  Up to 8 longer ones cost a sort each; more of them cost two sorts of pairs of their own keys,
 *  with values an argsort and a sort of pairs.  If many long ones have more than half of all keys, or if values are others,
 *  the two sorts are of all keys.  Scratch memory is in proportion to the keys that are sorted so: about 20 bytes a key and
 *  as much as the key and its value.  The call waits, also if all arrays are in memory of the device.
 *
 *  @param dev       where to compute
 *  @param key       the type of a key, a scalar
 *  @param order     ascending or descending
 *  @param keys      n keys
 *  @param n         how many keys there are
 *  @param offset    the type of an offset: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param offsets   segments + 1 offsets from 0 to n, none less than the one before; must not overlap the keys
 *  @param segments  how many segments there are
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for offsets that are not in order: the message names the first one;
 *          OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_segsort(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys, size_t n,
                                     const oplus_type *offset, const void *offsets, size_t segments);

/** As oplus_segsort, with a value of any size for each key: values move with their keys, and those of equal keys stay in
 *  the order that they had.
 *
 *  @param dev       where to compute
 *  @param key       the type of a key, a scalar
 *  @param order     ascending or descending
 *  @param keys      n keys
 *  @param value     the type of a value; any size
 *  @param values    n values
 *  @param n         how many keys and values there are
 *  @param offset    the type of an offset: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param offsets   segments + 1 offsets from 0 to n, none less than the one before.  None of the three arrays may overlap
 *                   another one
 *  @param segments  how many segments there are
 *  @return what oplus_segsort returns. */
OPLUS_API oplus_status oplus_segsort_pairs(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                                           const oplus_type *value, void *values, size_t n, const oplus_type *offset,
                                           const void *offsets, size_t segments);

#ifdef __cplusplus
}
#endif
#endif
