/* The ways "flags" and "tiles" of a select (gpu/ways.h). */
#ifndef OPI_GPU_SELECT_H
#define OPI_GPU_SELECT_H

#include "gpu/job.h"

/* Parameter and result, for a select that is dealt out (gpu/deal.h). */
oplus_status opi_gpu_select_ready(opi_job *job);

bool opi_flags_can(const opi_job *job, uint64_t n);
oplus_status opi_flags_run(opi_job *job, const opi_part *part);

oplus_status opi_select_prepare(opi_job *job, uint64_t n);
oplus_status opi_select_run(opi_job *job, const opi_part *part);

#endif
