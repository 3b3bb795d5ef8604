/* Memory of an accelerator, and copies to and from it.  A rehearsal (gpu/gpu.h) allocates memory, and only counts
 * copies: values that would be copied to the host stay as they were there. */
#ifndef OPI_GPU_MEMORY_H
#define OPI_GPU_MEMORY_H

#include "gpu/gpu.h"

/* Makes a buffer of device memory at least `bytes` bytes large; if it grows, its content is lost. */
oplus_status opi_gpu_reserve(opi_accelerator *g, const char *call, opi_gpu_buffer *buffer, size_t bytes);
void opi_gpu_release(opi_accelerator *g, opi_gpu_buffer *buffer);
/* As opi_gpu_reserve, for a buffer in pinned memory of the host. */
oplus_status opi_pinned_reserve(opi_accelerator *g, const char *call, opi_gpu_buffer *buffer, size_t bytes);
void opi_pinned_release(opi_accelerator *g, opi_gpu_buffer *buffer);
/* The word of pinned memory in which a launch says that it gave up: see opi_pipeline_fault. */
oplus_status opi_fault_reserve(opi_accelerator *g, const char *call);
/* Tells what kernels have told of faults since the last time; whoever waits for them looks. */
oplus_status opi_gpu_fault(opi_accelerator *g, const char *call);
/* What a kernel writes when it finds an index out of range: one of those, if there are several. */
typedef struct opi_wrong_index {
    uint64_t place; /* 1 + its place among the indices; 0: none was found */
    uint64_t value; /* the index, without its sign */
} opi_wrong_index;
/* All but the words in which kernels tell of faults: the next call that waits looks at them. */
void opi_gpu_release_all(opi_accelerator *g);
void opi_gpu_release_words(opi_accelerator *g);
/* Looks whether launches are recorded now, to be done later (opi_driver::recording), and remembers if they are: from then
 * on released buffers stay until opi_gpu_release_all, because recorded launches may use them. */
bool opi_gpu_see_recording(opi_accelerator *g);
/* Frees device memory at opi_gpu_release_all. */
void opi_gpu_retire(opi_accelerator *g, void *mem);

/* Finds out whether an array lies in host memory or in device memory; NULL and 0 bytes count as host memory. */
oplus_status opi_gpu_side_of(opi_accelerator *g, const char *call, const char *argument, const void *p, size_t bytes,
                             opi_gpu_side *side);

/* --- enqueued ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_upload(opi_accelerator *g, const char *call, opi_gpu_queue queue, void *to, const void *from,
                            size_t bytes);
oplus_status opi_gpu_download(opi_accelerator *g, const char *call, opi_gpu_queue queue, void *to, const void *from,
                              size_t bytes);
/* Copies from device memory to device memory, on the queue of launches. */
oplus_status opi_gpu_move(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes);
/* Makes all later work on the queue `later` wait for all work so far on the queue `earlier`. */
oplus_status opi_gpu_follow(opi_accelerator *g, const char *call, opi_gpu_queue earlier, opi_gpu_queue later);
/* Sets *mark to a mark behind all work so far on a queue.  opi_gpu_reached waits until that work is done, and frees
 * the mark; a mark of NULL stands for no work. */
oplus_status opi_gpu_mark(opi_accelerator *g, const char *call, opi_gpu_queue queue, void **mark);
oplus_status opi_gpu_reached(opi_accelerator *g, const char *call, void **mark);
oplus_status opi_gpu_sync(opi_accelerator *g, const char *call, opi_gpu_queue queue);
/* Ends a call that copies from or to the caller's arrays: waits, so that no copy is under way when it returns.  If the call
 * has failed (`status`), its failure and its words stay, and the next call that waits tells what earlier calls did wrong. */
oplus_status opi_gpu_settle(opi_accelerator *g, const char *call, oplus_status status);

/* --- done on return ----------------------------------------------------------------------------------------------- */

/* Copies bytes from device memory to host or device memory; waits if `to` lies in host memory. */
oplus_status opi_gpu_fetch(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes);
/* Copies bytes from host memory to host or device memory; waits. */
oplus_status opi_gpu_put(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes);

#endif
