/* The code of an operator or a function that was made from a text: it is compiled for the cores when they first run it, so
 * that who computes on an accelerator needs no compiler on the host.  Cores ask before they run (opi_late_...), and find
 * the code where opi_code_of_... says. */
#ifndef OPI_LATE_H
#define OPI_LATE_H

#include <oplus/op.h>

#include <oplus/oplus.h>

#include <stdatomic.h>
#include <stdbool.h>

typedef struct oplus_late opi_late;
struct oplus_late {
    atomic_bool ready; /* the members below are set, and stay */
    /* Makes it ready, once, whichever threads ask; a failure is one of the public call of that name. */
    oplus_status (*compile)(opi_late *late, const char *call);
    oplus_op op; /* of an operator: combine, leaves, combine_with, leaves_with */
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out); /* of a function */
};

static inline oplus_status opi_late_ready(const char *call, opi_late *late)
{
    if (!late || atomic_load_explicit(&late->ready, memory_order_acquire)) return OPLUS_OK;
    return late->compile(late, call);
}

/* Of a task: op or fn or neither. */
static inline oplus_status opi_late_both(const char *call, const oplus_op *op, const oplus_fn *fn)
{
    return opi_late_ready(call, op ? op->late : fn ? fn->late : NULL);
}

/* Whose functions are those of op. */
static inline const oplus_op *opi_code_of_op(const oplus_op *op) { return op->late ? &op->late->op : op; }

#endif
