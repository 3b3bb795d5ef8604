/* Scans from the last element to the first, in device memory: the way (gpu/ways.h). */
#ifndef OPI_GPU_REVERSE_H
#define OPI_GPU_REVERSE_H

#include "gpu/job.h"

oplus_status opi_reverse_prepare(opi_job *job, uint64_t n);
oplus_status opi_reverse_run(opi_job *job, const opi_part *part);

#endif
