/* Are indices in range?  The test uses the signs of differences, which vectors of all kinds can compute. */
#include "cores/isa/leaves.h"

#define EXCEED(name, T)                                                                                                \
    bool OPI_ISA_NAME(name)(const T *indices, size_t n, uint64_t largest)                                              \
    {                                                                                                                  \
        uint64_t signs = 0;                                                                                            \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const uint64_t own = indices[i];                                                                           \
            signs |= own | (largest - own);                                                                            \
        }                                                                                                              \
        return signs >> 63;                                                                                            \
    }
EXCEED(opi_exceed_u32, uint32_t)
EXCEED(opi_exceed_u64, uint64_t)
