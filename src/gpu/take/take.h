/* Take and put on an accelerator: their ways (gpu/ways.h). */
#ifndef OPI_GPU_TAKE_H
#define OPI_GPU_TAKE_H

#include "gpu/job.h"

oplus_status opi_take_blocks(opi_job *job, const opi_part *part);
oplus_status opi_put_blocks(opi_job *job, const opi_part *part);

/* The same, dealt out (gpu/deals.h).  Of a take each accelerator does tiles of its own; of a put each looks at all indices, and
 * puts the elements whose places lie in pages of its own: so it alone knows the last of equal indices. */
oplus_status opi_take_prepare_dealt(opi_job *job);
oplus_status opi_take_run_dealt(opi_job *job);
oplus_status opi_put_prepare_dealt(opi_job *job);
oplus_status opi_put_run_dealt(opi_job *job);

#endif
