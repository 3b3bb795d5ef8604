/* Non-temporal stores: a whole cache line is written without being read first. */
#ifndef OPI_ISA_STREAM_H
#define OPI_ISA_STREAM_H

#include "cores/isa/lanes.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

enum { LINE = 64 };

#if defined(OPI_ISA_avx512)
/* to is aligned to a line. */
OPI_INLINE void stream_line(char *to, const char *from)
{
    _mm512_stream_si512((void *)to, _mm512_loadu_si512((const void *)from));
}
#elif defined(OPI_ISA_avx2)
OPI_INLINE void stream_line(char *to, const char *from)
{
    const __m256i a = _mm256_loadu_si256((const __m256i *)from), b = _mm256_loadu_si256((const __m256i *)from + 1);
    _mm256_stream_si256((__m256i *)to, a);
    _mm256_stream_si256((__m256i *)to + 1, b);
}
#elif defined(__SSE2__)
OPI_INLINE void stream_line(char *to, const char *from)
{
    const __m128i *const x = (const __m128i *)from;
    const __m128i a = _mm_loadu_si128(x), b = _mm_loadu_si128(x + 1), c = _mm_loadu_si128(x + 2),
                  d = _mm_loadu_si128(x + 3);
    _mm_stream_si128((__m128i *)to, a);
    _mm_stream_si128((__m128i *)to + 1, b);
    _mm_stream_si128((__m128i *)to + 2, c);
    _mm_stream_si128((__m128i *)to + 3, d);
}
#else
/* ARM's non-temporal pair is a hint that cores are free to ignore, and most do. */
OPI_INLINE void stream_line(char *to, const char *from) { memcpy(to, from, LINE); }
#endif

#endif
