/* Checks that calls in sorted arrays share. */
#ifndef OPI_FRONT_ORDER_H
#define OPI_FRONT_ORDER_H

#include <oplus/oplus.h>

/* Checks a function that compares two elements of one type. */
oplus_status opi_check_less(const char *call, const oplus_fn *less);

#endif
