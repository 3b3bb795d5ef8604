/* The way "digits": a stable sort that reads and writes each element once a digit (digits.cl).  CUDA, compute capability
 * 8.0.
 *
 * Its scratch memory is as large as the keys and what travels with them, and some 24 KiB and 2 KiB for each tile, but for
 * 2^28 elements at most from 2^30 on: a pass is then several launches, one after another. */
#ifndef OPI_GPU_DIGITS_H
#define OPI_GPU_DIGITS_H

#include "gpu/job.h"

/* --- ways (gpu/ways.h) ---------------------------------------------------------------------------------------------- */

bool opi_digits_can(const opi_job *job, uint64_t n);
oplus_status opi_digits_prepare(opi_job *job, uint64_t n);
oplus_status opi_digits_run(opi_job *job, const opi_part *part);

#endif
