/* Bounds, merges and sorts in the order of a function, on an accelerator: their ways (gpu/ways.h). */
#ifndef OPI_GPU_ORDER_H
#define OPI_GPU_ORDER_H

#include "gpu/launch.h"
#include "cores/merge.h"

oplus_status opi_bounds_prepare(opi_job *job, uint64_t n);
/* What bounds that are dealt out need before their launch. */
oplus_status opi_bounds_ready(opi_job *job);
oplus_status opi_bounds_run_dealt(opi_job *job);
oplus_status opi_bounds_run(opi_job *job, const opi_part *part);
oplus_status opi_merge_prepare(opi_job *job, uint64_t n);
/* What a merge that is dealt out needs before its launches. */
oplus_status opi_merge_ready(opi_job *job);
oplus_status opi_merge_run_way(opi_job *job, const opi_part *part);
oplus_status opi_sort_by_prepare(opi_job *job, uint64_t n);
oplus_status opi_sort_by_run_way(opi_job *job, const opi_part *part);

/* Bounds by a tree of samples (bounds_tree.c). */
bool opi_bounds_tree_can(const opi_job *job, uint64_t n);
bool opi_bounds_tree_suits(const opi_job *job, uint64_t n);
oplus_status opi_bounds_tree_prepare(opi_job *job, uint64_t n);
oplus_status opi_bounds_tree_run(opi_job *job, const opi_part *part);

/* --- what programs of bounds and of merges share ------------------------------------------------------------------- */

/* Writes what comes before all kernels in the order of a task: its shape, its order, how it is dealt out. */
void opi_order_write(opi_gpu_source *source, const opi_job *job);
/* Defines which bounds are wanted, and the size of a place. */
void opi_bounds_write(opi_gpu_source *source, const opi_job *job);
/* The shape of the searches. */
opi_shape opi_bounds_shape(const opi_job *job);
/* The order of the task; what the function says needs none. */
opi_key_order opi_order_of(const opi_job *job);
/* Adds the arguments OPI_ORDER.  They refer to values, which must live until the launch. */
void opi_order_add(opi_arguments *a, const opi_job *job, const opi_key_order *order);

#endif
