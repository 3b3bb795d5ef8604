/* Are offsets in order?  The test uses the signs of differences, which vectors of all kinds can compute. */
#include "cores/isa/leaves.h"

#define FALLS(name, T)                                                                                                 \
    bool OPI_ISA_NAME(name)(const T *offsets, size_t n, uint64_t gap)                                                  \
    {                                                                                                                  \
        uint64_t signs = 0;                                                                                            \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const uint64_t own = offsets[i], before = (offsets - 1)[i];                                                \
            signs |= own | (own - before - gap);                                                                       \
        }                                                                                                              \
        return signs >> 63;                                                                                            \
    }
FALLS(opi_falls_u32, uint32_t)
FALLS(opi_falls_u64, uint64_t)
