/* The names that `oplus reduce` takes beside operators: what is found of an array rather than combined of it. */
#ifndef TOOL_STATISTICS_H
#define TOOL_STATISTICS_H

#include "job.h"

typedef struct tool_statistic tool_statistic;
/* The one that has this name; NULL: it is none of these names. */
const tool_statistic *tool_statistic_named(const char *name);
/* Does the work of `oplus reduce NAME`, and returns the exit code. */
int tool_statistic_run(tool_job *job, const tool_statistic *s);
/* The same for `oplus reduce NAME --axis N`. */
int tool_statistic_run_along(tool_job *job, const tool_statistic *s);

#endif
