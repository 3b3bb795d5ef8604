/* The same calls over ranks: threads, each with a part of the arrays. */
#ifndef RANDOM_RANKS_H
#define RANDOM_RANKS_H

#include "random/differ.h"

/* The arrays of a call; what it has none of is NULL. */
typedef struct spread {
    const random_case *c;
    const void *in, *heads, *init;
    void *out; /* of a reduce: one element a rank; of a sort: the keys */
    void *values;
    size_t kept; /* of a filter, by all ranks */
    char error[512];
} spread;

/* The call of c over c->ranks ranks; what failed is in s->error. */
oplus_status call_over_ranks(spread *s);
bool has_ranks(primitive p);

#endif
