/* A bar, the rate and the time left, on stderr: on a terminal only, and after a second of work. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the clock.  quiet: nothing is ever shown. */
void tool_progress_begin(bool quiet);
/* done: bytes so far; total: in all, 0 if unknown.  Cheap; draws ten times a second at most. */
void tool_progress_show(uint64_t done, uint64_t total);
/* Wipes the line, if there is one. */
void tool_progress_end(void);

/* Seconds of a clock that never jumps. */
double tool_seconds(void);

#endif
