#include "gpu/param.h"

#include "base/error.h"
#include "gpu/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- where they are ----------------------------------------------------------------------------------------------- */

static opi_param_piece place(opi_params *all, const oplus_type *type, const void *value)
{
    if (!type) return (opi_param_piece){.size = 0};
    const opi_param_piece p = {value, type->size, opi_round_up(all->bytes, OPI_CACHE_LINE)};
    all->bytes = p.at + p.size;
    return p;
}

static opi_param_piece place_of_fn(opi_params *all, const oplus_fn *fn)
{
    return place(all, fn ? fn->param_type : NULL, fn ? fn->param : NULL);
}

opi_params opi_params_of(const opi_task *task)
{
    const oplus_op *const op = task->op;
    opi_params all = {.bytes = 0};
    all.own = op ? place(&all, op->param_type, op->param) : place_of_fn(&all, task->fn);
    if (op && op->param_type) all.identity = place(&all, op->type, op->identity);
    if (!opi_task_is_fused(task)) return all;
    all.before = place_of_fn(&all, task->before);
    all.after = place_of_fn(&all, task->after);
    return all;
}

/* --- on the device ------------------------------------------------------------------------------------------------ */

static bool is_same(const char *copy, const opi_param_piece *p)
{
    return !p->value || memcmp(copy + p->at, p->value, p->size) == 0;
}

static bool are_there(const opi_accelerator *g, const opi_params *all)
{
    const char *const copy = g->param_copy;
    return g->param_bytes == all->bytes && is_same(copy, &all->own) && is_same(copy, &all->identity) &&
           is_same(copy, &all->before) && is_same(copy, &all->after);
}

static void put(char *copy, const opi_param_piece *p)
{
    if (p->value) memcpy(copy + p->at, p->value, p->size);
}

static char *copy_of(const opi_params *all)
{
    char *const copy = calloc(1, all->bytes);
    if (!copy) return NULL;
    put(copy, &all->own);
    put(copy, &all->identity);
    put(copy, &all->before);
    put(copy, &all->after);
    return copy;
}

static oplus_status bring(opi_accelerator *g, const char *call, const opi_params *all)
{
    const size_t bytes = all->bytes;
    if (g->rehearsal) {
        g->rehearsal->up += bytes;
        if (g->param.bytes < bytes) g->param_bytes = 0; /* they were in the buffer */
        return opi_gpu_reserve(g, call, &g->param, bytes);
    }
    char *const copy = copy_of(all);
    if (!copy) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of parameter", call, bytes);
    if (opi_gpu_see_recording(g)) { /* refused, before anything has changed */
        const oplus_status status = opi_gpu_upload(g, call, OPI_QUEUE_COMPUTE, g->param.mem, copy, bytes);
        if (status != OPLUS_OK) {
            free(copy);
            return status;
        }
    }
    free(g->param_copy);
    g->param_copy = copy;
    g->param_bytes = 0;                                   /* until the copy is done */
    if (g->param_recorded) opi_gpu_release(g, &g->param); /* what has been recorded goes on with the old values */
    g->param_recorded = false;
    OPI_TRY(opi_gpu_reserve(g, call, &g->param, bytes));
    OPI_TRY(opi_gpu_put(g, call, g->param.mem, copy, bytes));
    g->param_bytes = bytes;
    return OPLUS_OK;
}

oplus_status opi_gpu_params(opi_accelerator *g, const char *call, const opi_task *task, const void **address)
{
    const opi_params all = opi_params_of(task);
    *address = NULL;
    if (all.bytes == 0) return OPLUS_OK;
    if (!are_there(g, &all)) OPI_TRY(bring(g, call, &all));
    g->param_recorded |= opi_gpu_see_recording(g);
    *address = g->param.mem;
    return OPLUS_OK;
}

oplus_status opi_gpu_param(opi_accelerator *g, const char *call, const oplus_fn *fn, const oplus_op *op,
                           const void **address)
{
    const opi_task alone = {.fn = fn, .op = op};
    return opi_gpu_params(g, call, &alone, address);
}
