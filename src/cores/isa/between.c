/* Where are keys, seen from two bounds?  Few lie between the bounds, and vectors find them among the others. */
#include "cores/isa/leaves.h"

#include <string.h>

enum { STEP = 128, WORD = 8 /* keys whose flags are looked at together */ };

/* Keys are mapped as cores/merge.h says.  mapped - low - 1 is less than `width` for those between the bounds alone. */
#define BETWEEN(name, T)                                                                                               \
    size_t OPI_ISA_NAME(name)(const void *keys, size_t n, const opi_key_order *order, opi_bounded *seen, void *to)     \
    {                                                                                                                  \
        const unsigned char *const from = keys;                                                                        \
        const T mask = (T)order->float_mask, flip = (T)order->flip, low = (T)seen->low, high = (T)seen->high;          \
        const T width = low < high ? (T)(high - low - 1) : (T)0;                                                       \
        T mapped[STEP] = {0};                                                                                          \
        uint8_t flags[STEP];                                                                                           \
        size_t found = 0;                                                                                              \
        for (size_t i = 0, count; i < n; i += count) {                                                                 \
            T below = 0, lows = 0, highs = 0;                                                                          \
            count = n - i < STEP ? n - i : STEP;                                                                       \
            if (count == STEP)                                                                                         \
                memcpy(mapped, from + i * sizeof(T), sizeof mapped);                                                   \
            else                                                                                                       \
                memcpy(mapped, from + i * sizeof(T), count * sizeof(T));                                               \
            for (size_t k = 0; k < STEP; k++) {                                                                        \
                const T negative = (T)(0 - (T)(mapped[k] >> (8 * sizeof(T) - 1)));                                     \
                mapped[k] = (T)(mapped[k] ^ (negative & mask) ^ flip);                                                 \
            }                                                                                                          \
            for (size_t k = count; k < STEP; k++) mapped[k] = (T)-1; /* not below, not between */                      \
            for (size_t k = 0; k < STEP; k++) {                                                                        \
                below = (T)(below + (mapped[k] < low));                                                                \
                lows = (T)(lows + (mapped[k] == low));                                                                 \
                highs = (T)(highs + (mapped[k] == high));                                                              \
                flags[k] = (T)(mapped[k] - low - 1) < width;                                                           \
            }                                                                                                          \
            seen->below += below;                                                                                      \
            seen->lows += lows - (low == (T)-1 ? STEP - count : 0);                                                    \
            seen->highs += highs - (high == (T)-1 ? STEP - count : 0);                                                 \
            for (size_t k = 0; k < STEP; k += WORD) {                                                                  \
                uint64_t word;                                                                                         \
                memcpy(&word, flags + k, sizeof word);                                                                 \
                if (!word) continue;                                                                                   \
                for (size_t j = k; j < k + WORD; j++) {                                                                \
                    memcpy((unsigned char *)to + found * sizeof(T), &mapped[j], sizeof(T));                            \
                    found += flags[j];                                                                                 \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return found;                                                                                                  \
    }
BETWEEN(opi_between_16, uint16_t)
BETWEEN(opi_between_32, uint32_t)
BETWEEN(opi_between_64, uint64_t)
