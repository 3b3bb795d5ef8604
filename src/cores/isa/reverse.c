/* Copies elements in the opposite order. */
#include "cores/isa/lanes.h"
#include "cores/isa/leaves.h"

#include <stdint.h>
#include <string.h>

/* Elements of any type, anywhere. */
typedef uint16_t lane_2 __attribute__((may_alias, aligned(1)));
typedef uint32_t lane_4 __attribute__((may_alias, aligned(1)));
typedef uint64_t lane_8 __attribute__((may_alias, aligned(1)));
typedef uint64_t lane_16 __attribute__((vector_size(16), may_alias, aligned(1)));

#define REVERSE(name, T)                                                                                               \
    static void name(const T *restrict in, size_t n, T *restrict out)                                                  \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) out[i] = in[n - 1 - i];                                                         \
    }

REVERSE(reverse_1, uint8_t)
REVERSE(reverse_2, lane_2)
REVERSE(reverse_4, lane_4)
REVERSE(reverse_8, lane_8)
REVERSE(reverse_16, lane_16)

static void reverse_any(const char *in, size_t n, size_t size, char *out)
{
    for (size_t i = 0; i < n; i++) memcpy(out + i * size, in + (n - 1 - i) * size, size);
}

void OPI_ISA_NAME(opi_reverse)(const void *in, size_t n, size_t size, void *out)
{
    switch (size) {
    case 1:
        reverse_1(in, n, out);
        break;
    case 2:
        reverse_2(in, n, out);
        break;
    case 4:
        reverse_4(in, n, out);
        break;
    case 8:
        reverse_8(in, n, out);
        break;
    case 16:
        reverse_16(in, n, out);
        break;
    default:
        reverse_any(in, n, size, out);
    }
}
