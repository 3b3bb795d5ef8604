/* Sizes that the kernels of this folder and the host agree on. */
#ifndef LAB_TRANSPOSE_SIZES_H
#define LAB_TRANSPOSE_SIZES_H

#define ITEMS 256 /* work-items of a work-group that goes through the matrix line by line */
#define ROWS  8   /* of a tile that its work-group of TILE * ROWS work-items moves at once */

#endif
