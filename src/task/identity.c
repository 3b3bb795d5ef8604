#include "task/identity.h"

oplus_status opi_check_identity(const char *call, const oplus_op *op, const char *why)
{
    if (op->identity) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: operator \"%s\" has no identity, which %s needs; define it with OPLUS_OP, or avoid this case",
                    call, op->name ? op->name : "?", why);
}
