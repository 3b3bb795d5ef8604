/* Reduction: what its sections share. */
#ifndef LAB_REDUCE_REDUCE_H
#define LAB_REDUCE_REDUCE_H

#include "lab/ladder.h"
#include "lab/peer.h"

enum { REDUCE_LEAST = 256 };       /* least number of integers of the input: for the historic form */
enum { REDUCE_BY_HOST = 1 << 20 }; /* most partial sums that are left to the host */

/* Sums of integers modulo 2^32: the same in any order.  This is the context of the ladder's work. */
typedef struct reducing {
    lab_work work;
    uint32_t *host;   /* the input, on the host */
    uint32_t sum;     /* of the input */
    uint32_t *copy;   /* what the host downloads the last partial sums to */
    uint32_t by_host; /* partial sums left to the host; 1: none */
} reducing;

extern const lab_rung reduce_rungs[]; /* of the ladder; ends where run is NULL */

/* Arrays on work->dev; scratch is as large as the first launch of the first rung needs. */
void reduce_allocate(lab_work *work);
void reduce_release(lab_work *work);
void reduce_spoil(lab_work *work);
bool reduce_right(lab_work *work);

/* Writes the sum of n integers to out, with a launch for each halving; scratch: n / 2 + 1 integers each. */
void reduce_in_pairs(lab_device *dev, const void *in, uint32_t n, void *const scratch[2], void *out);

/* --- the sections behind the ladder --- */
void reduce_as_lectures(lab *l, reducing *r); /* the counters that lectures showed, beside today's */
void reduce_finish(lab *l, reducing *r);      /* by launches or by the host */
void reduce_historic(lab *l, reducing *r);    /* why the last warp is synchronised */

#endif
