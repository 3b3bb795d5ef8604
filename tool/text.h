/* Numbers as text, read and written; pure functions that never end the command.
 *
 * Blanks, line ends and commas separate numbers; # begins a comment to the end of the line.  Of a struct, a line is an
 * element.  No locale is consulted as long as nobody calls setlocale, and the command does not. */
#ifndef TOOL_TEXT_H
#define TOOL_TEXT_H

#include "type.h"

enum { TEXT_MAX_SCALAR = 32 }; /* bytes of a scalar that is written, at most */

typedef struct text_reader {
    tool_layout layout;
    bool record;                  /* a line is an element */
    bool comment;                 /* inside of one */
    bool comma;                   /* a comma may follow: there was a number since the last one */
    bool ragged;                  /* lines are of different lengths */
    uint64_t line;                /* the current one, from 1 */
    uint64_t on_line;             /* numbers on it so far */
    uint64_t columns;             /* numbers on each line before; 0: none yet, or ragged */
    const char *option;           /* that names another type, for messages: -t, until set otherwise; NULL: none does */
    char error[TOOL_ERROR_BYTES]; /* "line 3: ..."; "" while all is well */
} text_reader;

/* False: text of such elements cannot be read (tool_layout_of). */
bool text_reader_open(text_reader *reader, const oplus_type *type);

/* Reads up to `capacity` elements from [at, end) to out, sets *count to their number, and returns where it stopped: at
 * an element that may go on behind `end`, unless `last`: no more follows; or before an error.  *end must be '\0'. */
const char *text_read(text_reader *reader, const char *at, const char *end, bool last, void *out, size_t capacity,
                      size_t *count);

/* Is no number in [at, end) a fraction?  What is no number at all does not count, nor does one that may go on behind
 * `end`, unless `last`.  *end must be '\0'. */
bool text_is_integers(const char *at, const char *end, bool last);

/* Writes a scalar in as few digits as read back the same (no 0 at the end); returns the end. */
char *text_scalar_write(oplus_scalar scalar, const void *value, char *to);

/* Writes an element, its members separated by blanks, in at most layout->scalars * TEXT_MAX_SCALAR bytes. */
char *text_write(const tool_layout *layout, const void *value, char *to);

#endif
