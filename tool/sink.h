/* Arrays that go out: to a .npy, raw or text file, which appears under its name when it is complete, or to a pipe.
 *
 * All calls end the command if something is wrong; messages name the file. */
#ifndef TOOL_SINK_H
#define TOOL_SINK_H

#include "source.h"

/* The format to write: the one asked for (--to); else by the name of -o; else text for a terminal, or the input's
 * format. */
tool_format tool_sink_choose(tool_format asked, const char *path, tool_format in);

typedef struct tool_sink tool_sink;

/* Opens path (NULL or "-": stdout) for elements of a type.  dims and shape as in NumPy (0, NULL: a single value);
 * dims -1: one dimension, as many as will be written.  Text has one element on each line, or, with 2 dimensions or
 * more, one row.  An existing file stays as it was until tool_sink_close. */
tool_sink *tool_sink_open(const char *path, tool_format format, const oplus_type *type, int dims,
                          const uint64_t *shape);
/* The name that a file has until it is complete, for tool_sink_join; NULL: the file is written directly. */
const char *tool_sink_temporary(const tool_sink *sink);
/* The same array in another process of this command, which writes a part of it into the .npy or raw file that the
 * first process has opened.  The first process closes it last, and then the file gets its name. */
tool_sink *tool_sink_join(const char *path, const char *temporary, tool_format format, const oplus_type *type, int dims,
                          const uint64_t *shape);
/* For plain text: the character between the elements of a row, and between the members of a struct, instead of a
 * blank. */
void tool_sink_separate(tool_sink *sink, char between);
/* The next write begins at element `first`; there will be `total` elements in all. */
void tool_sink_at(tool_sink *sink, uint64_t first, uint64_t total);
void tool_sink_write(tool_sink *sink, const void *in, size_t n);
/* For text: writes bytes as they are, which count as `elements` elements. */
void tool_sink_bytes(tool_sink *sink, const char *bytes, size_t n, uint64_t elements);
/* Writes what is still to be written; tool_sink_close does it too.  With two files, complete both before closing
 * one, as each may fail. */
void tool_sink_complete(tool_sink *sink);
/* Completes the file and gives it its name. */
void tool_sink_close(tool_sink *sink);

const char *tool_sink_name(const tool_sink *sink); /* for messages: the path, or "stdout" */
const oplus_type *tool_sink_type(const tool_sink *sink);
bool tool_sink_is_stdout(const tool_sink *sink);
bool tool_sink_is_text(const tool_sink *sink);
uint64_t tool_sink_count(const tool_sink *sink); /* elements written; the total if it was told */

#endif
