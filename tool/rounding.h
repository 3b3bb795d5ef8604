/* Text whose type nobody has named is f64, which holds integers up to 2^53.  Where integers come in and results
 * reach the end of that range, they may have been rounded; a warning says so, once. */
#ifndef TOOL_ROUNDING_H
#define TOOL_ROUNDING_H

#include "source.h"

typedef struct tool_rounding {
    bool beyond; /* a result of 2^53 or more has been seen: 2^53 + 1 is rounded to it */
} tool_rounding;

/* Looks at results that were computed from a source. */
void tool_rounding_see(tool_rounding *rounding, const tool_source *source, const oplus_type *type, const void *results,
                       size_t n);
/* The same for columns of a table; whole: all their numbers were integers. */
void tool_rounding_see_whole(tool_rounding *rounding, bool whole, const oplus_type *type, const void *results,
                             size_t n);
/* To be called at the end.  Warns, unless OP or FN, by its name, only selects one of its operands. */
void tool_rounding_tell(const tool_rounding *rounding, const tool_source *source, const char *name);
void tool_rounding_tell_whole(const tool_rounding *rounding, bool whole, const char *file, const char *name);

#endif
