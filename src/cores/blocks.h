/* Where blocks begin and end: at multiples of sweep->block, counted from sweep->skew items before item 0. */
#ifndef OPI_BLOCKS_H
#define OPI_BLOCKS_H

#include "cores/sweep.h"

#include <string.h>

/* Items of the first block that lie before item 0.  That is nearly always the skew itself: a test avoids the division,
 * which costs a small call more than a jump. */
static inline size_t opi_blocks_before(const opi_sweep *sweep)
{
    return sweep->skew < sweep->block ? sweep->skew : sweep->skew % sweep->block;
}

static inline size_t opi_blocks(const opi_sweep *sweep)
{
    const size_t before = opi_blocks_before(sweep); /* kept apart from n, which may be close to SIZE_MAX */
    const size_t first = sweep->block - before;     /* items of the first block */
    return sweep->n <= first ? 1 : 1 + (sweep->n - first - 1) / sweep->block + 1;
}

static inline size_t opi_block_begin(const opi_sweep *sweep, size_t b)
{
    return b == 0 ? 0 : b * sweep->block - opi_blocks_before(sweep);
}

static inline size_t opi_block_end(const opi_sweep *sweep, size_t b)
{
    const size_t begin = opi_block_begin(sweep, b);
    const size_t room = b == 0 ? sweep->block - opi_blocks_before(sweep) : sweep->block;
    return room < sweep->n - begin ? begin + room : sweep->n;
}

static inline void opi_carry_copy(const opi_sweep *sweep, void *to, const void *from)
{
    if (sweep->copy)
        sweep->copy(sweep, to, from);
    else
        memcpy(to, from, sweep->carry_bytes);
}

#endif
