/* A check that the calls along an axis share. */
#ifndef OPI_FRONT_AXIS_H
#define OPI_FRONT_AXIS_H

#include "front/check.h"

/* Checks the extents of an array of elements of `size` bytes, and `in`, the argument of that name.  *in_n, *rows: how many elements it has, and how
 * many rows. */
oplus_status opi_check_axis(const char *call, const opi_axis *axis, size_t size, const char *argument, const void *in,
                            size_t *in_n, size_t *rows);

#endif
