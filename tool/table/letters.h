/* Rows in the order of a column's text, letter by letter. */
#ifndef TOOL_TABLE_LETTERS_H
#define TOOL_TABLE_LETTERS_H

#include "job.h"
#include "table/table.h"

/* order: which row stands where, of all n rows that the table holds.  Sorts it by field k, by the values of its bytes
 * (a shorter text stands before a longer one that begins with it), and keeps the order of equal ones. */
void tool_sort_letters(const tool_job *job, const tool_table *table, size_t k, oplus_order direction, uint64_t *order,
                       size_t n);

#endif
