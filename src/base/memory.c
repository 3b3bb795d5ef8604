#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

void *opi_alloc(size_t bytes)
{
    const size_t align = bytes >= 2 * (size_t)HUGE_PAGE ? HUGE_PAGE : OPI_CACHE_LINE;
    if (bytes > SIZE_MAX - align) return NULL;
    const size_t whole = opi_round_up(bytes ? bytes : 1, align);
    void *mem = aligned_alloc(align, whole);
#ifdef MADV_HUGEPAGE
    if (mem && align == HUGE_PAGE) madvise(mem, whole, MADV_HUGEPAGE); /* a hint: refused is fine */
#endif
    return mem;
}

void opi_free(void *mem) { free(mem); }

bool opi_buffer_reserve(opi_buffer *buffer, size_t bytes)
{
    if (buffer->mem && bytes <= buffer->bytes) return true; /* never NULL, so that callers may add to it */
    opi_buffer_release(buffer); /* before the allocation: both need not fit, and the content is lost anyway */
    buffer->mem = opi_alloc(bytes);
    if (buffer->mem) buffer->bytes = bytes;
    return buffer->mem != NULL;
}

void opi_buffer_release(opi_buffer *buffer)
{
    opi_free(buffer->mem);
    buffer->mem = NULL;
    buffer->bytes = 0;
}
