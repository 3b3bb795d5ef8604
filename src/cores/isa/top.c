/* Which keys may be among the first ones?  Most are not, and vectors find that out for many at a time. */
#include "cores/isa/leaves.h"

#include <string.h>

/* Keys are compared as cores/merge.h says: mapped = raw ^ (raw < 0 ? float_mask : 0) ^ flip, as unsigned integers. */
#define BELOW(name, T)                                                                                                 \
    size_t OPI_ISA_NAME(name)(const void *keys, size_t n, const opi_key_order *order, uint64_t bound, uint32_t *place) \
    {                                                                                                                  \
        enum { STEP = 256 / sizeof(T) };                                                                               \
        const unsigned char *const from = keys;                                                                        \
        const T mask = (T)order->float_mask, flip = (T)order->flip, limit = (T)bound;                                  \
        T mapped[STEP] = {0};                                                                                          \
        size_t found = 0;                                                                                              \
        for (size_t i = 0, count; i < n; i += count) {                                                                 \
            T any = 0;                                                                                                 \
            count = n - i < STEP ? n - i : STEP;                                                                       \
            if (count == STEP)                                                                                         \
                memcpy(mapped, from + i * sizeof(T), sizeof mapped);                                                   \
            else                                                                                                       \
                memcpy(mapped, from + i * sizeof(T), count * sizeof(T));                                               \
            for (size_t k = 0; k < STEP; k++) {                                                                        \
                const T negative = (T)(0 - (T)(mapped[k] >> (8 * sizeof(T) - 1)));                                     \
                mapped[k] = (T)(mapped[k] ^ (negative & mask) ^ flip);                                                 \
                any |= (T)(mapped[k] < limit);                                                                         \
            }                                                                                                          \
            if (!any) continue;                                                                                        \
            for (size_t k = 0; k < count; k++) {                                                                       \
                place[found] = (uint32_t)(i + k);                                                                      \
                found += mapped[k] < limit;                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        return found;                                                                                                  \
    }
BELOW(opi_below_8, uint8_t)
BELOW(opi_below_16, uint16_t)
BELOW(opi_below_32, uint32_t)
BELOW(opi_below_64, uint64_t)
