/* The least key of each column. */
#include "cores/isa/lanes.h"
#include "cores/isa/leaves.h"

#include <stdint.h>
#include <string.h>

#define LEAST(name, T)                                                                                                 \
    void OPI_ISA_NAME(name)(const void *in, size_t stride, size_t rows, size_t width, const opi_key_order *order,      \
                            uint64_t infinity, void *keys, void *places)                                               \
    {                                                                                                                  \
        const T negative = (T)order->float_mask, flip = (T)order->flip, most = (T)infinity, magnitude = (T)-1 >> 1;    \
        T *restrict const key = keys, *restrict const place = places;                                                  \
        memset(key, 0xff, width * sizeof *key);                                                                        \
        memset(place, 0, width * sizeof *place);                                                                       \
        for (size_t r = 0; r < rows; r++) {                                                                            \
            const T *restrict const x = (const T *)((const char *)in + r * stride);                                    \
            const T here = (T)r;                                                                                       \
            for (size_t c = 0; c < width; c++) {                                                                       \
                const T sign = (T) - (T)(x[c] >> (8 * sizeof(T) - 1));                                                 \
                const T mapped = (T)(x[c] ^ (sign & negative) ^ flip);                                                 \
                const T k = (T)(x[c] & magnitude) > most ? 0 : mapped;                                                 \
                place[c] = k < key[c] ? here : place[c];                                                               \
                key[c] = k < key[c] ? k : key[c];                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

LEAST(opi_least_8, uint8_t)
LEAST(opi_least_16, uint16_t)
LEAST(opi_least_32, uint32_t)
LEAST(opi_least_64, uint64_t)
