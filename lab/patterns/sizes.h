/* Sizes that the kernels of this folder and the host agree on. */
#ifndef LAB_PATTERNS_SIZES_H
#define LAB_PATTERNS_SIZES_H

#define ITEMS 256 /* work-items of a work-group */

#endif
