/* Operators and functions from text, compiled at once: what the compiler says is what the call returns. */
#ifndef TEST_EAGER_H
#define TEST_EAGER_H

#include <oplus/oplus.h>

static inline oplus_status eager_op_make(const char *name, const oplus_type *type, const void *identity, unsigned flags,
                                         const oplus_type *param_type, const char *text,
                                         void (*combine)(void *out, const void *a, const void *b, const void *param),
                                         oplus_op **op)
{
    oplus_status status = oplus_op_make(name, type, identity, flags, param_type, text, combine, op);
    if (status == OPLUS_OK) status = oplus_op_compile(*op);
    if (status == OPLUS_OK || !op) return status;
    oplus_op_free(*op);
    *op = NULL;
    return status;
}

static inline oplus_status eager_fn_make(const char *name, const oplus_type *result, unsigned arity,
                                         const oplus_type *const *input, const oplus_type *param_type, const char *text,
                                         oplus_fn **fn)
{
    oplus_status status = oplus_fn_make(name, result, arity, input, param_type, text, fn);
    if (status == OPLUS_OK) status = oplus_fn_compile(*fn);
    if (status == OPLUS_OK || !fn) return status;
    oplus_fn_free(*fn);
    *fn = NULL;
    return status;
}

#endif
