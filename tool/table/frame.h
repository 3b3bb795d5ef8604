/* What the commands have in common where their input is a table: opening it, the columns that are numbers, and the
 * arrays that these are read into.
 *
 * All calls end the command if something is wrong. */
#ifndef TOOL_TABLE_FRAME_H
#define TOOL_TABLE_FRAME_H

#include "table/by_row.h"
#include "table/columns.h"
#include "table/numbers.h"

/* Opens the table as the options say. */
tool_table *tool_job_table(const tool_job *job, const char *path);
/* The type of a column's numbers: --type, or else the default type of text. */
const oplus_type *tool_job_number_type(const tool_job *job);
/* The delimiter of .csv and .tsv; `otherwise` for other formats. */
char tool_delimiter_of(tool_format format, char otherwise);
/* tool_table_next, with progress. */
bool tool_job_next_rows(tool_table *table);

/* Columns of one type as arrays.  An element is one field; an element that is a struct has one field for each
 * member.  So there is one lane for each column; of structs, one lane for as many columns as there are members. */
typedef struct tool_lanes {
    tool_table *table;
    const oplus_type *type;
    tool_layout layout;
    tool_reading how;
    size_t n, first; /* lanes; the number of their first field in the table */
    char **in;       /* [n]: arrays of `room` elements */
    size_t room;
} tool_lanes;

/* The columns that --column names; without --column, the only one that is not among `others`; others NULL: all
 * columns. */
tool_lanes tool_lanes_open(const tool_job *job, tool_table *table, const oplus_type *type, const tool_columns *others);
/* Makes the type i64 if no option names it, because `what` is for integers alone; does nothing otherwise. */
void tool_lanes_take_integers(tool_lanes *lanes, const char *what);
/* Is the type named by no option, and were all numbers so far written as integers? */
bool tool_lanes_are_whole(const tool_lanes *lanes);
/* Reads the rows that the table has taken last, into all lanes. */
void tool_lanes_read(tool_lanes *lanes);
void tool_lanes_close(tool_lanes *lanes);

#endif
