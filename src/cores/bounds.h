/* Bounds in a sorted array: what happens inside a block of the elements that are looked for. */
#ifndef OPI_LEAF_BOUNDS_H
#define OPI_LEAF_BOUNDS_H

#include "cores/merge.h"
#include "task/late.h"
#include "task/task.h"

typedef struct opi_bounds_sweep opi_bounds_sweep;
struct opi_bounds_sweep {
    opi_sweep sweep; /* first: a leaf finds its plan through it */
    /* Writes to place[0 .. count) where the elements from `wanted` on belong. */
    void (*find)(const opi_bounds_sweep *plan, const unsigned char *wanted, size_t count, size_t *place);
    opi_key_order order;
    const oplus_fn *fn; /* compares; NULL: by `order` */
    opi_leaf *less;     /* the loop of fn */
    bool upper;
    const unsigned char *sorted, *wanted;
    unsigned char *places;
    size_t n, size, index; /* elements of the sorted array; bytes of an element, and of a place */
};

void opi_bounds_plan(opi_bounds_sweep *plan, const opi_task *task);

#endif
