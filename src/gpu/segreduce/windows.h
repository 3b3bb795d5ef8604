/* A segmented reduce that divides segments and elements together: a way (gpu/ways.h), for an opi_segments. */
#ifndef OPI_GPU_WINDOWS_H
#define OPI_GPU_WINDOWS_H

#include "gpu/segreduce/segments.h"

bool opi_windows_can(const opi_job *job, uint64_t n);
oplus_status opi_windows_prepare(opi_job *job, uint64_t n);
oplus_status opi_windows_run(opi_job *job, const opi_part *part);

/* Finds the program, which preparing has made. */
oplus_status opi_windows_ready(opi_segments *s, uint64_t n);
/* The two steps of a run.  If windows are dealt out (gpu/deal.h), every accelerator must have done the first one before any
 * begins with the second. */
oplus_status opi_windows_cut(opi_job *job, const opi_part *part);
oplus_status opi_windows_reduce(opi_job *job, const opi_part *part);

/* The steps of a segmented reduce that is dealt out (gpu/deals.h). */
bool opi_segreduce_deals(opi_job *job);
oplus_status opi_segreduce_prepare_dealt(opi_job *job);
oplus_status opi_segreduce_look_dealt(opi_job *job);
oplus_status opi_segreduce_run_dealt(opi_job *job);

/* Whether the way checks offsets itself, and tells later of a wrong one: then nobody has to wait for
 * a check. */
bool opi_windows_check(const opi_segments *s, uint64_t n);

#endif
