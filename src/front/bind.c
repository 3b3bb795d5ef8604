/* oplus_op_bind, oplus_fn_bind: a descriptor with its parameter in one block, for languages that cannot copy a struct
 * of C. */
#include "front/check.h"
#include "front/fn.h"
#include "front/made.h"

#include <string.h>

static oplus_status nothing_to_bind(const char *call, const char *kind)
{
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s is NULL; give what is to be bound", call, kind);
}

static oplus_status check_call(const char *call, const char *kind, const unsigned *abi, const void *param)
{
    OPI_TRY(opi_check_abi(call, kind, *abi, "made by a macro that ends in _WITH, or from text"));
    return param ? OPLUS_OK : opi_fail(OPLUS_ERR_ARGUMENT, "%s: param is NULL; give the address of a value", call);
}

static oplus_status no_place(const char *call, const char *kind)
{
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: bound is NULL; give the address of an oplus_%s *", call, kind);
}

static oplus_status no_parameter(const char *call, const char *what, const char *name)
{
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s \"%s\" takes no parameter; define it with a macro that ends in _WITH, or give a param_type "
                    "where it is made from text",
                    call, what, opi_name(name));
}

static oplus_status no_memory(const char *call, size_t bytes)
{
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes", call, bytes);
}

oplus_status oplus_op_bind(const oplus_op *op, const void *param, const void *identity, oplus_op **bound)
{
    OPI_OWN_MODE;
    if (!bound) return no_place(__func__, "op");
    *bound = NULL;
    if (!op) return nothing_to_bind(__func__, "op");
    OPI_TRY(check_call(__func__, "op", &op->abi, param));
    if (!op->param_type) return no_parameter(__func__, "operator", op->name);
    oplus_op given = oplus_op_with(op, param);
    if (identity) given.identity = identity;
    OPI_TRY(opi_check_op(__func__, &given));

    const size_t param_at = opi_round_up(sizeof(opi_made_op), OPI_CACHE_LINE);
    const size_t identity_at = param_at + opi_round_up(op->param_type->size, OPI_CACHE_LINE);
    const size_t bytes = identity_at + op->type->size;
    char *const block = opi_alloc(bytes);
    if (!block) return no_memory(__func__, bytes);
    opi_made_op *const made = (opi_made_op *)block;
    *made = (opi_made_op){.op = given};
    made->op.param = memcpy(block + param_at, param, op->param_type->size);
    if (given.identity) made->op.identity = memcpy(block + identity_at, given.identity, op->type->size);
    *bound = &made->op;
    return OPLUS_OK;
}

oplus_status oplus_fn_bind(const oplus_fn *fn, const void *param, oplus_fn **bound)
{
    OPI_OWN_MODE;
    if (!bound) return no_place(__func__, "fn");
    *bound = NULL;
    if (!fn) return nothing_to_bind(__func__, "fn");
    OPI_TRY(check_call(__func__, "fn", &fn->abi, param));
    if (!fn->param_type) return no_parameter(__func__, "function", fn->name);
    const oplus_fn given = oplus_with(fn, param);
    OPI_TRY(opi_check_fn(__func__, "fn", &given));

    const size_t param_at = opi_round_up(sizeof(opi_made_fn), OPI_CACHE_LINE);
    const size_t bytes = param_at + fn->param_type->size;
    char *const block = opi_alloc(bytes);
    if (!block) return no_memory(__func__, bytes);
    opi_made_fn *const made = (opi_made_fn *)block;
    *made = (opi_made_fn){.fn = given};
    made->fn.param = memcpy(block + param_at, param, fn->param_type->size);
    *bound = &made->fn;
    return OPLUS_OK;
}
