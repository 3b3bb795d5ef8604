/* Repeat on an accelerator: its way (gpu/ways.h). */
#ifndef OPI_GPU_REPEAT_H
#define OPI_GPU_REPEAT_H

#include "gpu/job.h"

oplus_status opi_repeat_prepare(opi_job *job, uint64_t n);
oplus_status opi_repeat_tiles(opi_job *job, const opi_part *part);
/* How many counts have one end together. */
size_t opi_repeat_block(const opi_gpu_facts *facts);
oplus_status opi_count_ends_prepare(opi_job *job, uint64_t n);
oplus_status opi_count_ends_run(opi_job *job, const opi_part *part);
/* The same, dealt out (gpu/deals.h). */
oplus_status opi_repeat_prepare_dealt(opi_job *job);
oplus_status opi_repeat_run_dealt(opi_job *job);

#endif
