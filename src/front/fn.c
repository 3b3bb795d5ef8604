#include "front/fn.h"
#include "front/check.h"
#include "type/layout.h"

#include <stdio.h>

static const char *const inputs[OPLUS_MAX_ARITY] = {"input[0]", "input[1]", "input[2]", "input[3]",
                                                    "input[4]", "input[5]", "input[6]", "input[7]"};

/* Whether a type is a scalar, as most types are: then nothing else is checked, and no words are prepared. */
static bool plain(const oplus_type *type) { return opi_type_is_valid(type) && type->scalar != OPLUS_RECORD; }

/* Checks the type of a result or of an input, which functions with a text take by value.  Words are prepared only if
 * something is wrong: that takes three times as long as a small call. */
static oplus_status check_value(const char *call, const char *argument, const char *part, const oplus_fn *fn,
                                const oplus_type *type)
{
    const char *declaration;
    if (opi_type_is_valid(type) && (!fn->text || type->size <= OPI_LARGEST_ELEMENT) &&
        (type != fn->result || opi_layout_is_known(type, &declaration)))
        return OPLUS_OK;
    char name[32];
    snprintf(name, sizeof name, "%s->%s", argument, part);
    OPI_TRY(opi_check_type(call, name, type));
    if (fn->text) OPI_TRY(opi_check_by_value(call, name, type));
    return type == fn->result ? opi_check_layout(call, name, type) : OPLUS_OK;
}

oplus_status opi_check_fn(const char *call, const char *argument, const oplus_fn *fn)
{
    if (!fn)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s is NULL; give a function, &name_fn of an OPLUS_MAP, OPLUS_ZIP or OPLUS_PREDICATE", call,
                        argument);
    OPI_TRY(opi_check_abi(call, argument, fn->abi, "made by OPLUS_MAP, OPLUS_PREDICATE or oplus_fn_make"));
    const char *const own = opi_name(fn->name);
    if (!fn->leaf && !fn->late)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s->leaf of function \"%s\" is NULL; make the function with OPLUS_MAP",
                        call, argument, own);
    if (fn->arity < 1 || fn->arity > OPLUS_MAX_ARITY)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s->arity of function \"%s\" is %u; it must be 1 to %d", call,
                        argument, own, fn->arity, OPLUS_MAX_ARITY);
    if (!plain(fn->result)) OPI_TRY(check_value(call, argument, "result", fn, fn->result));
    for (unsigned k = 0; k < fn->arity; k++)
        if (!plain(fn->input[k])) OPI_TRY(check_value(call, argument, inputs[k], fn, fn->input[k]));
    if (fn->param_type && !plain(fn->param_type))
        OPI_TRY(check_value(call, argument, "param_type", fn, fn->param_type));
    if (fn->param_type && !fn->param)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s->param of function \"%s\" is NULL though it takes a parameter (%s); bind it with "
                        "oplus_with(&%s_fn, &value) or oplus_fn_bind",
                        call, argument, own, opi_name(fn->param_type->name), own);
    return OPLUS_OK;
}

oplus_status opi_check_fn_without_index(const char *call, const char *argument, const oplus_fn *fn)
{
    OPI_TRY(opi_check_fn(call, argument, fn));
    if (!fn->indexed) return OPLUS_OK;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: %s is function \"%s\", which uses the index i, and only functions of a map and predicates of a "
        "filter have one; give one without i",
        call, argument, opi_name(fn->name));
}

oplus_status opi_check_keep(const char *call, const oplus_fn *keep, const size_t *kept)
{
    OPI_TRY(opi_check_fn(call, "keep", keep));
    if (keep->arity != 1 || keep->result->scalar != OPLUS_U8)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: keep is function \"%s\" of %u inputs with a result of type %s; give a predicate, one input and "
            "a result 0 or 1 of type uint8_t, made by OPLUS_PREDICATE",
            call, opi_name(keep->name), keep->arity, opi_name(keep->result->name));
    if (kept) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: kept is NULL; give a size_t for the number of kept elements", call);
}
