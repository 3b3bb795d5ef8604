/* Select: what a predicate, a mask or the beginnings of runs pick, in one pass.  It is the filter, with more to go by and
 * more to write. */
#ifndef OPI_SELECT_H
#define OPI_SELECT_H

#include "cores/isa.h"
#include "cores/sweep.h"
#include "task/task.h"
#include "type/bits.h"

/* The carry. */
typedef struct opi_select_carry {
    size_t picked; /* how many elements were picked */
    size_t last;   /* the index of the last one, if any was and lengths of runs are wanted */
} opi_select_carry;

typedef struct opi_select_sweep {
    opi_sweep sweep;
    opi_picks picks;
    const oplus_fn *fn;
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out);
    uint64_t from; /* the index i of element 0 */
    const opi_isa *isa;
    size_t size, index; /* of an element, and of an index; bytes */
    size_t piece;       /* elements that are compacted together */
    const char *in;
    const uint8_t *mask;
    char *picked, *indices, *rest, *run, *head, *lengths;
    opi_spans spans; /* the bytes of an element that are compared */
    bool streaming;  /* results are written past the caches */
} opi_select_sweep;

void opi_select_plan(opi_select_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
