/* SPDX-License-Identifier: Apache-2.0 */
/** @file order.h
 *  Primitives of sorted arrays, and of the order of elements: argsort, top, nth, search, merge.  oplus.h includes this
 *  header; the conventions at its beginning hold here, too.
 *
 *  The order is that of oplus_sort, given by the type of the keys and a direction: integers by their values, floats in
 *  IEEE total order, -NaN < -inf < ... < -0 < +0 < ... < +inf < NaN.
 *
 *  A call that ends in _by takes a function in place of these, and elements of any type: less(a, b) is not 0 if a comes
 *  before b.  It must be a strict weak order, and always give the same answer for the same two elements:
 *
 *      OPLUS_ZIP(by_price, uint8_t, item, item, { return a.price < b.price; })      (&by_price_fn)
 *
 *  An index is an integer of type oplus_u32, oplus_u64, oplus_i32 or oplus_i64, which must be able to hold the largest
 *  index. */
#ifndef OPLUS_ORDER_H
#define OPLUS_ORDER_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Argsort: writes the indices of n keys in the order of the keys: the first one is the index of the key that comes
 *  first.  Equal keys stay in the order of their indices.  The keys are only read.
 *
 *  Costs what oplus_sort_pairs costs with indices as values.
 *
 *  @param dev      where to compute
 *  @param key      the type of a key, a scalar
 *  @param order    ascending or descending
 *  @param keys     n keys
 *  @param n        how many keys there are
 *  @param index    the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param indices  room for n indices; must not overlap the keys
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_argsort(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys,
                                     size_t n, const oplus_type *index, void *indices);

/** Argsort by several keys: writes the indices of n elements in the order of their first keys, those with equal first keys
 *  in the order of their second keys, and so on (lexicographic order, NumPy's lexsort).  Elements all of whose keys are
 *  equal stay in the order of their indices.  Keys lie in an array for each, may have different types and directions, and
 *  are only read.
 *
 *  Costs an argsort by the last key, and for each key before it a take and a sort of pairs.  Memory of the device for n of
 *  the widest of those keys is allocated, and freed before the call returns; so the call waits, if there is more than one
 *  key, even if all arrays are in memory of the device.
 *
 *  @param dev      where to compute
 *  @param key      `count` types, each of a scalar: those of the first keys, of the second keys, ...
 *  @param order    `count` directions: OPLUS_ASCENDING or OPLUS_DESCENDING
 *  @param keys     `count` arrays of n keys
 *  @param count    how many keys an element has, at least 1
 *  @param n        how many elements there are
 *  @param index    the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param indices  room for n indices; must not overlap the keys
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_argsort_keys(oplus_device *dev, const oplus_type *const *key, const oplus_order *order,
                                          const void *const *keys, size_t count, size_t n, const oplus_type *index,
                                          void *indices);

/** Top: the k keys that come first in the order, sorted, and where they were: the first k of oplus_argsort, and their
 *  keys.  OPLUS_DESCENDING gives the k largest ones, the largest first; OPLUS_ASCENDING the k smallest ones.  Of equal
 *  keys those with lower indices come first.  The keys are only read.
 *
 *  As long as k is small beside n, this costs little more than reading the keys once; at the most it costs an argsort.
 *
 *  @param dev      where to compute
 *  @param key      the type of a key, a scalar
 *  @param order    OPLUS_DESCENDING for the largest keys, OPLUS_ASCENDING for the smallest ones
 *  @param keys     n keys
 *  @param n        how many keys there are
 *  @param k        how many of them are wanted, at most n
 *  @param out      room for k keys; must not overlap the keys.  NULL: only the indices are wanted
 *  @param index    the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1.  NULL: if
 *                  `indices` is NULL
 *  @param indices  room for k indices; must not overlap the keys or out.  NULL: only the keys are wanted
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_top(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys,
                                 size_t n, size_t k, void *out, const oplus_type *index, void *indices);

/** The key at a place of the order (nth_element, a quantile, the median): what stands at keys[k] once oplus_sort has sorted
 *  them, bit for bit.  The median of an odd number of keys has k = n / 2.  The keys are only read.
 *
 *  Reads the keys once, whatever k is, and compares each with two bounds that a sample gives; few keys lie between them.
 *  Only where a sample misleads are all keys read again, once for each byte of a key at the most.  Scratch memory is small
 *  beside n.
 *
 *  @param dev    where to compute
 *  @param key    the type of a key, a scalar
 *  @param order  OPLUS_ASCENDING: k is counted from the least key; OPLUS_DESCENDING: from the greatest one
 *  @param keys   n keys
 *  @param n      how many keys there are, at least 1
 *  @param k      the place, from 0 on, less than n
 *  @param out    room for one key, in memory of the host or of the device; must not overlap the keys
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_nth(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys,
                                 size_t n, size_t k, void *out);

/** What a search counts.  In descending order, read "greater" for "less". */
typedef enum oplus_bound {
    OPLUS_LOWER = 0, /**< the elements that are less than the wanted one */
    OPLUS_UPPER = 1  /**< the elements that are less than the wanted one or equal to it */
} oplus_bound;

/** Bounds: places[i] = the number of sorted elements that are less than wanted[i] (OPLUS_LOWER), or less than or equal
 *  to it (OPLUS_UPPER).
 *
 *  `sorted` must be in the order that key and order say.  This is not checked; if it is not, each place is some number
 *  from 0 to n.  Each search reads log2(n) elements.  Searches are faster if neighbours in `wanted` are near each
 *  other.  For 512 searches and more in 65536 elements and more a GPU first builds a tree of samples of `sorted`, in
 *  scratch memory of at most a sixth of its bytes and 32 KiB, and each search reads some nodes and a few elements;
 *  without memory for the tree, it searches as said before.
 *
 *  @param dev     where to compute
 *  @param key     the type of an element, a scalar
 *  @param order   ascending or descending
 *  @param sorted  n elements in this order
 *  @param n       how many elements `sorted` has
 *  @param bound   what is counted
 *  @param wanted  `count` elements, in any order
 *  @param count   how many searches there are
 *  @param index   the type of a place: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n
 *  @param places  room for `count` places; must not overlap `sorted` or `wanted`
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_search(oplus_device *dev, const oplus_type *key, oplus_order order, const void *sorted,
                                    size_t n, oplus_bound bound, const void *wanted, size_t count,
                                    const oplus_type *index, void *places);

/** As oplus_search, in the order of a function.
 *
 *  @param dev     where to compute
 *  @param less    the order: a function of two elements of one type, with a result of type uint8_t
 *  @param sorted  n elements in this order
 *  @param n       how many elements `sorted` has
 *  @param bound   what is counted
 *  @param wanted  `count` elements, in any order
 *  @param count   how many searches there are
 *  @param index   the type of a place: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n
 *  @param places  room for `count` places; must not overlap `sorted` or `wanted`
 *  @return what oplus_search returns; OPLUS_ERR_COMPILE: the text of `less` did not compile; OPLUS_ERR_UNSUPPORTED:
 *          an accelerator cannot run `less`, as a function without a text. */
OPLUS_API oplus_status oplus_search_by(oplus_device *dev, const oplus_fn *less, const void *sorted, size_t n,
                                       oplus_bound bound, const void *wanted, size_t count, const oplus_type *index,
                                       void *places);

/** Stable merge: out becomes the a_n + b_n elements of two sorted arrays in order; of equal elements those of a come
 *  first.
 *
 *  a and b must be in the order that key and order say.  This is not checked; if they are not, each element of out is
 *  some element of a or b.  Reads and writes each element once.
 *
 *  @param dev    where to compute
 *  @param key    the type of an element, a scalar
 *  @param order  ascending or descending
 *  @param a      a_n elements in this order
 *  @param a_n    how many elements a has
 *  @param b      b_n elements in this order
 *  @param b_n    how many elements b has
 *  @param out    room for a_n + b_n elements; must not overlap a or b
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_merge(oplus_device *dev, const oplus_type *key, oplus_order order, const void *a,
                                   size_t a_n, const void *b, size_t b_n, void *out);

/** Stable merge of any number of sorted arrays: of equal elements those of an earlier array come first.
 *
 *  This is a tree of merges of two arrays: each element is read and written log2(count) times, rounded up.  With more than
 *  two arrays, scratch memory is as large as out; on an accelerator with more than four, and out in memory of the host, twice
 *  as large, so that each element is copied there and back once.  If that does not fit the accelerator, scratch memory is the
 *  host's, and the cores do what does not fit.
 *
 *  @param dev    where to compute
 *  @param key    the type of an element, a scalar
 *  @param order  ascending or descending
 *  @param in     `count` arrays in this order; the list itself lies in memory of the host
 *  @param n      how many elements each array has; in memory of the host
 *  @param count  how many arrays there are
 *  @param out    room for all elements; must not overlap an array
 *  @return what oplus_merge returns. */
OPLUS_API oplus_status oplus_merge_many(oplus_device *dev, const oplus_type *key, oplus_order order,
                                        const void *const *in, const size_t *n, size_t count, void *out);

/** As oplus_merge_many, with a value of any size for each key: values move with their keys.
 *
 *  @param dev         where to compute
 *  @param key         the type of a key, a scalar
 *  @param order       ascending or descending
 *  @param keys        `count` arrays of keys in this order; the list itself lies in memory of the host
 *  @param out_keys    room for all keys
 *  @param value       the type of a value; any size
 *  @param values      `count` arrays of values; the list itself lies in memory of the host
 *  @param out_values  room for all values.  Neither out_keys nor out_values may overlap another array
 *  @param n           how many keys and values each array has; in memory of the host
 *  @param count       how many arrays of keys there are, and of values
 *  @return what oplus_merge returns. */
OPLUS_API oplus_status oplus_merge_many_pairs(oplus_device *dev, const oplus_type *key, oplus_order order,
                                              const void *const *keys, void *out_keys, const oplus_type *value,
                                              const void *const *values, void *out_values, const size_t *n,
                                              size_t count);

/** As oplus_merge_many, in the order of a function.
 *
 *  @param dev    where to compute
 *  @param less   the order: a function of two elements of one type, with a result of type uint8_t
 *  @param in     `count` arrays in this order; the list itself lies in memory of the host
 *  @param n      how many elements each array has; in memory of the host
 *  @param count  how many arrays there are
 *  @param out    room for all elements; must not overlap an array
 *  @return what oplus_merge_by returns. */
OPLUS_API oplus_status oplus_merge_many_by(oplus_device *dev, const oplus_fn *less, const void *const *in,
                                           const size_t *n, size_t count, void *out);

/** As oplus_merge, with a value of any size for each key: values move with their keys.
 *
 *  @param dev         where to compute
 *  @param key         the type of a key, a scalar
 *  @param order       ascending or descending
 *  @param a_keys      a_n keys in this order
 *  @param b_keys      b_n keys in this order
 *  @param out_keys    room for a_n + b_n keys
 *  @param value       the type of a value; any size
 *  @param a_values    a_n values
 *  @param b_values    b_n values
 *  @param out_values  room for a_n + b_n values.  Neither out_keys nor out_values may overlap another array
 *  @param a_n         how many keys and values a_keys and a_values have
 *  @param b_n         how many keys and values b_keys and b_values have
 *  @return what oplus_merge returns. */
OPLUS_API oplus_status oplus_merge_pairs(oplus_device *dev, const oplus_type *key, oplus_order order,
                                         const void *a_keys, const void *b_keys, void *out_keys,
                                         const oplus_type *value, const void *a_values, const void *b_values,
                                         void *out_values, size_t a_n, size_t b_n);

/** As oplus_merge, in the order of a function.
 *
 *  @param dev   where to compute
 *  @param less  the order: a function of two elements of one type, with a result of type uint8_t
 *  @param a     a_n elements in this order
 *  @param a_n   how many elements a has
 *  @param b     b_n elements in this order
 *  @param b_n   how many elements b has
 *  @param out   room for a_n + b_n elements; must not overlap a or b
 *  @return what oplus_merge returns; OPLUS_ERR_COMPILE: the text of `less` did not compile; OPLUS_ERR_UNSUPPORTED:
 *          an accelerator cannot run `less`, as a function without a text. */
OPLUS_API oplus_status oplus_merge_by(oplus_device *dev, const oplus_fn *less, const void *a, size_t a_n, const void *b,
                                      size_t b_n, void *out);

#ifdef __cplusplus
}
#endif
#endif
