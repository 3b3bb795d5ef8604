/* Late code: the code of an operator or a function from a text, which is compiled when the cores first run it.  So a
 * program that computes on an accelerator needs no compiler on the host.  Cores call opi_late_... before they run, and
 * opi_code_of_op says where the code then is. */
#ifndef OPI_LATE_H
#define OPI_LATE_H

#include <oplus/op.h>

#include <oplus/oplus.h>

#include "base/error.h"
#include "task/task.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct oplus_late opi_late;
struct oplus_late {
    atomic_bool ready; /* true: the members op and leaf are set, and do not change any more */
    /* Compiles the code, once, even if several threads ask; a failure names the public call `call`. */
    oplus_status (*compile)(opi_late *late, const char *call);
    oplus_op op; /* for an operator: its combine, leaves, combine_with and leaves_with */
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out); /* for a function: its loop */
};

static inline oplus_status opi_late_ready(const char *call, opi_late *late)
{
    if (!late || atomic_load_explicit(&late->ready, memory_order_acquire)) return OPLUS_OK;
    return late->compile(late, call);
}

/* Makes the code of all operators and functions of a task ready. */
static inline oplus_status opi_late_all(const char *call, const opi_task *task)
{
    if (task->op && task->op->late) OPI_TRY(opi_late_ready(call, task->op->late));
    if (task->fn && task->fn->late) OPI_TRY(opi_late_ready(call, task->fn->late));
    if (!opi_task_is_fused(task)) return OPLUS_OK;
    if (task->before && task->before->late) OPI_TRY(opi_late_ready(call, task->before->late));
    return task->after ? opi_late_ready(call, task->after->late) : OPLUS_OK;
}

/* The operator that has the functions of op: its late code, or op itself. */
static inline const oplus_op *opi_code_of_op(const oplus_op *op) { return op->late ? &op->late->op : op; }

typedef void opi_leaf(const void *const *in, const void *param, size_t n, void *out);

/* The loop of a function: its late code's, or its own. */
static inline opi_leaf *opi_leaf_of(const oplus_fn *fn) { return fn->late ? fn->late->leaf : fn->leaf; }

/* What a loop is given: the addresses of n elements of each input, and behind them that of the index of the first ones. */
typedef struct opi_operands {
    const void *in[OPLUS_MAX_ARITY + 1];
    uint64_t index;
} opi_operands;

/* Calls the loop of fn for n elements, the first of which is item i of the task; `from` is the index i of item 0. */
static inline void opi_leaf_run(opi_leaf *leaf, const oplus_fn *fn, opi_operands *operands, uint64_t from, size_t i,
                                size_t n, void *out)
{
    operands->index = from + i;
    operands->in[fn->arity] = &operands->index;
    leaf(operands->in, fn->param, n, out);
}

#endif
