/* SPDX-License-Identifier: Apache-2.0 */
/** @file leaf.h
 *  The loops inside a block: what one core does with 2^level neighbouring elements of any type.
 *
 *  They are ordinary functions, always inlined.  If they are called with constants (by OPLUS_OP, in your translation
 *  unit), they become typed loops around your operator that the compiler vectorises.  If they are called with
 *  variables (by the library, for an operator known only at run time), they are the same loops around a function call.
 *  Both have the same text, hence the same tree and the same bits.
 *
 *  The association is the canonical tree of docs/tree-v1.md, a Brent-Kung network: an up-sweep makes the node of every
 *  aligned pair, level by level; a down-sweep computes from the prefix of a node the prefix of each of its halves
 *  (Brent and Kung, "A regular layout for parallel adders", IEEE Trans. Comput. C-31, 1982).  Every loop runs over
 *  independent iterations, so the latency of an operator is hidden and struct operators vectorise too. */
#ifndef OPLUS_LEAF_H
#define OPLUS_LEAF_H

#include <oplus/detail/compiler.h> /* compiler flags that bits could depend on, and names of attributes */
#include <oplus/detail/leaves.h>   /* the tables of an operator's loops */
#include <oplus/detail/block.h>    /* the node and the scan of an aligned block */
#include <oplus/detail/run.h>      /* the scan of a run of any length */
#include <oplus/detail/heads.h>    /* the segmented scans of a block and of a run */
#include <oplus/detail/segments.h> /* the reduces of short segments */
#include <oplus/detail/instance.h> /* all these loops for one operator */

#endif
