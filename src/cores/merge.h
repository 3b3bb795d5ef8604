/* Stable merge of sorted runs: what happens inside a block.
 *
 * Any number of runs become one in a single sweep: a block of the result finds its place in all of them, and merges in
 * cache, pair by pair, pieces of which it is known that nothing comes between them. */
#ifndef OPI_LEAF_MERGE_H
#define OPI_LEAF_MERGE_H

#include "cores/sweep.h"
#include "type/scalars.h"

#include <oplus/oplus.h>

/* --- keys in order ------------------------------------------------------------------------------------------------ */

/* How keys compare: mapped = raw ^ (raw < 0 ? float_mask : 0) ^ flip, as unsigned integers. */
typedef struct opi_key_order {
    size_t size; /* of a key: 1, 2, 4 or 8 bytes */
    uint64_t float_mask, flip;
} opi_key_order;

static inline opi_key_order opi_key_order_of(const oplus_type *key, oplus_order order)
{
    const uint64_t sign = (uint64_t)1 << (8 * key->size - 1), all = sign | (sign - 1);
    const opi_number number = opi_scalars[key->scalar].number;
    return (opi_key_order){key->size, number == OPI_FLOATING ? sign - 1 : 0,
                           (number == OPI_UNSIGNED ? 0 : sign) ^ (order == OPLUS_DESCENDING ? all : 0)};
}

/* The mapped key at place i. */
uint64_t opi_key_at(const opi_key_order *order, const void *keys, size_t i);
/* The first place in [begin, end), or end, whose mapped key is not below `bound`; keys there are sorted. */
size_t opi_key_below(const opi_key_order *order, const void *keys, size_t begin, size_t end, uint64_t bound);

/* --- merge -------------------------------------------------------------------------------------------------------- */

/* What goes along with a key from level to level. */
typedef enum opi_merge_payload {
    OPI_MERGE_NOTHING,
    OPI_MERGE_VALUE4,
    OPI_MERGE_VALUE8,
    OPI_MERGE_INDEX
} opi_merge_payload;

/* A part of a run, or of what a level has made. */
typedef struct opi_merge_run {
    const unsigned char *keys, *payload;
    size_t n;
} opi_merge_run;

/* Where merged elements go. */
typedef struct opi_merge_place {
    unsigned char *keys, *payload;
} opi_merge_place;

/* Merges two runs; of equal keys those of the earlier run come first. */
void opi_merge_two(const opi_key_order *order, opi_merge_payload payload, opi_merge_run earlier, opi_merge_run later,
                   opi_merge_place to);

typedef struct opi_merge {
    opi_sweep sweep; /* first: a leaf finds its merge through it */
    opi_key_order order;
    size_t value_size; /* 0: keys alone */
    opi_merge_payload payload;
    size_t window; /* elements of a run that a piece takes at most */
    size_t runs;
    const size_t *bounds;               /* run i is [bounds[i], bounds[i + 1]) of both arrays */
    const unsigned char *keys, *values; /* the runs, back to back */
    unsigned char *to_keys, *to_values; /* apart from them */
} opi_merge;

/* Merges `runs` runs; of equal keys those of the earlier run come first.  bounds: runs + 1 places from 0 on; the plan
 * keeps only those where the order breaks: it drops empty runs, and joins a run to one that it follows in order. */
void opi_merge_plan(opi_merge *merge, opi_key_order order, const void *keys, size_t value_size, const void *values,
                    size_t *bounds, size_t runs, void *to_keys, void *to_values);
/* Scratch memory of a worker for so many runs, or fewer. */
size_t opi_merge_scratch(size_t key_size, size_t value_size, size_t runs);

#endif
