/* One number as text, read and written; pure functions that never end the command, and may run on any thread.
 *
 * No locale has any effect as long as nobody calls setlocale, and the command does not call it. */
#ifndef TOOL_NUMBER_H
#define TOOL_NUMBER_H

#include <oplus/oplus.h>

#include <stdbool.h>

enum { NUMBER_MAX = 48 }; /* bytes that number_write needs; the number itself has at most 25 */

typedef enum number_verdict {
    NUMBER_GOOD = 0,
    NUMBER_NONE,     /* it is not a number */
    NUMBER_FRACTION, /* an integer is wanted, and the number is none */
    NUMBER_NO_FIT,   /* the type is too narrow */
    NUMBER_INEXACT   /* an integer that f64 would round: number_read_exact alone says so */
} number_verdict;

/* Reads the letters [at, end), all of them, as a number of that type.  For floats it takes what strtod takes:
 * decimal and hexadecimal numbers, inf and nan; for integers decimal and hexadecimal (0x) ones.  The number is
 * rounded once, to the nearest. */
number_verdict number_read(oplus_scalar scalar, const char *at, const char *end, void *to);

/* The same as f64, for text whose type nobody has named: an integer that f64 would round is refused.  Clears *whole
 * where the number is not written as an integer. */
number_verdict number_read_exact(const char *at, const char *end, double *to, bool *whole);

/* Reads the number that [at, end) begins with, if that is quick, and returns where it ends; what follows may show
 * that it is no number.  Clears *whole as number_read_exact does.  NULL: find the end of the number and use one of
 * the calls above. */
const char *number_front(oplus_scalar scalar, const char *at, const char *end, void *to, bool *whole);

/* For a number written as an integer of any size: the narrowest type that takes it, "i64", "u64", or "f64", which
 * rounds. */
const char *number_integer_type(const char *at, const char *end);

/* Writes a number in the fewest digits that read back the same (no 0 at the end, whole numbers as integers; nan has no
 * sign, which means nothing); returns the end. */
char *number_write(oplus_scalar scalar, const void *value, char *to);

#endif
