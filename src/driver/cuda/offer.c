/* Memory that a device offers to another one of the same host: in the same process by its address, in another one by a
 * handle that the driver makes (CUDA IPC).
 *
 * To open a handle takes a millisecond or more, so that handles of small memory stay open; the driver never gives a handle to
 * other memory.  NVIDIA calls it undefined what becomes of memory that its owner frees while another process has it open.  Nobody
 * reads it then: it is found by the handle of memory that is offered now.  It may stay taken until it is closed; so what is kept
 * has few bytes, and oplus_trim, and an allocation that fails, close it. */
#include "base/error.h"
#include "base/host.h"
#include "driver/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 32,              /* handles that stay open while nobody uses them, */
    KEPT_BYTES = 256 << 20, /* ... and the bytes of their memory, together */
};

/* Memory of another process.  The list begins with what was used last. */
struct opi_cuda_opened {
    opi_cuda_opened *next;
    CUipcMemHandle handle;
    CUdeviceptr start;
    uint64_t bytes;
    unsigned users;
};

/* To ask for names takes as long as some launches. */
static void know_names(opi_cuda_gpu *g)
{
    if (g->host) return;
    g->host = opi_host_name();
    g->process = opi_process_name();
}

static bool is_here(opi_cuda_gpu *g, const opi_offer *offer)
{
    know_names(g);
    return offer->process == g->process;
}

static const void *pointer(CUdeviceptr address)
{
    const void *p;
    memcpy(&p, &address, sizeof p);
    return p;
}

/* Which allocation an address is in; 0: the driver does not say. */
static unsigned long long allocation_of(const opi_cuda_gpu *g, CUdeviceptr at)
{
    CUpointer_attribute wanted = CU_POINTER_ATTRIBUTE_BUFFER_ID;
    unsigned long long id = 0;
    void *answer = &id;
    return g->cu->PointerGetAttributes(1, &wanted, &answer, at) == CUDA_SUCCESS ? id : 0;
}

/* The driver has no handles of memory that it has mapped page by page, and none in some containers. */
static bool export(opi_cuda_gpu *g, CUdeviceptr start, opi_offer *offer)
{
    opi_cuda_exported *const list = g->exported, made = {.id = allocation_of(g, start)};
    unsigned k = 0;
    while (k + 1 < OPI_CUDA_EXPORTED && (made.id == 0 || list[k].id != made.id)) k++;
    opi_cuda_exported found = list[k];
    if (made.id == 0 || found.id != made.id) {
        found = made;
        if (g->cu->IpcGetMemHandle(&found.handle, start) != CUDA_SUCCESS) return false;
    }
    memcpy(offer->handle, &found.handle, sizeof offer->handle);
    if (found.id == 0) return true;
    memmove(list + 1, list, k * sizeof *list);
    list[0] = found;
    return true;
}

oplus_status opi_cuda_offer(opi_gpu *gpu, const char *call, const void *mem, opi_offer *offer)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    opi_cuda_place at;
    memset(offer, 0, sizeof *offer);
    OPI_TRY(opi_cuda_look_up(g, call, mem, &at));
    if (at.type != CU_MEMORYTYPE_DEVICE || at.managed) return OPLUS_OK;
    know_names(g);
    offer->host = g->host;
    offer->process = g->process;
    offer->address = (uintptr_t)mem;
    offer->beyond = (uintptr_t)mem - at.start;
    offer->bytes = at.size;
    offer->context = (uintptr_t)g->context;
    offer->device = g->ordinal;
    offer->is_exported = export(g, at.start, offer);
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
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return false;
    opi_cuda_note_peer(g, offer->device);
    return true;
}

/* --- what is open ------------------------------------------------------------------------------------------------- */

static void close_one(opi_cuda_gpu *g, opi_cuda_opened **at)
{
    opi_cuda_opened *const old = *at;
    opi_span span;
    *at = old->next;
    opi_spans_remove(&g->spans, pointer(old->start), &span);
    g->cu->IpcCloseMemHandle(old->start);
    free(old);
}

/* Closes what nobody uses, but for as many of what was used last as these limits allow.  Returns whether there was any. */
static bool close_unused(opi_cuda_gpu *g, unsigned most, uint64_t most_bytes)
{
    bool any = false;
    unsigned kept = 0;
    uint64_t bytes = 0;
    for (opi_cuda_opened **at = &g->opened; *at;) {
        opi_cuda_opened *const o = *at;
        if (o->users == 0 && (kept == most || o->bytes > most_bytes - bytes)) {
            close_one(g, at);
            any = true;
            continue;
        }
        if (o->users == 0) kept++, bytes += o->bytes;
        at = &o->next;
    }
    return any;
}

bool opi_cuda_close_opened(opi_gpu *gpu) { return close_unused(opi_cuda_self(gpu), 0, 0); }

/* Takes what is open by that handle out of the list; NULL: nothing is. */
static opi_cuda_opened *take_out(opi_cuda_gpu *g, const CUipcMemHandle *handle)
{
    for (opi_cuda_opened **at = &g->opened; *at; at = &(*at)->next) {
        opi_cuda_opened *const found = *at;
        if (memcmp(&found->handle, handle, sizeof *handle) != 0) continue;
        *at = found->next;
        return found;
    }
    return NULL;
}

/* Kernels of this device may be given what is open. */
static void know(opi_cuda_gpu *g, const opi_cuda_opened *o)
{
    opi_spans_add(&g->spans, (opi_span){.address = (char *)pointer(o->start),
                                        .bytes = o->bytes,
                                        .reach = o->bytes,
                                        .side = OPI_SIDE_DEVICE,
                                        .lent = true});
}

/* What is open and not used may be in the way: the driver has limits of its own. */
static opi_cuda_opened *open_new(opi_cuda_gpu *g, const CUipcMemHandle *handle, uint64_t bytes)
{
    opi_cuda_opened *const o = opi_spans_reserve(&g->spans) ? calloc(1, sizeof *o) : NULL;
    if (!o) return NULL;
    o->handle = *handle;
    o->bytes = bytes;
    CUresult result;
    do result = g->cu->IpcOpenMemHandle(&o->start, *handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    while (result != CUDA_SUCCESS && close_unused(g, 0, 0));
    if (result == CUDA_SUCCESS) {
        know(g, o);
        return o;
    }
    free(o);
    return NULL;
}

static opi_cuda_opened *use(opi_cuda_gpu *g, const opi_offer *offer)
{
    CUipcMemHandle handle;
    memcpy(&handle, offer->handle, sizeof handle);
    opi_cuda_opened *o = take_out(g, &handle);
    if (!o) o = open_new(g, &handle, offer->bytes);
    if (!o) return NULL;
    o->users++;
    o->next = g->opened;
    g->opened = o;
    return o;
}

/* --- offers ------------------------------------------------------------------------------------------------------- */

bool opi_cuda_accept(opi_gpu *gpu, const opi_offer *offer, const void **mem)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    *mem = NULL;
    know_names(g);
    if (offer->host == 0 || offer->host != g->host) return false;
    if (is_here(g, offer)) {
        if (links(g, offer)) *mem = pointer(offer->address);
        return *mem != NULL;
    }
    const opi_cuda_opened *const o = offer->is_exported ? use(g, offer) : NULL;
    if (o) *mem = pointer(o->start + offer->beyond);
    return o != NULL;
}

void opi_cuda_decline(opi_gpu *gpu, const opi_offer *offer)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    if (is_here(g, offer)) return;
    opi_cuda_opened *o = g->opened;
    while (o && (o->users == 0 || memcmp(&o->handle, offer->handle, sizeof o->handle) != 0)) o = o->next;
    if (o) o->users--;
    close_unused(g, KEPT, KEPT_BYTES);
}
