/* --map of reduce, scan and filter: their elements are what a function makes of an element of each file.
 *
 * All calls end the command if something is wrong. */
#ifndef TOOL_MADE_H
#define TOOL_MADE_H

#include "job.h"
#include "operator.h"

typedef struct tool_made {
    size_t arity; /* number of files; 0: there is no --map */
    tool_source *source[OPLUS_MAX_ARITY];
    tool_function_made before;
    const void *in[OPLUS_MAX_ARITY]; /* set by tool_made_read */
} tool_made;

/* True if there is --map: opens the files, and makes the function.  Without it, more than one file is wrong usage, and so
 * are --result and --then. */
bool tool_made_open(const tool_job *job, tool_made *made);
/* Reads all files, and returns how many elements each has. */
size_t tool_made_read(tool_made *made);
/* Closes all but the first file. */
void tool_made_close(tool_made *made);

/* The function of --then over elements of this type; its fn is NULL if there is no --then. */
tool_function_made tool_then_open(const tool_job *job, const oplus_type *type);

#endif
