/* Subcommands whose input is a table; each does what it does with an array, and returns the exit code. */
#ifndef TOOL_TABLE_BY_ROW_H
#define TOOL_TABLE_BY_ROW_H

#include "job.h"

/* Is the input at path a table?  It is if there is an option for tables only, or if its name ends in .csv or .tsv. */
bool tool_job_is_table(const tool_job *job, const char *path);

int tool_table_map(tool_job *job);
int tool_table_filter(tool_job *job);
int tool_table_scan(tool_job *job);
int tool_table_sort(tool_job *job);
int tool_table_segscan(tool_job *job);
int tool_table_segreduce(tool_job *job);

#endif
