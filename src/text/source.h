/* The C source of a module: the headers of oplus, the types, the body, and the loops around it. */
#ifndef OPI_SOURCE_H
#define OPI_SOURCE_H

#include <oplus/oplus.h>

#include <stdbool.h>

/* The symbols of a module. */
#define OPI_MODULE_OP   "oplus_module_op"   /* const oplus_op *const */
#define OPI_MODULE_LEAF "oplus_module_leaf" /* the leaf of an oplus_fn, a pointer to it */

/* The names by which a compiler's messages call the user's text, and (followed by the name) a struct's members. */
#define OPI_LABEL_OP        "operator"
#define OPI_LABEL_FN        "function"
#define OPI_LABEL_PREDICATE "predicate"
#define OPI_LABEL_MEMBERS   "members of "

/* In memory to be freed; NULL without memory.  op->text and fn->text are bodies (text/text.h). */
char *opi_source_op(const oplus_op *op);
char *opi_source_fn(const oplus_fn *fn, bool predicate);

/* A module that tells what values a probe (text/text.h) gives: OPI_MODULE_KINDS, two pointers to bytes, the first kind
 * and behind the last one.  A kind is an oplus_scalar, OPI_KIND_STRUCT + k of the struct of input k, or 0 for anything
 * else. */
#define OPI_MODULE_KINDS "oplus_module_kinds"
enum { OPI_KIND_STRUCT = 32 };
char *opi_source_probe(const oplus_fn *fn, const char *probe);

/* How C calls the type in these sources. */
const char *opi_source_type(const oplus_type *type);

#endif
