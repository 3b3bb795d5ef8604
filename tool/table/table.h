/* A table that comes in: rows of text, block by block in fixed memory, or all at once.
 *
 * All calls end the command if something is wrong; messages name the file, the line and the column. */
#ifndef TOOL_TABLE_TABLE_H
#define TOOL_TABLE_TABLE_H

#include "table/csv.h"
#include "type.h"

typedef struct tool_table tool_table;

/* Opens path (NULL or "-": stdin) and looks at its first row.  header: that row names the columns.  delimiter: a
 * character, or CSV_BLANKS. */
tool_table *tool_table_open(const char *path, char delimiter, bool header);
void tool_table_close(tool_table *table); /* NULL allowed */

const char *tool_table_name(const tool_table *table); /* for messages: the path, or "stdin" */
char tool_table_delimiter(const tool_table *table);
/* The number of columns of the first row; 0: there is no row. */
size_t tool_table_columns(const tool_table *table);
bool tool_table_has_header(const tool_table *table);
/* For a table with a header: a column's name, and the header's bytes as they were read, without the line end. */
const char *tool_table_column_name(const tool_table *table, size_t column);
const char *tool_table_header(const tool_table *table, size_t *bytes);
/* What is written between two fields: the delimiter; or a blank, or a tab if the first row has one. */
char tool_table_between(const tool_table *table);
/* "\n" or "\r\n", as the first line has it. */
const char *tool_table_line_end(const tool_table *table);
/* Bytes read so far, and in all (0: unknown). */
uint64_t tool_table_done(const tool_table *table);
uint64_t tool_table_total(const tool_table *table);

/* Columns whose fields are wanted, from 0: the k-th of all calls together is `field` k of tool_table_field.  To be
 * called before the first row is taken.  Returns the k of the first of these columns. */
size_t tool_table_want(tool_table *table, const size_t *columns, size_t n);
/* The column that is the k-th wanted one. */
size_t tool_table_wanted(const tool_table *table, size_t k);

/* Takes some more rows, with their text; valid until the next call.  False: there are no more rows. */
bool tool_table_next(tool_table *table);
/* Takes all rows; to be called instead of tool_table_next. */
void tool_table_all(tool_table *table);
/* Of the rows that were taken last: */
size_t tool_table_count(const tool_table *table);
const char *tool_table_row(const tool_table *table, size_t i, size_t *bytes);
const char *tool_table_field(const tool_table *table, size_t i, size_t k, size_t *bytes);
/* The line that row i begins on, from 1. */
uint64_t tool_table_line(const tool_table *table, size_t i);

#endif
