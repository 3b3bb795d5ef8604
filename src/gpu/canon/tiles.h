/* Tiles of the canonical tree on an accelerator: what a reduce, a scan and a filter have in common.
 *
 * Each has kernels of these names, whose arguments begin with the task's arrays (opi_aggregate: those that it reads):
 * opi_aggregate, opi_apply, opi_one; and opi_result, opi_spine, opi_gather, opi_spread of canon/spine.cl. */
#ifndef OPI_GPU_TILES_H
#define OPI_GPU_TILES_H

#include "gpu/job.h"

/* --- ways (gpu/ways.h) ---------------------------------------------------------------------------------------------- */

bool opi_tiles_are_few(const opi_job *job, uint64_t n);
bool opi_tiles_are_any(const opi_job *job, uint64_t n);
oplus_status opi_one_group(opi_job *job, const opi_part *part);
oplus_status opi_tiles_prepare(opi_job *job, uint64_t n);
oplus_status opi_tiles_run(opi_job *job, const opi_part *part);

/* --- results -------------------------------------------------------------------------------------------------------- */

/* What is made of the range, to device memory. */
oplus_status opi_tiles_result(const opi_job *job, void *to);
/* The same to the task's result, wherever that is.  waits: an array was the host's, and the call is to be done when it
 * returns. */
oplus_status opi_tiles_take_result(const opi_job *job, bool waits);
/* Of no items: the host makes the result. */
oplus_status opi_tiles_nothing(const opi_job *job);

#endif
