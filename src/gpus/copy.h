/* Copies from and to memory of several accelerators. */
#ifndef OPI_GPUS_COPY_H
#define OPI_GPUS_COPY_H

#include "gpus/memory.h"

/* Copies bytes between any addresses, as oplus_copy; done on return, unless both are the device's. */
oplus_status opi_gpus_copy(opi_gpus *g, const char *call, void *dst, const void *src, size_t bytes);

#endif
