/* Sizes that the kernels of this folder and the host agree on. */
#ifndef LAB_SCAN_SIZES_H
#define LAB_SCAN_SIZES_H

#define ITEMS 256            /* work-items of a work-group: a power of two, at least 64 */
#define EACH  8              /* elements of a work-item, if it has several */
#define TILE  (ITEMS * EACH) /* elements of a work-group then */

/* The same where all is done in one launch. */
#define EACH_ONCE 16
#define TILE_ONCE (ITEMS * EACH_ONCE)

/* Where element i stands if a word is left free after every 32: the banks of shared memory are 32 words wide, so
 * elements that are 32 apart are no longer in the same bank.  A double takes two banks. */
#define PADDED(i)         ((i) + (i) / 32)
#define PADDED_DOUBLES(i) ((i) + (i) / 16)

#endif
