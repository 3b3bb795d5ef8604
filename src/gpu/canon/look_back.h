/* The way "look-back": a scan, or a filter, in one launch that reads each element once, on any CUDA GPU of compute
 * capability 7.0 or later.  See look_back.cl. */
#ifndef OPI_GPU_LOOK_BACK_H
#define OPI_GPU_LOOK_BACK_H

#include "gpu/job.h"

/* Whether work-groups of this shape can look back; element: size of what a tile consists of. */
bool opi_look_back_fits(const opi_gpu_facts *facts, opi_shape shape, size_t element);
/* Writes the text and its numbers; the kernel opi_once of the primitive follows. */
void opi_look_back_write(opi_gpu_source *source);

/* --- the way (gpu/ways.h) -------------------------------------------------------------------------------------------- */

bool opi_look_back_can(const opi_job *job, uint64_t n);
bool opi_look_back_suits(const opi_job *job, uint64_t n);
oplus_status opi_look_back_prepare(opi_job *job, uint64_t n);
oplus_status opi_look_back_run(opi_job *job, const opi_part *part);

#endif
