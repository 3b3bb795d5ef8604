/* Stable merge sort in the order of a function: what happens inside a block.
 *
 * To call the function for one pair of elements would take longer than all the rest.  So pairs are compared by its loop, as
 * many at a time as there are lanes: each lane is a merge of its own, and all lanes go on step by step.
 *
 *   blocks   each block of elements that fits a core's cache is sorted: columns of OPI_SORT_BY_ROWS elements by
 *            exchanging neighbours, then runs are merged in pairs
 *   cuts     where each block of a pass begins in the two runs that it merges
 *   merges   each block of a pass is merged; there are as many passes as it takes to have one run
 *
 * A function that is no order may answer anything.  So cuts are made to ascend after they have been found, and what lies
 * between two of them is merged by itself: each element goes to one place. */
#ifndef OPI_LEAF_SORT_BY_H
#define OPI_LEAF_SORT_BY_H

#include "cores/sweep.h"
#include "task/late.h"
#include "task/task.h"

enum { OPI_SORT_BY_ROWS = 8 };

/* Elements, and the indices that go along with them if the sort is an argsort. */
typedef struct opi_sort_by_place {
    unsigned char *elements, *indices;
} opi_sort_by_place;

typedef struct opi_sort_by {
    opi_sweep sweep; /* first: a leaf finds its sort through it */
    opi_leaf *less;  /* the loop of the function, */
    const void *param;
    size_t size, index; /* bytes of an element; of an index, 0: there are none */
    size_t n, block;    /* elements; of a block: a power of two */
    size_t lanes;
    const unsigned char *source; /* the caller's elements */
    opi_sort_by_place place[2];  /* passes go from one to the other; the result is wanted in the first one */
    size_t *cuts;                /* of each block of a pass: how many elements of its pair's first run are before it */
    size_t run;                  /* elements of a run, in this pass */
    unsigned from;               /* the place that this pass reads, or to which sorted blocks go */
} opi_sort_by;

/* Sets all members but the places, cuts, run and from. */
void opi_sort_by_plan(opi_sort_by *sort, const opi_task *task);
/* How many passes follow the blocks. */
unsigned opi_sort_by_passes(const opi_sort_by *sort);
/* Make the sweeps. */
void opi_sort_by_blocks(opi_sort_by *sort);
void opi_sort_by_cuts(opi_sort_by *sort);
void opi_sort_by_merges(opi_sort_by *sort);
/* Makes cuts ascend. */
void opi_sort_by_mend(opi_sort_by *sort);

#endif
