/* Small tiles of a matrix, turned in registers.  Strides are in bytes. */
#ifndef OPI_ISA_TURN_H
#define OPI_ISA_TURN_H

#include "cores/isa/lanes.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Any size: element by element. */
OPI_INLINE void turn_plainly(const char *in, size_t in_stride, char *out, size_t out_stride, size_t rows, size_t cols,
                             size_t size)
{
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < rows; r++) memcpy(out + c * out_stride + r * size, in + r * in_stride + c * size, size);
}

/* --- 1, 2, 4 and 8 bytes: perfect shuffles ------------------------------------------------------------------------ */

/* log2 W times, vectors i and i + W/2 of W are interleaved into 2i and 2i + 1: that is the transpose of W x W elements
 * of 16 bytes / W.  A vector holds as many such squares as it has pieces of 16 bytes, each from W rows further down
 * than the one before, so that it comes out as neighbours of a row of `out`. */

/* Where lane l of an interleaved vector comes from: pieces of 16 bytes have P lanes. */
#define TURN_LOW(W, P, l)  ((l) / (P) * (P) + (l) % (P) / 2 + ((l) % 2 ? (W) : 0))
#define TURN_HIGH(W, P, l) (TURN_LOW(W, P, l) + (P) / 2)

/* Pieces of 16 bytes that are `apart` bytes apart.  With AVX-512, vectors of 64 bytes are not faster: four pieces take
 * four instructions to load. */
#define TURN_ONE_PIECE(V, in, apart) (*(const V##_anywhere *)(in))
#ifdef __AVX2__
#define TURN_BYTES                32
#define TURN_LANES_8              32
#define TURN_LANES_16             16
#define TURN_LANES_32             8
#define TURN_LANES_64             4
#define TURN_PIECES(V, in, apart) ((V)turn_two_pieces(in, apart))
OPI_INLINE __m256i turn_two_pieces(const char *in, size_t apart)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)in)),
                                   _mm_loadu_si128((const __m128i *)(in + apart)), 1);
}
#else
#define TURN_BYTES    16
#define TURN_LANES_8  16
#define TURN_LANES_16 8
#define TURN_LANES_32 4
#define TURN_LANES_64 2
#define TURN_PIECES   TURN_ONE_PIECE
#endif

/* A tile of `bytes` / N rows by 16 / N columns of N bytes. */
#define TURN_SQUARES(name, N, bits, bytes, lanes, PIECES)                                                              \
    typedef OPI_UINT_##bits name##_vector __attribute__((vector_size(bytes)));                                         \
    typedef OPI_UINT_##bits name##_vector_anywhere __attribute__((vector_size(bytes), may_alias, aligned(1)));         \
    OPI_INLINE void name(const char *in, size_t in_stride, char *out, size_t out_stride)                               \
    {                                                                                                                  \
        enum { W = 16 / N };                                                                                           \
        name##_vector x[W], y[W];                                                                                      \
        for (size_t i = 0; i < W; i++) x[i] = PIECES(name##_vector, in + i * in_stride, W * in_stride);                \
        for (size_t step = 1; step < W; step *= 2) {                                                                   \
            for (size_t i = 0; i < W / 2; i++) {                                                                       \
                y[2 * i] = OPI_SHUFFLE(lanes, x[i], x[i + W / 2], TURN_LOW, 16 / N);                                   \
                y[2 * i + 1] = OPI_SHUFFLE(lanes, x[i], x[i + W / 2], TURN_HIGH, 16 / N);                              \
            }                                                                                                          \
            for (size_t i = 0; i < W; i++) x[i] = y[i];                                                                \
        }                                                                                                              \
        for (size_t i = 0; i < W; i++) memcpy(out + i * out_stride, &x[i], sizeof x[i]);                               \
    }

/* A tile of any extent.  The last squares of a row and of a column begin so early that they are whole: some elements
 * are written twice. */
#define TURN(N, bits, small_lanes)                                                                                     \
    TURN_SQUARES(turn_small_##N, N, bits, 16, small_lanes, TURN_ONE_PIECE)                                             \
    TURN_SQUARES(turn_wide_##N, N, bits, TURN_BYTES, TURN_LANES_##bits, TURN_PIECES)                                   \
    OPI_INLINE void turn_##N(const char *in, size_t in_stride, char *out, size_t out_stride, size_t rows, size_t cols) \
    {                                                                                                                  \
        enum { W = 16 / N, DOWN = TURN_BYTES / N };                                                                    \
        size_t r = 0;                                                                                                  \
        if (rows < W || cols < W) {                                                                                    \
            turn_plainly(in, in_stride, out, out_stride, rows, cols, N);                                               \
            return;                                                                                                    \
        }                                                                                                              \
        for (; r + DOWN <= rows; r += DOWN)                                                                            \
            for (size_t col = 0; col < cols; col += W) {                                                               \
                const size_t c = col + W <= cols ? col : cols - W;                                                     \
                turn_wide_##N(in + r * in_stride + c * N, in_stride, out + c * out_stride + r * N, out_stride);        \
            }                                                                                                          \
        for (; r < rows; r += W) {                                                                                     \
            const size_t row = r + W <= rows ? r : rows - W;                                                           \
            for (size_t col = 0; col < cols; col += W) {                                                               \
                const size_t c = col + W <= cols ? col : cols - W;                                                     \
                turn_small_##N(in + row * in_stride + c * N, in_stride, out + c * out_stride + row * N, out_stride);   \
            }                                                                                                          \
        }                                                                                                              \
    }
TURN(1, 8, 16)
TURN(2, 16, 8)
TURN(4, 32, 4)
TURN(8, 64, 2)

/* A tile of any extent and size; fast where `size` is a constant. */
OPI_INLINE void turn(const char *in, size_t in_stride, char *out, size_t out_stride, size_t rows, size_t cols,
                     size_t size)
{
    if (size == 1)
        turn_1(in, in_stride, out, out_stride, rows, cols);
    else if (size == 2)
        turn_2(in, in_stride, out, out_stride, rows, cols);
    else if (size == 4)
        turn_4(in, in_stride, out, out_stride, rows, cols);
    else if (size == 8)
        turn_8(in, in_stride, out, out_stride, rows, cols);
    else
        turn_plainly(in, in_stride, out, out_stride, rows, cols, size);
}

/* Calls f(..., size) with a constant size, for sizes that elements often have. */
#define TURN_CASE(f, n, ...)                                                                                           \
    case n:                                                                                                            \
        f(__VA_ARGS__, n);                                                                                             \
        break;
#define TURN_BY_SIZE(f, size, ...)                                                                                     \
    switch (size) {                                                                                                    \
        TURN_CASE(f, 1, __VA_ARGS__)                                                                                   \
        TURN_CASE(f, 2, __VA_ARGS__)                                                                                   \
        TURN_CASE(f, 3, __VA_ARGS__)                                                                                   \
        TURN_CASE(f, 4, __VA_ARGS__)                                                                                   \
        TURN_CASE(f, 6, __VA_ARGS__)                                                                                   \
        TURN_CASE(f, 8, __VA_ARGS__)                                                                                   \
        TURN_CASE(f, 12, __VA_ARGS__)                                                                                  \
        TURN_CASE(f, 16, __VA_ARGS__)                                                                                  \
        TURN_CASE(f, 24, __VA_ARGS__)                                                                                  \
        TURN_CASE(f, 32, __VA_ARGS__)                                                                                  \
    default:                                                                                                           \
        f(__VA_ARGS__, size);                                                                                          \
        break;                                                                                                         \
    }

#endif
