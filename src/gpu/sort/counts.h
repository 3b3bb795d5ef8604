/* The way "counts": keys alone of 1 or 2 bytes are counted, and so many of each are written (counts.cl).  It reads and
 * writes each key once.
 *
 * Its scratch memory: 3 KiB for keys of 1 byte, 768 KiB for keys of 2; and a third of that more for each 2^31 keys.  Keys of
 * the host need their own size on the device besides. */
#ifndef OPI_GPU_COUNTS_H
#define OPI_GPU_COUNTS_H

#include "gpu/job.h"

/* --- ways (gpu/ways.h) ---------------------------------------------------------------------------------------------- */

bool opi_counts_can(const opi_job *job, uint64_t n);
bool opi_counts_suits(const opi_job *job, uint64_t n);
oplus_status opi_counts_prepare(opi_job *job, uint64_t n);
oplus_status opi_counts_run(opi_job *job, const opi_part *part);

#endif
