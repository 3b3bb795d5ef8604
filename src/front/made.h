/* What oplus_op_make, oplus_fn_make and the binding of parameters allocate, and oplus_op_free, oplus_fn_free free: one
 * block that begins with the descriptor. */
#ifndef OPI_MADE_H
#define OPI_MADE_H

#include <oplus/oplus.h>

typedef struct opi_made_op {
    oplus_op op;  /* first: the caller's pointer is that of the block */
    void *module; /* NULL: none */
} opi_made_op;

typedef struct opi_made_fn {
    oplus_fn fn;
    void *module;
} opi_made_fn;

#endif
