/* Sizes that the kernels of this folder and the host agree on. */
#ifndef LAB_ACCESS_SIZES_H
#define LAB_ACCESS_SIZES_H

#define ITEMS 128  /* work-items of a work-group */
#define LOADS 8    /* of global memory by a work-item, in the trials of offset and stride */
#define READS 16   /* of shared and of constant memory, between two turns of a loop; and operations */
#define BANKS 32   /* of shared memory: words of 4 bytes that it gives at once */
#define SPAN  1024 /* of its words, in which work-items begin to read: more than lie between the lanes of a warp */
#define WORDS 2048 /* of it that a work-group fills: SPAN, and what lies behind */
#define TABLE 256  /* words of constant memory */

#endif
