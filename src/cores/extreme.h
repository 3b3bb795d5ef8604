/* The extremes of an array as a sweep; the carry is an opi_extreme. */
#ifndef OPI_CORES_EXTREME_H
#define OPI_CORES_EXTREME_H

#include "cores/isa.h"
#include "cores/sweep.h"
#include "task/task.h"

typedef struct opi_extreme_sweep {
    opi_sweep sweep;
    const char *in;
    const opi_task *task;
    const oplus_type *type;
    unsigned sides;
    size_t piece;               /* elements of a piece */
    const oplus_op *op[2];      /* the minimum and the maximum, */
    const opi_builtin *loop[2]; /* and their loops */
} opi_extreme_sweep;

void opi_extreme_plan(opi_extreme_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
