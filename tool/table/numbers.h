/* Numbers of a table's fields. */
#ifndef TOOL_TABLE_NUMBERS_H
#define TOOL_TABLE_NUMBERS_H

#include "table/table.h"

/* How fields are read as numbers. */
typedef struct tool_reading {
    const char *option;       /* names the type, for messages: -t; NULL: no option does */
    bool exact;               /* nothing has named the type: integers that f64 would round are refused */
    bool whole;               /* all numbers so far were written as integers; set if `exact` */
    const char *integers_for; /* the text that needs integers though no option says so; or NULL */
    const char *empty;        /* what an empty field counts as, a number in text, or NULL: it is an error */
} tool_reading;

/* Field k of rows first to first + n - 1 as numbers, each `stride` bytes behind the one before.  Blanks around a
 * number, and quotes, do not count.  Ends the command if a field is no number: the message names the file, the line
 * and the column. */
void tool_table_numbers(const tool_table *table, tool_reading *how, size_t k, size_t first, size_t n,
                        oplus_scalar scalar, void *to, size_t stride);

#endif
