/* The offsets of segments: integers of 32 or 64 bits.  They are read where they lie; no widened copy is made. */
#ifndef OPI_OFFSETS_H
#define OPI_OFFSETS_H

#include <oplus/op.h>

#include <stdbool.h>

typedef struct opi_offsets {
    const void *at;   /* segments + 1 offsets */
    size_t segments;  /* number of segments, at least 1 */
    size_t bytes;     /* size of an offset: 4 or 8 bytes */
    uint64_t largest; /* the largest offset allowed: n, or less if a signed offset cannot hold n */
} opi_offsets;

enum { OPI_FEW_LONG = 8 };

/* The long segments of some: those that have more elements than somebody likes. */
typedef struct opi_long_segments {
    uint64_t count, elements; /* how many there are; how many elements they have together */
    struct {
        uint64_t begin, n;
    } few[OPI_FEW_LONG]; /* the first of them */
} opi_long_segments;

/* Offset s, read as an unsigned integer: a negative offset is therefore larger than `largest`. */
static inline uint64_t opi_offset(const opi_offsets *offsets, size_t s)
{
    return offsets->bytes == sizeof(uint32_t) ? ((const uint32_t *)offsets->at)[s] : ((const uint64_t *)offsets->at)[s];
}

static inline size_t opi_offsets_bytes(const opi_offsets *offsets) { return (offsets->segments + 1) * offsets->bytes; }

/* The offsets of the segments [begin, end). */
static inline opi_offsets opi_offsets_slice(const opi_offsets *offsets, size_t begin, size_t end)
{
    opi_offsets slice = *offsets;
    slice.at = (const char *)offsets->at + begin * offsets->bytes;
    slice.segments = end - begin;
    return slice;
}

#endif
