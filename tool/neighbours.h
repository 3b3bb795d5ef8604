/* oplus map --neighbours: a function of each element and its neighbours. */
#ifndef TOOL_NEIGHBOURS_H
#define TOOL_NEIGHBOURS_H

#include "job.h"

/* Does the work, and returns the exit code.  The function is operand 0, the file operand 1. */
int tool_neighbours_run(tool_job *job);

#endif
