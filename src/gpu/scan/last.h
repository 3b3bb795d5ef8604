/* The way "last" of a reduce: one launch. */
#ifndef OPI_GPU_LAST_H
#define OPI_GPU_LAST_H

#include "gpu/job.h"
#include "gpu/source.h"

/* Whether the device has the way for elements of `size` bytes, in kernels of this shape. */
bool opi_last_is_for(const opi_gpu_facts *facts, opi_shape shape, size_t size);
/* Writes its kernels. */
void opi_last_write(opi_gpu_source *source, const opi_job *job);

bool opi_last_can(const opi_job *job, uint64_t n);
bool opi_last_suits(const opi_job *job, uint64_t n);
oplus_status opi_last_prepare(opi_job *job, uint64_t n);
oplus_status opi_last_run(opi_job *job, const opi_part *part);

/* --- a reduce that is dealt out to several accelerators (gpu/deal.h) ------------------------------------------------ */

/* Each group finds the node of a part of a page, for accelerator 0, which joins the nodes and reduces what is left. */
bool opi_last_deals(const opi_job *job);
oplus_status opi_last_prepare_dealt(opi_job *job);
oplus_status opi_last_run_dealt(opi_job *job);
oplus_status opi_last_join_dealt(opi_job *job);

#endif
