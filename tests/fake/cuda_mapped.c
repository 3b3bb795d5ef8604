/* The fake driver's ranges of addresses, and the pages that are mapped into them. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "fake/books.h"

#include <sys/mman.h>

enum { RANGES = 16 };

static struct reserved {
    char *start;
    size_t bytes;
} reserved[RANGES];

struct page {
    size_t bytes;
    int device;
};

static char *pointer(CUdeviceptr address)
{
    char *p;
    memcpy(&p, &address, sizeof p);
    return p;
}

static struct reserved *range_of(const char *p, size_t bytes)
{
    for (size_t i = 0; i < RANGES; i++)
        if (reserved[i].start && p >= reserved[i].start && p + bytes <= reserved[i].start + reserved[i].bytes)
            return &reserved[i];
    return NULL;
}

void fake_forget_ranges(void)
{
    for (size_t i = 0; i < RANGES; i++) {
        if (reserved[i].start) munmap(reserved[i].start, reserved[i].bytes);
        reserved[i] = (struct reserved){0};
    }
}

static bool is_page(const CUmemAllocationProp *wanted)
{
    return wanted->type == CU_MEM_ALLOCATION_TYPE_PINNED && wanted->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
           wanted->location.id >= 0 && wanted->location.id < FAKE_DEVICES;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *wanted,
                                       CUmemAllocationGranularity_flags flags)
{
    CALL(MemGetAllocationGranularity);
    if (!is_page(wanted) || flags != CU_MEM_ALLOC_GRANULARITY_MINIMUM) return CUDA_ERROR_INVALID_VALUE;
    *bytes = FAKE_PAGE;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t align, CUdeviceptr wanted,
                             unsigned long long flags)
{
    CALL(MemAddressReserve);
    if (bytes == 0 || bytes % FAKE_PAGE || align % FAKE_PAGE || wanted || flags) return CUDA_ERROR_INVALID_VALUE;
    struct reserved *free = reserved;
    while (free < reserved + RANGES && free->start) free++;
    if (free == reserved + RANGES) return CUDA_ERROR_OUT_OF_MEMORY;
    void *const start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    *free = (struct reserved){start, bytes};
    *address = (uintptr_t)start;
    fake_books.live[FAKE_RESERVED]++;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    CALL(MemAddressFree);
    struct reserved *const r = range_of(pointer(address), bytes);
    if (!r || r->bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
    munmap(r->start, bytes);
    *r = (struct reserved){0};
    fake_books.live[FAKE_RESERVED]--;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *wanted,
                     unsigned long long flags)
{
    CALL(MemCreate);
    if (!is_page(wanted) || bytes == 0 || bytes % FAKE_PAGE || flags) return CUDA_ERROR_INVALID_VALUE;
    struct page *const page = fake_make(sizeof *page);
    *page = (struct page){bytes, wanted->location.id};
    *handle = (uintptr_t)page;
    fake_books.live[FAKE_PAGES]++;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CALL(MemRelease);
    fake_unmake(pointer(handle));
    fake_books.live[FAKE_PAGES]--;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    CALL(MemMap);
    char *const start = pointer(address);
    struct page page;
    memcpy(&page, pointer(handle), sizeof page);
    if (!range_of(start, bytes) || page.bytes != bytes || offset || flags) return CUDA_ERROR_INVALID_VALUE;
    fake_map(start, bytes, page.device);
    fake_books.live[FAKE_MAPPED]++;
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    CALL(MemUnmap);
    char *const start = pointer(address);
    if (!range_of(start, bytes) || !fake_unmap(start, bytes)) return CUDA_ERROR_INVALID_VALUE;
    mprotect(start, bytes, PROT_NONE);
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *who, size_t count)
{
    CALL(MemSetAccess);
    char *const start = pointer(address);
    unsigned users = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned bit = 1u << who[i].location.id;
        if (who[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || who[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
            users & bit)
            return CUDA_ERROR_INVALID_VALUE;
        users |= bit;
    }
    if (!fake_open(start, bytes, users)) return CUDA_ERROR_INVALID_VALUE;
    return mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
