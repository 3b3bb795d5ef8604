/* One call of an operator, with or without a captured parameter. */
#ifndef OPI_COMBINE_H
#define OPI_COMBINE_H

#include "task/late.h"

/* Joins two elements: *out = *a (+) *b; out may be a or b. */
static inline void opi_combine(const oplus_op *op, void *out, const void *a, const void *b)
{
    const oplus_op *const code = op->combine ? op : opi_code_of_op(op);
    if (code->combine)
        code->combine(out, a, b);
    else
        code->combine_with(out, a, b, op->param);
}

#endif
