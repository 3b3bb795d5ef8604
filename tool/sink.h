/* Arrays that go out: to a .npy, raw or text file, which appears under its name when it is complete, or to a pipe.
 *
 * All calls end the command where something is wrong; messages name the file. */
#ifndef TOOL_SINK_H
#define TOOL_SINK_H

#include "source.h"

/* The format to write: what was asked for (--to); else by the name of -o; else text for a terminal, or as came in. */
tool_format tool_sink_choose(tool_format asked, const char *path, tool_format in);

typedef struct tool_sink tool_sink;

/* Opens path (NULL or "-": stdout) for elements of a type.  dims and shape as in NumPy (0, NULL: a single value);
 * dims -1: one dimension, as many as will be written.  Text has an element a line, or of 2 dimensions and more a row a
 * line.  A file that is there stays as it was until tool_sink_close. */
tool_sink *tool_sink_open(const char *path, tool_format format, const oplus_type *type, int dims,
                          const uint64_t *shape);
/* The name that a file has until it is complete, for tool_sink_join; NULL: it is written in its place. */
const char *tool_sink_temporary(const tool_sink *sink);
/* The same array in another process of this command, which writes a part of it into a file that has been opened there
 * (of .npy or raw).  It takes its name when it is closed there, after all that have joined. */
tool_sink *tool_sink_join(const char *path, const char *temporary, tool_format format, const oplus_type *type, int dims,
                          const uint64_t *shape);
/* Of plain text: what stands between the elements of a row, and the members of a struct, in place of a blank. */
void tool_sink_separate(tool_sink *sink, char between);
/* What is written next begins at that element; there will be `total` in all. */
void tool_sink_at(tool_sink *sink, uint64_t first, uint64_t total);
void tool_sink_write(tool_sink *sink, const void *in, size_t n);
/* Of text: bytes that are written as they are, and count as so many elements. */
void tool_sink_bytes(tool_sink *sink, const char *bytes, size_t n, uint64_t elements);
/* Writes what is still to be written; tool_sink_close does it too.  Of two files, both first: each may fail. */
void tool_sink_complete(tool_sink *sink);
/* Completes the file and gives it its name. */
void tool_sink_close(tool_sink *sink);

const char *tool_sink_name(const tool_sink *sink); /* for messages: the path, or "stdout" */
const oplus_type *tool_sink_type(const tool_sink *sink);
bool tool_sink_is_stdout(const tool_sink *sink);
bool tool_sink_is_text(const tool_sink *sink);
uint64_t tool_sink_count(const tool_sink *sink); /* elements written; all, if it has been told */

#endif
