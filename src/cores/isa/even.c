/* The even bin of each number. */
#include "cores/even.h"
#include "cores/isa/leaves.h"

/* By way of a signed integer, to which processors convert faster. */
#define EVEN(name, T)                                                                                                  \
    void OPI_ISA_NAME(name)(const void *in, size_t n, double low, double high, double scale, uint32_t bins,            \
                            uint32_t *restrict bin)                                                                    \
    {                                                                                                                  \
        const T *restrict const x = in;                                                                                \
        const double last = (double)(bins - 1);                                                                        \
        for (size_t i = 0; i < n; i++) {                                                                               \
            const double value = (double)x[i];                                                                         \
            const bool inside = opi_is_in_bins(value, low, high);                                                      \
            const double place = opi_even_place(value, inside, low, scale, last);                                      \
            bin[i] = inside ? (uint32_t)(int32_t)place : bins;                                                         \
        }                                                                                                              \
    }

EVEN(opi_even_i8, int8_t)
EVEN(opi_even_i16, int16_t)
EVEN(opi_even_i32, int32_t)
EVEN(opi_even_i64, int64_t)
EVEN(opi_even_u8, uint8_t)
EVEN(opi_even_u16, uint16_t)
EVEN(opi_even_u32, uint32_t)
EVEN(opi_even_u64, uint64_t)
EVEN(opi_even_f32, float)
EVEN(opi_even_f64, double)
