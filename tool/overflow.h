/* --check-overflow: whether a sum or product of integers fits their type, found out with exact numbers beside. */
#ifndef TOOL_OVERFLOW_H
#define TOOL_OVERFLOW_H

#include "job.h"

typedef struct tool_overflow tool_overflow;

/* NULL where it is not asked for; wrong usage where it has no meaning.  lanes: columns of a table; init: what a fold
 * begins with, or NULL. */
tool_overflow *tool_overflow_open(const tool_job *job, const oplus_type *type, size_t lanes, const void *init);
/* What must fit: the total, or every result of an inclusive or exclusive scan as well. */
typedef enum tool_prefixes { TOOL_TOTAL, TOOL_INCLUSIVE, TOOL_EXCLUSIVE } tool_prefixes;
/* Takes n more elements. */
void tool_overflow_add(tool_overflow *o, const void *in, size_t n, tool_prefixes prefixes);
/* Whether the total fits; all three end the command where something does not. */
void tool_overflow_total(const tool_overflow *o);
void tool_overflow_close(tool_overflow *o); /* NULL is fine for the last three */

#endif
