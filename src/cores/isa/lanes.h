/* Vectors of this instruction set in GNU C, one text for SSE2, AVX2, AVX-512 and NEON.
 *
 * A vector has OPI_LANES_<bits> lanes.  A shuffle names, for every lane l of its result, a lane of its two operands:
 * OPI_SHUFFLE(W, a, b, f, h) takes lane f(W, h, l) of a (0 .. W-1) followed by b (W .. 2W-1). */
#ifndef OPI_ISA_LANES_H
#define OPI_ISA_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define OPI_VECTOR   64
#define OPI_LANES_8  64
#define OPI_LANES_16 32
#define OPI_LANES_32 16
#define OPI_LANES_64 8
#elif defined(__AVX2__)
#define OPI_VECTOR   32
#define OPI_LANES_8  32
#define OPI_LANES_16 16
#define OPI_LANES_32 8
#define OPI_LANES_64 4
#else
#define OPI_VECTOR   16
#define OPI_LANES_8  16
#define OPI_LANES_16 8
#define OPI_LANES_32 4
#define OPI_LANES_64 2
#endif

#define OPI_UINT_8  uint8_t
#define OPI_UINT_16 uint16_t
#define OPI_UINT_32 uint32_t
#define OPI_UINT_64 uint64_t
#define OPI_INT_8   int8_t
#define OPI_INT_16  int16_t
#define OPI_INT_32  int32_t
#define OPI_INT_64  int64_t

#define OPI_INLINE static inline __attribute__((always_inline, unused))

#define OPI_INDEX_2_(W, f, h, l)  f(W, h, l), f(W, h, (l) + 1)
#define OPI_INDEX_4_(W, f, h, l)  OPI_INDEX_2_(W, f, h, l), OPI_INDEX_2_(W, f, h, (l) + 2)
#define OPI_INDEX_8_(W, f, h, l)  OPI_INDEX_4_(W, f, h, l), OPI_INDEX_4_(W, f, h, (l) + 4)
#define OPI_INDEX_16_(W, f, h, l) OPI_INDEX_8_(W, f, h, l), OPI_INDEX_8_(W, f, h, (l) + 8)
#define OPI_INDEX_32_(W, f, h, l) OPI_INDEX_16_(W, f, h, l), OPI_INDEX_16_(W, f, h, (l) + 16)
#define OPI_INDEX_64_(W, f, h, l) OPI_INDEX_32_(W, f, h, l), OPI_INDEX_32_(W, f, h, (l) + 32)

#define OPI_SHUFFLE_(W, a, b, f, h) __builtin_shufflevector(a, b, OPI_INDEX_##W##_(W, f, h, 0))
#define OPI_SHUFFLE(W, a, b, f, h)  OPI_SHUFFLE_(W, a, b, f, h)

#define OPI_EXTREME_(vector, name, sign, bits)  OPI_EXTREME__(vector, name, sign, bits)
#define OPI_EXTREME__(vector, name, sign, bits) vector##_##name##_##sign##bits

/* Intrinsics where GNU C has no good expression (gcc 12): widening the bytes of heads, minimum and maximum. */
#if defined(__AVX512F__)
#include <immintrin.h>
#define OPI_WIDEN_8(p)                      _mm512_loadu_si512(p)
#define OPI_WIDEN_16(p)                     _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(p)))
#define OPI_WIDEN_32(p)                     _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(p)))
#define OPI_WIDEN_64(p)                     _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(p)))
#define OPI_EXTREME(name, sign, bits, a, b) OPI_EXTREME_(_mm512, name, sign, bits)((__m512i)(a), (__m512i)(b))
#elif defined(__AVX2__)
#include <immintrin.h>
#define OPI_WIDEN_8(p)                      _mm256_loadu_si256((const __m256i *)(p))
#define OPI_WIDEN_16(p)                     _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(p)))
#define OPI_WIDEN_32(p)                     _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(p)))
#define OPI_WIDEN_64(p)                     _mm256_cvtepu8_epi64(_mm_loadu_si32(p))
#define OPI_EXTREME(name, sign, bits, a, b) OPI_EXTREME_(_mm256, name, sign, bits)((__m256i)(a), (__m256i)(b))
#elif defined(__SSE2__)
#include <emmintrin.h>
#define OPI_ZEROS_BETWEEN_(bits, v) _mm_unpacklo_epi##bits(v, _mm_setzero_si128())
#define OPI_WIDEN_8(p)              _mm_loadu_si128((const __m128i *)(p))
#define OPI_WIDEN_16(p)             OPI_ZEROS_BETWEEN_(8, _mm_loadl_epi64((const __m128i *)(p)))
#define OPI_WIDEN_32(p)             OPI_ZEROS_BETWEEN_(16, OPI_ZEROS_BETWEEN_(8, _mm_loadu_si32(p)))
#define OPI_WIDEN_64(p)             OPI_ZEROS_BETWEEN_(32, OPI_ZEROS_BETWEEN_(16, OPI_ZEROS_BETWEEN_(8, _mm_loadu_si16(p))))
#endif

/* The last lane of b everywhere; b moved up by a lane, with the last lane of a in front; a moved down by a lane, with
 * the first lane of b at the end. */
#define OPI_LAST(W, h, l) (2 * (W)-1)
#define OPI_UP(W, h, l)   ((W)-1 + (l))
#define OPI_DOWN(W, h, l) ((l) + 1)

/* Stores a vector past the caches; to is aligned to it. */
#if defined(__AVX512F__)
#define OPI_STREAM(to, v) _mm512_stream_si512((void *)(to), (__m512i)(v))
#elif defined(__AVX2__)
#define OPI_STREAM(to, v) _mm256_stream_si256((__m256i *)(void *)(to), (__m256i)(v))
#elif defined(__SSE2__)
#define OPI_STREAM(to, v) _mm_stream_si128((__m128i *)(void *)(to), (__m128i)(v))
#else /* ARM's non-temporal stores are a hint that most cores ignore */
#define OPI_STREAM(to, v) memcpy(to, &(v), sizeof(v))
#endif

/* Loads of the lanes whose index is below n, which touch no other memory: a load of 32 or 64 bits a lane, and `fill` in
 * the others.  index, fill: vectors. */
#if defined(__AVX512F__)
#define OPI_MASKED_LOADS      1
#define OPI_MASKED_LOADS_SLOW 0
#define OPI_LOAD_BELOW_32(p, index, n, fill)                                                                           \
    _mm512_mask_loadu_epi32((__m512i)(fill), _mm512_cmplt_epu32_mask((__m512i)(index), _mm512_set1_epi32((int)(n))), p)
#define OPI_LOAD_BELOW_64(p, index, n, fill)                                                                           \
    _mm512_mask_loadu_epi64((__m512i)(fill),                                                                           \
                            _mm512_cmplt_epu64_mask((__m512i)(index), _mm512_set1_epi64((long long)(n))), p)
#elif defined(__AVX2__)
#define OPI_MASKED_LOADS      1
#define OPI_MASKED_LOADS_SLOW 1
#define OPI_LOAD_BELOW_32(p, index, n, fill)                                                                           \
    opi_load_32((p), _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n)), (__m256i)(index)), (__m256i)(fill))
#define OPI_LOAD_BELOW_64(p, index, n, fill)                                                                           \
    opi_load_64((p), _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)(n)), (__m256i)(index)), (__m256i)(fill))
/* Lanes that are not loaded are 0. */
OPI_INLINE __m256i opi_load_32(const void *p, __m256i mask, __m256i fill)
{
    return _mm256_or_si256(_mm256_maskload_epi32(p, mask), _mm256_andnot_si256(mask, fill));
}
OPI_INLINE __m256i opi_load_64(const void *p, __m256i mask, __m256i fill)
{
    return _mm256_or_si256(_mm256_maskload_epi64(p, mask), _mm256_andnot_si256(mask, fill));
}
#endif

#endif
