/* Calls on an array that is held in memory and gives one that is as long. */
#ifndef TOOL_WHOLE_H
#define TOOL_WHOLE_H

#include "job.h"

/* Writes the n results of an operator on n elements. */
typedef oplus_status tool_whole_call(const tool_job *job, const oplus_op *op, const void *in, size_t n, void *out);

/* Reads the array at path, calls, writes, closes the job, and returns the exit code.  The operator is operand 0.  work: what
 * is said to be going on. */
int tool_whole_run(tool_job *job, const char *path, const char *work, tool_whole_call *call);

#endif
