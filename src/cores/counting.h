/* The carry of sweeps that count what they keep: a size_t. */
#ifndef OPI_LEAF_COUNTING_H
#define OPI_LEAF_COUNTING_H

#include "cores/sweep.h"

static inline void opi_count_start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep;
    (void)at;
    *(size_t *)carry = 0;
}

static inline void opi_count_join(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    *(size_t *)left += *(const size_t *)right;
}

static inline void opi_count_finish(const opi_sweep *sweep, void *carry, void *out)
{
    (void)sweep;
    *(size_t *)out = *(const size_t *)carry;
}

#endif
