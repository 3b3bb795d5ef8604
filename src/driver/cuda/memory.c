#include "driver/cuda/cuda.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(CUdeviceptr) == sizeof(void *), "CUDA is there for 64 bits alone");

static CUdeviceptr address(const void *mem) { return (CUdeviceptr)(uintptr_t)mem; }

/* --- 1. own memory ------------------------------------------------------------------------------------------------ */

oplus_status opi_cuda_allocated(const opi_cuda_gpu *g, const char *call, const char *name, CUresult result,
                                size_t bytes)
{
    char said[64] = "";
    if (result == CUDA_SUCCESS) return OPLUS_OK;
    snprintf(said, sizeof said, " (%zu bytes were asked for)", bytes);
    return opi_cuda_fail(g, call, name, result, said);
}

oplus_status opi_cuda_make_room(opi_cuda_gpu *g, const char *call)
{
    if (opi_spans_reserve(&g->spans)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory to know %zu allocations of %s by; free some", call,
                    g->spans.count + 1, g->gpu.facts.where);
}

static void know(opi_cuda_gpu *g, void *mem, size_t bytes, opi_gpu_side side, bool lent)
{
    opi_spans_add(&g->spans, (opi_span){.address = mem, .bytes = bytes, .reach = bytes, .side = side, .lent = lent});
}

oplus_status opi_cuda_alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    CUdeviceptr got = 0;
    *mem = NULL;
    OPI_TRY(opi_cuda_not_recording(g, call, "allocate memory"));
    OPI_TRY(opi_cuda_make_room(g, call));
    CUresult result = g->cu->MemAlloc(&got, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && opi_cuda_close_opened(gpu)) result = g->cu->MemAlloc(&got, bytes);
    OPI_TRY(opi_cuda_allocated(g, call, "cuMemAlloc", result, bytes));
    memcpy(mem, &got, sizeof *mem);
    know(g, *mem, bytes, OPI_SIDE_DEVICE, false);
    return OPLUS_OK;
}

oplus_status opi_cuda_pinned_alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    *mem = NULL;
    OPI_TRY(opi_cuda_not_recording(g, call, "allocate memory"));
    OPI_TRY(opi_cuda_make_room(g, call));
    OPI_TRY(opi_cuda_allocated(g, call, "cuMemHostAlloc", g->cu->MemHostAlloc(mem, bytes, 0), bytes));
    know(g, *mem, bytes, OPI_SIDE_PINNED, false);
    return OPLUS_OK;
}

void opi_cuda_pinned_free(opi_gpu *gpu, void *mem)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    opi_span span;
    if (!mem) return;
    opi_spans_remove(&g->spans, mem, &span);
    g->cu->MemFreeHost(mem);
}

/* Memory of the caller stays his. */
oplus_status opi_cuda_wrap(opi_gpu *gpu, const char *call, void *native, size_t bytes, void **mem)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    opi_gpu_side side;
    *mem = NULL;
    OPI_TRY(opi_cuda_make_room(g, call));
    OPI_TRY(opi_cuda_side(gpu, call, "native", native, bytes, &side));
    if (side != OPI_SIDE_DEVICE)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: native is %p, which is no memory of %s; give what cudaMalloc or cuMemAlloc returned", call,
                        native, g->gpu.facts.where);
    know(g, native, bytes, OPI_SIDE_DEVICE, true);
    *mem = native;
    return OPLUS_OK;
}

void opi_cuda_free(opi_gpu *gpu, void *mem)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    opi_span span = {.lent = false}; /* stays so for what another handle of this device has allocated */
    if (!mem) return;
    opi_spans_remove(&g->spans, mem, &span);
    opi_cuda_wait(g); /* cuMemFree does not promise to wait */
    if (!span.lent) g->cu->MemFree(address(mem));
}

/* --- 2. where memory lies ----------------------------------------------------------------------------------------- */

/* One call for all: unlike cuPointerGetAttribute it does not fail for memory that CUDA does not know. */
oplus_status opi_cuda_look_up(const opi_cuda_gpu *g, const char *call, const void *p, opi_cuda_place *found)
{
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                    CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *answers[] = {&found->type, &found->managed, &found->ordinal, &found->start, &found->size};
    *found = (opi_cuda_place){.ordinal = -1};
    return OPI_CUDA_TRY(g, call, PointerGetAttributes, sizeof wanted / sizeof *wanted, wanted, answers, address(p));
}

/* Asks the driver about memory that is not known for certain. */
static oplus_status ask_side(const opi_cuda_gpu *g, const char *call, const char *argument, const void *p, size_t bytes,
                             opi_gpu_side *side)
{
    opi_cuda_place at;
    OPI_TRY(opi_cuda_look_up(g, call, p, &at));
    const size_t before = (size_t)(address(p) - at.start);
    const bool whole = before <= at.size && bytes <= at.size - before;
    if (at.type != CU_MEMORYTYPE_DEVICE && !at.managed) { /* pinned in part is staged: no single copy would take it */
        if (at.type == CU_MEMORYTYPE_HOST && whole) *side = OPI_SIDE_PINNED;
        return OPLUS_OK;
    }
    if (!at.managed && !opi_cuda_reaches(g, at.ordinal))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s is %p, memory of cuda:%d, and the device is %s; copy it there (cuMemcpyPeer), or open "
                        "cuda:%d",
                        call, argument, p, at.ordinal, g->gpu.facts.where, at.ordinal);
    if (at.size > 0 && !whole)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s is %p and %zu bytes long, and its memory on %s ends after %zu bytes; say fewer, or "
                        "allocate more",
                        call, argument, p, bytes, g->gpu.facts.where, at.size - before);
    *side = OPI_SIDE_DEVICE;
    return OPLUS_OK;
}

oplus_status opi_cuda_side(opi_gpu *gpu, const char *call, const char *argument, const void *p, size_t bytes,
                           opi_gpu_side *side)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    const opi_span *const span = opi_spans_find(&g->spans, p);
    *side = OPI_SIDE_HOST;
    if (!p) return OPLUS_OK;
    if (!span || !opi_span_holds(span, p, bytes)) return ask_side(g, call, argument, p, bytes, side);
    *side = span->side;
    return OPLUS_OK;
}

/* --- 3. copies ---------------------------------------------------------------------------------------------------- */

oplus_status opi_cuda_upload(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                             size_t bytes)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    OPI_TRY(opi_cuda_not_recording(g, call, "copy from the host"));
    return OPI_CUDA_TRY(g, call, MemcpyHtoDAsync, address(to), from, bytes, g->stream[queue]);
}

oplus_status opi_cuda_download(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                               size_t bytes)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    OPI_TRY(opi_cuda_not_recording(g, call, "copy to the host"));
    return OPI_CUDA_TRY(g, call, MemcpyDtoHAsync, to, address(from), bytes, g->stream[queue]);
}

oplus_status opi_cuda_copy(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                           size_t bytes)
{
    const opi_cuda_gpu *const g = opi_cuda_self(gpu);
    return OPI_CUDA_TRY(g, call, MemcpyDtoDAsync, address(to), address(from), bytes, g->stream[queue]);
}
