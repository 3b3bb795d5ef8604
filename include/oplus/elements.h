/* SPDX-License-Identifier: Apache-2.0 */
/** @file elements.h
 *  Calls that move elements by index.  oplus.h includes this header; the conventions at its beginning hold here, too.
 *
 *  An index is an integer of type oplus_u32, oplus_u64, oplus_i32 or oplus_i64.  It counts elements from 0. */
#ifndef OPLUS_ELEMENTS_H
#define OPLUS_ELEMENTS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Take (gather): out[k] = in[indices[k]].
 *
 *  Reads the indices and writes `count` elements once; elements of `in` are read in the order of the indices, each as often
 *  as it is named.  Elements are copied as they are, bit for bit.  out must not overlap `in` or the indices.
 *
 *  On CUDA, with all arrays in the device's memory, a call with OPLUS_REFUSE does not wait: elements for indices out of
 *  range are not written, nothing outside of the arrays is read or written, and the next call that waits, such as
 *  oplus_sync, returns the error.  If `in` lies in host memory, an accelerator copies all of it.
 *
 *  @param dev      where to compute
 *  @param type     the type of an element; any size
 *  @param bounds   what becomes of an index that is not from 0 to n - 1
 *  @param in       n elements
 *  @param n        how many elements `in` has
 *  @param index    the type of the indices: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param indices  `count` indices
 *  @param count    how many elements to take
 *  @param out      room for `count` elements
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for an index out of range: the message names the first one (but see above);
 *          OPLUS_ERR_OVERLAP. */
OPLUS_API oplus_status oplus_take(oplus_device *dev, const oplus_type *type, oplus_bounds bounds, const void *in,
                                  size_t n, const oplus_type *index, const void *indices, size_t count, void *out);

/** Put (scatter): out[indices[k]] = in[k], for one k after the other: of several equal indices the last one counts.
 *
 *  Elements of out that no index names stay as they are.  The result is the same on every device and number of threads:
 *  equal indices need no care.  out must not overlap `in` or the indices.  After a failure the elements of out are
 *  unspecified.
 *
 *  On the cores elements of at most 16 bytes, if out has 64 MiB or more, go through scratch memory: of their own size and 4
 *  bytes each, for up to 2^25 of them at a time.  Threads divide the output among them for these and for larger elements;
 *  one thread does the others.  An accelerator needs 4 bytes of scratch memory for each element of out, and finds the last
 *  of equal indices in a pass of its own.  If out lies in host memory, the host's cores do all.  On CUDA, with all arrays
 *  in the device's memory, a call with OPLUS_REFUSE does not wait: elements for indices out of range are not written, and
 *  the next call that waits, such as oplus_sync, returns the error.
 *
 *  @param dev      where to compute
 *  @param type     the type of an element; any size
 *  @param bounds   what becomes of an index that is not from 0 to n - 1
 *  @param in       `count` elements
 *  @param index    the type of the indices: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param indices  `count` indices
 *  @param count    how many elements to put
 *  @param out      n elements
 *  @param n        how many elements out has
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for an index out of range: the message names the first one (but see above);
 *          OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_put(oplus_device *dev, const oplus_type *type, oplus_bounds bounds, const void *in,
                                 const oplus_type *index, const void *indices, size_t count, void *out, size_t n);

#ifdef __cplusplus
}
#endif
#endif
