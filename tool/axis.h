/* --axis: along one axis of an array of several dimensions, which is held in memory. */
#ifndef TOOL_AXIS_H
#define TOOL_AXIS_H

#include "job.h"
#include "npy.h"

/* The shape of an array, and the axis: the array is outer x n x inner. */
typedef struct tool_axes {
    int dims, axis;
    uint64_t shape[NPY_MAX_DIMS];
    size_t outer, n, inner;
} tool_axes;

/* Ends the command if there is an option that cannot stand beside `option`, or more than one array. */
void tool_axis_refuse(const tool_job *job, const char *option);

/* Finds the axis that --axis names in the source, of which n elements were read: the shape is that of the .npy file, or rows
 * and columns of text. */
tool_axes tool_axes_of(const tool_job *job, const tool_source *source, size_t n);
/* The shape of one result for each row. */
void tool_axes_remove(tool_axes *a);
size_t tool_axes_rows(const tool_axes *a);

/* Does the work of `oplus reduce OP --axis N` or, if it scans, of `oplus scan OP --axis N`, and returns the exit code. */
int tool_axis_run(tool_job *job, bool scans);
/* Does the work of `oplus sort --axis N` or, of places, of `oplus argsort --axis N`, and returns the exit code. */
int tool_axis_sort(tool_job *job, bool places);

#endif
