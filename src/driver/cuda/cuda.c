/* CUDA as a table of calls: the driver API and NVRTC, both opened at run time.
 *
 * The device works in its primary context, which it shares with the CUDA runtime, or in that of the stream that the
 * caller gave; memory that is handed to it has to be of this context.  Its own streams are non-blocking: they do not
 * wait for the legacy default stream.  A caller who works on other streams finishes that work first, or gives the
 * stream. */
#include "driver/cuda/cuda.h"

#include "base/error.h"

#include <limits.h>

/* --- 1. launch ---------------------------------------------------------------------------------------------------- */

enum { MAX_ARGUMENTS = 24 };

/* An address is two parameters of a kernel, pointer and offset. */
static void fill_parameters(const opi_gpu_argument *argument, int arguments, void **parameter)
{
    static const uint64_t no_offset = 0;
    for (int i = 0; i < arguments; i++) {
        *parameter++ = argument[i].memory ? (void *)&argument[i].value : (void *)argument[i].value;
        if (argument[i].memory) *parameter++ = (void *)&no_offset;
    }
}

static oplus_status launch(opi_gpu *gpu, const char *call, void *kernel, uint64_t groups, unsigned items,
                           const opi_gpu_argument *argument, int arguments)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    void *parameters[2 * MAX_ARGUMENTS];
    if (groups == 0) return OPLUS_OK; /* which the driver does not take */
    if (groups > INT_MAX)
        return opi_fail(OPLUS_ERR_UNSUPPORTED, "%s: %llu work-groups in one launch; %s takes %d: take fewer elements",
                        call, (unsigned long long)groups, g->gpu.facts.where, INT_MAX);
    if (arguments > MAX_ARGUMENTS)
        return opi_fail(OPLUS_ERR_INTERNAL, "%s: a kernel with %d arguments; %d are allowed", call, arguments,
                        (int)MAX_ARGUMENTS);
    fill_parameters(argument, arguments, parameters);
    const oplus_status status = opi_cuda_enter(g, call);
    if (status != OPLUS_OK) return status;
    return opi_cuda_leave(g, call,
                          OPI_CUDA_TRY(g, call, LaunchKernel, kernel, (unsigned)groups, 1, 1, items, 1, 1, 0,
                                       g->stream[OPI_QUEUE_COMPUTE], parameters, NULL));
}

/* --- 2. order ----------------------------------------------------------------------------------------------------- */

static oplus_status mark(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void **mark)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    CUevent event = NULL;
    *mark = NULL;
    oplus_status status = opi_cuda_enter(g, call);
    if (status != OPLUS_OK) return status;
    status = OPI_CUDA_TRY(g, call, EventCreate, &event, CU_EVENT_DISABLE_TIMING);
    if (status == OPLUS_OK) status = OPI_CUDA_TRY(g, call, EventRecord, event, g->stream[queue]);
    if (status == OPLUS_OK)
        *mark = event;
    else if (event)
        g->cu->EventDestroy(event);
    return opi_cuda_leave(g, call, status);
}

static oplus_status after(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *mark)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const oplus_status status = opi_cuda_enter(g, call);
    if (status != OPLUS_OK) return status;
    return opi_cuda_leave(g, call,
                          OPI_CUDA_TRY(g, call, StreamWaitEvent, g->stream[queue], mark, CU_EVENT_WAIT_DEFAULT));
}

static oplus_status reached(opi_gpu *gpu, const char *call, void *mark)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const oplus_status status = opi_cuda_enter(g, call);
    if (status != OPLUS_OK) return status;
    return opi_cuda_leave(g, call, OPI_CUDA_TRY(g, call, EventSynchronize, mark));
}

static oplus_status query(opi_gpu *gpu, const char *call, void *mark, bool *done)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    *done = false;
    oplus_status status = opi_cuda_enter(g, call);
    if (status != OPLUS_OK) return status;
    const CUresult result = g->cu->EventQuery(mark);
    if (result != CUDA_ERROR_NOT_READY) status = opi_cuda_status(g, call, "cuEventQuery", result);
    *done = result == CUDA_SUCCESS;
    return opi_cuda_leave(g, call, status);
}

static void drop(opi_gpu *gpu, void *mark)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    CUcontext ours;
    if (!mark || g->cu->CtxPushCurrent(g->context) != CUDA_SUCCESS) return;
    g->cu->EventDestroy(mark);
    g->cu->CtxPopCurrent(&ours);
}

static oplus_status sync(opi_gpu *gpu, const char *call, opi_gpu_queue queue)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const oplus_status status = opi_cuda_enter(g, call);
    if (status != OPLUS_OK) return status;
    return opi_cuda_leave(g, call, OPI_CUDA_TRY(g, call, StreamSynchronize, g->stream[queue]));
}

/* --- 3. the table ------------------------------------------------------------------------------------------------- */

const opi_driver opi_cuda = {
    .name = "cuda",
    .dialect = "cuda",
    .installed = opi_cuda_installed,
    .loaded = opi_cuda_loaded,
    .list = opi_cuda_list,
    .open = opi_cuda_device_open,
    .close = opi_cuda_device_close,
    .alloc = opi_cuda_alloc,
    .free = opi_cuda_free,
    .wrap = opi_cuda_wrap,
    .pinned_alloc = opi_cuda_pinned_alloc,
    .pinned_free = opi_cuda_pinned_free,
    .side = opi_cuda_side,
    .upload = opi_cuda_upload,
    .download = opi_cuda_download,
    .copy = opi_cuda_copy,
    .compile = opi_cuda_compile,
    .load = opi_cuda_load,
    .binary = opi_cuda_binary,
    .kernel = opi_cuda_kernel,
    .unload = opi_cuda_unload,
    .launch = launch,
    .mark = mark,
    .after = after,
    .reached = reached,
    .query = query,
    .drop = drop,
    .sync = sync,
};
