/* Moments on cores: where one of the library's own functions makes them of elements and its own operator joins them, a
 * block's node comes directly from the elements, without moments of each. */
#ifndef OPI_MOMENTS_H
#define OPI_MOMENTS_H

#include "cores/isa.h"

#include <oplus/moments.h>

/* The operator, as OPLUS_OP takes it.  A difference is one of sums, as if both groups had b.n elements; weight is what its
 * square counts.  a.sum / na comes first: of equal elements whose sum is exact it is exact, too, and the difference is 0. */
#define OPI_BODY_JOIN_MOMENTS                                                                                          \
    {                                                                                                                  \
        oplus_moments r;                                                                                               \
        const double na = (double)a.n, nb = (double)b.n;                                                               \
        double difference, weight;                                                                                     \
        if (a.n == 0) return b;                                                                                        \
        if (b.n == 0) return a;                                                                                        \
        if (a.n == b.n) {                                                                                              \
            difference = b.sum - a.sum;                                                                                \
            weight = 0.5 / na;                                                                                         \
        } else {                                                                                                       \
            difference = b.sum - a.sum / na * nb;                                                                      \
            weight = na / (nb * (na + nb));                                                                            \
        }                                                                                                              \
        r.n = a.n + b.n;                                                                                               \
        r.sum = a.sum + b.sum;                                                                                         \
        r.m2 = (a.m2 + b.m2) + difference * difference * weight;                                                       \
        return r;                                                                                                      \
    }

/* See opi_isa::moments. */
typedef void (*opi_moments_node)(const void *in, unsigned level, void *node);

/* The function that makes moments of elements of a scalar type. */
const oplus_fn *opi_moments_of(oplus_scalar scalar);

/* The node of what `before` makes and op joins; NULL: they are not the library's own, or there is no `before`. */
opi_moments_node opi_moments_node_of(const opi_isa *isa, const oplus_fn *before, const oplus_op *op);

#endif
