/* SPDX-License-Identifier: Apache-2.0 */
/** @file sequences.h
 *  Calls that make an array of a rule.  oplus.h includes this header; the conventions at its beginning hold here, too. */
#ifndef OPLUS_SEQUENCES_H
#define OPLUS_SEQUENCES_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers at equal distances (iota, arange): out[k] = start + (first + k) * step.
 *
 *  Writes the output once and reads nothing.  Each number is computed by itself, so that no rounding error is carried
 *  along: of floats, the index is converted to the type, and then the product and the sum are rounded (f32 has the
 *  indices up to 2^24 exactly).  Integers wrap around.
 *
 *  @param dev    where to compute
 *  @param type   a scalar type, but not oplus_bool
 *  @param start  the first number, of this type, in host memory; NULL: 0
 *  @param step   the distance from one to the next, of this type, in host memory; NULL: 1.  It may be negative, or 0
 *  @param first  0; or, where out is a part of a longer sequence, such as a rank's, the index of its first number, below
 *                2^63
 *  @param n      how many numbers to write
 *  @param out    room for n numbers
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for a type that is no scalar. */
OPLUS_API oplus_status oplus_iota(oplus_device *dev, const oplus_type *type, const void *start, const void *step,
                                  uint64_t first, size_t n, void *out);

#ifdef __cplusplus
}
#endif
#endif
