/* The way "last" of a reduce: one launch. */
#ifndef OPI_GPU_LAST_H
#define OPI_GPU_LAST_H

#include "gpu/job.h"
#include "gpu/source.h"

/* Whether the device has the way for elements of `size` bytes, in kernels of this shape. */
bool opi_last_is_for(const opi_gpu_facts *facts, opi_shape shape, size_t size);
/* Writes its kernel. */
void opi_last_write(opi_gpu_source *source, const opi_task *task);

bool opi_last_can(const opi_job *job, uint64_t n);
bool opi_last_suits(const opi_job *job, uint64_t n);
oplus_status opi_last_prepare(opi_job *job, uint64_t n);
oplus_status opi_last_run(opi_job *job, const opi_part *part);

#endif
