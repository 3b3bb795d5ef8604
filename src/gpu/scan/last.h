/* The way "last" of a reduce: one launch. */
#ifndef OPI_GPU_LAST_H
#define OPI_GPU_LAST_H

#include "gpu/job.h"

/* Whether a device has what the kernel needs: its program then has the text "last". */
bool opi_last_fits(const opi_gpu_facts *facts);

bool opi_last_can(const opi_job *job, uint64_t n);
bool opi_last_suits(const opi_job *job, uint64_t n);
oplus_status opi_last_prepare(opi_job *job, uint64_t n);
oplus_status opi_last_run(opi_job *job, const opi_part *part);

#endif
