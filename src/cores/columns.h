/* Reduce and scan along an axis whose elements are not neighbours: columns side by side, a row of all at a time.
 *
 * The array is outer x n x inner, and there is a column for each (o, c).  The tree of a column is walked from its first
 * element to its last: an element is joined to the node before it, if that has its size, and so on, as a binary counter
 * counts.  All columns of a piece take the same steps, so that each step joins two rows of the piece, pair by pair. */
#ifndef OPI_COLUMNS_H
#define OPI_COLUMNS_H

#include "cores/loops.h"
#include "cores/sweep.h"
#include "task/task.h"

typedef struct opi_columns_sweep {
    opi_sweep sweep; /* items: pieces of columns, or (opi_columns_plan_rows) rows of one slab */
    opi_loops loops;
    const char *in;
    char *out;
    opi_axis axis;
    size_t width, across; /* columns of a piece; pieces of a slab */
    bool scans, exclusive;
    oplus_type row_type; /* a row of a piece, as one element: */
    oplus_op row_op;     /* ... its operator joins two of them, pair by pair; its parameter is `self` */
    const void *self;
} opi_columns_sweep;

/* Plans the task as independent pieces.  pieces: how many there should be, at least. */
void opi_columns_plan(opi_columns_sweep *plan, const opi_isa *isa, const opi_task *task, size_t pieces);

/* Plans slab o of the task as one piece, whose rows are dealt out: for few columns that are long.  The carry is an
 * opi_range of plan->row_op, which refers to the plan: the plan must stay where it is. */
void opi_columns_plan_rows(opi_columns_sweep *plan, const opi_isa *isa, const opi_task *task, size_t o);

/* Whether opi_columns_plan_rows suits rows of so many bytes: a carry has room for hundreds of them. */
static inline bool opi_columns_are_few(size_t row_bytes) { return row_bytes <= 4096; }

#endif
