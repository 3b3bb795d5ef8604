/* The way "partition": keys alone, from the highest digit down (keys.cl).  CUDA, compute capability 8.0.
 *
 * Its scratch memory is as large as the keys, and 1.3 MiB and a sixteenth more; keys of the host need their own size on
 * the device besides. */
#ifndef OPI_GPU_PARTITION_H
#define OPI_GPU_PARTITION_H

#include "gpu/job.h"

/* --- ways (gpu/ways.h) ---------------------------------------------------------------------------------------------- */

bool opi_partition_can(const opi_job *job, uint64_t n);
bool opi_partition_suits(const opi_job *job, uint64_t n);
oplus_status opi_partition_prepare(opi_job *job, uint64_t n);
oplus_status opi_partition_run(opi_job *job, const opi_part *part);

/* Whether n keys can be read from pages that are dealt out (job.deal), if vectors do not lie across their ends. */
bool opi_partition_deals(const opi_job *job, uint64_t n);

#endif
