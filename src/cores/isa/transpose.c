/* Transpose of a tile that fits a first-level cache. */
#include "cores/isa/leaves.h"
#include "cores/isa/turn.h"

#include <stdbool.h>
#include <string.h>

/* --- few columns, or few rows: one long row is dealt out to `few` columns, or few rows are woven into one --------- */

#if defined(__GNUC__) && !defined(__clang__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* Vectors: all is read before anything is written.  Nothing is `restrict`, or gcc 12 would read it again for each k. */
#define READ_FIRST(N, few, to, from)                                                                                   \
    lane_##N x[few];                                                                                                   \
    for (size_t k = 0; k < few; k++) x[k] = from;                                                                      \
    for (size_t k = 0; k < few; k++) to = x[k];
#define ONE_BY_ONE(N, few, to, from)                                                                                   \
    for (size_t k = 0; k < few; k++) to = from;

/* out[k][i] = in[i][k], in without gaps; lanes are words of an element's size. */
#define DEAL(N, few, MOVE)                                                                                             \
    static void deal_##N##_##few(const lane_##N *in, lane_##N *out, size_t stride, size_t n)                           \
    {                                                                                                                  \
        INDEPENDENT for (size_t i = 0; i < n; i++) { MOVE(N, few, out[k * stride + i], in[i * few + k]) }              \
    }
/* out[i][k] = in[k][i], out without gaps. */
#define WEAVE(N, few, MOVE)                                                                                            \
    static void weave_##N##_##few(const lane_##N *in, size_t stride, lane_##N *out, size_t n)                          \
    {                                                                                                                  \
        INDEPENDENT for (size_t i = 0; i < n; i++) { MOVE(N, few, out[i * few + k], in[k * stride + i]) }              \
    }
/* Transposes a tile with few rows or columns and without gaps; false for other tiles. */
#define FEW(N, MOVE)                                                                                                   \
    DEAL(N, 2, MOVE)                                                                                                   \
    DEAL(N, 3, MOVE)                                                                                                   \
    DEAL(N, 4, MOVE)                                                                                                   \
    WEAVE(N, 2, MOVE)                                                                                                  \
    WEAVE(N, 3, MOVE)                                                                                                  \
    WEAVE(N, 4, MOVE)                                                                                                  \
    static bool few_##N(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows, size_t cols)      \
    {                                                                                                                  \
        const size_t deals = in_stride == cols && cols <= OPI_TRANSPOSE_FEW ? cols : 0;                                \
        const size_t weaves = out_stride == rows && rows <= OPI_TRANSPOSE_FEW ? rows : 0;                              \
        if (deals == 2)                                                                                                \
            deal_##N##_2(in, out, out_stride, rows);                                                                   \
        else if (deals == 3)                                                                                           \
            deal_##N##_3(in, out, out_stride, rows);                                                                   \
        else if (deals == 4)                                                                                           \
            deal_##N##_4(in, out, out_stride, rows);                                                                   \
        else if (weaves == 2)                                                                                          \
            weave_##N##_2(in, in_stride, out, cols);                                                                   \
        else if (weaves == 3)                                                                                          \
            weave_##N##_3(in, in_stride, out, cols);                                                                   \
        else if (weaves == 4)                                                                                          \
            weave_##N##_4(in, in_stride, out, cols);                                                                   \
        else                                                                                                           \
            return false;                                                                                              \
        return true;                                                                                                   \
    }
/* Elements of any type are accessed as words. */
typedef uint8_t lane_1;
typedef uint16_t lane_2 __attribute__((may_alias, aligned(1)));
typedef uint32_t lane_4 __attribute__((may_alias, aligned(1)));
typedef uint64_t lane_8 __attribute__((may_alias, aligned(1)));
typedef uint64_t lane_16 __attribute__((vector_size(16), may_alias, aligned(1)));
typedef struct lane_24 {
    uint64_t x[3];
} __attribute__((may_alias, packed)) lane_24;
FEW(1, READ_FIRST)
FEW(2, READ_FIRST)
FEW(4, READ_FIRST)
FEW(8, READ_FIRST)
FEW(16, ONE_BY_ONE)
FEW(24, ONE_BY_ONE)

/* Whether the tile was one with few rows or columns, and without gaps; then it is done. */
static bool few(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows, size_t cols, size_t size)
{
#define FEW_OF(size)                                                                                                   \
    case size:                                                                                                         \
        return few_##size(in, in_stride, out, out_stride, rows, cols);
    switch (size) {
        FEW_OF(1)
        FEW_OF(2)
        FEW_OF(4)
        FEW_OF(8)
        FEW_OF(16)
        FEW_OF(24)
    default:
        return false;
    }
}

void OPI_ISA_NAME(opi_transpose)(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows,
                                 size_t cols, size_t size)
{
    if (few(in, in_stride, out, out_stride, rows, cols, size)) return;
    TURN_BY_SIZE(turn, size, in, in_stride * size, out, out_stride * size, rows, cols)
}
