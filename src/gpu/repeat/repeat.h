/* Repeat on an accelerator: its way (gpu/ways.h). */
#ifndef OPI_GPU_REPEAT_H
#define OPI_GPU_REPEAT_H

#include "gpu/job.h"

oplus_status opi_repeat_prepare(opi_job *job, uint64_t n);
oplus_status opi_repeat_tiles(opi_job *job, const opi_part *part);
/* The same, dealt out (gpu/deals.h). */
oplus_status opi_repeat_prepare_dealt(opi_job *job);
oplus_status opi_repeat_run_dealt(opi_job *job);

#endif
