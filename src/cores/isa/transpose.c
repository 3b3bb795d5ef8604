/* Transpose of a tile that fits a first-level cache. */
#include "cores/isa/leaves.h"

#include <stdbool.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* --- any size: element by element */

/* out[c][r] = in[r][c] for rows from r0, columns from c0. */
static inline __attribute__((always_inline)) void plain(const char *in, size_t in_stride, char *out, size_t out_stride,
                                                        size_t r0, size_t rows, size_t c0, size_t cols, size_t size)
{
    for (size_t c = c0; c < cols; c++)
        for (size_t r = r0; r < rows; r++)
            memcpy(out + (c * out_stride + r) * size, in + (r * in_stride + c) * size, size);
}

/* --- 1, 2, 4 and 8 bytes: perfect shuffles in registers */

/* log2 W times, vectors i and i + W/2 of W are interleaved into 2i and 2i + 1: that is the transpose of W x W elements
 * of 16 bytes / W.  Registers of 32 bytes hold two such squares, one from W rows further down, so that each register
 * comes out as 2 W neighbours of a row of `out`. */

#ifdef __AVX2__
enum { SQUARES = 2 };
static inline __attribute__((always_inline)) __m256i load(const char *low, const char *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)),
                                   _mm_loadu_si128((const __m128i *)high), 1);
}
typedef uint8_t vector_1 __attribute__((vector_size(32)));
typedef uint16_t vector_2 __attribute__((vector_size(32)));
typedef uint32_t vector_4 __attribute__((vector_size(32)));
typedef uint64_t vector_8 __attribute__((vector_size(32)));
#define LOW_1(a, b)                                                                                                    \
    __builtin_shufflevector(a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48, 17, 49, 18, 50, 19,  \
                            51, 20, 52, 21, 53, 22, 54, 23, 55)
#define HIGH_1(a, b)                                                                                                   \
    __builtin_shufflevector(a, b, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 24, 56, 25, 57, 26,    \
                            58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63)
#define LOW_2(a, b)  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_4(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_8(a, b)  __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#else
enum { SQUARES = 1 };
typedef uint8_t vector __attribute__((vector_size(16)));
static inline __attribute__((always_inline)) vector load(const char *low, const char *high)
{
    vector x;
    (void)high;
    memcpy(&x, low, sizeof x);
    return x;
}
typedef uint8_t vector_1 __attribute__((vector_size(16)));
typedef uint16_t vector_2 __attribute__((vector_size(16)));
typedef uint32_t vector_4 __attribute__((vector_size(16)));
typedef uint64_t vector_8 __attribute__((vector_size(16)));
#define LOW_1(a, b)  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_2(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_8(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 1, 3)
#endif

/* square_N: SQUARES * W rows by W columns; strides in bytes.  transpose_N: a tile of any extent. */
#define TRANSPOSE(N)                                                                                                   \
    static inline void square_##N(const char *in, size_t in_stride, char *out, size_t out_stride)                      \
    {                                                                                                                  \
        enum { W = 16 / N };                                                                                           \
        vector_##N x[W], y[W];                                                                                         \
        for (size_t i = 0; i < W; i++)                                                                                 \
            x[i] = (vector_##N)load(in + i * in_stride, in + (i + (SQUARES - 1) * W) * in_stride);                     \
        for (size_t step = 1; step < W; step *= 2) {                                                                   \
            for (size_t i = 0; i < W / 2; i++) {                                                                       \
                y[2 * i] = LOW_##N(x[i], x[i + W / 2]);                                                                \
                y[2 * i + 1] = HIGH_##N(x[i], x[i + W / 2]);                                                           \
            }                                                                                                          \
            for (size_t i = 0; i < W; i++) x[i] = y[i];                                                                \
        }                                                                                                              \
        for (size_t i = 0; i < W; i++) memcpy(out + i * out_stride, &x[i], sizeof x[i]);                               \
    }                                                                                                                  \
    static void transpose_##N(const char *in, size_t in_stride, char *out, size_t out_stride, size_t rows,             \
                              size_t cols)                                                                             \
    {                                                                                                                  \
        enum { DOWN = SQUARES * 16 / N, ACROSS = 16 / N };                                                             \
        const size_t whole_rows = rows / DOWN * DOWN, whole_cols = cols / ACROSS * ACROSS;                             \
        for (size_t r = 0; r < whole_rows; r += DOWN)                                                                  \
            for (size_t c = 0; c < whole_cols; c += ACROSS)                                                            \
                square_##N(in + (r * in_stride + c) * N, in_stride * N, out + (c * out_stride + r) * N,                \
                           out_stride * N);                                                                            \
        plain(in, in_stride, out, out_stride, whole_rows, rows, 0, whole_cols, N);                                     \
        plain(in, in_stride, out, out_stride, 0, rows, whole_cols, cols, N);                                           \
    }
TRANSPOSE(1)
TRANSPOSE(2)
TRANSPOSE(4)
TRANSPOSE(8)

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

void OPI_ISA_NAME(opi_transpose)(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows,
                                 size_t cols, size_t size)
{
    switch (size) {
#define SQUARES_OF(size)                                                                                               \
    case size:                                                                                                         \
        if (!few_##size(in, in_stride, out, out_stride, rows, cols))                                                   \
            transpose_##size(in, in_stride, out, out_stride, rows, cols);                                              \
        return;
        SQUARES_OF(1)
        SQUARES_OF(2)
        SQUARES_OF(4)
        SQUARES_OF(8)
#define PLAIN(size)                                                                                                    \
    case size:                                                                                                         \
        plain(in, in_stride, out, out_stride, 0, rows, 0, cols, size);                                                 \
        return;
        PLAIN(3)
        PLAIN(6)
        PLAIN(12)
#define WORDS(size)                                                                                                    \
    case size:                                                                                                         \
        if (!few_##size(in, in_stride, out, out_stride, rows, cols))                                                   \
            plain(in, in_stride, out, out_stride, 0, rows, 0, cols, size);                                             \
        return;
        WORDS(16)
        WORDS(24)
        PLAIN(32)
    default:
        plain(in, in_stride, out, out_stride, 0, rows, 0, cols, size);
        return;
    }
}
