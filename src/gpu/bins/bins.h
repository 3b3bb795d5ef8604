/* What counts and reduces by index share on an accelerator: how the bin of an element is found, and what becomes of one that
 * is refused. */
#ifndef OPI_GPU_BINS_H
#define OPI_GPU_BINS_H

#include "gpu/job.h"

/* Writes the source that both begin with, and their key. */
void opi_gpu_bins_write(opi_gpu_source *source, const opi_job *job);
opi_key opi_gpu_bins_key(const char *primitive, const opi_job *job);
/* Whether indices out of range are refused. */
static inline bool opi_gpu_bins_refuse(const opi_bins *bins)
{
    return bins->binning == OPI_BY_NUMBER && bins->bounds == OPLUS_REFUSE;
}
/* Looks whether a kernel has told of an index out of range, at `fault`, and says which one is the first: the indices lie
 * where the task has them. */
oplus_status opi_gpu_bins_look(const opi_job *job, const void *fault);

/* --- the way of counts -------------------------------------------------------------------------------------------- */

oplus_status opi_count_parts_prepare(opi_job *job, uint64_t n);
oplus_status opi_count_parts_run(opi_job *job, const opi_part *part);
/* Counts of an array that is dealt out to several accelerators (gpu/deals.h): each counts what it has into tables of its own,
 * and accelerator 0 adds them up. */
bool opi_count_deals(opi_job *job);
oplus_status opi_count_prepare_dealt(opi_job *job);
oplus_status opi_count_ready_dealt(opi_job *job);
oplus_status opi_count_run_dealt(opi_job *job);
oplus_status opi_count_join_dealt(opi_job *job);
/* ... and of reduces by index. */
oplus_status opi_by_sort_run(opi_job *job, const opi_part *part);

#endif
