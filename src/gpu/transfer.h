/* Whole arrays on their way between the host and a device. */
#ifndef OPI_GPU_TRANSFER_H
#define OPI_GPU_TRANSFER_H

#include "cores/crew.h"
#include "cores/isa.h"
#include "gpu/gpu.h"

/* Copies on the host from or to pinned memory, by as many threads of the device's cores as make it faster; a rehearsal
 * copies nothing. */
void opi_fill_pinned(const opi_accelerator *g, char *pinned, const char *from, size_t bytes);
void opi_empty_pinned(const opi_accelerator *g, char *to, const char *pinned, size_t bytes);
/* The same by so many threads.  isa: not NULL: the copy bypasses the caches. */
void opi_copy_shared(opi_crew **crew, char *to, const char *from, size_t bytes, int threads, const opi_isa *isa);

/* Whether copies of so many bytes from or to the host go through pinned memory: a driver's own copies of other memory are
 * several times slower. */
bool opi_goes_through_pinned(const opi_accelerator *g, opi_gpu_side side, size_t bytes);

/* Copies an array from the host to the device; what is enqueued later finds it there.  `from` is read until the queue of
 * launches is done.  side: where the host's array lies. */
oplus_status opi_transfer_up(opi_accelerator *g, const char *call, opi_gpu_side side, void *to, const void *from,
                             size_t bytes);
/* Copies an array from the device to the host, after all that has been enqueued.  It is there when the queue of launches
 * is done. */
oplus_status opi_transfer_down(opi_accelerator *g, const char *call, opi_gpu_side side, void *to, const void *from,
                               size_t bytes);
/* The same of some pages of an array: of those that begin at multiples of `stride` bytes.  Done on return. */
oplus_status opi_transfer_pages_up(opi_accelerator *g, const char *call, opi_gpu_side side, void *to, const void *from,
                                   size_t bytes, size_t page, size_t stride);
oplus_status opi_transfer_pages_down(opi_accelerator *g, const char *call, opi_gpu_side side, void *to,
                                     const void *from, size_t bytes, size_t page, size_t stride);
/* Copies bytes between any addresses, as oplus_copy; done on return, unless both are the device's. */
oplus_status opi_gpu_copy(opi_accelerator *g, const char *call, void *dst, const void *src, size_t bytes);

#endif
