/* What a user wrote as the text of an operator or function, brought into one form: the body of a C function. */
#ifndef OPI_TEXT_H
#define OPI_TEXT_H

#include <stddef.h>

enum { OPI_TEXT_BYTES = 64 << 10 }; /* the longest text */

/* Makes the body in braces, in memory to be freed:
 *     a > b ? a : b          ->  { return ( a > b ? a : b ); }
 *     r.x = a.x; r.y = b.y   ->  { RESULT r = {0}; r.x = a.x; r.y = b.y; return r; }
 *     if (a < b) return a; return b;    and the same in braces: as it is
 * NULL if that is impossible: then `why` says what is wrong with it (an empty `why`: there is no memory). */
char *opi_text_body(const char *text, const char *result, char *why, size_t why_bytes);

#endif
