/* --check-overflow: whether a sum or product of integers fits their type, found out by computing exactly beside. */
#ifndef TOOL_OVERFLOW_H
#define TOOL_OVERFLOW_H

#include "job.h"

typedef struct tool_overflow tool_overflow;

/* NULL without the option; wrong usage if the check has no meaning.  lanes: columns of a table; init: what a fold
 * begins with, or NULL. */
tool_overflow *tool_overflow_open(const tool_job *job, const oplus_type *type, size_t lanes, const void *init);
/* What must fit: the total only, or every result of an inclusive or exclusive scan too. */
typedef enum tool_prefixes { TOOL_TOTAL, TOOL_INCLUSIVE, TOOL_EXCLUSIVE } tool_prefixes;
/* Takes n more elements. */
void tool_overflow_add(tool_overflow *o, const void *in, size_t n, tool_prefixes prefixes);
/* Checks whether the total fits.  All three calls end the command if something does not fit. */
void tool_overflow_total(const tool_overflow *o);
void tool_overflow_close(tool_overflow *o); /* NULL is fine for the last three */

#endif
