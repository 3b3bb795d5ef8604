/* Columns of a table as an array that comes in. */
#ifndef TOOL_TABLE_SOURCE_H
#define TOOL_TABLE_SOURCE_H

#include "job.h"

/* The input of a subcommand, as its options say.  If no option names columns: all columns, row after row, if
 * `every`; else the only one.  There are tool_source_columns of them, whose elements come in turn. */
tool_source *tool_table_source(const tool_job *job, const char *path, bool every);
/* Opens another file, of one column, whose name ends in .csv or .tsv; type NULL: f64.  Returns NULL for other names. */
tool_source *tool_table_source_as(const tool_job *job, const char *path, const oplus_type *type, const char *option);

#endif
