/* How the pages of an array are dealt out to the workers. */
#ifndef OPI_GPUS_PAGES_H
#define OPI_GPUS_PAGES_H

#include "gpus/gpus.h"

typedef struct opi_gpus_dealing {
    opi_accelerator *all[OPI_MOST_WORKERS];
    opi_deal of[OPI_MOST_WORKERS]; /* for each worker */
} opi_gpus_dealing;

/* mem: where the array begins in that range.  The deals refer to *d. */
void opi_gpus_describe(const opi_gpus *g, const opi_dealt_range *range, const void *mem, opi_gpus_dealing *d);

#endif
