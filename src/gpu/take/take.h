/* Take and put on an accelerator: their ways (gpu/ways.h). */
#ifndef OPI_GPU_TAKE_H
#define OPI_GPU_TAKE_H

#include "gpu/job.h"

oplus_status opi_take_blocks(opi_job *job, const opi_part *part);
oplus_status opi_put_blocks(opi_job *job, const opi_part *part);

#endif
