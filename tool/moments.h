/* oplus reduce count, mean, var, std, pvar, pstd: the number of elements, their mean, and how far they are from it. */
#ifndef TOOL_MOMENTS_H
#define TOOL_MOMENTS_H

#include "axis.h"
#include "job.h"

typedef enum tool_moment {
    TOOL_NO_MOMENT,
    TOOL_COUNT,
    TOOL_MEAN,
    TOOL_VAR, /* variance and standard deviation of a sample, */
    TOOL_STD,
    TOOL_PVAR, /* ... and of a population */
    TOOL_PSTD
} tool_moment;

const oplus_type *tool_moment_type(tool_moment moment);
/* Finds it for each column, and returns how many elements each has; ends the command if there are too few of them, whose
 * message calls it `name`. */
uint64_t tool_moment_find(const tool_job *job, tool_moment moment, const char *name, tool_source *source,
                          void *results);
/* Finds it for each row along an axis of the elements at `in`: not a count. */
void tool_moment_find_along(const tool_job *job, tool_moment moment, const char *name, const oplus_type *type,
                            const void *in, const tool_axes *a, double *results);

#endif
