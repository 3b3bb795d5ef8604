/* The way "pipeline": a scan, a filter, or a select, in one launch that reads each element once.  CUDA, compute capability 9.0.
 *
 * Its tiles are larger than those of the other ways.  What is left of a scan before the first whole tile, and behind the
 * last one if a carry is needed afterwards, is done by those. */
#ifndef OPI_GPU_PIPELINE_H
#define OPI_GPU_PIPELINE_H

#include "gpu/job.h"

/* --- ways (gpu/ways.h) ---------------------------------------------------------------------------------------------- */

bool opi_pipeline_can(const opi_job *job, uint64_t n);
bool opi_pipeline_suits(const opi_job *job, uint64_t n);
oplus_status opi_pipeline_prepare(opi_job *job, uint64_t n);
oplus_status opi_pipeline_run(opi_job *job, const opi_part *part);

bool opi_sieve_can(const opi_job *job, uint64_t n);
bool opi_sieve_suits(const opi_job *job, uint64_t n);
oplus_status opi_sieve_prepare(opi_job *job, uint64_t n);
oplus_status opi_sieve_run(opi_job *job, const opi_part *part);

bool opi_picks_can(const opi_job *job, uint64_t n);
bool opi_picks_suit(const opi_job *job, uint64_t n);
oplus_status opi_picks_prepare(opi_job *job, uint64_t n);
oplus_status opi_picks_run(opi_job *job, const opi_part *part);

/* If tiles are dealt out: the accelerator that has the last one of a filter, or of a select, knows the number of elements. */
unsigned opi_sieve_ends_at(const opi_job *job);
unsigned opi_picks_end_at(const opi_job *job);

#endif
