/* Map on an accelerator: its way (gpu/ways.h). */
#ifndef OPI_GPU_MAP_H
#define OPI_GPU_MAP_H

#include "gpu/job.h"

oplus_status opi_map_blocks(opi_job *job, const opi_part *part);

#endif
