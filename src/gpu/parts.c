#include "gpu/parts.h"

#include "gpu/param.h"

static void define(opi_gpu_source *source, const opi_task *task)
{
    const opi_params all = opi_params_of(task);
    opi_gpu_define(source, "OPI_INPUTS", task->before ? task->before->arity : 0);
    opi_gpu_define(source, "OPI_INDEXED", opi_task_indexed(task) != NULL);
    opi_gpu_define(source, "OPI_BEFORE_INDEXED", task->before && task->before->indexed);
    opi_gpu_define(source, "OPI_AFTER", task->after != NULL);
    opi_gpu_define(source, "OPI_OTHERS_BOUND", task->op && all.before.size + all.after.size > 0);
    opi_gpu_define(source, "OPI_BEFORE_BOUND", all.before.size > 0);
    opi_gpu_define(source, "OPI_BEFORE_P_AT", all.before.at);
    opi_gpu_define(source, "OPI_AFTER_BOUND", all.after.size > 0);
    opi_gpu_define(source, "OPI_AFTER_P_AT", all.after.at);
}

static bool is_due(const oplus_fn *fn, bool text) { return fn && (fn->origin == OPLUS_FROM_TEXT) == text; }

/* Behind the first text there are the functions of texts, in place of C's.  So bodies of macros are written before all
 * texts. */
void opi_gpu_write_parts(opi_gpu_source *source, const opi_task *task)
{
    define(source, task);
    for (int texts = 0; texts < 2; texts++) {
        if (task->op && (task->op->origin == OPLUS_FROM_TEXT) == texts) opi_gpu_write_op(source, task->op);
        if (is_due(task->fn, texts)) opi_gpu_write_fn_as(source, "opi", task->fn, true);
        if (is_due(task->before, texts)) opi_gpu_write_fn_as(source, "opi_before", task->before, false);
        if (is_due(task->after, texts)) opi_gpu_write_fn_as(source, "opi_after", task->after, false);
    }
}
