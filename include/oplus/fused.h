/* SPDX-License-Identifier: Apache-2.0 */
/** @file fused.h
 *  A function before a reduce, a scan or a filter, and one after a scan, without an array between them.  oplus.h
 *  includes this header; the conventions at its beginning hold here, too. */
#ifndef OPLUS_FUSED_H
#define OPLUS_FUSED_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Fused calls
 *
 *  Results have the bits of oplus_map into an array, and the primitive over that array; but each input is read once, and
 *  only the results are written.
 *
 *      OPLUS_ZIP(product, float, float, float, { return a * b; })
 *      oplus_map_reduce(dev, &product_fn, &oplus_sum_f32, OPLUS_IN(x, y), n, &dot);
 *
 *  `before` is a function of 1 to 8 inputs, and may have a parameter.  `in` points to the addresses of that many arrays,
 *  of n elements each.  What before makes has the type of the elements of op, or of the input of keep.
 *
 *  All devices do these calls: cores in pieces that stay in a cache, an accelerator in registers.  A function or an
 *  operator without a text works on cores only (OPLUS_ERR_UNSUPPORTED elsewhere).  Over ranks there are none of these
 *  calls: use oplus_map, and then the call that ends in _all.  @{ */

/** Reduce of what before makes: before(in[0][0], in[1][0], ...) (+) before(in[0][1], in[1][1], ...) (+) ...
 *
 *  @param dev     where to compute
 *  @param before  a function whose result has the type of op
 *  @param op      the operator
 *  @param in      the addresses of before's inputs, of n elements each
 *  @param n       how many elements each input has
 *  @param out     one element of op's type, in memory of the host or of the device
 *  @return what oplus_reduce returns; OPLUS_ERR_ARGUMENT: also if two types do not fit together. */
OPLUS_API oplus_status oplus_map_reduce(oplus_device *dev, const oplus_fn *before, const oplus_op *op,
                                        const void *const *in, size_t n, void *out);

/** Scan of what before makes.  out[i] is result i of the scan, or, if `after` is not NULL, after(result i).
 *
 *  @param dev     where to compute
 *  @param before  a function whose result has the type of op
 *  @param op      the operator
 *  @param kind    inclusive or exclusive
 *  @param after   a function of one input, which has the type of op; NULL: none
 *  @param in      the addresses of before's inputs, of n elements each
 *  @param n       how many elements each input has
 *  @param out     room for n elements, of the type of op or of what after makes; may be one of the inputs if its
 *                 elements have the same size
 *  @return what oplus_scan returns; OPLUS_ERR_ARGUMENT: also if two types do not fit together. */
OPLUS_API oplus_status oplus_map_scan(oplus_device *dev, const oplus_fn *before, const oplus_op *op, oplus_kind kind,
                                      const oplus_fn *after, const void *const *in, size_t n, void *out);

/** Filter of what before makes: writes those elements that `keep` accepts, in their order.
 *
 *  @param dev     where to compute
 *  @param before  a function whose result has the type that keep takes
 *  @param keep    a predicate
 *  @param in      the addresses of before's inputs, of n elements each
 *  @param n       how many elements each input has
 *  @param out     room for n elements of what before makes; may be one of the inputs if its elements have the same size
 *  @param kept    set to the number of elements that were kept, in memory of the host or of the device
 *  @return what oplus_filter returns; OPLUS_ERR_ARGUMENT: also if two types do not fit together. */
OPLUS_API oplus_status oplus_map_filter(oplus_device *dev, const oplus_fn *before, const oplus_fn *keep,
                                        const void *const *in, size_t n, void *out, size_t *kept);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
