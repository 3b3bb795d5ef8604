/* Indices of elements: integers of 32 or 64 bits, with a sign or without.  They are read where they lie; no widened copy is
 * made. */
#ifndef OPI_INDICES_H
#define OPI_INDICES_H

#include <oplus/elements.h>

#include <stdbool.h>

typedef struct opi_indices {
    const void *at;
    size_t count;
    const oplus_type *type; /* of an index */
    uint64_t n;             /* number of places: an index is in range if it is from 0 to n - 1; at least 1 */
    bool clip;              /* the nearest place is taken for an index out of range; else such an index is refused */
} opi_indices;

/* The bit that negative indices have; 0: indices have no sign. */
static inline uint64_t opi_index_sign(const opi_indices *indices)
{
    const oplus_scalar scalar = indices->type->scalar;
    return scalar == OPLUS_I32 ? UINT64_C(1) << 31 : scalar == OPLUS_I64 ? UINT64_C(1) << 63 : 0;
}

/* Index k, read as an unsigned integer: a negative index is therefore larger than opi_index_largest. */
static inline uint64_t opi_index(const opi_indices *indices, size_t k)
{
    return indices->type->size == sizeof(uint32_t) ? ((const uint32_t *)indices->at)[k]
                                                   : ((const uint64_t *)indices->at)[k];
}

/* The largest index in range: n - 1, or less if an index with a sign cannot be so large. */
static inline uint64_t opi_index_largest(const opi_indices *indices)
{
    const uint64_t sign = opi_index_sign(indices), largest = indices->n - 1;
    return sign > 0 && largest >= sign ? sign - 1 : largest;
}

/* The place in range that is nearest to an index. */
static inline uint64_t opi_index_clipped(uint64_t index, uint64_t sign, uint64_t n)
{
    return index & sign ? 0 : index < n ? index : n - 1;
}

#endif
