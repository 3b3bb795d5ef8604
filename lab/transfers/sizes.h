/* Sizes that the kernel of this folder and the host agree on. */
#ifndef LAB_TRANSFERS_SIZES_H
#define LAB_TRANSFERS_SIZES_H

#define ITEMS 256 /* work-items of a work-group */

#endif
