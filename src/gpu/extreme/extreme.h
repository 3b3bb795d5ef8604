/* The way "parts" of the search for extremes. */
#ifndef OPI_GPU_EXTREME_H
#define OPI_GPU_EXTREME_H

#include "gpu/job.h"

oplus_status opi_extreme_parts_prepare(opi_job *job, uint64_t n);
oplus_status opi_extreme_parts_run(opi_job *job, const opi_part *part);

#endif
