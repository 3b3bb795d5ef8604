/* Repeat: a block of the output, of elements each so many times. */
#ifndef OPI_REPEAT_H
#define OPI_REPEAT_H

#include "cores/isa.h"
#include "cores/sweep.h"
#include "task/task.h"

typedef struct opi_repeat_sweep opi_repeat_sweep;
struct opi_repeat_sweep {
    opi_sweep sweep; /* first: a leaf finds its plan through it */
    const opi_isa *isa;
    /* Writes the output from index `at` to `end`, and perhaps some bytes behind it.  *s: the element that is repeated at `at`;
     * becomes the one that is at `end`. */
    void (*fill)(const opi_repeat_sweep *plan, size_t *s, size_t at, size_t end, char *to);
    size_t size, n, total; /* bytes of an element; elements of the input, and of the output */
    const char *in;
    const uint64_t *ends; /* for each element where in the output its last repetition ends */
    char *out;
    size_t piece;   /* elements of the output at a time: they stay in a first-level cache */
    bool streaming; /* pieces go to the output by non-temporal stores */
};

void opi_repeat_plan(opi_repeat_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
