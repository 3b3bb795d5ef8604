/* oplus_op_compile, oplus_fn_compile: the code of a text, which is otherwise compiled when it is first run. */
#include "base/abi.h"
#include "base/fpenv.h"
#include "front/made.h"
#include "text/module.h"
#include "text/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 80, WHAT_BYTES = NAME_BYTES + 16 };

static void describe(char what[WHAT_BYTES], const char *kind, const char *name)
{
    snprintf(what, WHAT_BYTES, "%s \"%.*s\"", kind, opi_cut(name, NAME_BYTES), name);
}

/* source: freed here; NULL: there was no memory for it. */
static oplus_status open_module(const char *call, const char *what, char *source, void **module, bool *absent)
{
    *absent = false;
    if (!source) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the source of a text", call);
    const oplus_status status = opi_module_open(call, what, source, module, absent);
    free(source);
    return status;
}

/* If there is no compiler, the given function is used. */
static oplus_status compile_op(opi_made_code *code, const char *call)
{
    char what[WHAT_BYTES];
    bool absent;
    void *address;
    oplus_op *const to = &code->late.op;
    describe(what, OPI_LABEL_OP, code->op->name);
    const oplus_status status = open_module(call, what, opi_source_op(code->op), &code->module, &absent);
    to->combine_with = code->op->combine_with;
    if (absent && to->combine_with) return OPLUS_OK;
    OPI_TRY(status);
    OPI_TRY(opi_module_symbol(call, code->module, OPI_MODULE_OP, &address));
    const oplus_op *const compiled = *(const oplus_op *const *)address;
    to->combine = compiled->combine;
    to->leaves = compiled->leaves;
    to->combine_with = compiled->combine_with;
    to->leaves_with = compiled->leaves_with;
    return OPLUS_OK;
}

static oplus_status compile_fn(opi_made_code *code, const char *call)
{
    char what[WHAT_BYTES];
    bool absent;
    void *address;
    const bool predicate = code->fn->predicate != 0;
    describe(what, predicate ? OPI_LABEL_PREDICATE : OPI_LABEL_FN, code->fn->name);
    OPI_TRY(open_module(call, what, opi_source_fn(code->fn, predicate), &code->module, &absent));
    OPI_TRY(opi_module_symbol(call, code->module, OPI_MODULE_LEAF, &address));
    memcpy(&code->late.leaf, address, sizeof code->late.leaf);
    return OPLUS_OK;
}

static oplus_status compile(opi_late *late, const char *call)
{
    opi_made_code *const code = (opi_made_code *)late;
    oplus_status status = OPLUS_OK;
    pthread_mutex_lock(&code->lock);
    if (!atomic_load_explicit(&late->ready, memory_order_relaxed)) {
        status = code->op ? compile_op(code, call) : compile_fn(code, call);
        if (status == OPLUS_OK) atomic_store_explicit(&late->ready, true, memory_order_release);
    }
    pthread_mutex_unlock(&code->lock);
    return status;
}

static void begin(opi_made_code *code)
{
    memset(code, 0, sizeof *code);
    atomic_init(&code->late.ready, false);
    code->late.compile = compile;
    pthread_mutex_init(&code->lock, NULL);
}

void opi_made_open_op(opi_made_op *made)
{
    begin(&made->code);
    made->code.op = &made->op;
    made->op.late = &made->code.late;
}

void opi_made_open_fn(opi_made_fn *made)
{
    begin(&made->code);
    made->code.fn = &made->fn;
    made->fn.late = &made->code.late;
}

void opi_made_close(opi_made_code *code)
{
    if (!code->op && !code->fn) return; /* bound: the code belongs to another descriptor */
    opi_module_close(code->module);
    pthread_mutex_destroy(&code->lock);
}

oplus_status oplus_op_compile(const oplus_op *op)
{
    OPI_OWN_MODE;
    if (!op) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: op is NULL; give what oplus_op_make has made", __func__);
    OPI_TRY(opi_check_abi(__func__, "op", op->abi, "made by OPLUS_OP or oplus_op_make"));
    return opi_late_ready(__func__, op->late);
}

oplus_status oplus_fn_compile(const oplus_fn *fn)
{
    OPI_OWN_MODE;
    if (!fn) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: fn is NULL; give what oplus_fn_make has made", __func__);
    OPI_TRY(opi_check_abi(__func__, "fn", fn->abi, "made by OPLUS_MAP or oplus_fn_make"));
    return opi_late_ready(__func__, fn->late);
}
