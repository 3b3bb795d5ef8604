/* Offsets of segments, as public calls are given them. */
#ifndef OPI_FRONT_SEGMENTS_H
#define OPI_FRONT_SEGMENTS_H

#include <oplus/oplus.h>

#include "task/offsets.h"

/* Checks the type of an offset. */
oplus_status opi_check_offset_type(const char *call, const oplus_type *offset);

/* The offsets of segments of n elements. */
static inline opi_offsets opi_offsets_given(const oplus_type *offset, const void *offsets, size_t segments, size_t n)
{
    const uint64_t most = offset->scalar == OPLUS_I32 ? INT32_MAX : UINT64_MAX;
    return (opi_offsets){offsets, segments, offset->size, n < most ? n : most};
}

#endif
