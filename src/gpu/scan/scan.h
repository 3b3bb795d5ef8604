/* Reduce and scan: what those need who deal a task out to several accelerators (gpu/deal.h), and its ways. */
#ifndef OPI_GPU_SCAN_H
#define OPI_GPU_SCAN_H

#include "gpu/job.h"

/* Sets the sizes of the job: its node, the shape of its kernels. */
void opi_gpu_scan_measure(opi_job *job);
/* Gets the program and the memory that do not depend on where the arrays are.  The job begins at index 0. */
oplus_status opi_gpu_scan_ready(opi_job *job);
/* Whether operands are exchanged, because elements come in the opposite order and the operator does not claim that this
 * makes no difference. */
bool opi_scan_is_exchanged(const opi_task *task);

#endif
