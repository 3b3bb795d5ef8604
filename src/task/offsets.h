/* The offsets of segments: integers of 32 or 64 bits, read where they are and never widened by a copy. */
#ifndef OPI_OFFSETS_H
#define OPI_OFFSETS_H

#include <oplus/op.h>

#include <stdbool.h>

typedef struct opi_offsets {
    const void *at;   /* segments + 1 of them */
    size_t segments;  /* at least 1 */
    size_t bytes;     /* of an offset: 4 or 8 */
    uint64_t largest; /* that is allowed: n, or less if the type of a signed offset holds less */
} opi_offsets;

/* Offset s.  A negative one of a signed type is larger than `largest`, as all unsigned readings of it are. */
static inline uint64_t opi_offset(const opi_offsets *offsets, size_t s)
{
    return offsets->bytes == sizeof(uint32_t) ? ((const uint32_t *)offsets->at)[s] : ((const uint64_t *)offsets->at)[s];
}

static inline size_t opi_offsets_bytes(const opi_offsets *offsets) { return (offsets->segments + 1) * offsets->bytes; }

/* Segments [begin, end) of them. */
static inline opi_offsets opi_offsets_slice(const opi_offsets *offsets, size_t begin, size_t end)
{
    opi_offsets slice = *offsets;
    slice.at = (const char *)offsets->at + begin * offsets->bytes;
    slice.segments = end - begin;
    return slice;
}

#endif
