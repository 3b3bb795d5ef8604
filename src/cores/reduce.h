/* Reduce inside a block: a run of elements becomes the nodes of a range. */
#ifndef OPI_REDUCE_H
#define OPI_REDUCE_H

#include "cores/lens.h"
#include "cores/loops.h"
#include "cores/moments.h"
#include "cores/sweep.h"
#include "task/task.h"

/* Appends n elements that begin at range->end.  scratch: opi_reduce_scratch bytes. */
void opi_reduce_append(const opi_loops *loops, const void *in, size_t n, opi_range *range, void *scratch);
size_t opi_reduce_scratch(const opi_loops *loops);

/* Appends elements [begin, end), whose first has the global index `at`.  scratch: opi_reduce_seen_scratch bytes. */
void opi_reduce_seen(const opi_loops *loops, const opi_lens *lens, size_t begin, size_t end, uint64_t at,
                     opi_range *range, char *scratch);
size_t opi_reduce_seen_scratch(const opi_loops *loops, const opi_lens *lens);

/* out = reduce of few (> 0) elements by themselves.  They begin at index 0, so that their nodes shrink from left to
 * right and the left fold needs no range; it holds while no two nodes are of one size. */
static inline size_t opi_reduce_slice_limit(const opi_loops *loops)
{
    return loops->exact ? SIZE_MAX : ((size_t)2 << loops->node_level) - 1;
}
void opi_reduce_slice(const opi_loops *loops, const void *in, size_t n, void *out, void *scratch);

/* Reduce as a sweep; the carry is an opi_range. */
typedef struct opi_reduce_sweep {
    opi_sweep sweep;
    opi_loops loops;
    opi_lens lens;
    opi_moments_node moments; /* not NULL: nodes of moments come directly from the elements */
    uint64_t first;           /* global index of element 0 */
} opi_reduce_sweep;

/* finish: the reduce of all that precedes the end (identity: of nothing). */
void opi_reduce_plan(opi_reduce_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
