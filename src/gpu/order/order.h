/* Bounds, merges and sorts in the order of a function, on an accelerator: their ways (gpu/ways.h). */
#ifndef OPI_GPU_ORDER_H
#define OPI_GPU_ORDER_H

#include "gpu/job.h"

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

#endif
