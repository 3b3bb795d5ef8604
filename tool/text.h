/* Elements as text, read and written; pure functions that never end the command.
 *
 * Blanks and line ends separate numbers; # begins a comment to the end of the line.  If the elements are structs,
 * each line is one element. */
#ifndef TOOL_TEXT_H
#define TOOL_TEXT_H

#include "number.h"
#include "type.h"

/* The letters of an element, from its first number to its last. */
typedef struct text_span {
    const char *at, *end;
} text_span;

typedef struct text_reader {
    tool_layout layout;
    bool record;                  /* a line is an element */
    bool commas;                  /* may separate numbers, as in the value of an option; else an error */
    bool free;                    /* f64 as no option names a type: an integer that f64 would round is an error */
    bool whole;                   /* free: all numbers so far are written as integers */
    bool comment;                 /* inside a comment */
    bool comma;                   /* a comma may follow: there was a number since the last one */
    bool ragged;                  /* lines are of different lengths */
    uint64_t line;                /* the current one, from 1 */
    uint64_t on_line;             /* numbers on it so far */
    uint64_t columns;             /* numbers on each line before; 0: none yet, or ragged */
    const char *option;           /* that names another type, for messages: -t, until set otherwise; NULL: none does */
    const char *integers_for;     /* for messages: what was asked for, which is defined for integers alone; or NULL */
    char error[TOOL_ERROR_BYTES]; /* "line 3: ..."; "" while all is well */
} text_reader;

/* Returns false if text of such elements cannot be read (tool_layout_of). */
bool text_reader_open(text_reader *reader, const oplus_type *type);

/* Reads up to `capacity` elements from [at, end) to out, sets *count to their number, and returns where it stopped:
 * at an element that may go on behind `end`, or before an error.  last: no text follows `end`.  spans[i] is where
 * element i stood, unless spans is NULL. */
const char *text_read(text_reader *reader, const char *at, const char *end, bool last, void *out, size_t capacity,
                      size_t *count, text_span *spans);

/* The most elements that so many letters can hold. */
size_t text_most(const text_reader *reader, size_t letters);

/* Text is read in blocks that end behind line ends, each by a reader of its own: makes *block a reader for a block. */
void text_reader_fork(const text_reader *reader, text_reader *block);
/* Tells `reader`, which has read all text before the block, what *block has seen.  After an error the block must be
 * read again by `reader`: its message has the right line number, as it counts lines from the start. */
void text_reader_join(text_reader *reader, const text_reader *block);

/* Writes an element, its members separated by blanks, in at most layout->scalars * NUMBER_MAX bytes. */
char *text_write(const tool_layout *layout, const void *value, char *to);

#endif
