/* A check that the sorts of one array (sort.c) and over ranks (sort_all.c) share. */
#ifndef OPI_FRONT_SORT_H
#define OPI_FRONT_SORT_H

#include <oplus/oplus.h>

#include <stdbool.h>

/* Checks the arguments of a sort of keys, with values if `pairs`; count: the name of n in messages. */
oplus_status opi_sort_check(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order,
                            const void *keys, bool pairs, const oplus_type *value, const void *values,
                            const char *count, size_t n);

#endif
