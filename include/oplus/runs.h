/* SPDX-License-Identifier: Apache-2.0 */
/** @file runs.h
 *  What a predicate or a mask picks, and runs of equal keys.  oplus.h includes this header; the conventions at its
 *  beginning hold here, too.
 *
 *  In all calls results have the same bits on every device, and elements keep their order.  Arrays may lie in the
 *  host's or in the device's memory; arrays of the host are copied whole to an accelerator, or, if they do not fit its
 *  memory, the host's cores do the call.  Unless a call says otherwise, no output may overlap an input or another output,
 *  `kept` must not lie inside of an array of the call, and a call fails before anything is written, or because a device
 *  failed.  ranks.h has unique and the calls by key over ranks. */
#ifndef OPLUS_RUNS_H
#define OPLUS_RUNS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Partition: copies the elements that `keep` accepts to out, all others to rest, both in their order, and sets *kept
 *  to the number of the former.
 *
 *  Reads n elements and writes them, once.
 *
 *  @param dev   where to compute
 *  @param keep  a predicate
 *  @param in    n elements
 *  @param n     how many elements `in` has
 *  @param out   room for the kept elements, and at least for one
 *  @param rest  room for the others, and at least for one
 *  @param kept  set to the number of elements in out, in memory of the host or of the device
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP: an output begins inside of another array; OPLUS_ERR_MEMORY;
 *          OPLUS_ERR_DEVICE; OPLUS_ERR_COMPILE: the text of `keep` did not compile; OPLUS_ERR_UNSUPPORTED: an
 *          accelerator cannot do it, as for a predicate without a text. */
OPLUS_API oplus_status oplus_partition(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out,
                                       void *rest, size_t *kept);

/** Indices: writes to out at which indices the elements are that `keep` accepts, in order, and sets *kept to their
 *  number.
 *
 *  Reads n elements once.
 *
 *  @param dev    where to compute
 *  @param keep   a predicate
 *  @param in     n elements
 *  @param n      how many elements `in` has
 *  @param index  the type of an index: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can hold n - 1
 *  @param out    room for the indices of the kept elements, and at least for one
 *  @param kept   set to the number of indices, in memory of the host or of the device
 *  @return what oplus_partition returns. */
OPLUS_API oplus_status oplus_indices(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n,
                                     const oplus_type *index, void *out, size_t *kept);

/** What a mask consists of. */
typedef enum oplus_mask {
    OPLUS_MASK_BYTES, /**< n bytes; element i is kept if byte i is not 0 */
    OPLUS_MASK_BITS   /**< n bits in (n + 7) / 8 bytes, the lowest bit of a byte first; a bit of 1 keeps its element */
} oplus_mask;

/** Filter by a mask: copies in[i] to out, in order, where the mask says so, and sets *kept to the number of kept
 *  elements.
 *
 *  Reads n elements and the mask, and writes the kept elements, once.
 *
 *  @param dev   where to compute
 *  @param type  the type of an element, of which only size and alignment matter
 *  @param kind  bytes or bits
 *  @param in    n elements
 *  @param mask  n bytes, or (n + 7) / 8
 *  @param n     how many elements `in` has
 *  @param out   room for the kept elements, and at least for one
 *  @param kept  set to the number of elements in out, in memory of the host or of the device
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP: out begins inside of another array; OPLUS_ERR_MEMORY;
 *          OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_filter_mask(oplus_device *dev, const oplus_type *type, oplus_mask kind, const void *in,
                                         const void *mask, size_t n, void *out, size_t *kept);

/* --- runs of equal keys -------------------------------------------------------------------------------------------- */

/** Unique: writes each run of equal neighbours once, and how long it is, where it begins, and which run each element is
 *  in.  Sorted elements that are equal are one run; elements in any order may have several runs that are equal.
 *
 *  Elements are equal if all their bits are, but for padding: +0 and -0 differ, and NaNs of the same bits are equal.  Or
 *  `same` decides: a run begins at in[i] if same(in[i - 1], in[i]) is 0.
 *
 *      OPLUS_ZIP(same_day, uint8_t, visit, visit, { return a.day == b.day; })             (&same_day_fn)
 *
 *  Each output but `runs` may be NULL.  Run-length encoding is out and counts; firsts are the offsets of an
 *  oplus_segreduce over runs, if n follows them.  Reads n elements and writes the outputs, once.
 *
 *  @param dev      where to compute
 *  @param type     the type of an element
 *  @param same     a function of two elements, with a result of type uint8_t; NULL: elements are compared by their bits
 *  @param in       n elements
 *  @param n        how many elements `in` has
 *  @param out      room for the first element of each run, and at least for one
 *  @param index    the type of counts, firsts and inverse: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64, and can
 *                  hold n; ignored if these are NULL
 *  @param counts   room for the number of elements of each run, and at least for one
 *  @param firsts   room for the index of the first element of each run, and at least for one
 *  @param inverse  n numbers: the number of the run that each element is in, counted from 0
 *  @param runs     set to the number of runs, in memory of the host or of the device
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP: an output begins inside of another array; OPLUS_ERR_MEMORY;
 *          OPLUS_ERR_DEVICE; OPLUS_ERR_COMPILE: the text of `same` did not compile; OPLUS_ERR_UNSUPPORTED: an
 *          accelerator cannot do it, as for a function without a text. */
OPLUS_API oplus_status oplus_unique(oplus_device *dev, const oplus_type *type, const oplus_fn *same, const void *in,
                                    size_t n, void *out, const oplus_type *index, void *counts, void *firsts,
                                    void *inverse, size_t *runs);

/** Reduce by key: for each run of equal neighbouring keys writes the key and the reduce of the run's values: out[r] has
 *  the bits of oplus_reduce of the values of run r.
 *
 *  Keys are compared as by oplus_unique.  The call waits for the device once or more, as the host has to know how many
 *  runs there are.  It needs scratch memory of 4 bytes a key, and at most about 1 MiB for each thread of the cores
 *  (16 MiB in all) and 260 MiB for arrays of an accelerator; the handle keeps it.  After a failure the outputs mean
 *  nothing.  Reads keys and values once.
 *
 *  @param dev       where to compute
 *  @param op        the operator
 *  @param key       the type of a key
 *  @param same      a function of two keys, with a result of type uint8_t; NULL: keys are compared by their bits
 *  @param keys      n keys
 *  @param values    n elements of the operator's type
 *  @param n         how many keys and how many values there are
 *  @param out_keys  room for the first key of each run, and at least for one; NULL: keys are not wanted
 *  @param out       room for the result of each run, and at least for one
 *  @param runs      set to the number of runs, in memory of the host or of the device
 *  @return what oplus_unique returns; OPLUS_ERR_COMPILE and OPLUS_ERR_UNSUPPORTED also for the operator. */
OPLUS_API oplus_status oplus_reduce_by_key(oplus_device *dev, const oplus_op *op, const oplus_type *key,
                                           const oplus_fn *same, const void *keys, const void *values, size_t n,
                                           void *out_keys, void *out, size_t *runs);

/** Scan by key: a scan of the values that begins anew with each run of equal neighbouring keys.  The results have the
 *  bits of oplus_segscan with heads where runs begin.
 *
 *  Keys are compared as by oplus_unique.  The call needs scratch memory of one byte for each key, which the handle keeps;
 *  it does not wait if all arrays lie in memory of the device.  out may be `values`.  After a failure out means nothing.
 *  Reads keys and values, and writes out, once.
 *
 *  @param dev     where to compute
 *  @param op      the operator; an exclusive scan needs its identity
 *  @param kind    OPLUS_INCLUSIVE or OPLUS_EXCLUSIVE
 *  @param key     the type of a key
 *  @param same    a function of two keys, with a result of type uint8_t; NULL: keys are compared by their bits
 *  @param keys    n keys
 *  @param values  n elements of the operator's type
 *  @param n       how many keys and how many values there are
 *  @param out     n results
 *  @return what oplus_reduce_by_key returns. */
OPLUS_API oplus_status oplus_scan_by_key(oplus_device *dev, const oplus_op *op, oplus_kind kind, const oplus_type *key,
                                         const oplus_fn *same, const void *keys, const void *values, size_t n,
                                         void *out);

/** Group by key, for keys in any order: writes each key once, in the order of a sort, and the reduce of its values:
 *  out[g] has the bits of oplus_reduce of the group's values in the order in which they are given.
 *
 *  It sorts copies of keys and values stably, then reduces by key.  There is no hash, so that results depend on nothing
 *  but the input.  Keys are equal if their bits are.  The call waits for the device, and needs scratch memory for the
 *  copies, which the handle keeps, beside that of oplus_sort_pairs and of oplus_reduce_by_key.  After a failure the
 *  outputs mean nothing.
 *
 *  @param dev       where to compute
 *  @param op        the operator
 *  @param key       the type of a key: a type that oplus_sort takes
 *  @param order     OPLUS_ASCENDING or OPLUS_DESCENDING: the order of the groups
 *  @param keys      n keys, which stay as they are
 *  @param values    n elements of the operator's type, which stay as they are
 *  @param n         how many keys and how many values there are
 *  @param out_keys  room for the key of each group, and at least for one; NULL: keys are not wanted
 *  @param out       room for the result of each group, and at least for one
 *  @param groups    set to the number of groups, in memory of the host or of the device
 *  @return what oplus_reduce_by_key returns. */
OPLUS_API oplus_status oplus_group(oplus_device *dev, const oplus_op *op, const oplus_type *key, oplus_order order,
                                   const void *keys, const void *values, size_t n, void *out_keys, void *out,
                                   size_t *groups);

#ifdef __cplusplus
}
#endif
#endif
