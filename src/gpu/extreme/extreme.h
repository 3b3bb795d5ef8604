/* The searches for extremes, in device memory: the ways (gpu/ways.h). */
#ifndef OPI_GPU_EXTREME_H
#define OPI_GPU_EXTREME_H

#include "gpu/job.h"

/* Of an array. */
oplus_status opi_extreme_parts_prepare(opi_job *job, uint64_t n);
oplus_status opi_extreme_parts_run(opi_job *job, const opi_part *part);
/* Of an array that is dealt out to several accelerators (gpu/deals.h): each looks through its own parts, and accelerator 0
 * compares what all have found. */
oplus_status opi_extreme_prepare_dealt(opi_job *job);
oplus_status opi_extreme_look_dealt(opi_job *job);
oplus_status opi_extreme_join_dealt(opi_job *job);
/* Of each row along an axis. */
oplus_status opi_extreme_columns_prepare(opi_job *job, uint64_t n);
oplus_status opi_extreme_columns_run(opi_job *job, const opi_part *part);
/* The same, dealt out (gpu/deals.h). */
oplus_status opi_extreme_columns_prepare_dealt(opi_job *job);
oplus_status opi_extreme_columns_look_dealt(opi_job *job);
oplus_status opi_extreme_columns_run_dealt(opi_job *job);
/* Of short rows of neighbours. */
bool opi_extreme_rows_can(const opi_job *job, uint64_t n);
oplus_status opi_extreme_rows_prepare(opi_job *job, uint64_t n);
oplus_status opi_extreme_rows_run(opi_job *job, const opi_part *part);
/* Along an axis, dealt out by the way that one accelerator would take. */
oplus_status opi_extreme_axis_prepare_dealt(opi_job *job);
oplus_status opi_extreme_axis_look_dealt(opi_job *job);
oplus_status opi_extreme_axis_run_dealt(opi_job *job);

/* Writes the keys of the task's elements (extreme_key.cl), behind the shape of the kernels. */
void opi_extreme_write_key(opi_gpu_source *source, const opi_task *task);

#endif
