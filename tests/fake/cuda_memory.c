/* The fake driver's memory, which is the host's. */
#include "fake/books.h"

#include <stdlib.h>

enum { RANGES = 256 };

static void *pointer(CUdeviceptr address)
{
    void *p;
    memcpy(&p, &address, sizeof p);
    return p;
}

/* --- memory that is known --- */

static struct range {
    char *start;
    size_t bytes;
    unsigned type;
    int device;
    bool managed, ours, mapped;
    unsigned users; /* of a mapped page: devices that may use it */
    unsigned long long id;
} ranges[RANGES];
static unsigned long long last_id;

static void add_range(struct range range)
{
    for (size_t i = 0; i < RANGES; i++)
        if (!ranges[i].start) {
            ranges[i] = range;
            ranges[i].id = ++last_id;
            return;
        }
    abort(); /* the test needs more rooms */
}

void fake_know(void *p, size_t bytes, unsigned type, int device, bool managed)
{
    add_range((struct range){p, bytes, type, device, managed, false, false, 0, 0});
}

static CUresult take_memory(size_t bytes, unsigned type, void **mem)
{
    *mem = bytes > 0 && bytes <= (size_t)1 << 30 ? calloc(1, bytes) : NULL;
    if (!*mem) return CUDA_ERROR_OUT_OF_MEMORY;
    add_range((struct range){*mem, bytes, type, fake_current()->device, false, true, false, 0, 0});
    return CUDA_SUCCESS;
}

static CUresult give_memory(const void *mem, unsigned type)
{
    for (size_t i = 0; i < RANGES; i++)
        if (ranges[i].ours && ranges[i].start == mem && ranges[i].type == type) {
            free(ranges[i].start);
            ranges[i] = (struct range){0};
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

static struct range *range_of(CUdeviceptr address)
{
    const uintptr_t at = (uintptr_t)address;
    for (size_t i = 0; i < RANGES; i++)
        if (ranges[i].start && at >= (uintptr_t)ranges[i].start && at < (uintptr_t)ranges[i].start + ranges[i].bytes)
            return &ranges[i];
    return NULL;
}

/* Memory may go from one page to the next, if the current device may use both. */
static bool holds(CUdeviceptr address, size_t bytes)
{
    const struct range *const r = range_of(address);
    if (!r) return false;
    const size_t left = (uintptr_t)r->start + r->bytes - (uintptr_t)address;
    if (r->mapped && !(r->users >> fake_current()->device & 1)) return false;
    return bytes <= left || (r->mapped && holds(address + left, bytes - left));
}

void fake_map(char *start, size_t bytes, int device)
{
    add_range((struct range){start, bytes, CU_MEMORYTYPE_DEVICE, device, false, false, true, 0, 0});
}

/* Does something to all pages in [start, start + bytes); false: they do not fill it. */
static bool on_pages(char *start, size_t bytes, unsigned users, bool forget)
{
    size_t found = 0;
    for (size_t i = 0; i < RANGES; i++) {
        struct range *const r = &ranges[i];
        if (!r->mapped || r->start < start || r->start >= start + bytes) continue;
        found += r->bytes;
        r->users = users;
        if (forget) {
            fake_books.live[FAKE_MAPPED]--;
            *r = (struct range){0};
        }
    }
    return found == bytes;
}

bool fake_open(char *start, size_t bytes, unsigned users) { return on_pages(start, bytes, users, false); }
bool fake_unmap(char *start, size_t bytes) { return on_pages(start, bytes, 0, true); }

void fake_forget_memory(void)
{
    for (size_t i = 0; i < RANGES; i++) {
        if (ranges[i].ours) free(ranges[i].start);
        ranges[i] = (struct range){0};
    }
}

/* --- the calls --- */

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    void *mem;
    CALL_OUT_OF_CAPTURE(MemAlloc);
    const CUresult result = take_memory(bytes, CU_MEMORYTYPE_DEVICE, &mem);
    if (result != CUDA_SUCCESS) return result;
    *address = (uintptr_t)mem;
    fake_books.live[FAKE_MEMORY]++;
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    CALL_OUT_OF_CAPTURE(MemFree);
    const CUresult result = give_memory(pointer(address), CU_MEMORYTYPE_DEVICE);
    if (result == CUDA_SUCCESS) fake_books.live[FAKE_MEMORY]--;
    return result;
}

CUresult cuMemHostAlloc(void **mem, size_t bytes, unsigned flags)
{
    CALL_OUT_OF_CAPTURE(MemHostAlloc);
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = take_memory(bytes, CU_MEMORYTYPE_HOST, mem);
    if (result == CUDA_SUCCESS) fake_books.live[FAKE_PINNED]++;
    return result;
}

CUresult cuMemFreeHost(void *mem)
{
    CALL_OUT_OF_CAPTURE(MemFreeHost);
    const CUresult result = give_memory(mem, CU_MEMORYTYPE_HOST);
    if (result == CUDA_SUCCESS) fake_books.live[FAKE_PINNED]--;
    return result;
}

static CUresult move(bool known, void *to, const void *from, size_t bytes, CUstream stream)
{
    if (!fake_is_here(stream)) return CUDA_ERROR_INVALID_HANDLE;
    if (!known) return CUDA_ERROR_INVALID_VALUE;
    memcpy(to, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    CALL_OUT_OF_CAPTURE(MemcpyHtoDAsync);
    return move(holds(to, bytes), pointer(to), from, bytes, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    CALL_OUT_OF_CAPTURE(MemcpyDtoHAsync);
    return move(holds(from, bytes), to, pointer(from), bytes, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    CALL_IN_CONTEXT(MemcpyDtoDAsync);
    return move(holds(to, bytes) && holds(from, bytes), pointer(to), pointer(from), bytes, stream);
}

/* As the driver does: unknown memory is no failure; the answer is zeros, and no device. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *which, void **data, CUdeviceptr address)
{
    CALL_IN_CONTEXT(PointerGetAttributes);
    static const struct range none = {.device = -2};
    const struct range *const found = range_of(address), *const r = found ? found : &none;
    for (unsigned i = 0; i < count; i++) {
        const CUdeviceptr start = (uintptr_t)r->start;
        const unsigned char managed = r->managed;
        const struct {
            CUpointer_attribute which;
            const void *value;
            size_t bytes;
        } table[] = {{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, &r->type, sizeof r->type},
                     {CU_POINTER_ATTRIBUTE_BUFFER_ID, &r->id, sizeof r->id},
                     {CU_POINTER_ATTRIBUTE_IS_MANAGED, &managed, sizeof managed},
                     {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, &r->device, sizeof r->device},
                     {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, &start, sizeof start},
                     {CU_POINTER_ATTRIBUTE_RANGE_SIZE, &r->bytes, sizeof r->bytes}};
        for (size_t k = 0; k < sizeof table / sizeof *table; k++)
            if (table[k].which == which[i]) memcpy(data[i], table[k].value, table[k].bytes);
    }
    return CUDA_SUCCESS;
}

/* --- memory of other processes: a handle is an address, and what is opened is where it was --- */

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
    CALL_IN_CONTEXT(IpcGetMemHandle);
    const struct range *const r = range_of(address);
    if (!r || (uintptr_t)r->start != (uintptr_t)address || !r->ours) return CUDA_ERROR_INVALID_VALUE;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &address, sizeof address);
    memcpy((char *)handle + sizeof address, &r->id, sizeof r->id);
    return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    CALL_IN_CONTEXT(IpcOpenMemHandle);
    if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) return CUDA_ERROR_INVALID_VALUE;
    memcpy(address, &handle, sizeof *address);
    if (!range_of(*address)) return CUDA_ERROR_INVALID_VALUE;
    fake_books.live[FAKE_OPENED]++;
    return CUDA_SUCCESS;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    CALL_IN_CONTEXT(IpcCloseMemHandle);
    if (!range_of(address)) return CUDA_ERROR_INVALID_VALUE;
    fake_books.live[FAKE_OPENED]--;
    return CUDA_SUCCESS;
}
