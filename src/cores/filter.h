/* Filter: the elements of a block that are kept move together. */
#ifndef OPI_FILTER_H
#define OPI_FILTER_H

#include "cores/isa.h"
#include "cores/lens.h"
#include "cores/sweep.h"
#include "task/task.h"

/* The carry is a size_t: how many elements were kept. */
typedef struct opi_filter_sweep {
    opi_sweep sweep;
    const oplus_fn *keep;
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out);
    uint64_t index; /* the index i of element 0 */
    const opi_isa *isa;
    size_t size; /* of an element, bytes */
    opi_lens lens;
    char *out;
    bool streaming; /* kept elements are written past the caches */
} opi_filter_sweep;

void opi_filter_plan(opi_filter_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
