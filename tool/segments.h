/* Where the segments of an array are: each begins where the one before ends.
 *
 * All calls end the command if something is wrong. */
#ifndef TOOL_SEGMENTS_H
#define TOOL_SEGMENTS_H

#include "job.h"

typedef struct tool_segments {
    uint64_t *offsets; /* count + 1 of them; the caller frees them */
    size_t count;
} tool_segments;

/* Makes segments of n elements from `count` integers of a file. */
typedef tool_segments tool_segments_maker(const int64_t *values, size_t count, size_t n, const char *file);

/* Reads the file that an option names, such as "--heads". */
tool_segments tool_segments_read(const tool_job *job, const char *option, const char *file, size_t n,
                                 tool_segments_maker *make);
/* As --lengths or --offsets says, one of which was given. */
tool_segments tool_segments_of(const tool_job *job, size_t n);

#endif
