/* reduce and scan with --axis: along one axis of an array of several dimensions. */
#ifndef TOOL_AXIS_H
#define TOOL_AXIS_H

#include "job.h"

/* Ends the command if there is an option that cannot stand beside `option`, or more than one array. */
void tool_axis_refuse(const tool_job *job, const char *option);

/* Does the work of `oplus reduce OP --axis N` or, if it scans, of `oplus scan OP --axis N`, and returns the exit code. */
int tool_axis_run(tool_job *job, bool scans);

#endif
