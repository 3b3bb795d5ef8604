/* Memory of an accelerator, and what goes to and fro.  A rehearsal (gpu/gpu.h) makes memory ready, and only counts the
 * rest: what would be fetched stays as it was on the host. */
#ifndef OPI_GPU_MEMORY_H
#define OPI_GPU_MEMORY_H

#include "gpu/gpu.h"

/* Makes a buffer at least that large, its content lost if it grows. */
oplus_status opi_gpu_reserve(opi_accelerator *g, const char *call, opi_gpu_buffer *buffer, size_t bytes);
void opi_gpu_release(opi_accelerator *g, opi_gpu_buffer *buffer);
/* The same in pinned memory of the host. */
oplus_status opi_pinned_reserve(opi_accelerator *g, const char *call, opi_gpu_buffer *buffer, size_t bytes);
void opi_pinned_release(opi_accelerator *g, opi_gpu_buffer *buffer);
void opi_gpu_release_all(opi_accelerator *g);

/* Where an array lies; NULL and 0 bytes are the host's. */
oplus_status opi_gpu_side_of(opi_accelerator *g, const char *call, const char *argument, const void *p, size_t bytes,
                             opi_gpu_side *side);

/* --- enqueued ------------------------------------------------------------------------------------------------------ */

oplus_status opi_gpu_upload(opi_accelerator *g, const char *call, opi_gpu_queue queue, void *to, const void *from,
                            size_t bytes);
oplus_status opi_gpu_download(opi_accelerator *g, const char *call, opi_gpu_queue queue, void *to, const void *from,
                              size_t bytes);
/* From device memory to device memory, in the order of launches. */
oplus_status opi_gpu_move(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes);
/* What is enqueued on one queue from now on waits for what another has been given. */
oplus_status opi_gpu_follow(opi_accelerator *g, const char *call, opi_gpu_queue earlier, opi_gpu_queue later);
/* *mark: what the queue has been given so far; opi_gpu_reached waits for it, and drops it.  NULL: nothing. */
oplus_status opi_gpu_mark(opi_accelerator *g, const char *call, opi_gpu_queue queue, void **mark);
oplus_status opi_gpu_reached(opi_accelerator *g, const char *call, void **mark);
oplus_status opi_gpu_sync(opi_accelerator *g, const char *call, opi_gpu_queue queue);

/* --- done on return ------------------------------------------------------------------------------------------------ */

/* Bytes to an address of the host or of the device, from one of the device; waits where it is the host's. */
oplus_status opi_gpu_fetch(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes);
/* Bytes of the host to an address of the host or of the device; waits. */
oplus_status opi_gpu_put(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes);
/* Between any addresses, as oplus_copy. */
oplus_status opi_gpu_copy(opi_accelerator *g, const char *call, void *dst, const void *src, size_t bytes);

/* The device address of the parameter of fn or of op, whichever is not NULL, brought there if it has changed; NULL if
 * it takes none. */
oplus_status opi_gpu_param(opi_accelerator *g, const char *call, const oplus_fn *fn, const oplus_op *op,
                           const void **address);

#endif
