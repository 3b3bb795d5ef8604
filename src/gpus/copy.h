/* Copies from and to memory of several accelerators. */
#ifndef OPI_GPUS_COPY_H
#define OPI_GPUS_COPY_H

#include "gpus/memory.h"

/* Copies bytes between any addresses, as oplus_copy; done on return, unless both are the device's. */
oplus_status opi_gpus_copy(opi_gpus *g, const char *call, void *dst, const void *src, size_t bytes);

/* Copies bytes of devices, on the queue of one worker.  A kernel copies them: the driver's copies of a range, whose pages lie
 * on several devices, are slower by far (docs/performance.md). */
oplus_status opi_gpus_move(oplus_device *worker, const char *call, void *dst, const void *src, size_t bytes);

#endif
