/* Which lanes of a vector are kept, by the bits of a mask: the tables of permutations that move them together
 * (AVX2). */
#ifndef OPI_ISA_POSITIONS_H
#define OPI_ISA_POSITIONS_H

#include <immintrin.h>
#include <stdint.h>

/* One byte for each bit that is set in m, from the lowest byte on: its position (times `pair`; where an element is two
 * lanes wide, the next position follows).  The preprocessor puts the bytes together, highest bit first. */
#define BIT(m, k)          ((m) >> (k)&1ull)
#define ONE(m, k, above)   ((above) * (1 + 0xffull * BIT(m, k)) + (k)*BIT(m, k))
#define TWO(m, k, above)   ((above) * (1 + 0xffffull * BIT(m, k)) + (0x100 * (2 * (k) + 1) + 2 * (k)) * BIT(m, k))
#define ONES(m)            ONE(m, 0, ONE(m, 1, ONE(m, 2, ONE(m, 3, ONE(m, 4, ONE(m, 5, ONE(m, 6, ONE(m, 7, 0ull))))))))
#define TWOS(m)            TWO(m, 0, TWO(m, 1, TWO(m, 2, TWO(m, 3, 0ull))))
#define FOUR(ROW, m)       ROW(m), ROW((m) + 1), ROW((m) + 2), ROW((m) + 3)
#define SIXTEEN(ROW, m)    FOUR(ROW, m), FOUR(ROW, (m) + 4), FOUR(ROW, (m) + 8), FOUR(ROW, (m) + 12)
#define SIXTY_FOUR(ROW, m) SIXTEEN(ROW, m), SIXTEEN(ROW, (m) + 16), SIXTEEN(ROW, (m) + 32), SIXTEEN(ROW, (m) + 48)

static const _Alignas(64) uint64_t positions_of_8[256] = {SIXTY_FOUR(ONES, 0), SIXTY_FOUR(ONES, 64),
                                                          SIXTY_FOUR(ONES, 128), SIXTY_FOUR(ONES, 192)};
static const _Alignas(64) uint64_t lanes_of_4[16] = {SIXTEEN(TWOS, 0)};

static inline __m128i positions(unsigned mask) { return _mm_loadl_epi64((const __m128i *)&positions_of_8[mask]); }
static inline __m128i lanes(unsigned mask) { return _mm_loadl_epi64((const __m128i *)&lanes_of_4[mask]); }

#endif
