/* The elements of a text, some megabytes at a time, read by all threads in blocks of lines, in order.
 *
 * All calls end the command if something is wrong; messages name the file and the line. */
#ifndef TOOL_ROUNDS_H
#define TOOL_ROUNDS_H

#include "bytes.h"
#include "text.h"

typedef struct tool_rounds tool_rounds;

/* Reads `bytes`, which must outlive the rounds, from their start, as the reader says.  A regular file is mapped. */
tool_rounds *tool_rounds_open(tool_bytes *bytes, const text_reader *reader);
void tool_rounds_close(tool_rounds *rounds); /* NULL allowed */

/* From now on tool_rounds_next also gives the letters of each element. */
void tool_rounds_keep_spans(tool_rounds *rounds);

/* The next elements, and their letters if they are kept; valid until the next call; 0 at the end. */
size_t tool_rounds_next(tool_rounds *rounds, const void **elements, const text_span **spans);

/* What the reader has seen so far. */
const text_reader *tool_rounds_reader(const tool_rounds *rounds);

#endif
