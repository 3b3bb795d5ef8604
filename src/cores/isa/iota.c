/* Numbers at equal distances: leaves of the functions of cores/iota.c, of which line[0] is the start and line[1] the step. */
#include "cores/isa/leaves.h"

/* Integers wrap around, which only unsigned ones may: in as many bits as a result has, or more. */
#define INTEGERS(suffix, T, U)                                                                                         \
    void OPI_ISA_NAME(opi_iota_##suffix)(const void *const *in, const void *param, size_t n, void *to)                 \
    {                                                                                                                  \
        const T *const line = param;                                                                                   \
        const U start = (U)line[0], step = (U)line[1], first = (U) * (const uint64_t *)in[0];                          \
        T *const out = to;                                                                                             \
        for (size_t i = 0; i < n; i++) out[i] = (T)(U)(start + (U)(first + (U)i) * step);                              \
    }

/* Processors convert signed integers faster, and of 32 bits all of them have vectors of these. */
#define FLOATS(suffix, T)                                                                                              \
    void OPI_ISA_NAME(opi_iota_##suffix)(const void *const *in, const void *param, size_t n, void *to)                 \
    {                                                                                                                  \
        const T start = ((const T *)param)[0], step = ((const T *)param)[1];                                           \
        const uint64_t first = *(const uint64_t *)in[0];                                                               \
        T *const out = to;                                                                                             \
        if (first <= INT32_MAX && n <= INT32_MAX - first)                                                              \
            for (int32_t i = 0; i < (int32_t)n; i++) out[i] = start + (T)((int32_t)first + i) * step;                  \
        else                                                                                                           \
            for (size_t i = 0; i < n; i++) out[i] = start + (T)(int64_t)(first + i) * step;                            \
    }

INTEGERS(i8, int8_t, uint32_t)
INTEGERS(i16, int16_t, uint32_t)
INTEGERS(i32, int32_t, uint32_t)
INTEGERS(i64, int64_t, uint64_t)
INTEGERS(u8, uint8_t, uint32_t)
INTEGERS(u16, uint16_t, uint32_t)
INTEGERS(u32, uint32_t, uint32_t)
INTEGERS(u64, uint64_t, uint64_t)
FLOATS(f32, float)
FLOATS(f64, double)
