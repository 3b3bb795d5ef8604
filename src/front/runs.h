/* Checks that calls on runs of equal keys share. */
#ifndef OPI_FRONT_RUNS_H
#define OPI_FRONT_RUNS_H

#include "front/select.h"

/* Checks how keys are compared: by a function of two of them, or, if it is NULL, by their bits.  argument: the name of
 * the type. */
oplus_status opi_check_same(const char *call, const char *argument, const oplus_type *type, const oplus_fn *same);
/* Checks that there is room for a number: of runs, of groups. */
oplus_status opi_check_count(const char *call, const char *argument, const size_t *count);

#endif
