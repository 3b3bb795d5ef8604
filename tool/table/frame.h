/* What the commands have in common where their input is a table: which it is, which of its columns are numbers, and
 * the arrays that these are read to.
 *
 * All calls end the command where something is wrong. */
#ifndef TOOL_TABLE_FRAME_H
#define TOOL_TABLE_FRAME_H

#include "table/by_row.h"
#include "table/columns.h"
#include "table/numbers.h"

/* Opens it as the options say. */
tool_table *tool_job_table(const tool_job *job, const char *path);
/* The type of a column's numbers: --type, or what text is. */
const oplus_type *tool_job_number_type(const tool_job *job);
/* Of .csv and .tsv; of other formats `otherwise`. */
char tool_delimiter_of(tool_format format, char otherwise);
/* tool_table_next, with progress. */
bool tool_job_next_rows(tool_table *table);

/* Columns of one type as arrays.  An element is a field; or of a struct, a field for each member.  So there are as many
 * lanes as columns; or of structs, one for as many columns as there are members. */
typedef struct tool_lanes {
    tool_table *table;
    const oplus_type *type;
    tool_layout layout;
    tool_reading how;
    size_t n, first; /* lanes; the number of their first field in the table */
    char **in;       /* [n]: arrays of `room` elements */
    size_t room;
} tool_lanes;

/* --column of the table, or the only one that is not among `others`; others NULL: all of them. */
tool_lanes tool_lanes_open(const tool_job *job, tool_table *table, const oplus_type *type, const tool_columns *others);
/* The type, which nobody has named, is i64: `what` is for integers alone.  Nothing happens if somebody has. */
void tool_lanes_take_integers(tool_lanes *lanes, const char *what);
/* Nobody has named the type, and all numbers so far were written as integers. */
bool tool_lanes_are_whole(const tool_lanes *lanes);
/* The rows that the table has taken last, of all lanes. */
void tool_lanes_read(tool_lanes *lanes);
void tool_lanes_close(tool_lanes *lanes);

#endif
