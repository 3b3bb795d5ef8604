/* Where an element differs from the one before it, by their bits. */
#include "cores/isa/leaves.h"

enum {
    STEP = 64 /* elements, of a loop on vectors */,
    AHEAD = 2048 /* bytes: what is next in memory is fetched meanwhile */
};

#define DIFFER(name, T)                                                                                                \
    static inline                                                                                                      \
        __attribute__((always_inline)) void name##_some(const T *restrict x, size_t n, uint8_t *restrict flags)        \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) flags[i] = x[i] != (x - 1)[i];                                                  \
    }                                                                                                                  \
    void OPI_ISA_NAME(name)(const void *in, size_t n, uint8_t *flags)                                                  \
    {                                                                                                                  \
        const T *x = in;                                                                                               \
        for (; n >= STEP; n -= STEP, x += STEP, flags += STEP) {                                                       \
            for (size_t j = 0; j < STEP * sizeof(T); j += 64) __builtin_prefetch((const char *)x + AHEAD + j, 0, 2);   \
            name##_some(x, STEP, flags);                                                                               \
        }                                                                                                              \
        name##_some(x, n, flags);                                                                                      \
    }
DIFFER(opi_differ_8, uint8_t)
DIFFER(opi_differ_16, uint16_t)
DIFFER(opi_differ_32, uint32_t)
DIFFER(opi_differ_64, uint64_t)
