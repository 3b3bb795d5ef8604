/* Memory that grows and is kept, so that repeated calls of the same size allocate nothing. */
#ifndef OPI_MEMORY_H
#define OPI_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum { OPI_CACHE_LINE = 64 };

static inline size_t opi_smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t opi_larger(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t opi_round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/* Allocates at least `bytes` bytes, aligned to a cache line; from 4 MiB on aligned to huge pages, which make passes
 * that scatter faster.  Returns NULL if there is no memory. */
void *opi_alloc(size_t bytes);
void opi_free(void *mem);

/* A buffer whose memory is kept until it must grow. */
typedef struct opi_buffer {
    void *mem;
    size_t bytes;
} opi_buffer;

/* Makes the buffer at least `bytes` bytes large; if it grows, its content is lost.  Returns false, and leaves the
 * buffer as it was, if there is no memory. */
bool opi_buffer_reserve(opi_buffer *buffer, size_t bytes);
void opi_buffer_release(opi_buffer *buffer);

#endif
