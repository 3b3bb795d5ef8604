/* --members of sort and argsort: structs in the order of some of their members. */
#ifndef TOOL_MEMBERS_H
#define TOOL_MEMBERS_H

#include "job.h"

/* Sorts the elements of the operand, or their indices if `places`, and writes them; the whole command. */
int tool_members(tool_job *job, bool places);

#endif
