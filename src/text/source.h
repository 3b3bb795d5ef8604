/* The C source of a module: the headers of oplus, the types, the body, and the loops around it. */
#ifndef OPI_SOURCE_H
#define OPI_SOURCE_H

#include <oplus/oplus.h>

#include <stdbool.h>

/* The names of the symbols of a module. */
#define OPI_MODULE_OP   "oplus_module_op"   /* const oplus_op *const */
#define OPI_MODULE_LEAF "oplus_module_leaf" /* the leaf of an oplus_fn, a pointer to it */

/* The file names that stand in a compiler's messages for the user's text, and (followed by the name of the struct) for
 * the members of a struct. */
#define OPI_LABEL_OP        "operator"
#define OPI_LABEL_FN        "function"
#define OPI_LABEL_PREDICATE "predicate"
#define OPI_LABEL_MEMBERS   "members of "

/* Writes the source of an operator or a function, in memory that the caller frees; NULL: there is no memory.  op->text
 * and fn->text are bodies (text/text.h). */
char *opi_source_op(const oplus_op *op);
char *opi_source_fn(const oplus_fn *fn, bool predicate);

/* Writes the source of a module that says which types of values a probe (text/text.h) gives.  Its symbol
 * OPI_MODULE_KINDS is two pointers, to the first byte of a list and behind its last.  Each byte is an oplus_scalar, or
 * OPI_KIND_STRUCT + k for the struct of input k, or 0 for any other type. */
#define OPI_MODULE_KINDS "oplus_module_kinds"
enum { OPI_KIND_STRUCT = 32 };
char *opi_source_probe(const oplus_fn *fn, const char *probe);

/* The name of a type in these sources. */
const char *opi_source_type(const oplus_type *type);

#endif
