/* Facts that the host and its kernels share: C includes this file, and every text of a kernel begins with it.  So it
 * has only `#define`s, and comments that every dialect reads. */
#ifndef OPI_SHARED_H
#define OPI_SHARED_H

#define OPI_VECTOR_BYTES 16 /* bytes that the widest load moves */

/* Flags of a launch that joins. */
#define OPI_EXCLUSIVE 1u  /* the scan is exclusive */
#define OPI_FRESH     2u  /* the range is empty and begins at `first` */
#define OPI_KEEP      4u  /* the range is needed afterwards; without this flag only its fold is */
#define OPI_APART     8u  /* out is separate memory for what the tiles of this launch keep */
#define OPI_LATER     16u /* another launch has said whether anything precedes the tiles */
#define OPI_OVERLAPS  32u /* out may overlap elements that other work-groups have yet to read */
#define OPI_FOLLOWS   64u /* of a window: results are joined to what is already there */

/* Of a reduce by the way "last": log2 of the nodes that a work-item joins at the end. */
#define OPI_LOG_LAST_JOINED 3

/* A sort goes digit by digit. */
#define OPI_DIGIT_BITS 8
#define OPI_DIGITS     (1u << OPI_DIGIT_BITS)
#define OPI_SORT_WORDS 8u /* how many words of a work-item count digits */
/* Memory of a work-group for n values with gaps, so that neighbours are in different banks. */
#define OPI_WITH_GAPS(n) ((n) + (n) / 32 + 1)

/* The longest segment that a work-group of a segmented sort's way "short" sorts in its own memory.  What sorts.h, axis.h and
 * gpu/ways.c say of it must say the same. */
#define OPI_SHORT_SEGMENT 512

/* The gap in bytes between the rows of a tile of a transpose that moves units of `unit` bytes. */
#define OPI_GAP_BYTES(unit) ((unit) < 4 ? 4 : (unit))

#endif
