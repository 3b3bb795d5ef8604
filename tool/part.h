/* Files of which each rank has a part, in the order of the ranks.
 *
 * All ranks make these calls together, after tool_ranks_open; if one of them ends, the others learn why in the next
 * such call (see ranks.h). */
#ifndef TOOL_PART_H
#define TOOL_PART_H

#include "sink.h"
#include "source.h"

#include <oplus/ranks.h>

/* Ends the command if a part of that file cannot be read alone, because it is stdin or a pipe; name: "FILE",
 * "--heads". */
void tool_part_check_input(const char *name, const char *path);
/* The same for writing; path NULL: stdout; name: "-o". */
void tool_part_check_output(const char *name, const char *path, tool_format format);

/* Reduces the source to this rank's part: N / p elements, and one more on each of the first N % p ranks. */
void tool_part_narrow(const oplus_comm *comm, tool_source *source);

/* A sink that all ranks share; the arguments are the same on all of them. */
tool_sink *tool_part_sink(const oplus_comm *comm, const char *path, tool_format format, const oplus_type *type,
                          int dims, const uint64_t *shape);
/* Writes this rank's n elements behind those of the ranks before. */
void tool_part_write(const oplus_comm *comm, tool_sink *sink, const void *in, size_t n);
/* Closes two sinks, of which the second may be NULL: both files get their names after all ranks have written both. */
void tool_part_close(const oplus_comm *comm, tool_sink *sink, tool_sink *other);

#endif
