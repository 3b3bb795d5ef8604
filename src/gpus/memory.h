/* Memory of several accelerators: ranges that are dealt out to them page by page, and memory of one of them. */
#ifndef OPI_GPUS_MEMORY_H
#define OPI_GPUS_MEMORY_H

#include "gpus/gpus.h"

/* Where bytes lie. */
typedef enum opi_gpus_side {
    OPI_LIES_ON_HOST,
    OPI_LIES_ON_ONE, /* in memory of one worker */
    OPI_LIES_DEALT   /* in a range */
} opi_gpus_side;

typedef struct opi_gpus_place {
    opi_gpus_side side;
    unsigned worker;              /* if it lies on one */
    const opi_dealt_range *range; /* if it is dealt */
} opi_gpus_place;

/* Finds out where the `bytes` bytes at p lie; NULL and 0 bytes count as host memory.  OPLUS_ERR_ARGUMENT: they begin in
 * memory of the device and end beyond it, or are another device's. */
oplus_status opi_gpus_look(opi_gpus *g, const char *call, const char *argument, const void *p, size_t bytes,
                           opi_gpus_place *place);

oplus_status opi_gpus_alloc(opi_gpus *g, const char *call, size_t bytes, void **mem);
oplus_status opi_gpus_wrap(opi_gpus *g, const char *call, void *native, size_t bytes, void **mem);
void opi_gpus_free(opi_gpus *g, void *mem);
/* Gives the pool back to the workers.  Returns whether there was anything in it. */
bool opi_gpus_drain(opi_gpus *g);

/* Makes the scratch memory of worker w at least so large; if it grows, its content is lost. */
oplus_status opi_gpus_reserve(opi_gpus *g, const char *call, unsigned w, size_t bytes);
void opi_gpus_release(opi_gpus *g);

#endif
