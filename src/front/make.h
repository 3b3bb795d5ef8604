/* A check that oplus_fn_make and oplus_text_type share. */
#ifndef OPI_MAKE_H
#define OPI_MAKE_H

#include <oplus/oplus.h>

/* Checks the types of a function from a text; result NULL: a predicate. */
oplus_status opi_make_check_fn(const char *call, const oplus_type *result, unsigned arity,
                               const oplus_type *const *input, const oplus_type *param_type);

#endif
