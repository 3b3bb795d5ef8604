/* The loops of the radix sort over its four record formats. */
#include "cores/isa/leaves.h"
#include "cores/isa/sort_counts.h"
#include "cores/sort.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    CHUNK = 512,               /* records at a time from the caller's arrays, through the first-level cache */
    HISTOGRAM_CHUNK = 1 << 30, /* records that counters of 32 bits can count */
    WAITING_LINES = 4,         /* of each bucket of a partition */
    SAMPLE = 256,              /* records that a partition for vectors is planned by, */
    OUTSIDE = 4,               /* and how many of these may lie beyond its digit, on either side */
    SETS = 64,
    WAYS = 8,       /* of a first-level cache of 32 KiB */
    INSERTION = 32, /* records or fewer are sorted by insertion */
    SLACK_BITS = 3, /* about 2^-SLACK_BITS of the records are still to be ordered after the passes */
    DIGIT_BITS_MAX = OPI_SORT_COUNTER_BITS,
    PASSES_MAX = OPI_SORT_PASSES,
};

static unsigned highest_bit(uint64_t x) { return 63 - (unsigned)__builtin_clzll(x); }

/* The digits of one round in cache: `passes` of `bits` bits from bit `low` on. */
typedef struct digits {
    unsigned low, bits, passes;
    bool complete; /* no lower bit varies */
} digits;

static digits choose_digits(uint64_t varying, size_t n)
{
    const unsigned top = highest_bit(varying) + 1, bottom = (unsigned)__builtin_ctzll(varying);
    const unsigned size = highest_bit(n), span = top - bottom;
    const unsigned wanted = span < size + SLACK_BITS ? span : size + SLACK_BITS;
    const unsigned widest = size < DIGIT_BITS_MAX ? size : DIGIT_BITS_MAX;
    digits plan;
    plan.passes = (wanted + widest - 1) / widest;
    if (plan.passes > PASSES_MAX) plan.passes = PASSES_MAX;
    plan.bits = (wanted + plan.passes - 1) / plan.passes;
    if (plan.bits > widest) plan.bits = widest;
    if (span > plan.bits * plan.passes && span <= widest * plan.passes)
        plan.bits = (span + plan.passes - 1) / plan.passes;
    const unsigned taken = plan.passes * plan.bits;
    plan.low = top > taken ? top - taken : 0;
    plan.complete = plan.low <= bottom;
    return plan;
}

/* Stores a cache line past the caches: it would have left them before it is read again. */
static inline void stream_line(void *to, const void *from)
{
#if defined(__SSE2__)
    for (size_t i = 0; i < OPI_CACHE_LINE / sizeof(__m128i); i++)
        _mm_stream_si128((__m128i *)to + i, _mm_load_si128((const __m128i *)from + i));
#else
    memcpy(to, from, OPI_CACHE_LINE);
#endif
}

/* Fetches a line near the core, not nearest to it: the lines that are written now have to stay there. */
static inline void prefetch_line(const void *line) { __builtin_prefetch(line, 0, 2); }

static inline void stream_fence(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Whether the lines where a partition's buckets begin crowd in a few sets of the first-level cache, as those of buckets
 * of 2^k records do. */
static bool lines_collide(const size_t position[OPI_SORT_DIGITS], size_t record)
{
    unsigned lines[SETS] = {0}, most = 0;
    for (size_t d = 0; d < OPI_SORT_DIGITS; d++) {
        if (d > 0 && position[d] == position[d - 1]) continue;
        unsigned *const here = &lines[position[d] * record / OPI_CACHE_LINE % SETS];
        if (++*here > most) most = *here;
    }
    return most > 2 * WAYS;
}

/* --- the record formats ------------------------------------------------------------------------------------------ */

#define FORMAT(name)   name##_u32
#define RECORD         uint32_t
#define KEY            uint32_t
#define SIGNED_KEY     int32_t
#define MAKE_RECORD(k) ((uint32_t)(k))
#define KEY_OF(r)      (r)
#include "cores/isa/sort_format.h"

#define FORMAT(name)   name##_u64
#define RECORD         uint64_t
#define KEY            uint64_t
#define SIGNED_KEY     int64_t
#define MAKE_RECORD(k) ((uint64_t)(k))
#define KEY_OF(r)      (r)
#include "cores/isa/sort_format.h"

#define FORMAT(name)      name##_pair32
#define RECORD            uint64_t
#define KEY               uint32_t
#define SIGNED_KEY        int32_t
#define MAKE_RECORD(k)    ((uint64_t)(k))
#define KEY_OF(r)         ((uint32_t)(r))
#define PAYLOAD_OF(r)     ((r) >> 32)
#define SET_PAYLOAD(r, p) ((r) |= (uint64_t)(p) << 32)
#include "cores/isa/sort_format.h"

typedef struct pair64 {
    uint64_t key, payload;
} pair64;
#define FORMAT(name)      name##_pair64
#define RECORD            pair64
#define KEY               uint64_t
#define SIGNED_KEY        int64_t
#define MAKE_RECORD(k)    ((pair64){(uint64_t)(k), 0})
#define KEY_OF(r)         ((r).key)
#define PAYLOAD_OF(r)     ((r).payload)
#define SET_PAYLOAD(r, p) ((r).payload = (p))
#include "cores/isa/sort_format.h"

/* Keys alone, of the record's size, by vectors. */
#if defined(__AVX2__)
#define WORDS_32 OPI_ISA_NAME(opi_sort_words_32)
#define WORDS_64 OPI_ISA_NAME(opi_sort_words_64)
#else
#define WORDS_32 NULL
#define WORDS_64 NULL
#endif

#define FORMAT_ENTRY(name, words)                                                                                      \
    {                                                                                                                  \
        bytes_##name, choose_digit_##name, summarise_##name, scatter_##name, sort_bucket_##name, words                 \
    }
const opi_sort_format OPI_ISA_NAME(opi_sort_formats)[OPI_SORT_FORMATS] = {
    [OPI_SORT_U32] = FORMAT_ENTRY(u32, WORDS_32),
    [OPI_SORT_U64] = FORMAT_ENTRY(u64, WORDS_64),
    [OPI_SORT_PAIR32] = FORMAT_ENTRY(pair32, NULL),
    [OPI_SORT_PAIR64] = FORMAT_ENTRY(pair64, NULL),
};
