/* What the host does for all workers at the same time, because it waits: on a thread for each. */
#ifndef OPI_GPUS_TOGETHER_H
#define OPI_GPUS_TOGETHER_H

#include "gpus/gpus.h"

/* Does the part of worker w. */
typedef oplus_status opi_gpus_part(void *context, unsigned w);

/* Does the parts of all workers.  All are tried; of several failures the first worker's counts. */
oplus_status opi_gpus_together(opi_gpus *g, opi_gpus_part *part, void *context);

#endif
