/* SPDX-License-Identifier: Apache-2.0 */
/** @file statistics.h
 *  The least and the greatest element, and where they are.  oplus.h includes this header; the conventions at its
 *  beginning hold here, too.
 *
 *  The rules of all calls here:
 *  - Elements are scalars, of one of the types oplus_i8 ... oplus_f64, or oplus_bool.
 *  - Of equal elements the first one counts.
 *  - Elements are compared as oplus_min_f64 and oplus_max_f64 and their like compare them: a NaN is both the least and
 *    the greatest (the first NaN counts, as in NumPy), and -0 is less than +0 (NumPy takes them for equal).  So
 *    in[*at] is always the result of the minimum or the maximum, up to the bits of a NaN.
 *  - n is at least 1: nothing has no least element.
 *
 *  Each call reads the array once.  The result may lie in host or device memory.  <oplus/ranks.h> has the same calls
 *  over ranks. */
#ifndef OPLUS_STATISTICS_H
#define OPLUS_STATISTICS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sets *at to the index of the least of n elements.
 *
 *  @param dev   where to compute
 *  @param type  type of the elements, a scalar
 *  @param in,n  the elements, and how many there are
 *  @param at    the index, from 0 to n - 1
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for n = 0, and for a type that is no scalar. */
OPLUS_API oplus_status oplus_argmin(oplus_device *dev, const oplus_type *type, const void *in, size_t n, size_t *at);

/** Sets *at to the index of the greatest of n elements.
 *
 *  @param dev   where to compute
 *  @param type  type of the elements, a scalar
 *  @param in,n  the elements, and how many there are
 *  @param at    the index, from 0 to n - 1
 *  @return what oplus_argmin returns. */
OPLUS_API oplus_status oplus_argmax(oplus_device *dev, const oplus_type *type, const void *in, size_t n, size_t *at);

/** Sets out[0] to the least and out[1] to the greatest of n elements.
 *
 *  @param dev   where to compute
 *  @param type  type of the elements, a scalar
 *  @param in,n  the elements, and how many there are
 *  @param out   two elements
 *  @return what oplus_argmin returns. */
OPLUS_API oplus_status oplus_minmax(oplus_device *dev, const oplus_type *type, const void *in, size_t n, void *out);

#ifdef __cplusplus
}
#endif
#endif
