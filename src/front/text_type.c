/* oplus_text_type: asks the compiler for the type of a text's result. */
#include "front/check.h"
#include "front/make.h"
#include "task/late.h"
#include "text/module.h"
#include "text/source.h"
#include "text/text.h"
#include "type/scalars.h"

#include <stdlib.h>

/* The kind to which C converts two kinds; OPLUS_RECORD if there is none. */
static unsigned joined(unsigned x, unsigned y)
{
    if (x == y) return x;
    if (!opi_is_scalar(x) || !opi_is_scalar(y)) return OPLUS_RECORD;
    const unsigned larger = opi_scalars[x].rank > opi_scalars[y].rank ? x : y;
    return opi_scalars[larger].rank ? larger : OPLUS_I32;
}

static const oplus_type *type_of(const oplus_fn *fn, unsigned kind)
{
    static const oplus_type *const scalars[] = {
#define ROW(suffix, T, scalar) [scalar] = &oplus_##suffix,
        OPLUS_FOR_SCALARS(ROW)
#undef ROW
    };
    if (kind >= OPI_KIND_STRUCT + fn->arity) return fn->param_type;
    return kind >= OPI_KIND_STRUCT ? fn->input[kind - OPI_KIND_STRUCT] : scalars[kind];
}

/* The kind of all values that a probe gives; the kind of the first input if they have none in common. */
static oplus_status read_kinds(const char *call, const oplus_fn *fn, void *module, const oplus_type **type)
{
    void *address;
    OPI_TRY(opi_module_symbol(call, module, OPI_MODULE_KINDS, &address));
    const unsigned char *const *const ends = address, *kind = ends[0];
    unsigned all = kind < ends[1] ? *kind : OPLUS_RECORD;
    for (; kind < ends[1]; kind++) all = joined(all, *kind);
    *type = all == OPLUS_RECORD ? fn->input[0] : type_of(fn, all);
    return OPLUS_OK;
}

/* The error of a text whose probe does not compile: the text itself is compiled, so that the message has its columns. */
static oplus_status try_plainly(const char *call, const oplus_fn *fn)
{
    oplus_fn *made;
    OPI_TRY(oplus_fn_make(fn->name, fn->input[0], fn->arity, fn->input, fn->param_type, fn->name, &made));
    const oplus_status status = opi_late_ready(call, made->late);
    oplus_fn_free(made);
    return status;
}

static oplus_status look(const char *call, const oplus_fn *fn, const char *probe, const oplus_type **type)
{
    void *module;
    bool absent;
    char *const source = opi_source_probe(fn, probe);
    if (!source) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the source of a text", call);
    oplus_status status = opi_module_open(call, "text", source, &module, &absent);
    free(source);
    if (status == OPLUS_ERR_COMPILE) return try_plainly(call, fn);
    if (status == OPLUS_OK) status = read_kinds(call, fn, module, type);
    opi_module_close(module);
    return status;
}

oplus_status oplus_text_type(unsigned arity, const oplus_type *const *input, const oplus_type *param_type,
                             const char *text, const oplus_type **type)
{
    OPI_OWN_MODE;
    if (!type)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: type is NULL; give the address of a const oplus_type *", __func__);
    *type = NULL;
    OPI_TRY(opi_make_check_fn(__func__, &oplus_f64, arity, input, param_type));
    if (!text) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: text is NULL; give an expression, such as \"2 * a\"", __func__);
    oplus_fn fn = {
        .abi = OPLUS_ABI, .name = text, .arity = arity, .indexed = opi_text_uses_index(text), .param_type = param_type};
    for (unsigned k = 0; k < arity; k++) fn.input[k] = input[k];
    *type = fn.input[0];
    char *const probe = opi_text_probe(text, OPI_LABEL_FN, opi_source_type(input[0]));
    const oplus_status status = probe ? look(__func__, &fn, probe, type) : OPLUS_OK;
    free(probe);
    if (status != OPLUS_OK) *type = NULL;
    return status;
}
