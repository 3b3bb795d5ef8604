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

/* Makes a body that gives nothing, in which OPLUS_SEEN_( ) stands around each value that TEXT gives, to be freed:
 *     a > b ? a : b                     ->  { ... OPLUS_SEEN_( TEXT ); }
 *     if (a < b) return a; r = b;       ->  { ... if (a < b) return (void) OPLUS_SEEN_( a); r = OPLUS_SEEN_( b); }
 * NULL where its values are not to be seen in that way (members of r are set), where there is no body, or no memory. */
char *opi_text_probe(const char *text, const char *label, const char *result);

/* Letters, digits and _, no digit in front, and no keyword of C. */
bool opi_text_is_name(const char *word);

#endif
