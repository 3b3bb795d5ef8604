/* Constant expressions of numbers, as they stand between the brackets of an array. */
#ifndef OPI_CONSTANT_H
#define OPI_CONSTANT_H

#include <stddef.h>

/* Takes an expression of C's operators on integers: its value if that is 1 to limit, else 0; 0 too if there is a name
 * in it, or a logical operator. */
size_t opi_take_number(const char **at, size_t limit);

#endif
