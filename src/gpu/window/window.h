/* Windows, in device memory: the ways (gpu/ways.h), and how they are cut into steps (task/window.h). */
#ifndef OPI_GPU_WINDOW_H
#define OPI_GPU_WINDOW_H

#include "gpu/job.h"

oplus_status opi_window_prepare(opi_job *job, uint64_t n);
oplus_status opi_window_tiles(opi_job *job, const opi_part *part);

/* The same, dealt out (gpu/deals.h): each accelerator does tiles whose elements begin in its own pages, the first one the first
 * results, too. */
bool opi_window_deals(opi_job *job);
oplus_status opi_window_prepare_dealt(opi_job *job);
oplus_status opi_window_run_dealt(opi_job *job);

#endif
