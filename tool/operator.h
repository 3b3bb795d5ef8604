/* OP, FN and PRED of the command line: a built-in name, or a text in C. */
#ifndef TOOL_OPERATOR_H
#define TOOL_OPERATOR_H

#include "options.h"
#include "source.h"

#include <oplus/oplus.h>

typedef struct tool_operator {
    const oplus_op *op;
    oplus_op *made; /* if it was a text */
} tool_operator;

typedef struct tool_function_made {
    const oplus_fn *fn;
    oplus_fn *made;
} tool_function_made;

/* Text whose type nobody has named is f64; if OP, FN or PRED is for integers alone (by name, or a text that compiles
 * for i64 but not for f64), it is i64.  To be called before anything is read.  result: as for tool_function_open. */
void tool_operator_fit(const char *text, tool_source *source);
void tool_function_fit(const char *text, size_t n, tool_source *const *source, const oplus_type *result);
void tool_predicate_fit(const char *text, tool_source *source);
void tool_order_fit(const char *text, tool_source *source); /* a predicate of two elements */

/* The same question for columns of a table: is it for integers alone?  result NULL: of the inputs' type, or a
 * predicate. */
bool tool_operator_of_integers(const char *text);
bool tool_function_of_integers(const char *text, size_t n, const oplus_type *result, bool predicate);

/* These calls end the command if the name does not exist or the text does not compile.  The type must outlive them. */
tool_operator tool_operator_open(const char *text, const oplus_type *type, const tool_options *options);
void tool_operator_close(tool_operator *op);

/* result NULL: of the first input's type. */
tool_function_made tool_function_open(const char *text, size_t arity, const oplus_type *const *input,
                                      const oplus_type *result);
tool_function_made tool_predicate_open(const char *text, size_t arity, const oplus_type *const *input);
void tool_function_close(tool_function_made *function);

#endif
