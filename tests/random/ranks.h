/* The same calls over ranks: threads, each with a part of the arrays. */
#ifndef RANDOM_RANKS_H
#define RANDOM_RANKS_H

#include "random/differ.h"

/* The arrays of a call; those that it does not have are NULL. */
typedef struct spread {
    const random_case *c;
    const void *in, *heads, *init;
    void *out; /* for a reduce, one element of each rank; for a sort, the keys */
    void *values;
    size_t kept; /* number of elements that all ranks together have kept, or of runs */
    const void *keys;
    void *out_keys;
    const size_t *begun; /* how many runs begin before element i */
    char error[512];
} spread;

/* Makes the call of c over c->ranks ranks; s->error is what failed. */
oplus_status call_over_ranks(spread *s);
bool has_ranks(primitive p);

#endif
