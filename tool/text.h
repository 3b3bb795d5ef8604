/* Elements as text, read and written; pure functions that never end the command.
 *
 * Blanks and line ends separate numbers; # begins a comment to the end of the line.  Of a struct, a line is an
 * element. */
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
    bool commas;                  /* may stand between numbers, as in the value of an option; else they are an error */
    bool free;                    /* f64 because nobody has named a type: an integer that f64 would round is an error */
    bool whole;                   /* free: all numbers so far are written as integers */
    bool comment;                 /* inside of one */
    bool comma;                   /* a comma may follow: there was a number since the last one */
    bool ragged;                  /* lines are of different lengths */
    uint64_t line;                /* the current one, from 1 */
    uint64_t on_line;             /* numbers on it so far */
    uint64_t columns;             /* numbers on each line before; 0: none yet, or ragged */
    const char *option;           /* that names another type, for messages: -t, until set otherwise; NULL: none does */
    const char *integers_for;     /* for messages: what was asked for, which is defined for integers alone; or NULL */
    char error[TOOL_ERROR_BYTES]; /* "line 3: ..."; "" while all is well */
} text_reader;

/* False: text of such elements cannot be read (tool_layout_of). */
bool text_reader_open(text_reader *reader, const oplus_type *type);

/* Reads up to `capacity` elements from [at, end) to out, sets *count to their number, and returns where it stopped: at
 * an element that may go on behind `end`, unless `last`: no more follows; or before an error.  spans[i], unless spans
 * is NULL, is where element i stood. */
const char *text_read(text_reader *reader, const char *at, const char *end, bool last, void *out, size_t capacity,
                      size_t *count, text_span *spans);

/* As many elements may be in so many letters, at most. */
size_t text_most(const text_reader *reader, size_t letters);

/* Text in blocks that end behind line ends, each read by a reader of its own: *block begins where a line begins, */
void text_reader_fork(const text_reader *reader, text_reader *block);
/* and the reader of all that stands before it learns what it has seen.  An error does not count lines from the start:
 * the block is to be read again by that reader, which tells the same. */
void text_reader_join(text_reader *reader, const text_reader *block);

/* Writes an element, its members separated by blanks, in at most layout->scalars * NUMBER_MAX bytes. */
char *text_write(const tool_layout *layout, const void *value, char *to);

#endif
