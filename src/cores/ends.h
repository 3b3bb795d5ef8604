/* What makes ends of counts: the functions and the operator of the scan before a repeat (front/repeat.c). */
#ifndef OPI_ENDS_H
#define OPI_ENDS_H

#include <oplus/ops.h>

/* A count as a number up to 2^63, which stands for all that are not allowed: negative counts, and larger ones.  scalar: of
 * the counts. */
const oplus_fn *opi_count_of(oplus_scalar scalar);
/* The index of a count if it is negative, else UINT64_MAX; NULL: counts of this type have no sign. */
const oplus_fn *opi_negative_of(oplus_scalar scalar);
/* The sum of n such numbers; 2^63, or more, if it is larger. */
const oplus_op *opi_sum_of_counts(oplus_scalar scalar, size_t n);

#endif
