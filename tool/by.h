/* --by of sort and argsort: the order is what a text in C says of two elements. */
#ifndef TOOL_BY_H
#define TOOL_BY_H

#include "job.h"

/* Sorts the elements of the operand, or their indices if `places`, and writes them; the whole command. */
int tool_by(tool_job *job, bool places);

#endif
