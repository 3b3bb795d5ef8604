/* SPDX-License-Identifier: Apache-2.0 */
/** @file elements.h
 *  Calls that move elements by index, or repeat them.  oplus.h includes this header; the conventions at its beginning hold
 *  here, too.
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
 *  oplus_sync, returns the error.  If `in` lies in host memory, an accelerator copies all of it.  So does each of several GPUs
 *  that share the call, if `in` has at most 48 bytes for each element that one of them takes, and there is room.
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
 *  one thread does the others.  An accelerator (of several GPUs that share the call, each) needs 4 bytes of scratch memory for
 *  each element of out, and finds the last of equal indices in a pass of its own.  If out lies in host memory, the host's
 *  cores do all.  On CUDA, with all arrays in the device's memory, a call with OPLUS_REFUSE does not wait: elements for
 *  indices out of range are not written, and the next call that waits, such as oplus_sync, returns the error.
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

/** Repeat (expand): out is in[0] counts[0] times, then in[1] counts[1] times, and so on.
 *
 *  The counts are added up in a scan, whose results are in scratch memory of 8 bytes for each count, or for each 128 if
 *  `in` and the counts lie in memory of one accelerator; then the output is written once.  Its parts are of equal size
 *  whatever the counts are: one large count is divided among threads, or work-groups, and so are many counts of 0.
 *  Elements are copied as they are, bit for bit.  out must not overlap `in` or the counts.
 *
 *  The call waits for the sum of the counts.  If it is larger than `capacity`, nothing is written, and the call fails;
 *  *total is set all the same.  With capacity 0 the counts are only added up: so that one call finds out how many elements
 *  the next one will make,
 *
 *      oplus_repeat(dev, &oplus_f32, NULL, n, &oplus_u32, counts, NULL, 0, &total);
 *
 *  If `in` or the counts lie in host memory, an accelerator copies all of them.
 *
 *  @param dev       where to compute
 *  @param type      the type of an element; any size
 *  @param in        n elements; may be NULL if capacity is 0
 *  @param n         how many elements and counts
 *  @param index     the type of the counts: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param counts    how often each element is repeated: n integers of at least 0
 *  @param out       room for `capacity` elements; may be NULL if capacity is 0, and then only the total is wanted
 *  @param capacity  how many elements out has room for
 *  @param total     in host memory, or in memory of the device: becomes the number of elements made, which is the sum of the
 *                   counts; must not lie inside of an array of the call
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also if the total is larger than capacity (unless out is NULL), if a count is
 *          negative: the message names the first one, or if the sum is 2^63 or more; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_repeat(oplus_device *dev, const oplus_type *type, const void *in, size_t n,
                                    const oplus_type *index, const void *counts, void *out, size_t capacity,
                                    size_t *total);

#ifdef __cplusplus
}
#endif
#endif
