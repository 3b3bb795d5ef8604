/* The check of a function, for map and filter. */
#ifndef OPI_FN_H
#define OPI_FN_H

#include <oplus/oplus.h>

oplus_status opi_check_fn(const char *call, const char *argument, const oplus_fn *fn);
/* The same, of a function that must not use the index i. */
oplus_status opi_check_fn_without_index(const char *call, const char *argument, const oplus_fn *fn);
/* Checks a predicate of a filter, and where the number of kept elements goes. */
oplus_status opi_check_keep(const char *call, const oplus_fn *keep, const size_t *kept);

#endif
