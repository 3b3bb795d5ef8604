/* Columns of a table as the command line names them: --column price,qty; --column 2-4; --delimiter tab.
 *
 * All calls end the command if something is wrong; messages name the option. */
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

/* The columns in a list between commas, in its order: names, numbers from 1, ranges of numbers.  With a header, a
 * word that is both a name and a number is a name; a name with a comma or a quote is quoted, as in a table. */
tool_columns tool_columns_parse(const tool_table *table, const char *option, const char *list);
/* The only column that is not among `others`, for when no option names one. */
tool_columns tool_columns_only(const tool_table *table, const char *option, const tool_columns *others);
tool_columns tool_columns_every(const tool_table *table);
void tool_columns_free(tool_columns *columns);

/* Where results go: existing columns, or new ones behind the last, with numbers from `columns` on. */
typedef struct tool_targets {
    size_t n, *at;
    char **name; /* of new columns; NULL for existing ones */
} tool_targets;

/* Reads a list of as many columns as there are results. */
tool_targets tool_targets_parse(const tool_table *table, const char *option, const char *list, size_t results);
void tool_targets_free(tool_targets *targets);

/* The names in a list, without their quotes; the caller frees each name and the array. */
char **tool_names_parse(const char *option, const char *list, size_t *n);

/* "column price", "column 3"; valid until the next call. */
const char *tool_column_words(const tool_table *table, size_t column);
/* Letters as they may be printed, cut to `bytes` with its '\0'; returns `to`. */
char *tool_shown(const char *at, const char *end, char *to, size_t bytes);

#endif
