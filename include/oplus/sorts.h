/* SPDX-License-Identifier: Apache-2.0 */
/** @file sorts.h
 *  Sorts beyond oplus_sort: in the order of a function, by bits or members, and of many segments at once.  oplus.h includes
 *  this header; the conventions at its beginning hold here, too.
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

/** Stable sort by some bits of the keys, in place: the bits from `low` up to, but not including, `high`.  Whole keys move,
 *  and those that agree in these bits keep the order that they had.
 *
 *  Bit 0 is the lowest one.  Bits of unsigned integers are those of the number.  Of other keys they are bits of an unsigned
 *  integer that is in the same order as the key, as in CUB's radix sorts: a signed integer with its highest bit inverted; a
 *  float with its highest bit inverted, or all bits if it is negative.  So low = 0 and high = 8 * key->size is the order of
 *  oplus_sort; and if low is 8 and high is 16, unsigned integers x are in the order of x / 256 % 256.  If low is high, nothing
 *  moves.
 *
 *  Fewer bits cost less: an accelerator passes over the keys once for every 8 bits of the range, and cores about once for
 *  every 9, or fewer if bits do not vary.  Scratch memory on an accelerator is that of oplus_sort.  On cores it is 4 bytes
 *  for each key of up to 4 bytes, 8 for one of 8, and twice that for keys that do not fit a core's cache.
 *  Keys of the host that do not fit an accelerator are sorted by the host's cores.
 *
 *  @param dev    where to compute
 *  @param key    the type of a key, a scalar
 *  @param order  ascending or descending, by these bits
 *  @param low    the first bit that counts
 *  @param high   the first bit behind those that count: low to 8 * key->size
 *  @param keys   n keys
 *  @param n      how many keys there are
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_sort_bits(oplus_device *dev, const oplus_type *key, oplus_order order, unsigned low,
                                       unsigned high, void *keys, size_t n);

/** As oplus_sort_bits, with a value of any size for each key: values move with their keys.
 *
 *  On cores, keys and values of at most 4 bytes each travel together in 16 bytes; of others an index of 4 or 8 bytes
 *  travels, and both arrays are gathered by it at the end, which needs memory for one more copy of them.
 *
 *  @param dev     where to compute
 *  @param key     the type of a key, a scalar
 *  @param order   ascending or descending, by these bits
 *  @param low     the first bit that counts
 *  @param high    the first bit behind those that count: low to 8 * key->size
 *  @param keys    n keys
 *  @param value   the type of a value; any size
 *  @param values  n values; must not overlap the keys
 *  @param n       how many keys and values there are
 *  @return what oplus_sort_bits returns; OPLUS_ERR_OVERLAP. */
OPLUS_API oplus_status oplus_sort_pairs_bits(oplus_device *dev, const oplus_type *key, oplus_order order, unsigned low,
                                             unsigned high, void *keys, const oplus_type *value, void *values,
                                             size_t n);

/** A member of a struct by which elements are sorted. */
typedef struct oplus_sort_member {
    size_t offset;          /**< bytes from the start of an element to the member; any number: it need not be aligned */
    const oplus_type *type; /**< type of the member, a scalar */
    oplus_order order;      /**< ascending or descending */
} oplus_sort_member;

/** The initialiser of an oplus_sort_member:
 *
 *      const oplus_sort_member by[] = {OPLUS_MEMBER(item, price, &oplus_f64, OPLUS_DESCENDING),
 *                                      OPLUS_MEMBER(item, shop, &oplus_i32, OPLUS_ASCENDING)};
 *
 *  @param T       the struct
 *  @param member  its member
 *  @param type    the descriptor of the type of the member
 *  @param order   OPLUS_ASCENDING or OPLUS_DESCENDING */
#define OPLUS_MEMBER(T, member, type, order)                                                                           \
    {                                                                                                                  \
        offsetof(T, member), type, order                                                                               \
    }

/** Stable sort of structs by members, in place: by the first member; where that is the same, by the second; and so on.
 *  Elements whose members are all the same stay in the order that they had.  Each member is in the order of oplus_sort.
 *
 *  Members of together up to 64 bits become one number, by which the indices of the elements are sorted; then the elements
 *  are taken in this order, and copied back.  More members are several such numbers: each costs another reading of the
 *  elements, a take of numbers and a sort of pairs.  oplus_sort_by takes an order that members cannot say.
 *
 *  Scratch memory is an index of 4 bytes for each element (8 beyond 2^32 elements), and one more copy of the elements, or 8
 *  bytes for each if that is more, 16 if the members have more than 64 bits; and what a sort of pairs of these needs.  On an
 *  accelerator it is the accelerator's memory, unless the elements are the host's and there is too little of it.
 *
 *  @param dev       where to compute
 *  @param type      the type of an element
 *  @param members   the members that count, the most important one first; in memory of the host
 *  @param count     how many members there are, at least 1
 *  @param elements  n elements
 *  @param n         how many elements there are
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for a member that does not lie in an element; OPLUS_ERR_MEMORY;
 *          OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_sort_members(oplus_device *dev, const oplus_type *type, const oplus_sort_member *members,
                                          size_t count, void *elements, size_t n);

/** Argsort of structs by members: writes the indices of the elements in the order of oplus_sort_members.  The elements are only
 *  read.
 *
 *  Scratch memory is 8 bytes for each element, 16 if the members have more than 64 bits, and that of an oplus_argsort.
 *
 *  @param dev       where to compute
 *  @param type      the type of an element
 *  @param members   the members that count, the most important one first; in memory of the host
 *  @param count     how many members there are, at least 1
 *  @param elements  n elements
 *  @param n         how many elements there are
 *  @param index     the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param indices   room for n indices; must not overlap the elements
 *  @return what oplus_sort_members returns; OPLUS_ERR_OVERLAP. */
OPLUS_API oplus_status oplus_argsort_members(oplus_device *dev, const oplus_type *type,
                                             const oplus_sort_member *members, size_t count, const void *elements,
                                             size_t n, const oplus_type *index, void *indices);

/** Segmented sort: sorts each segment by itself, in place.  Segment s has the keys from offsets[s] up to, but not
 *  including, offsets[s + 1].  Keys outside of the segments stay where they are.  The order is that of oplus_sort.
 *
 *  The work is balanced whatever the segments are: many short ones, a few long ones, or both.  On an accelerator segments of
 *  at most 512 keys are sorted in one pass over the arrays (values have 1, 2, 4 or 8 bytes then, and on the device addresses
 *  that are multiples of that).  Up to 8 longer ones cost a sort each; more of them cost two sorts of pairs of their own
 *  keys, with values an argsort and a sort of pairs; more than 256 cost one sort of numbers of 4 or 8 bytes, if keys have no
 *  values, and a key and the number of its segment have at most 64 bits together.  If many long ones have more than half of
 *  all keys (seven eighths where one sort is enough), or if values are others, these sorts are of all keys.  Scratch memory
 *  is in proportion to the keys that are sorted so: about 20 bytes a key and as much as the key and its value.  The call
 *  waits, also if all arrays are in memory of the device.
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
