/* Memory that grows and is kept, so that a steady state allocates nothing. */
#ifndef OPI_MEMORY_H
#define OPI_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum { OPI_CACHE_LINE = 64 };

static inline size_t opi_smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t opi_larger(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t opi_round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/* At least `bytes`, aligned to a cache line; from 4 MiB on to huge pages, which scatter-heavy passes want.
 * NULL if there is no memory. */
void *opi_alloc(size_t bytes);
void opi_free(void *mem);

/* A buffer that is asked for by size and keeps its place until it must grow. */
typedef struct opi_buffer {
    void *mem;
    size_t bytes;
} opi_buffer;

/* Makes the buffer at least `bytes` large, its content lost if it grows; false, and unchanged, without memory. */
bool opi_buffer_reserve(opi_buffer *buffer, size_t bytes);
void opi_buffer_release(opi_buffer *buffer);

#endif
