/* Filter: what those need who deal a task out to several accelerators (gpu/deal.h). */
#ifndef OPI_GPU_FILTER_H
#define OPI_GPU_FILTER_H

#include "gpu/job.h"

/* Gets the program, and the memory of the result. */
oplus_status opi_gpu_filter_ready(opi_job *job);

#endif
