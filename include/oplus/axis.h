/* SPDX-License-Identifier: Apache-2.0 */
/** @file axis.h
 *  Reduce, scan, argmin, argmax and sorts along one axis of an array of several dimensions.  oplus.h includes this header; the conventions at
 *  its beginning hold here, too.
 *
 *  An array in C's order is seen as outer x n x inner: n is the length of the axis, outer the product of the lengths of
 *  the axes before it, inner that of the axes behind it.  Element i of row (o, c) is in[(o * n + i) * inner + c].  So a
 *  matrix of h rows and w columns has
 *
 *      outer = h, n = w, inner = 1    along each row: the sums of its rows
 *      outer = 1, n = h, inner = w    along each column: the sums of its columns
 *
 *  Every row has the tree of docs/tree-v1.md, which begins at the row's first element: its results have the bits of
 *  oplus_reduce or oplus_scan of that row by itself.  Nothing is transposed but by sorts.  Each other call reads the array
 *  once, but for scans of few long columns on an accelerator, which read it twice. */
#ifndef OPLUS_AXIS_H
#define OPLUS_AXIS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reduces along an axis: out[o * inner + c] is the reduce of row (o, c).
 *
 *  With n = 0 each result is the identity (OPLUS_ERR_ARGUMENT if the operator has none).  out must not overlap in.
 *
 *  @param dev    where to compute
 *  @param op     the operator
 *  @param in     outer * n * inner elements
 *  @param outer  how many slabs of n * inner elements there are
 *  @param n      elements of a row
 *  @param inner  rows side by side in a slab
 *  @param out    room for outer * inner elements
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also if outer * n * inner elements do not fit the address space. */
OPLUS_API oplus_status oplus_reduce_axis(oplus_device *dev, const oplus_op *op, const void *in, size_t outer, size_t n,
                                         size_t inner, void *out);

/** Scans along an axis: row (o, c) of out is the scan of row (o, c) of in.
 *
 *  As oplus_scan, `in` may be out, and an exclusive scan needs an operator with an identity.
 *
 *  @param dev    where to compute
 *  @param op     the operator
 *  @param kind   OPLUS_INCLUSIVE or OPLUS_EXCLUSIVE
 *  @param in     outer * n * inner elements
 *  @param outer  how many slabs of n * inner elements there are
 *  @param n      elements of a row
 *  @param inner  rows side by side in a slab
 *  @param out    room for as many elements
 *  @return what oplus_reduce_axis returns. */
OPLUS_API oplus_status oplus_scan_axis(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in,
                                       size_t outer, size_t n, size_t inner, void *out);

/** Argmin along an axis: indices[o * inner + c] is the index of the least element of row (o, c), from 0 to n - 1.
 *
 *  The rules are those of oplus_argmin: of equal elements the first one counts, and so does the first NaN.  The values
 *  themselves are oplus_reduce_axis by oplus_min_f64 or its like.
 *
 *  @param dev      where to compute
 *  @param type     type of the elements, a scalar
 *  @param in       outer * n * inner elements
 *  @param outer    how many slabs of n * inner elements there are
 *  @param n        elements of a row
 *  @param inner    rows side by side in a slab
 *  @param index    the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param indices  room for outer * inner indices; must not overlap in
 *  @return what oplus_reduce_axis returns; OPLUS_ERR_ARGUMENT: also for rows of n = 0 elements. */
OPLUS_API oplus_status oplus_argmin_axis(oplus_device *dev, const oplus_type *type, const void *in, size_t outer,
                                         size_t n, size_t inner, const oplus_type *index, void *indices);

/** Argmax along an axis: indices[o * inner + c] is the index of the greatest element of row (o, c), from 0 to n - 1.
 *
 *  @param dev      where to compute
 *  @param type     type of the elements, a scalar
 *  @param in       outer * n * inner elements
 *  @param outer    how many slabs of n * inner elements there are
 *  @param n        elements of a row
 *  @param inner    rows side by side in a slab
 *  @param index    the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param indices  room for outer * inner indices; must not overlap in
 *  @return what oplus_argmin_axis returns. */
OPLUS_API oplus_status oplus_argmax_axis(oplus_device *dev, const oplus_type *type, const void *in, size_t outer,
                                         size_t n, size_t inner, const oplus_type *index, void *indices);

/** Sorts each row along an axis by itself, in place, in the order of oplus_sort.
 *
 *  With inner = 1 rows are sorted where they are; scratch memory is that of oplus_segsort, and there are no offsets.  With
 *  inner > 1 the array is transposed, its rows are sorted, and they are transposed back: scratch memory is larger by a copy
 *  of the array.  On an accelerator it costs what oplus_segsort does: one pass for rows of at most 512 keys.
 *
 *  @param dev    where to compute
 *  @param key    the type of a key, a scalar
 *  @param order  ascending or descending
 *  @param keys   outer * n * inner keys
 *  @param outer  how many slabs of n * inner keys there are
 *  @param n      keys of a row
 *  @param inner  rows side by side in a slab
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also if outer * n * inner keys do not fit the address space; OPLUS_ERR_MEMORY;
 *          OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_sort_axis(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                                       size_t outer, size_t n, size_t inner);

/** Argsort along an axis: row (o, c) of `indices` are the indices, from 0 to n - 1, of the keys of row (o, c) in their
 *  order.  Equal keys stay in the order of their indices.  The keys are only read.
 *
 *  Scratch memory is that of oplus_argsort, on an accelerator of two; with inner > 1 it is larger by a copy of the keys and
 *  one of the indices.
 *
 *  @param dev      where to compute
 *  @param key      the type of a key, a scalar
 *  @param order    ascending or descending
 *  @param keys     outer * n * inner keys
 *  @param outer    how many slabs of n * inner keys there are
 *  @param n        keys of a row
 *  @param inner    rows side by side in a slab
 *  @param index    the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param indices  room for as many indices as there are keys; must not overlap the keys
 *  @return what oplus_sort_axis returns; OPLUS_ERR_OVERLAP. */
OPLUS_API oplus_status oplus_argsort_axis(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys,
                                          size_t outer, size_t n, size_t inner, const oplus_type *index, void *indices);

#ifdef __cplusplus
}
#endif
#endif
