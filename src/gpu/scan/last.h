/* The way "last" of a reduce: one launch. */
#ifndef OPI_GPU_LAST_H
#define OPI_GPU_LAST_H

#include "gpu/job.h"

/* How many levels of nodes of its own tiles a work-group keeps in its memory; 0: the device, or elements as large as
 * this node, do not have the way.  A program with the text "last" defines OPI_LAST_LEVELS as this. */
unsigned opi_last_levels(const opi_gpu_facts *facts, size_t node);

bool opi_last_can(const opi_job *job, uint64_t n);
bool opi_last_suits(const opi_job *job, uint64_t n);
oplus_status opi_last_prepare(opi_job *job, uint64_t n);
oplus_status opi_last_run(opi_job *job, const opi_part *part);

#endif
