/* Pack: numbers that are in the order of some members of each element. */
#ifndef OPI_GPU_PACK_H
#define OPI_GPU_PACK_H

#include "gpu/job.h"

/* --- ways (gpu/ways.h) ---------------------------------------------------------------------------------------------- */

oplus_status opi_pack_blocks(opi_job *job, const opi_part *part);
/* What a pack that is dealt out needs before its launch. */
oplus_status opi_pack_ready(opi_job *job);

#endif
