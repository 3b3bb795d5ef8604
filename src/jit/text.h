/* What a user wrote as the text of an operator or function, brought into one form: the body of a C function. */
#ifndef OPI_TEXT_H
#define OPI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { OPI_TEXT_BYTES = 64 << 10 }; /* the longest text */

/* Makes the body in braces, in memory to be freed; TEXT stands on lines of its own, as line 1 of the file `label`:
 *     a > b ? a : b                     ->  { return ( TEXT ); }
 *     r.x = a.x; r.y = b.y              ->  { RESULT r = {0}; { TEXT ; } return r; }
 *     if (a < b) return a; return b;    ->  { TEXT }
 * NULL if that is impossible: then `why` says what is wrong with it (an empty `why`: there is no memory). */
char *opi_text_body(const char *text, const char *label, const char *result, char *why, size_t why_bytes);

/* Letters, digits and _, no digit in front, and no keyword of C. */
bool opi_text_is_name(const char *word);

#endif
