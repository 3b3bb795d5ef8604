/* Memory that several devices share: one range of addresses, whose pages are memory of the devices in turn. */
#include "driver/cuda/cuda.h"

#include "base/error.h"

#include <assert.h>
#include <string.h>

enum { MOST_DEVICES = 64 };

static CUdeviceptr address(const void *mem) { return (CUdeviceptr)(uintptr_t)mem; }

/* --- 1. who reaches whom ------------------------------------------------------------------------------------------ */

/* CUDA lets a context use the memory of another one until the process ends: others may rely on it by then. */
static oplus_status link_contexts(const opi_cuda_gpu *g, const char *call, const opi_cuda_gpu *other)
{
    int can = 0;
    OPI_TRY(OPI_CUDA_TRY(g, call, DeviceCanAccessPeer, &can, g->device, other->device));
    if (!can || other->ordinal >= MOST_DEVICES)
        return opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: %s (%s) cannot use the memory of %s (%s), as nothing links the two or the system forbids it; "
            "see nvidia-smi topo -p2p r, and open devices that are linked, or each by itself",
            call, g->gpu.facts.where, g->gpu.facts.name, other->gpu.facts.where, other->gpu.facts.name);
    const CUresult result = g->cu->CtxEnablePeerAccess(other->context, 0);
    return result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? OPLUS_OK
                                                            : opi_cuda_status(g, call, "cuCtxEnablePeerAccess", result);
}

oplus_status opi_cuda_reach(opi_gpu *gpu, const char *call, const opi_gpu *other)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const opi_cuda_gpu *const o = (const opi_cuda_gpu *)other;
    if (o->ordinal == g->ordinal) return OPLUS_OK;
    int atomic = 0;
    OPI_TRY(link_contexts(g, call, o));
    OPI_TRY(OPI_CUDA_TRY(g, call, DeviceGetP2PAttribute, &atomic, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
                         g->device, o->device));
    if (!atomic) gpu->counts_apart = true;
    opi_cuda_note_peer(g, o->ordinal);
    return OPLUS_OK;
}

void opi_cuda_note_peer(opi_cuda_gpu *g, int ordinal)
{
    if (ordinal < MOST_DEVICES) g->peers |= UINT64_C(1) << ordinal;
}

/* --- 2. ranges ---------------------------------------------------------------------------------------------------- */

static opi_cuda_allocation page_of(const opi_cuda_gpu *g)
{
    return (opi_cuda_allocation){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, g->device}};
}

oplus_status opi_cuda_page(opi_gpu *gpu, const char *call, size_t *bytes)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const opi_cuda_allocation wanted = page_of(g);
    return OPI_CUDA_TRY(g, call, MemGetAllocationGranularity, bytes, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
}

/* The mapping keeps the memory, which needs no handle of ours. */
static oplus_status map_page(const opi_cuda_gpu *g, const char *call, CUdeviceptr at, size_t page, size_t bytes)
{
    const opi_cuda_allocation wanted = page_of(g);
    CUmemGenericAllocationHandle handle;
    OPI_TRY(opi_cuda_allocated(g, call, "cuMemCreate", g->cu->MemCreate(&handle, page, &wanted, 0), bytes));
    const CUresult result = g->cu->MemMap(at, page, 0, handle, 0);
    g->cu->MemRelease(handle);
    return opi_cuda_status(g, call, "cuMemMap", result);
}

static oplus_status open_to_all(opi_gpu *const *gpus, unsigned count, const char *call, CUdeviceptr at, size_t bytes)
{
    opi_cuda_access who[MOST_DEVICES];
    uint64_t named = 0;
    unsigned users = 0;
    for (unsigned i = 0; i < count; i++) {
        const opi_cuda_gpu *const g = opi_cuda_self(gpus[i]);
        const uint64_t bit = UINT64_C(1) << g->ordinal % MOST_DEVICES;
        if (named & bit) continue; /* the same device twice */
        named |= bit;
        who[users++] = (opi_cuda_access){{CU_MEM_LOCATION_TYPE_DEVICE, g->device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    }
    return OPI_CUDA_TRY(opi_cuda_self(gpus[0]), call, MemSetAccess, at, bytes, who, users);
}

static oplus_status map_all(opi_gpu *const *gpus, unsigned count, const char *call, CUdeviceptr at, size_t page,
                            size_t bytes, size_t *mapped)
{
    assert(count > 0);
    for (size_t k = 0; k * page < bytes; k++) {
        OPI_TRY(map_page(opi_cuda_self(gpus[k % count]), call, at + k * page, page, bytes));
        *mapped += page;
    }
    return open_to_all(gpus, count, call, at, bytes);
}

static void unmap(const opi_cuda_calls *cu, CUdeviceptr at, size_t mapped, size_t bytes)
{
    if (mapped > 0) cu->MemUnmap(at, mapped);
    cu->MemAddressFree(at, bytes);
}

oplus_status opi_cuda_deal(opi_gpu *const *gpus, unsigned count, const char *call, size_t page, size_t bytes,
                           void **mem)
{
    const opi_cuda_gpu *const first = opi_cuda_self(gpus[0]);
    CUdeviceptr at = 0;
    size_t mapped = 0;
    *mem = NULL;
    for (unsigned i = 0; i < count; i++) OPI_TRY(opi_cuda_make_room(opi_cuda_self(gpus[i]), call));
    OPI_TRY(opi_cuda_allocated(first, call, "cuMemAddressReserve", first->cu->MemAddressReserve(&at, bytes, page, 0, 0),
                               bytes));
    const oplus_status status = map_all(gpus, count, call, at, page, bytes, &mapped);
    if (status != OPLUS_OK) {
        unmap(first->cu, at, mapped, bytes);
        return status;
    }
    memcpy(mem, &at, sizeof *mem);
    for (unsigned i = 0; i < count; i++)
        opi_spans_add(&opi_cuda_self(gpus[i])->spans, (opi_span){.address = *mem,
                                                                 .bytes = bytes,
                                                                 .reach = bytes,
                                                                 .side = OPI_SIDE_DEVICE,
                                                                 .lent = true}); /* `free` must not free it */
    return OPLUS_OK;
}

void opi_cuda_gather(opi_gpu *const *gpus, unsigned count, void *mem, size_t bytes)
{
    opi_span span;
    for (unsigned i = 0; i < count; i++) opi_spans_remove(&opi_cuda_self(gpus[i])->spans, mem, &span);
    unmap(opi_cuda_self(gpus[0])->cu, address(mem), bytes, bytes);
}

/* --- 3. whose memory it is ---------------------------------------------------------------------------------------- */

oplus_status opi_cuda_home(opi_gpu *const *gpus, unsigned count, const char *call, const void *p, unsigned *which)
{
    opi_cuda_place at;
    *which = count;
    OPI_TRY(opi_cuda_look_up(opi_cuda_self(gpus[0]), call, p, &at));
    if (at.type != CU_MEMORYTYPE_DEVICE) return OPLUS_OK;
    for (unsigned i = 0; i < count && *which == count; i++)
        if (opi_cuda_self(gpus[i])->ordinal == at.ordinal) *which = i;
    return OPLUS_OK;
}
