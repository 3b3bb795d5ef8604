/* Sizes that the kernels of this folder and the host agree on. */
#ifndef LAB_REDUCE_SIZES_H
#define LAB_REDUCE_SIZES_H

#define ITEMS 128 /* work-items of a work-group, as in the lectures: a power of two, at least 64 */

#endif
