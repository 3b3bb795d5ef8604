/* The operator and the functions of a task in the source of its program. */
#ifndef OPI_GPU_PARTS_H
#define OPI_GPU_PARTS_H

#include "gpu/source.h"
#include "task/task.h"

/* Writes the operator of a task, or the predicate of a filter, and its functions `before` and `after`, as opi_gpu_write_op
 * and opi_gpu_write_fn do, with the prefixes opi, opi_before and opi_after.  Defines how many inputs `before` has
 * (OPI_INPUTS; 0: there is none), whether there is an `after` (OPI_AFTER), and where their parameters are
 * (canon/elements.cl). */
void opi_gpu_write_parts(opi_gpu_source *source, const opi_task *task);

#endif
