/* Copies elements in the opposite order. */
#include "cores/isa/lanes.h"
#include "cores/isa/leaves.h"

#include <stdint.h>
#include <string.h>

typedef struct pair {
    uint64_t low, high;
} pair;

#define REVERSE(name, T)                                                                                               \
    static void name(const T *restrict in, size_t n, T *restrict out)                                                  \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) out[i] = in[n - 1 - i];                                                         \
    }

REVERSE(reverse_8, uint8_t)
REVERSE(reverse_16, uint16_t)
REVERSE(reverse_32, uint32_t)
REVERSE(reverse_64, uint64_t)
REVERSE(reverse_128, pair)

static void reverse_any(const char *in, size_t n, size_t size, char *out)
{
    for (size_t i = 0; i < n; i++) memcpy(out + i * size, in + (n - 1 - i) * size, size);
}

/* Whether both places are aligned to `align`, a power of two. */
OPI_INLINE int are_aligned(const void *a, const void *b, size_t align)
{
    return (((uintptr_t)a | (uintptr_t)b) & (align - 1)) == 0;
}

void OPI_ISA_NAME(opi_reverse)(const void *in, size_t n, size_t size, void *out)
{
    if (size == 1)
        reverse_8(in, n, out);
    else if (size == 2 && are_aligned(in, out, 2))
        reverse_16(in, n, out);
    else if (size == 4 && are_aligned(in, out, 4))
        reverse_32(in, n, out);
    else if (size == 8 && are_aligned(in, out, 8))
        reverse_64(in, n, out);
    else if (size == 16 && are_aligned(in, out, 8))
        reverse_128(in, n, out);
    else
        reverse_any(in, n, size, out);
}
