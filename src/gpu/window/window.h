/* Windows, in device memory: the ways (gpu/ways.h), and how they are cut into steps (task/window.h). */
#ifndef OPI_GPU_WINDOW_H
#define OPI_GPU_WINDOW_H

#include "gpu/job.h"

oplus_status opi_window_prepare(opi_job *job, uint64_t n);
oplus_status opi_window_tiles(opi_job *job, const opi_part *part);

#endif
