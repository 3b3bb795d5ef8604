/* The functions and predicates that need no compiler: `oplus map sqrt`, `oplus filter positive`. */
#ifndef TOOL_FUNCTIONS_H
#define TOOL_FUNCTIONS_H

#include <oplus/oplus.h>

/* The function of that name on elements of that type, or NULL. */
const oplus_fn *tool_function(const char *name, const oplus_type *type);
const oplus_fn *tool_predicate(const char *name, const oplus_type *type);

/* The i-th name, NULL after the last; what it does is in docs/man/oplus-map.1.scd and oplus-filter.1.scd. */
const char *tool_function_name(size_t i);
const char *tool_predicate_name(size_t i);

#endif
