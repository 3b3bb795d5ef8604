/* Memory that a device offers to another one of the same host: in the same process by its address, in another one by a
 * handle that the driver makes (CUDA IPC). */
#include "base/error.h"
#include "base/host.h"
#include "driver/cuda/cuda.h"

#include <string.h>

static bool is_here(const opi_offer *offer) { return offer->process == opi_process_name(); }

static const void *pointer(CUdeviceptr address)
{
    const void *p;
    memcpy(&p, &address, sizeof p);
    return p;
}

/* The driver has no handles of memory that it has mapped page by page, and none in some containers. */
oplus_status opi_cuda_offer(opi_gpu *gpu, const char *call, const void *mem, opi_offer *offer)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    opi_cuda_place at;
    CUipcMemHandle handle;
    memset(offer, 0, sizeof *offer);
    OPI_TRY(opi_cuda_look_up(g, call, mem, &at));
    if (at.type != CU_MEMORYTYPE_DEVICE || at.managed) return OPLUS_OK;
    offer->host = opi_host_name();
    offer->process = opi_process_name();
    offer->address = (uintptr_t)mem;
    offer->beyond = (uintptr_t)mem - at.start;
    offer->context = (uintptr_t)g->context;
    offer->device = g->ordinal;
    offer->is_exported = g->cu->IpcGetMemHandle(&handle, at.start) == CUDA_SUCCESS;
    if (offer->is_exported) memcpy(offer->handle, &handle, sizeof offer->handle);
    return OPLUS_OK;
}

/* Memory of another device of this process is reached once the two are linked. */
static bool links(opi_cuda_gpu *g, const opi_offer *offer)
{
    CUcontext other;
    CUdevice device;
    int can = 0;
    memcpy(&other, &offer->context, sizeof other);
    if (other == g->context) return true;
    if (offer->device == g->ordinal) return false; /* another context of the same device has memory of its own */
    if (g->cu->DeviceGet(&device, offer->device) != CUDA_SUCCESS) return false;
    if (g->cu->DeviceCanAccessPeer(&can, g->device, device) != CUDA_SUCCESS || !can) return false;
    const CUresult result = g->cu->CtxEnablePeerAccess(other, 0);
    return result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

bool opi_cuda_accept(opi_gpu *gpu, const opi_offer *offer, const void **mem)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    CUipcMemHandle handle;
    CUdeviceptr start;
    *mem = NULL;
    if (offer->host == 0 || offer->host != opi_host_name()) return false;
    if (is_here(offer)) {
        if (links(g, offer)) *mem = pointer(offer->address);
        return *mem != NULL;
    }
    if (!offer->is_exported) return false;
    memcpy(&handle, offer->handle, sizeof handle);
    if (g->cu->IpcOpenMemHandle(&start, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS) return false;
    *mem = pointer(start + offer->beyond);
    return true;
}

void opi_cuda_decline(opi_gpu *gpu, const opi_offer *offer, const void *mem)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    if (!is_here(offer)) g->cu->IpcCloseMemHandle((uintptr_t)mem - offer->beyond);
}
