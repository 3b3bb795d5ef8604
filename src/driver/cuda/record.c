/* A stream of the caller that is being captured into a graph: launches are recorded, and not done. */
#include "driver/cuda/cuda.h"

#include "base/error.h"

static bool is_recording(const opi_cuda_gpu *g)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!g->given) return false; /* nobody else knows the library's own streams */
    return g->cu->StreamIsCapturing(g->stream[OPI_QUEUE_COMPUTE], &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool opi_cuda_recording(opi_gpu *gpu) { return is_recording(opi_cuda_self(gpu)); }

oplus_status opi_cuda_not_recording(const opi_cuda_gpu *g, const char *call, const char *what)
{
    if (!is_recording(g)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_UNSUPPORTED,
                    "%s: the stream of %s is being captured into a graph, and the call would have to %s; before the "
                    "capture, make the same call once with arrays of the same sizes in device memory",
                    call, g->gpu.facts.where, what);
}
