/* The device's context becomes the thread's current one, and the caller's comes back. */
#include "driver/cuda/cuda.h"

/* Asking costs less than pushing and popping, and whoever works with the CUDA runtime has the primary context current
 * already. */
oplus_status opi_cuda_enter(opi_gpu *gpu, const char *call)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    CUcontext current = NULL;
    oplus_status status = OPI_CUDA_TRY(g, call, CtxGetCurrent, &current);
    const bool pushes = current != g->context;
    if (status == OPLUS_OK && pushes) status = OPI_CUDA_TRY(g, call, CtxPushCurrent, g->context);
    if (status == OPLUS_OK) g->pushed = g->pushed << 1 | pushes;
    return status;
}

oplus_status opi_cuda_leave(opi_gpu *gpu, const char *call, oplus_status status)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const bool pushed = g->pushed & 1;
    CUcontext ours;
    g->pushed >>= 1;
    if (!pushed) return status;
    const CUresult result = g->cu->CtxPopCurrent(&ours);
    return status != OPLUS_OK ? status : opi_cuda_status(g, call, "cuCtxPopCurrent", result);
}
