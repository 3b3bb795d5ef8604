/* SPDX-License-Identifier: Apache-2.0 */
/** @file windows.h
 *  Running windows, functions of neighbours, and scans from the end.  oplus.h includes this header; the conventions at
 *  its beginning hold here, too. */
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

/** What the element before in[0] is, and the one behind in[n-1]. */
typedef enum oplus_edge {
    OPLUS_EDGE_NEAREST = 0, /**< the end itself: in[0], and in[n-1] */
    OPLUS_EDGE_WRAP = 1,    /**< the other end: in[n-1], and in[0] */
    OPLUS_EDGE_MIRROR = 2,  /**< the neighbour of the end: in[1], and in[n-2]; with n = 1, in[0] */
    OPLUS_EDGE_GIVEN = 3    /**< an element that the caller gives */
} oplus_edge;

/** Applies a function to each element and its neighbours: out[i] = fn(in[i-1], in[i], in[i+1]), or fn(in[i-1], in[i]).
 *
 *      OPLUS_ZIP(step, float, float, float, { return b - a; })
 *      OPLUS_ZIP3(smooth, float, float, float, float, { return 0.25f * a + 0.5f * b + 0.25f * c; })
 *      oplus_map_neighbours(dev, &smooth_fn, OPLUS_EDGE_NEAREST, NULL, in, n, out);
 *
 *  The bits are those of oplus_map of the array and of the same array, shifted by an element; fn may have the index i, and
 *  a parameter.  Reads the array once and writes n elements once.  It is done as up to three maps: of the elements between
 *  the ends, and of each end.  out must not overlap in, as an element is read after the one before it has been written.
 *
 *  Pieces of a longer array, or of a stream, fit together with OPLUS_EDGE_GIVEN and the last element of the piece before,
 *  the first of the piece behind, and for the index oplus_from.
 *
 *  If `in` lies in host memory, an accelerator copies it once for each input of fn.  If it lies in the memory of the device,
 *  a call on CUDA does not wait, unless the edge is OPLUS_EDGE_GIVEN.
 *
 *  @param dev   where to compute
 *  @param fn    a function of three elements of one type: the one before, the element, and the one behind; or of two: the one
 *               before, and the element
 *  @param edge  what is before in[0], and behind in[n-1]
 *  @param ends  with OPLUS_EDGE_GIVEN, in host memory, the element before in[0], and next to it, if fn takes three, the one
 *               behind in[n-1]; it must not overlap out.  Otherwise NULL
 *  @param in    n elements
 *  @param n     how many elements there are
 *  @param out   room for n elements of what fn makes
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_OVERLAP; what oplus_map returns.  After another failure than of the
 *          arguments the elements of out are unspecified. */
OPLUS_API oplus_status oplus_map_neighbours(oplus_device *dev, const oplus_fn *fn, oplus_edge edge, const void *ends,
                                            const void *in, size_t n, void *out);

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
