/* CUDA as a table of calls: the driver API and NVRTC, both opened at run time; here is the order of work.
 *
 * The device works in its primary context, which it shares with the CUDA runtime, or in that of the stream that the
 * caller gave; memory that is handed to it has to be of this context.  Its own streams are non-blocking: they do not
 * wait for the legacy default stream.  A caller who works on other streams finishes that work first, or gives the
 * stream. */
#include "driver/cuda/cuda.h"

#include "base/error.h"

/* --- 1. order ----------------------------------------------------------------------------------------------------- */

static oplus_status mark(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void **mark)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    CUevent event = NULL;
    *mark = NULL;
    OPI_TRY(opi_cuda_not_recording(g, call, "copy arrays of the host"));
    if (g->marks > 0)
        event = g->mark[--g->marks];
    else
        OPI_TRY(OPI_CUDA_TRY(g, call, EventCreate, &event, CU_EVENT_DISABLE_TIMING));
    const oplus_status status = OPI_CUDA_TRY(g, call, EventRecord, event, g->stream[queue]);
    if (status == OPLUS_OK)
        *mark = event;
    else
        g->cu->EventDestroy(event);
    return status;
}

static oplus_status after(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *mark)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    return OPI_CUDA_TRY(g, call, StreamWaitEvent, g->stream[queue], mark, CU_EVENT_WAIT_DEFAULT);
}

static oplus_status reached(opi_gpu *gpu, const char *call, void *mark)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    return OPI_CUDA_TRY(g, call, EventSynchronize, mark);
}

static oplus_status query(opi_gpu *gpu, const char *call, void *mark, bool *done)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const CUresult result = g->cu->EventQuery(mark);
    *done = result == CUDA_SUCCESS;
    return result == CUDA_ERROR_NOT_READY ? OPLUS_OK : opi_cuda_status(g, call, "cuEventQuery", result);
}

/* Whoever waits for the event goes on waiting for what it has been recorded behind, also when it is recorded again. */
static void drop(opi_gpu *gpu, void *mark)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    if (mark && g->marks < OPI_CUDA_MARKS)
        g->mark[g->marks++] = mark;
    else if (mark)
        g->cu->EventDestroy(mark);
}

static oplus_status sync(opi_gpu *gpu, const char *call, opi_gpu_queue queue)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    OPI_TRY(opi_cuda_not_recording(g, call, "wait for a result"));
    return OPI_CUDA_TRY(g, call, StreamSynchronize, g->stream[queue]);
}

/* --- 2. the table ------------------------------------------------------------------------------------------------- */

const opi_driver opi_cuda = {
    .name = "cuda",
    .dialect = "cuda",
    .installed = opi_cuda_installed,
    .loaded = opi_cuda_loaded,
    .list = opi_cuda_list,
    .open = opi_cuda_device_open,
    .close = opi_cuda_device_close,
    .enter = opi_cuda_enter,
    .leave = opi_cuda_leave,
    .alloc = opi_cuda_alloc,
    .free = opi_cuda_free,
    .wrap = opi_cuda_wrap,
    .pinned_alloc = opi_cuda_pinned_alloc,
    .pinned_free = opi_cuda_pinned_free,
    .side = opi_cuda_side,
    .upload = opi_cuda_upload,
    .download = opi_cuda_download,
    .copy = opi_cuda_copy,
    .reach = opi_cuda_reach,
    .deal = opi_cuda_deal,
    .gather = opi_cuda_gather,
    .page = opi_cuda_page,
    .home = opi_cuda_home,
    .offer = opi_cuda_offer,
    .accept = opi_cuda_accept,
    .decline = opi_cuda_decline,
    .close_opened = opi_cuda_close_opened,
    .compile = opi_cuda_compile,
    .load = opi_cuda_load,
    .translate = opi_cuda_translate,
    .binary = opi_cuda_binary,
    .kernel = opi_cuda_kernel,
    .unload = opi_cuda_unload,
    .launch = opi_cuda_launch,
    .allow = opi_cuda_allow,
    .residents = opi_cuda_residents,
    .mark = mark,
    .after = after,
    .reached = reached,
    .query = query,
    .drop = drop,
    .sync = sync,
    .recording = opi_cuda_recording,
    .forget = opi_cuda_forget,
};
