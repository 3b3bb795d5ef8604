/* Checks that searches for extremes share. */
#ifndef OPI_FRONT_STATISTICS_H
#define OPI_FRONT_STATISTICS_H

#include "front/check.h"

/* Checks that elements of a type have an order. */
oplus_status opi_check_extreme_type(const char *call, const oplus_type *type);
/* The failure of a search in no elements. */
oplus_status opi_fail_no_extreme(const char *call);

#endif
