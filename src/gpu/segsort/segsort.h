/* A segmented sort on an accelerator: its way (gpu/ways.h). */
#ifndef OPI_GPU_SEGSORT_H
#define OPI_GPU_SEGSORT_H

#include "gpu/job.h"

oplus_status opi_segsort_two_run(opi_job *job, const opi_part *part);

#endif
