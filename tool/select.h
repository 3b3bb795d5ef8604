/* What `oplus filter` does with --mask, --indices and --both. */
#ifndef TOOL_SELECT_H
#define TOOL_SELECT_H

#include "job.h"

/* Whether one of these options is given; ends the command if they contradict each other. */
bool tool_select_is_wanted(const tool_job *job);
/* The subcommand, then. */
int tool_select(tool_job *job);

#endif
