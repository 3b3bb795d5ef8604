/* One call of an operator, with or without a captured parameter. */
#ifndef OPI_COMBINE_H
#define OPI_COMBINE_H

#include <oplus/op.h>

/* *out = *a (+) *b; out may be a or b. */
static inline void opi_combine(const oplus_op *op, void *out, const void *a, const void *b)
{
    if (op->combine)
        op->combine(out, a, b);
    else
        op->combine_with(out, a, b, op->param);
}

#endif
