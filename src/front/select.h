/* Checks that the calls of <oplus/runs.h> share. */
#ifndef OPI_FRONT_SELECT_H
#define OPI_FRONT_SELECT_H

#include "front/check.h"

/* Checks that a predicate or a comparison has so many inputs, and gives 0 or 1. */
oplus_status opi_check_predicate(const char *call, const char *argument, const oplus_fn *fn, unsigned arity);

/* An array that a call was given. */
typedef struct opi_given {
    const char *name;
    const void *mem; /* NULL: it is not wanted */
    size_t bytes;
} opi_given;
/* Checks that no array overlaps one before it. */
oplus_status opi_check_apart(const char *call, const opi_given *given, int count);

#endif
