/* SPDX-License-Identifier: Apache-2.0 */
/** @file windows.h
 *  Running windows, and scans from the end.  oplus.h includes this header; the conventions at its beginning hold here,
 *  too. */
#ifndef OPLUS_WINDOWS_H
#define OPLUS_WINDOWS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reduces the last w elements at every element: out[i] = in[i-w+1] (+) ... (+) in[i].
 *
 *  The first w - 1 results are of shorter windows, which begin at in[0]: out[i] is the reduce of the first i + 1
 *  elements.  So with w = 1 elements are copied (a NaN becomes the canonical one), and with w >= n it is the inclusive scan.  The first result of a whole
 *  window is out[w-1].
 *
 *  out[i] has the bits of oplus_reduce of its window, wherever in the array the window is.  Any associative operator will
 *  do: nothing is subtracted, so it needs no inverse; nor does it need an identity.  out must not overlap in.
 *
 *  A result takes log2(w) joins, and at most as many again, which all go side by side with those of its neighbours.  Each
 *  call reads and writes the array once as long as a window has few elements: on the cores less than 2^12 of up to 4
 *  bytes, or 2^11 of 8; on a GPU less than 2^10 or 2^9.  Longer windows need n elements of scratch memory, which the
 *  device keeps, and two more passes over memory; and as much again for each further 7 bits of w on the cores, or 5 bits
 *  on a GPU (4 of elements of two bytes, 3 of one).
 *
 *  @param dev  where to compute
 *  @param op   the operator
 *  @param in   n elements
 *  @param n    how many elements there are
 *  @param w    elements of a window, at least 1; it may exceed n
 *  @param out  room for n elements
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for w = 0; OPLUS_ERR_OVERLAP; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_window(oplus_device *dev, const oplus_op *op, const void *in, size_t n, size_t w,
                                    void *out);

/** Scans from the last element to the first.  Inclusive: out[i] = in[i] (+) ... (+) in[n-1].  Exclusive: out[i] =
 *  in[i+1] (+) ... (+) in[n-1], and out[n-1] is the identity.
 *
 *  The operands keep the order of the elements.  Reads n and writes n elements once; `in` may be out.  An exclusive scan
 *  needs an operator with an identity.  The bits are those of oplus_scan of the elements in the opposite order, by the
 *  operator with its operands exchanged (or as they are, if it claims OPLUS_COMMUTATIVE); so putting elements in front
 *  never changes later results.
 *
 *  @param dev   where to compute
 *  @param op    the operator
 *  @param kind  OPLUS_INCLUSIVE or OPLUS_EXCLUSIVE
 *  @param in    n elements
 *  @param n     how many elements there are
 *  @param out   room for n elements
 *  @return what oplus_scan returns. */
OPLUS_API oplus_status oplus_scan_reverse(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in,
                                          size_t n, void *out);

#ifdef __cplusplus
}
#endif
#endif
