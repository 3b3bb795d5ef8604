/* SPDX-License-Identifier: Apache-2.0 */
/** @file bins.h
 *  Calls that sort elements into bins: they count the elements of each bin, or reduce them.  oplus.h includes this header;
 *  the conventions at its beginning hold here, too.
 *
 *  Bins are numbered from 0.  An index is an integer that names the bin of an element; `bounds` says what becomes of one
 *  that is not from 0 to n - 1: OPLUS_REFUSE, OPLUS_CLIP, or OPLUS_IGNORE. */
#ifndef OPLUS_BINS_H
#define OPLUS_BINS_H

#include <oplus/elements.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reduces the elements of each bin: out[b] = in[i] (+) in[j] (+) ..., where i < j < ... are all k with indices[k] == b.
 *
 *  Elements of a bin are joined in their order, so that the operator need not commute: out[b] has the bits of oplus_reduce of
 *  them, on every device and number of threads.  A bin without elements gets the identity, which the operator must have.
 *  out must not overlap `in` or the indices.
 *
 *  The cores join elements in tables of the bins, one for each thread, or in blocks of each bin; where bins have too few
 *  elements for that, they copy the elements, bin by bin, to scratch memory of their size, and read the indices twice.  An
 *  accelerator sorts a copy of the elements together with the numbers of their bins, and needs as much scratch memory again
 *  for that sort; the call waits.  If all arrays lie in host memory, the host's cores do all.
 *
 *  @param dev      where to compute
 *  @param op       the operator, with an identity
 *  @param bounds   what becomes of an index that is not from 0 to n - 1
 *  @param in       `count` elements
 *  @param index    the type of the indices: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param indices  `count` indices
 *  @param count    how many elements there are; 0: each bin gets the identity
 *  @param out      n results
 *  @param n        how many bins there are
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for an index out of range: the message names the first one;
 *          OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_reduce_by_index(oplus_device *dev, const oplus_op *op, oplus_bounds bounds, const void *in,
                                             const oplus_type *index, const void *indices, size_t count, void *out,
                                             size_t n);

/** Counts how often each index occurs: counts[b] is the number of all k with indices[k] == b.
 *
 *  counts must not overlap the indices.  On CUDA, with both arrays in the device's memory, a call with OPLUS_REFUSE does not
 *  wait: an index out of range is not counted, and the next call that waits, such as oplus_sync, returns the error.
 *
 *  @param dev      where to compute
 *  @param bounds   what becomes of an index that is not from 0 to n - 1
 *  @param index    the type of the indices: an integer of 1, 2, 4 or 8 bytes, &oplus_u8, say
 *  @param indices  `count` indices
 *  @param count    how many indices there are; 0: all counts are 0
 *  @param counter  the type of a count: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, which must hold `count`
 *  @param counts   n counts
 *  @param n        how many bins there are
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for an index out of range: the message names the first one;
 *          OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_count_by_index(oplus_device *dev, oplus_bounds bounds, const oplus_type *index,
                                            const void *indices, size_t count, const oplus_type *counter, void *counts,
                                            size_t n);

/** Histogram with even bins from low to high.
 *
 *  The bin of x is the whole part of (x - low) * (bins / (high - low)), computed in double precision, and bins - 1 at most: so
 *  the last bin contains `high`, too.  An element below low, above high or NaN is not counted.  The counts are the same on
 *  every device.  counts must not overlap `in`.
 *
 *  @param dev       where to compute
 *  @param type      type of the elements, a number; 64-bit integers are rounded to double
 *  @param in,n      the elements, and how many there are; n may be 0
 *  @param low,high  finite, low < high
 *  @param counter   the type of a count: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, which must hold n
 *  @param counts    `bins` counts
 *  @param bins      how many bins there are, at least 1
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY; OPLUS_ERR_UNSUPPORTED: the device has no
 *          double precision. */
OPLUS_API oplus_status oplus_histogram(oplus_device *dev, const oplus_type *type, const void *in, size_t n, double low,
                                       double high, const oplus_type *counter, void *counts, size_t bins);

/** Histogram with bins of any width, given by their edges: edges[b] <= x < edges[b + 1], and x <= edges[bins] in the last one.
 *
 *  Elements are compared with the edges in their own type; an element before the first edge, behind the last one or NaN is
 *  not counted.  The bin between equal edges stays empty, but for the last one, which
 *  contains its upper edge.  Each element is searched for, by halving.  counts must not
 *  overlap `in` or the edges.
 *
 *  @param dev      where to compute
 *  @param type     type of the elements and the edges, a number
 *  @param in,n     the elements, and how many there are; n may be 0
 *  @param edges    bins + 1 edges, in ascending order, without NaN; the host reads them, so that the call waits if they lie in
 *                  the memory of a device
 *  @param counter  the type of a count: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, which must hold n
 *  @param counts   `bins` counts
 *  @param bins     how many bins there are, at least 1
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for edges that do not ascend; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_histogram_edges(oplus_device *dev, const oplus_type *type, const void *in, size_t n,
                                             const void *edges, const oplus_type *counter, void *counts, size_t bins);

#ifdef __cplusplus
}
#endif
#endif
