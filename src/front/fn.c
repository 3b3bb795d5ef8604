#include "front/fn.h"
#include "front/check.h"

#include <stdio.h>

oplus_status opi_check_fn(const char *call, const char *argument, const oplus_fn *fn)
{
    char name[32];
    if (!fn)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s is NULL; give a function, &name_fn of an OPLUS_MAP or OPLUS_PREDICATE", call, argument);
    const char *const own = opi_name(fn->name);
    if (!fn->leaf)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s->leaf of function \"%s\" is NULL; make the function with OPLUS_MAP",
                        call, argument, own);
    if (fn->arity < 1 || fn->arity > OPLUS_MAX_ARITY)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: %s->arity of function \"%s\" is %u; it must be 1 to %d", call,
                        argument, own, fn->arity, OPLUS_MAX_ARITY);
    if (!opi_type_is_valid(fn->result)) {
        snprintf(name, sizeof name, "%s->result", argument);
        return opi_check_type(call, name, fn->result);
    }
    for (unsigned k = 0; k < fn->arity; k++) {
        if (opi_type_is_valid(fn->input[k])) continue;
        snprintf(name, sizeof name, "%s->input[%u]", argument, k);
        return opi_check_type(call, name, fn->input[k]);
    }
    if (fn->param_type && !fn->param)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s->param of function \"%s\" is NULL though it takes a parameter (%s); bind it with "
                        "oplus_with(&%s_fn, &value)",
                        call, argument, own, opi_name(fn->param_type->name), own);
    return OPLUS_OK;
}
