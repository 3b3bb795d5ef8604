/* SPDX-License-Identifier: Apache-2.0 */
/** @file moments.h
 *  Mean and variance: of an array, and as an operator, with which they can also be reduced by key, by segment or along an
 *  axis, and scanned.  oplus.h includes this header; the conventions at its beginning hold here, too.
 *
 *  The moments of some numbers are how many there are, their sum, and the sum of the squares of their deviations from
 *  their mean.  The moments of two groups of numbers make those of both (Chan, Golub and LeVeque, 1979), without the
 *  cancellation that sums of squares suffer from: a variance of 1 beside a mean of 10^9 is right.
 *
 *      oplus_mean(dev, &oplus_f32, x, n, &mean);
 *      oplus_variance(dev, &oplus_f32, 1, x, n, &variance);                  1: of a sample; 0: of a whole population
 *
 *      oplus_moments all;                                                    both, in one pass
 *      oplus_map_reduce(dev, OPLUS_MOMENTS_OF(x), &oplus_join_moments, OPLUS_IN(x), n, &all);
 *      mean = oplus_mean_of(all), variance = oplus_variance_of(all, 1);
 *
 *      oplus_map_scan(dev, OPLUS_MOMENTS_OF(x), &oplus_join_moments, OPLUS_INCLUSIVE, &oplus_mean_of_fn, OPLUS_IN(x),
 *                     n, running);                                           the mean of the first i + 1 elements
 *
 *  The rules:
 *  - Elements are scalars, of one of the types oplus_i8 ... oplus_f64, or oplus_bool.  Each becomes a double first: an
 *    integer beyond 2^53 is rounded.  All is computed in double, by the tree of docs/tree-v1.md, with the same bits
 *    everywhere; a device without doubles cannot do it.
 *  - The mean is the sum divided by the number.  It is rounded only once if the elements are integers and no sum exceeds
 *    2^53.  The sum of doubles may overflow, as a sum does elsewhere.
 *  - A NaN makes all results NaN.  With an infinity the mean is that infinity, or NaN if there are both; the variance is
 *    NaN.  It is also infinite or NaN if differences of sums exceed 10^154.
 *  - Equal elements whose sums are exact have the variance 0.  A variance is never negative, and never -0. */
#ifndef OPLUS_MOMENTS_H
#define OPLUS_MOMENTS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The moments of some numbers; {0, 0, 0} those of none. */
OPLUS_STRUCT(oplus_moments, uint64_t n; double sum; double m2;)

/** Joins the moments of two groups of numbers.  The identity is {0, 0, 0}. */
extern OPLUS_API const OPLUS_OP_TYPE_(oplus_moments, oplus_none_) oplus_join_moments;
OPLUS_OP_TYPES_(oplus_join_moments, oplus_moments, oplus_none_)

/** X(suffix, C type) for every type of elements. */
#define OPLUS_FOR_MOMENTS(X)                                                                                           \
    X(i8, int8_t)                                                                                                      \
    X(i16, int16_t)                                                                                                    \
    X(i32, int32_t)                                                                                                    \
    X(i64, int64_t)                                                                                                    \
    X(u8, uint8_t)                                                                                                     \
    X(u16, uint16_t)                                                                                                   \
    X(u32, uint32_t)                                                                                                   \
    X(u64, uint64_t)                                                                                                   \
    X(f32, float)                                                                                                      \
    X(f64, double)

/* The functions oplus_moments_of_i8 ... oplus_moments_of_f64, for OPLUS_MOMENTS_OF. */
#define OPLUS_DECLARE_(suffix, T)                                                                                      \
    extern OPLUS_API const OPLUS_FN_TYPE_(oplus_moments, oplus_none_, T) oplus_moments_of_##suffix;                    \
    OPLUS_FN_TYPES_(oplus_moments_of_##suffix, oplus_moments, oplus_none_, 1, T)
OPLUS_FOR_MOMENTS(OPLUS_DECLARE_)
#undef OPLUS_DECLARE_

/** Makes the mean of moments, a double: NaN of no numbers. */
extern OPLUS_API const OPLUS_FN_TYPE_(double, oplus_none_, oplus_moments) oplus_mean_of_fn;
OPLUS_FN_TYPES_(oplus_mean_of_fn, double, oplus_none_, 1, oplus_moments)
/** Makes the variance of moments, a double, as of a whole population: NaN of no numbers. */
extern OPLUS_API const OPLUS_FN_TYPE_(double, oplus_none_, oplus_moments) oplus_variance_of_fn;
OPLUS_FN_TYPES_(oplus_variance_of_fn, double, oplus_none_, 1, oplus_moments)
/** Makes the variance of moments, a double, as of a sample: NaN of fewer than two numbers. */
extern OPLUS_API const OPLUS_FN_TYPE_(double, oplus_none_, oplus_moments) oplus_sample_variance_of_fn;
OPLUS_FN_TYPES_(oplus_sample_variance_of_fn, double, oplus_none_, 1, oplus_moments)

/** Returns the mean of some numbers by their moments; NaN of none. */
OPLUS_API double oplus_mean_of(oplus_moments moments);

/** Returns the variance of some numbers by their moments: m2 / (n - ddof); NaN if n is not larger than ddof.
 *
 *  @param moments  of the numbers
 *  @param ddof     0: of a whole population; 1: of a sample, without bias */
OPLUS_API double oplus_variance_of(oplus_moments moments, unsigned ddof);

/** Sets *mean to the mean of n elements.
 *
 *  The array is read once.
 *
 *  @param dev   where to compute
 *  @param type  type of the elements, a scalar
 *  @param in,n  the elements, and how many there are
 *  @param mean  the mean, in memory of the host or of the device; the call waits for it in either case
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for n = 0, and for a type that is no scalar. */
OPLUS_API oplus_status oplus_mean(oplus_device *dev, const oplus_type *type, const void *in, size_t n, double *mean);

/** Sets *variance to the variance of n elements: the sum of the squares of their deviations from their mean, divided by
 *  n - ddof.  Its square root is the standard deviation.
 *
 *  The array is read once.
 *
 *  @param dev       where to compute
 *  @param type      type of the elements, a scalar
 *  @param ddof      0: of a whole population (NumPy's default); 1: of a sample, without bias (as in R)
 *  @param in,n      the elements, and how many there are
 *  @param variance  the variance, in memory of the host or of the device; the call waits for it in either case
 *  @return what oplus_mean returns; OPLUS_ERR_ARGUMENT: also if n is not larger than ddof. */
OPLUS_API oplus_status oplus_variance(oplus_device *dev, const oplus_type *type, unsigned ddof, const void *in,
                                      size_t n, double *variance);

#ifdef __cplusplus
}
#endif

/** The address of the function that makes moments of an element, by the type of *p: see the beginning of moments.h. */
#ifndef __cplusplus
#define OPLUS_MOMENTS_OF(p) _Generic(*(p), OPLUS_PICK_INTEGER_(moments_of, p), OPLUS_PICK_FLOAT_(moments_of, p))
#else
#define OPLUS_MOMENTS_OF(p) oplus_pick_moments_of_(p)
/* clang-format off */
#define OPLUS_OVERLOAD_(suffix, T)                                                                                     \
    static inline auto oplus_pick_moments_of_(const T *) { return &oplus_moments_of_##suffix; }
OPLUS_FOR_MOMENTS(OPLUS_OVERLOAD_)
#undef OPLUS_OVERLOAD_
#ifdef OPLUS_HAS_LONG_LONG_
static inline auto oplus_pick_moments_of_(const long long *) { return &oplus_moments_of_i64; }
static inline auto oplus_pick_moments_of_(const unsigned long long *) { return &oplus_moments_of_u64; }
#endif
/* clang-format on */
#endif
#endif
