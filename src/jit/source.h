/* The C source of a module: the headers of oplus, the types, the body, and the loops around it. */
#ifndef OPI_SOURCE_H
#define OPI_SOURCE_H

#include <oplus/oplus.h>

#include <stdbool.h>

/* The symbols of a module. */
#define OPI_MODULE_OP   "oplus_module_op"   /* const oplus_op *const */
#define OPI_MODULE_LEAF "oplus_module_leaf" /* the leaf of an oplus_fn, a pointer to it */

/* In memory to be freed; NULL without memory. */
char *opi_source_op(const oplus_op *op, const char *body);
/* result NULL: a predicate. */
char *opi_source_fn(const oplus_fn *fn, bool predicate, const char *body);

/* How C calls the type in these sources. */
const char *opi_source_type(const oplus_type *type);

#endif
