/* The text of an operator or function that a user wrote, and its one form: the body of a C function. */
#ifndef OPI_TEXT_H
#define OPI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { OPI_TEXT_BYTES = 64 << 10 }; /* the longest text */

/* Makes the body of a text, in braces, in memory that the caller frees.  TEXT is on lines of its own, as line 1 of the
 * file `label`:
 *     a > b ? a : b                     ->  { return ( TEXT ); }
 *     r.x = a.x; r.y = b.y              ->  { RESULT r = {0}; { TEXT ; } return r; }
 *     if (a < b) return a; return b;    ->  {{ TEXT }}, where it may declare names of the operands anew
 * NULL if that is impossible: then `why` says what is wrong with the text ("": there is no memory). */
char *opi_text_body(const char *text, const char *label, const char *result, char *why, size_t why_bytes);

/* Whether a text uses the index i, and does not declare an i of its own. */
bool opi_text_uses_index(const char *text);

/* Makes a probe of a text: a body that returns nothing, with OPLUS_SEEN_( ) around each value that TEXT gives.  The
 * caller frees it.
 *     a > b ? a : b                     ->  { ... OPLUS_SEEN_( TEXT ); }
 *     if (a < b) return a; r = b;       ->  { ... if (a < b) return (void) OPLUS_SEEN_( a); r = OPLUS_SEEN_( b); }
 * NULL if the values cannot be marked like this (members of r are set), if the text has no body, or if there is no
 * memory. */
char *opi_text_probe(const char *text, const char *label, const char *result);

/* Whether a word is a name in C: letters, digits and _, no digit at the beginning, and no keyword. */
bool opi_text_is_name(const char *word);

#endif
