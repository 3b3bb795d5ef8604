/* An open CUDA device, and how its driver's results become ours; for the files of this folder alone.
 *
 * The calls of the driver's table find the device's context current: whoever makes them has entered the device
 * (opi_driver::enter), which asks what is current, and pushes the context only if that is another. */
#ifndef OPI_CUDA_H
#define OPI_CUDA_H

#include "driver/cuda/api.h"
#include "driver/driver.h"
#include "driver/spans.h"

typedef struct opi_cuda_opened opi_cuda_opened; /* offer.c */

enum {
    OPI_CUDA_MARKS = 4,   /* events that are kept for later marks: to make one takes as long as to record it */
    OPI_CUDA_EXPORTED = 8 /* handles of memory that are kept for later offers: to make one takes tens of microseconds */
};

/* A handle that the driver has made for other processes. */
typedef struct opi_cuda_exported {
    unsigned long long id; /* of the allocation: no later one has the same, not even at the same address; 0: none */
    CUipcMemHandle handle;
} opi_cuda_exported;

typedef struct opi_cuda_gpu {
    opi_gpu gpu;
    const opi_cuda_calls *cu;
    int ordinal;
    CUdevice device;
    CUcontext context; /* the primary one, unless the caller's stream belongs to another */
    bool primary;      /* it is retained */
    bool given;        /* OPI_QUEUE_COMPUTE is the caller's */
    bool translates;   /* a program was loaded that the driver translated: it may be for an older device */
    CUstream stream[OPI_QUEUES];
    uint64_t pushed;         /* of each enter that has not been left, whether it pushed; the last is bit 0 */
    uint64_t peers;          /* of each device, by its number, whether this one uses its memory */
    opi_spans spans;         /* memory that it has allocated or wrapped, or has a part of */
    uint64_t host, process;  /* names of both (base/host.h), for offers; 0: not asked for so far */
    opi_cuda_opened *opened; /* memory of other processes */
    opi_cuda_exported exported[OPI_CUDA_EXPORTED]; /* own memory; what was offered last comes first */
    CUevent mark[OPI_CUDA_MARKS];                  /* that have been dropped */
    int marks;
} opi_cuda_gpu;

static inline opi_cuda_gpu *opi_cuda_self(opi_gpu *gpu) { return (opi_cuda_gpu *)gpu; }

/* --- results (error.c) --- */

/* "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory) on cuda:0 (NVIDIA H200); free ..." */
void opi_cuda_words(const opi_cuda_calls *cu, const char *name, CUresult result, const char *where, char *text,
                    size_t bytes);
/* The status of a call that failed, in these words, and `said` after them. */
oplus_status opi_cuda_fail(const opi_cuda_gpu *g, const char *call, const char *name, CUresult result,
                           const char *said);

static inline oplus_status opi_cuda_status(const opi_cuda_gpu *g, const char *call, const char *name, CUresult result)
{
    return result == CUDA_SUCCESS ? OPLUS_OK : opi_cuda_fail(g, call, name, result, "");
}

/* --- recording (record.c) --- */

/* Whether the caller's stream is being captured into a graph. */
bool opi_cuda_recording(opi_gpu *gpu);
bool opi_cuda_forget(opi_gpu *gpu, void *mem);
/* For what cannot be recorded: refuses it while the stream is being captured, because the driver's own refusal would also
 * spoil the capture.  what: "allocate memory". */
oplus_status opi_cuda_not_recording(const opi_cuda_gpu *g, const char *call, const char *what);

/* Makes a call of the driver on behalf of a public one: OPI_CUDA_TRY(g, call, MemFree, address). */
#define OPI_CUDA_TRY(g, call, name, ...) opi_cuda_status(g, call, "cu" #name, (g)->cu->name(__VA_ARGS__))

/* --- the context (context.c) --- */
oplus_status opi_cuda_enter(opi_gpu *gpu, const char *call);
/* Leaves the device's context with the status of what was done there: the first failure counts. */
oplus_status opi_cuda_leave(opi_gpu *gpu, const char *call, oplus_status status);

/* --- devices (device.c) --- */
int opi_cuda_list(opi_gpu_facts *facts, int capacity, char *why, size_t why_bytes);
oplus_status opi_cuda_device_open(const char *call, const char *where, void *queue, opi_gpu **gpu);
void opi_cuda_device_close(opi_gpu *gpu);
void opi_cuda_wait(const opi_cuda_gpu *g); /* for all queues, in the device's context */

/* --- memory (memory.c) --- */
oplus_status opi_cuda_alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem);
void opi_cuda_free(opi_gpu *gpu, void *mem);
oplus_status opi_cuda_wrap(opi_gpu *gpu, const char *call, void *native, size_t bytes, void **mem);
oplus_status opi_cuda_pinned_alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem);
void opi_cuda_pinned_free(opi_gpu *gpu, void *mem);
oplus_status opi_cuda_side(opi_gpu *gpu, const char *call, const char *argument, const void *p, size_t bytes,
                           opi_gpu_side *side);
oplus_status opi_cuda_upload(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                             size_t bytes);
oplus_status opi_cuda_download(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                               size_t bytes);
oplus_status opi_cuda_copy(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                           size_t bytes);

/* What CUDA knows of memory. */
typedef struct opi_cuda_place {
    unsigned type, managed; /* type 0: CUDA does not know it */
    int ordinal;
    CUdeviceptr start; /* of the allocation */
    size_t size;       /* of the allocation; 0: unknown */
} opi_cuda_place;
oplus_status opi_cuda_look_up(const opi_cuda_gpu *g, const char *call, const void *p, opi_cuda_place *found);
/* The status of an allocation; if memory ran out, the message says how many bytes were wanted. */
oplus_status opi_cuda_allocated(const opi_cuda_gpu *g, const char *call, const char *name, CUresult result,
                                size_t bytes);
/* Makes room in the list before an allocation, so that one that succeeds can always be listed. */
oplus_status opi_cuda_make_room(opi_cuda_gpu *g, const char *call);

/* --- memory that several devices share (peers.c) --- */
oplus_status opi_cuda_reach(opi_gpu *gpu, const char *call, const opi_gpu *other);
/* From now on, kernels of this device are given memory of that one, to which it is linked. */
void opi_cuda_note_peer(opi_cuda_gpu *g, int ordinal);
oplus_status opi_cuda_deal(opi_gpu *const *gpus, unsigned count, const char *call, size_t page, size_t bytes,
                           void **mem);
void opi_cuda_gather(opi_gpu *const *gpus, unsigned count, void *mem, size_t bytes);
oplus_status opi_cuda_page(opi_gpu *gpu, const char *call, size_t *bytes);
oplus_status opi_cuda_home(opi_gpu *const *gpus, unsigned count, const char *call, const void *p, unsigned *which);
/* Whether a device uses the memory of the device with this number. */
static inline bool opi_cuda_reaches(const opi_cuda_gpu *g, int ordinal)
{
    return ordinal == g->ordinal || (ordinal >= 0 && ordinal < 64 && (g->peers >> ordinal & 1));
}

/* --- memory offered to other devices and processes (offer.c) --- */
oplus_status opi_cuda_offer(opi_gpu *gpu, const char *call, const void *mem, opi_offer *offer);
bool opi_cuda_accept(opi_gpu *gpu, const opi_offer *offer, const void **mem);
void opi_cuda_decline(opi_gpu *gpu, const opi_offer *offer);
bool opi_cuda_close_opened(opi_gpu *gpu);

/* --- programs (program.c) --- */
oplus_status opi_cuda_compile(opi_gpu *gpu, const char *call, const char *what, const char *source, void **program);
oplus_status opi_cuda_translate(const opi_gpu *gpu, const char *call, const char *what, const char *source,
                                void **binary, size_t *bytes);
oplus_status opi_cuda_load(opi_gpu *gpu, const char *call, const void *binary, size_t bytes, void **program);
oplus_status opi_cuda_binary(opi_gpu *gpu, const char *call, void *program, void **binary, size_t *bytes);
oplus_status opi_cuda_kernel(opi_gpu *gpu, const char *call, void *program, const char *name, void **kernel);
void opi_cuda_unload(opi_gpu *gpu, void *program);

/* --- launches (launch.c) --- */
oplus_status opi_cuda_launch(opi_gpu *gpu, const char *call, const opi_launch *launch);
oplus_status opi_cuda_allow(opi_gpu *gpu, const char *call, void *kernel, size_t local, int carve_out);
oplus_status opi_cuda_residents(opi_gpu *gpu, const char *call, const opi_launch *launch, uint64_t *groups);

#endif
