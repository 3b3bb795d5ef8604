/* Lists on the command line: names, sizes, numbers, shapes.  A list that is none ends the command with a message, which
 * names the option. */
#ifndef BENCH_LISTS_H
#define BENCH_LISTS_H

#include <stdbool.h>
#include <stddef.h>

#include "shape.h"

enum { BENCH_MAX_LIST = 64 };

/* Sets chosen[i] for each name in the list, or for all if it is "all"; there are `count` names. */
void bench_list_names(const char *option, const char *list, bool *chosen, size_t count, const char *(*name)(size_t));
/* "1e3,2^20,1e3..1e8:10"; returns how many sizes it has written, at most BENCH_MAX_LIST. */
size_t bench_list_sizes(const char *option, const char *list, size_t *sizes);
/* "1,2,16": numbers of least to most. */
size_t bench_list_numbers(const char *option, const char *list, int *numbers, long least, long most);
int bench_list_number(const char *option, const char *text, long most);
/* "3,1e4,power,empty": lengths of segments. */
size_t bench_list_lengths(const char *option, const char *list, bench_shape *shapes);
/* "3x1000,64x64": rows and columns of matrices. */
size_t bench_list_shapes(const char *option, const char *list, bench_shape *shapes);

#endif
