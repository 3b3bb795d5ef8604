/* Columns of a table as the command line names them: --column price,qty; --column 2-4; --delimiter tab.
 *
 * All calls end the command where something is wrong; messages name the option. */
#ifndef TOOL_TABLE_COLUMNS_H
#define TOOL_TABLE_COLUMNS_H

#include "table/table.h"

/* One character, or its name: tab, comma, semicolon, space, pipe; "\t" too. */
char tool_delimiter_parse(const char *text);
/* How a message names it: "a comma". */
const char *tool_delimiter_words(char delimiter);

typedef struct tool_columns {
    size_t n, *at; /* from 0 */
} tool_columns;

/* The columns in a list between commas, in its order: names, numbers from 1, ranges of numbers.  With a header, what is
 * a name goes before a number; a name that has a comma or a quote is quoted, as in a table. */
tool_columns tool_columns_parse(const tool_table *table, const char *option, const char *list);
/* The only one that is not among the others: nobody has said which. */
tool_columns tool_columns_only(const tool_table *table, const char *option, const tool_columns *others);
tool_columns tool_columns_every(const tool_table *table);
void tool_columns_free(tool_columns *columns);

/* Where results go: the columns that there are, or new ones behind the last, `columns` and so on. */
typedef struct tool_targets {
    size_t n, *at;
    char **name; /* of new ones, and NULL of the others */
} tool_targets;

/* As many as there are results for. */
tool_targets tool_targets_parse(const tool_table *table, const char *option, const char *list, size_t results);
void tool_targets_free(tool_targets *targets);

/* The names in a list, without what quotes them, each to be freed, and so is the array. */
char **tool_names_parse(const char *option, const char *list, size_t *n);

/* "column price", "column 3"; valid until the next call. */
const char *tool_column_words(const tool_table *table, size_t column);
/* Letters as they may be printed, cut to `bytes` with its '\0'; returns `to`. */
char *tool_shown(const char *at, const char *end, char *to, size_t bytes);

#endif
