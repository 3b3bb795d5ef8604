/* Merge of two sorted arrays: what happens inside a block of the result. */
#ifndef OPI_LEAF_MERGE_PATH_H
#define OPI_LEAF_MERGE_PATH_H

#include "cores/merge.h"
#include "task/late.h"
#include "task/task.h"

/* One of the two arrays. */
typedef struct opi_merge_side {
    const unsigned char *keys, *values; /* values NULL: there are none */
    size_t n;
} opi_merge_side;

typedef struct opi_merge_path_sweep {
    opi_sweep sweep; /* first: a leaf finds its plan through it */
    opi_key_order order;
    opi_merge_payload payload; /* what goes along with a key; OPI_MERGE_INDEX: a place in the block */
    const oplus_fn *fn;        /* compares; NULL: by `order` */
    opi_leaf *less;            /* the loop of fn */
    size_t key, value;         /* bytes */
    opi_merge_side a, b;
    unsigned char *to_keys, *to_values;
} opi_merge_path_sweep;

void opi_merge_path_plan(opi_merge_path_sweep *plan, const opi_task *task);

#endif
