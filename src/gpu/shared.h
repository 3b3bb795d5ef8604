/* Facts that the host and its kernels share: included by C, and put in front of every text of a kernel.  Nothing but
 * `#define` stands here, and no comment goes beyond what every dialect reads. */
#ifndef OPI_SHARED_H
#define OPI_SHARED_H

#define OPI_VECTOR_BYTES 16 /* what the widest load moves */

/* Flags of a launch that joins: the kind of scan, */
#define OPI_EXCLUSIVE 1u
#define OPI_FRESH     2u  /* the range is empty and begins at `first`, */
#define OPI_KEEP      4u  /* the range is wanted afterwards; otherwise its fold will do, */
#define OPI_APART     8u  /* out is memory of its own for what the tiles of this launch keep, */
#define OPI_LATER     16u /* something else has said whether anything precedes the tiles. */

/* A sort goes digit by digit; */
#define OPI_DIGIT_BITS 8
#define OPI_DIGITS     (1u << OPI_DIGIT_BITS)
#define OPI_SORT_WORDS 8u /* of a work-item, that count digits. */
/* Memory of a work-group for n values with gaps, so that neighbours are in different banks. */
#define OPI_WITH_GAPS(n) ((n) + (n) / 32 + 1)

/* Bytes between the rows of a tile of a transpose, whose elements are moved in units of so many bytes. */
#define OPI_GAP_BYTES(unit) ((unit) < 4 ? 4 : (unit))

#endif
