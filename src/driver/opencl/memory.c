/* Memory of an OpenCL device.
 *
 * A buffer gets a range of addresses that is reserved and never mapped: whoever follows such a pointer on the host
 * faults at once. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "driver/opencl/opencl.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static oplus_status make_room(opi_cl_gpu *gpu, const char *call)
{
    if (opi_spans_reserve(&gpu->spans)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no host memory for a list of %zu buffers of %s", call, gpu->spans.count + 1,
                    gpu->gpu.facts.where);
}

/* Addresses for a buffer: at least one more than its bytes, so that its end is not the begin of another. */
static oplus_status reserve(const opi_cl_gpu *gpu, const char *call, opi_span *span)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    span->reach = opi_round_up(span->bytes + 1, page);
    void *const address = mmap(NULL, span->reach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED)
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no addresses for a buffer of %zu bytes on %s: %s; raise the limit of "
                        "virtual memory (ulimit -v)",
                        call, span->bytes, gpu->gpu.facts.where, strerror(errno));
    span->address = address;
    return OPLUS_OK;
}

/* --- allocation --------------------------------------------------------------------------------------------------- */

static oplus_status check_size(const opi_cl_gpu *gpu, const char *call, size_t bytes)
{
    const opi_gpu_facts *const facts = &gpu->gpu.facts;
    if (bytes <= facts->largest) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY,
                    "%s: %zu bytes in one piece of %s (%s), which allows %llu (CL_DEVICE_MAX_MEM_ALLOC_SIZE); ask for "
                    "several pieces, or keep the array in host memory",
                    call, bytes, facts->where, facts->name, (unsigned long long)facts->largest);
}

static oplus_status create(opi_cl_gpu *gpu, const char *call, cl_mem_flags flags, size_t bytes, cl_mem *mem)
{
    OPI_TRY(check_size(gpu, call, bytes));
    cl_int error = CL_SUCCESS;
    *mem = gpu->cl->CreateBuffer(gpu->context, CL_MEM_READ_WRITE | flags, bytes, NULL, &error);
    return opi_cl_check(gpu, call, "clCreateBuffer", error);
}

oplus_status opi_cl_alloc(opi_gpu *base, const char *call, size_t bytes, void **mem)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    opi_span span = {.bytes = bytes, .side = OPI_SIDE_DEVICE};
    cl_mem buffer = NULL;
    OPI_TRY(make_room(gpu, call));
    OPI_TRY(create(gpu, call, 0, bytes, &buffer));
    span.object = buffer;
    const oplus_status status = reserve(gpu, call, &span);
    if (status != OPLUS_OK) {
        gpu->cl->ReleaseMemObject(buffer);
        return status;
    }
    opi_spans_add(&gpu->spans, span);
    *mem = span.address;
    return OPLUS_OK;
}

/* Whether mem is a buffer, of this context, and large enough. */
static oplus_status check_foreign(const opi_cl_gpu *gpu, const char *call, cl_mem mem, size_t bytes)
{
    const char *const where = gpu->gpu.facts.where;
    cl_uint type = 0;
    cl_context context = NULL;
    size_t size = 0;
    cl_int error = gpu->cl->GetMemObjectInfo(mem, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (error == CL_SUCCESS) error = gpu->cl->GetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS) error = gpu->cl->GetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size, &size, NULL);
    if (error == CL_INVALID_MEM_OBJECT)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: native is no cl_mem (CL_INVALID_MEM_OBJECT); give one made by "
                        "clCreateBuffer",
                        call);
    OPI_TRY(opi_cl_check(gpu, call, "clGetMemObjectInfo", error));
    if (type != CL_MEM_OBJECT_BUFFER)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: native is an image or a pipe (type 0x%x); give a cl_mem made by "
                        "clCreateBuffer",
                        call, (unsigned)type);
    if (context != gpu->context)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: native is a cl_mem of another context than that of %s; open the "
                        "device with a queue of that context",
                        call, where);
    void *host = NULL; /* where it lies, if it was made with CL_MEM_USE_HOST_PTR */
    OPI_TRY(opi_cl_check(gpu, call, "clGetMemObjectInfo",
                         gpu->cl->GetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof host, &host, NULL)));
    if ((uintptr_t)host % OPI_CACHE_LINE)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: native is a cl_mem in host memory at %p, which kernels take for a multiple of %d; align the "
            "memory, or copy it",
            call, host, OPI_CACHE_LINE);
    if (size < bytes)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: bytes is %zu, but the cl_mem has %zu; give at most as many", call,
                        bytes, size);
    return OPLUS_OK;
}

/* The buffer is retained until opi_cl_free, so that it cannot vanish; the owner's own reference is left alone. */
oplus_status opi_cl_wrap(opi_gpu *base, const char *call, void *native, size_t bytes, void **mem)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    opi_span span = {.bytes = bytes, .side = OPI_SIDE_DEVICE, .lent = true, .object = native};
    if (!native) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: native is NULL; give a cl_mem", call);
    OPI_TRY(check_foreign(gpu, call, native, bytes));
    OPI_TRY(make_room(gpu, call));
    OPI_TRY(reserve(gpu, call, &span));
    const oplus_status status = OPI_CL_CHECK(gpu, call, RetainMemObject, native);
    if (status != OPLUS_OK) {
        munmap(span.address, span.reach);
        return status;
    }
    opi_spans_add(&gpu->spans, span);
    *mem = span.address;
    return OPLUS_OK;
}

/* OpenCL has no call for pinned memory; a buffer in host memory that stays mapped is what all drivers pin. */
static oplus_status map_pinned(opi_cl_gpu *gpu, const char *call, opi_span *span)
{
    cl_command_queue queue;
    cl_mem buffer = NULL;
    OPI_TRY(opi_cl_queue(gpu, call, OPI_QUEUE_UP, &queue));
    OPI_TRY(create(gpu, call, CL_MEM_ALLOC_HOST_PTR, span->bytes, &buffer));
    cl_int error = CL_SUCCESS;
    span->address = gpu->cl->EnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, span->bytes, 0,
                                              NULL, NULL, &error);
    if (error != CL_SUCCESS) gpu->cl->ReleaseMemObject(buffer);
    span->object = buffer;
    return opi_cl_check(gpu, call, "clEnqueueMapBuffer", error);
}

oplus_status opi_cl_pinned_alloc(opi_gpu *base, const char *call, size_t bytes, void **mem)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    opi_span span = {.bytes = bytes, .reach = bytes, .side = OPI_SIDE_PINNED};
    OPI_TRY(make_room(gpu, call));
    if (!base->facts.host_cores)
        OPI_TRY(map_pinned(gpu, call, &span));
    else if (!(span.address = opi_alloc(bytes)))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no host memory for %zu bytes; free some or ask for less", call, bytes);
    opi_spans_add(&gpu->spans, span);
    *mem = span.address;
    return OPLUS_OK;
}

/* --- release ------------------------------------------------------------------------------------------------------ */

static void release(opi_cl_gpu *gpu, const opi_span *span)
{
    cl_command_queue queue;
    if (!span->object) { /* pinned by plain allocation, for a device on the host's cores */
        opi_free(span->address);
        return;
    }
    if (span->side == OPI_SIDE_DEVICE)
        munmap(span->address, span->reach);
    else if (opi_cl_queue(gpu, "", OPI_QUEUE_UP, &queue) == OPLUS_OK) {
        gpu->cl->EnqueueUnmapMemObject(queue, span->object, span->address, 0, NULL, NULL);
        gpu->cl->Finish(queue);
    }
    gpu->cl->ReleaseMemObject(span->object);
}

/* OpenCL would keep a released buffer as long as a command uses it, and free it later.  But the bytes should be there
 * for the next allocation, pinned memory is written until its command ends, and a wrapped buffer goes back to its
 * owner: so this waits. */
void opi_cl_free(opi_gpu *base, void *mem)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    opi_span span;
    if (!mem || !opi_spans_remove(&gpu->spans, mem, &span)) return;
    opi_cl_finish(gpu);
    release(gpu, &span);
}

void opi_cl_free_all(opi_cl_gpu *gpu)
{
    for (size_t i = 0; i < gpu->spans.count; i++) release(gpu, &gpu->spans.at[i]);
    opi_spans_free(&gpu->spans);
}

/* --- where memory lies -------------------------------------------------------------------------------------------- */

oplus_status opi_cl_side(opi_gpu *base, const char *call, const char *argument, const void *p, size_t bytes,
                         opi_gpu_side *side)
{
    const opi_cl_gpu *const gpu = (const opi_cl_gpu *)base;
    const opi_span *const span = opi_spans_find(&gpu->spans, p);
    *side = OPI_SIDE_HOST;
    if (!span) return OPLUS_OK; /* another device's buffers look the same: there is no list of all devices */
    const bool whole = opi_span_holds(span, p, bytes);
    if (span->side == OPI_SIDE_PINNED) {
        if (whole) *side = OPI_SIDE_PINNED;
        return OPLUS_OK;
    }
    *side = OPI_SIDE_DEVICE;
    if (whole) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s is %zu bytes that begin at byte %zu of a buffer of %zu bytes on %s and end beyond it; give "
                    "a larger buffer, or fewer elements",
                    call, argument, bytes, (size_t)((uintptr_t)p - (uintptr_t)span->address), span->bytes,
                    base->facts.where);
}

oplus_status opi_cl_place(const opi_cl_gpu *gpu, const char *call, const void *p, size_t bytes, cl_mem *mem,
                          size_t *offset)
{
    const opi_span *const span = p ? opi_spans_find(&gpu->spans, p) : NULL;
    *mem = NULL;
    *offset = 0;
    if (!p) return OPLUS_OK;
    if (!span || span->side != OPI_SIDE_DEVICE || !opi_span_holds(span, p, bytes))
        return opi_fail(OPLUS_ERR_INTERNAL, "%s: %zu bytes at %p are no memory of %s; this is a fault of oplus", call,
                        bytes, p, gpu->gpu.facts.where);
    *mem = span->object;
    *offset = (uintptr_t)p - (uintptr_t)span->address;
    return OPLUS_OK;
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

/* Whether a copy must be over when its call returns: ordinary memory is the caller's again. */
static cl_bool must_wait(const opi_cl_gpu *gpu, const void *host, size_t bytes)
{
    const opi_span *const span = opi_spans_find(&gpu->spans, host);
    return span && span->side == OPI_SIDE_PINNED && opi_span_holds(span, host, bytes) ? CL_FALSE : CL_TRUE;
}

oplus_status opi_cl_upload(opi_gpu *base, const char *call, opi_gpu_queue which, void *to, const void *from,
                           size_t bytes)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_command_queue queue;
    cl_mem mem;
    size_t offset;
    if (bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_cl_queue(gpu, call, which, &queue));
    OPI_TRY(opi_cl_place(gpu, call, to, bytes, &mem, &offset));
    return OPI_CL_CHECK(gpu, call, EnqueueWriteBuffer, queue, mem, must_wait(gpu, from, bytes), offset, bytes, from, 0,
                        NULL, NULL);
}

oplus_status opi_cl_download(opi_gpu *base, const char *call, opi_gpu_queue which, void *to, const void *from,
                             size_t bytes)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_command_queue queue;
    cl_mem mem;
    size_t offset;
    if (bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_cl_queue(gpu, call, which, &queue));
    OPI_TRY(opi_cl_place(gpu, call, from, bytes, &mem, &offset));
    return OPI_CL_CHECK(gpu, call, EnqueueReadBuffer, queue, mem, must_wait(gpu, to, bytes), offset, bytes, to, 0, NULL,
                        NULL);
}

oplus_status opi_cl_copy(opi_gpu *base, const char *call, opi_gpu_queue which, void *to, const void *from, size_t bytes)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_command_queue queue;
    cl_mem into, out_of;
    size_t into_offset, out_of_offset;
    if (bytes == 0 || to == from) return OPLUS_OK;
    OPI_TRY(opi_cl_queue(gpu, call, which, &queue));
    OPI_TRY(opi_cl_place(gpu, call, to, bytes, &into, &into_offset));
    OPI_TRY(opi_cl_place(gpu, call, from, bytes, &out_of, &out_of_offset));
    return OPI_CL_CHECK(gpu, call, EnqueueCopyBuffer, queue, out_of, into, out_of_offset, into_offset, bytes, 0, NULL,
                        NULL);
}
