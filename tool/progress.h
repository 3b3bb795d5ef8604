/* A bar, the rate and the time left, on stderr: on a terminal only, and after a second of work. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts the clock.  quiet: nothing is ever shown. */
void tool_progress_begin(bool quiet);
/* Begins a phase such as "reading", whose name stands in front of the bar; its clock starts. */
void tool_progress_phase(const char *name);
/* done: bytes so far; total: in all, 0 if unknown.  Cheap; draws ten times a second at most. */
void tool_progress_show(uint64_t done, uint64_t total);
/* Shows what is done now, for work that is no stream of bytes; drawn at once, ten times a second at most. */
void tool_progress_say(const char *what);
/* Begins work of unknown progress, such as "sorting": shows how long it has taken, twice a second, until work_end. */
void tool_progress_work(const char *name);
void tool_progress_work_end(void);
/* Wipes the line, if there is one; more lines may follow. */
void tool_progress_wipe(void);
/* Wipes the line; no more lines follow. */
void tool_progress_end(void);

/* Seconds of a clock that never jumps. */
double tool_seconds(void);

#endif
