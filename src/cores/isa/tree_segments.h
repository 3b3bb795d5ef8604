/* Short segments of an operator that rounds, as many at a time as a vector has lanes: a part of tree.h.
 *
 * Lane j is segment j.  Its elements are the units of the lowest level.  W units that belong together, whole vectors of
 * them, become one unit of the level above: as the vectors of all W segments stand in one list, W of these at a time are
 * a tile (tiles.h), whatever segment they are of.  What is left of each segment, less than W units, is joined to what is
 * above it, from the highest level down: the binary digits of a segment's length name its nodes, the largest first.  For
 * a missing node stands NEUTRAL, which changes no operand (-0 of a sum, 1 of a product; the identity would make +0 of
 * -0).  What is left is loaded into a vector so that its nodes lie in places of their own:
 *
 *     7 of W = 8    x0 x1 x2 x3   x4 x5   x6 .         5    x0 x1 x2 x3   . .   x4 .         2    . . . .   x0 x1   . .
 *
 * One level up (as in tile_up) makes pairs of it, and a transposition of pairs brings the same place of all segments
 * together: there the nodes are joined to what came before, the largest first.  Nothing is jumped over for one segment
 * alone, but for those of many elements. */
#include "cores/isa/groups.h"

#define PARTS (W / OPI_LANES_64)
#define LANES OPI_PASTE(OPI_UINT, LANE_BITS)

enum {
    N(NOT_SHORT) = 2048, /* elements */
    N(HEIGHT) = 6,       /* W^6 is more, for W = 4 too */
    N(LISTED) = 16,      /* vectors of a segment that are listed without a jump */
};

typedef LANES N(counts) __attribute__((vector_size(OPI_VECTOR)));

/* The units of one level: those of segment j are units[at[j]] and those after it; from units[rest[j]] on they do not make
 * whole vectors. */
typedef struct N(level) {
    const T *units;
    uint64_t at[W], rest[W];
    LANES count[W];
} N(level);

/* One row for each number n < W of elements: where load_nodes puts them. */
#if defined(__AVX512F__)
/* The lanes of the nodes of 8, 4, 2 and 1. */
#if LANE_BITS == 32
#define ROW(n) (((n)&8 ? 0x00ff : 0) | ((n)&4 ? 0x0f00 : 0) | ((n)&2 ? 0x3000 : 0) | ((n)&1 ? 0x4000 : 0))
#define ROWS                                                                                                           \
    ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8), ROW(9), ROW(10), ROW(11), ROW(12),         \
        ROW(13), ROW(14), ROW(15)
OPI_INLINE N(counts) N(rows)(N(counts) n)
{
    return (N(counts))_mm512_permutexvar_epi32((__m512i)n, (__m512i)(N(counts)){ROWS});
}
OPI_INLINE V N(load_nodes)(const T *x, LANES row, LANES n, bool inside)
{
    (void)n;
    (void)inside;
    return (V)_mm512_mask_expandloadu_ps((__m512)N(splat)(NEUTRAL), (__mmask16)row, x);
}
#else
#define ROW(n) (((n)&4 ? 0x0f : 0) | ((n)&2 ? 0x30 : 0) | ((n)&1 ? 0x40 : 0))
#define ROWS   ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)
OPI_INLINE N(counts) N(rows)(N(counts) n)
{
    return (N(counts))_mm512_permutexvar_epi64((__m512i)n, (__m512i)(N(counts)){ROWS});
}
OPI_INLINE V N(load_nodes)(const T *x, LANES row, LANES n, bool inside)
{
    (void)n;
    (void)inside;
    return (V)_mm512_mask_expandloadu_pd((__m512d)N(splat)(NEUTRAL), (__mmask8)row, x);
}
#endif
#else
/* For each lane the place of its element among n, or -1: as 32-bit lanes, which AVX2 permutes. */
#if LANE_BITS == 32
#define ROW(n)                                                                                                         \
    {                                                                                                                  \
        (n) & 4 ? 0 : -1, (n)&4 ? 1 : -1, (n)&4 ? 2 : -1, (n)&4 ? 3 : -1, (n)&2 ? (n)&4 : -1,                          \
            (n)&2 ? ((n)&4) + 1 : -1, (n)&1 ? (n)&6 : -1, -1                                                           \
    }
#define ROWS ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7)
#else
#define ROW(n)                                                                                                         \
    {                                                                                                                  \
        (n) & 2 ? 0 : -1, (n)&2 ? 1 : -1, (n)&2 ? 2 : -1, (n)&2 ? 3 : -1, (n)&1 ? 2 * ((n)&2) : -1,                    \
            (n)&1 ? 2 * ((n)&2) + 1 : -1, -1, -1                                                                       \
    }
#define ROWS ROW(0), ROW(1), ROW(2), ROW(3)
#endif
static const int32_t N(row_table)[W][8] __attribute__((aligned(32))) = {ROWS};
/* The offsets of the rows for n elements in the table, in bytes. */
OPI_INLINE N(counts) N(rows)(N(counts) n) { return n * (LANES)sizeof *N(row_table); }
/* inside: W elements at x may be read, so no masked load is needed, which would be slow (exact_segments.h). */
OPI_INLINE V N(load_nodes)(const T *x, LANES row, LANES n, bool inside)
{
    N(counts) index;
    for (int l = 0; l < W; l++) index[l] = (LANES)l;
    const V v = inside ? N(load)(x) : (V)OPI_PASTE(OPI_LOAD_BELOW, LANE_BITS)(x, index, n, N(splat)(0));
    const __m256i places = _mm256_load_si256((const __m256i *)(const void *)((const char *)N(row_table) + row));
    return (V)_mm256_blendv_ps(_mm256_permutevar8x32_ps((__m256)v, places), (__m256)N(splat)(NEUTRAL),
                               _mm256_castsi256_ps(places));
}
#endif

/* Lists the vectors of units of all segments, whole ones only, and says where the units above will be; returns how many
 * there are.  Up to LISTED + W more entries are written. */
OPI_INLINE size_t N(list_vectors)(const N(level) * level, N(level) * above, uint64_t *list)
{
    size_t listed = 0;
    for (int j = 0; j < W; j++) {
        const LANES vectors = level->count[j] / W;
        uint64_t x = (uint64_t)(uintptr_t)(level->units + level->at[j]);
        above->at[j] = listed;
        above->rest[j] = listed + vectors / W * W;
        above->count[j] = vectors;
        for (size_t v = 0; v < N(LISTED); v++) list[listed + v] = x + v * OPI_VECTOR;
        for (size_t v = N(LISTED); v < vectors; v++) list[listed + v] = x + v * OPI_VECTOR;
        listed += vectors;
    }
    return listed;
}

/* Makes the units above of whole vectors; up to 2 * W more are written. */
OPI_INLINE void N(ascend)(const N(level) * level, N(level) * above, T *units)
{
    const V neutral = N(splat)(NEUTRAL);
    uint64_t list[N(NOT_SHORT) + N(LISTED) + W];
    T neutrals[W];
    N(store)(neutrals, neutral);
    const size_t listed = N(list_vectors)(level, above, list);
    for (int j = 0; j < W; j++) list[listed + (size_t)j] = (uint64_t)(uintptr_t)neutrals;
    for (size_t i = 0; i < listed; i += W) {
        V t[W];
        for (int j = 0; j < W; j++) t[j] = N(load)((const T *)(uintptr_t)list[i + (size_t)j]);
        N(store)(units + i, N(tile_up)(t, NULL));
    }
    N(store)(units + listed, neutral); /* read where a vector is loaded of which no unit counts */
    above->units = units;
}

/* The one unit above of each segment that has W units or more, less than 2 * W. */
OPI_INLINE V N(highest)(const N(level) * level)
{
    T neutrals[W];
    V t[W];
    N(store)(neutrals, N(splat)(NEUTRAL));
    for (int j = 0; j < W; j++) t[j] = N(load)(level->count[j] & W ? level->units + level->at[j] : neutrals);
    return N(tile_up)(t, NULL);
}

/* x: for each segment what load_nodes loads. */
OPI_INLINE V N(join_nodes)(V sum, V x[W])
{
#define LEVEL(h, LEFT, RIGHT)                                                                                          \
    for (int j = 0; j < W / 2; j++)                                                                                    \
        x[j] = JOIN(OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], LEFT, h), OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], RIGHT, h));
    OPI_PASTE(OPI_LEVEL_ONE, LANE_BITS)
    (LEVEL)
#undef LEVEL
    /* The transposition: even pairs come before odd ones, level by level. */
#define LEVEL(h, LEFT, RIGHT)                                                                                          \
    if (h < W) {                                                                                                       \
        enum { PART = h < W ? W / h : 1 };                                                                             \
        V t[W / 2];                                                                                                    \
        for (int p = 0; p < W / 2; p += PART)                                                                          \
            for (int j = 0; j < PART / 2; j++) {                                                                       \
                const V a = x[p + 2 * j], b = x[p + 2 * j + 1];                                                        \
                t[p + j] = OPI_SHUFFLE(W, a, b, LEFT, h);                                                              \
                t[p + PART / 2 + j] = OPI_SHUFFLE(W, a, b, RIGHT, h);                                                  \
            }                                                                                                          \
        for (int j = 0; j < W / 2; j++) x[j] = t[j];                                                                   \
    }
        OPI_PASTE(OPI_LEVELS_ON, LANE_BITS)(LEVEL)
#undef LEVEL
            if (W == 16)
    { /* pairs 0 4 2 6 1 5 3 7 */
        const V octs = JOIN(JOIN(x[0], x[4]), JOIN(x[2], x[6])), quads = JOIN(x[1], x[5]);
        return JOIN(JOIN(JOIN(JOIN(sum, octs), quads), x[3]), x[7]);
    }
    if (W == 8) { /* pairs 0 2 1 3 */
        const V quads = JOIN(x[0], x[2]);
        return JOIN(JOIN(JOIN(sum, quads), x[1]), x[3]);
    }
    return JOIN(JOIN(sum, x[0]), x[1]);
}

/* Joins the rest of each segment's units to what comes before it.  count: that of the level; inside: see load_nodes. */
OPI_INLINE V N(join_rest)(const N(level) * level, N(counts) count, V sum, bool inside)
{
    V rest[W];
    LANES row[W];
    const N(counts) rows = N(rows)(count & (W - 1));
    memcpy(row, &rows, sizeof rows);
    OPI_IN_MEMORY(row);
    for (int j = 0; j < W; j++)
        rest[j] = N(load_nodes)(level->units + level->rest[j], row[j], level->count[j] & (W - 1), inside);
    return N(join_nodes)(sum, rest);
}

/* The elements of W segments as the lowest level. */
OPI_INLINE void N(set_lowest)(N(level) * level, const T *in, const uint64_t *offsets,
                              const opi_words words[OPI_GROUP_PARTS], N(counts) elements)
{
    level->units = in;
    for (int k = 0; k < PARTS; k++) {
        const opi_words at = opi_load_words(offsets + k * OPI_LANES_64), rest = at + (words[k] & -(uint64_t)W);
        memcpy(level->at + k * OPI_LANES_64, &at, sizeof at);
        memcpy(level->rest + k * OPI_LANES_64, &rest, sizeof rest);
    }
    memcpy(level->count, &elements, sizeof elements);
    OPI_IN_MEMORY(*level);
}

/* The results of W segments; any: the OR of their numbers of elements. */
OPI_INLINE V N(join_group)(const T *in, const uint64_t *offsets, const opi_words words[OPI_GROUP_PARTS], uint64_t any,
                           T identity, bool inside)
{
    const N(counts) elements = LANE_BITS == 32 ? (N(counts))opi_low_halves(words) : (N(counts))words[0];
    T units[2 * N(NOT_SHORT) + 2 * W * N(HEIGHT)], *free_units = units;
    N(level) level[N(HEIGHT)];
    int top = 0;
    N(set_lowest)(level, in, offsets, words, elements);
    for (; any >= 2 * W; any /= W, top++) {
        N(ascend)(&level[top], &level[top + 1], free_units);
        free_units += level[top + 1].at[W - 1] + level[top + 1].count[W - 1] + 2 * W;
    }
    V sum = any >= W ? N(highest)(&level[top]) : N(splat)(NEUTRAL);
    for (; top > 0; top--) {
        N(counts) count;
        memcpy(&count, level[top].count, sizeof count);
        sum = N(join_rest)(&level[top], count, sum, true);
    }
    sum = N(join_rest)(level, elements, sum, inside);
    return N(choose)((M)(elements == 0), N(splat)(identity), sum);
}

/* Fewer than W segments are reduced one by one. */
/* While a group of segments is joined, as many elements as it has are fetched from behind it: what is joined next. */
OPI_INLINE void N(prefetch_next)(const T *group, uint64_t elements)
{
    const char *const next = (const char *)(group + elements);
    for (size_t j = 0; j < elements * sizeof(T); j += OPI_CACHE_LINE) __builtin_prefetch(next + j, 0, 2);
}

static size_t N(segments_fast)(const void *in, const uint64_t *offsets, size_t segments, const void *identity,
                               void *out)
{
    const T none = identity ? *(const T *)identity : 0;
    const uint64_t end = offsets[segments];
    const T *const some = end > 0 ? (const T *)in : &none;
    size_t s = 0, count = W;
    for (; segments - s >= W; s += count) {
        opi_words words[OPI_GROUP_PARTS];
        uint64_t any = opi_group_elements(offsets + s, PARTS, words);
        T *const to = (T *)out + s;
        if (any <= 1) {
            OPI_CHOOSE_ONES(W, T, some, offsets + s, none, to);
            continue;
        }
        N(prefetch_next)((const T *)in + offsets[s], offsets[s + W] - offsets[s]);
        if (any >= N(NOT_SHORT)) {
            count = opi_group_cut(N(NOT_SHORT), PARTS, words);
            any = N(NOT_SHORT) - 1;
        }
        const V y = OPI_MASKED_LOADS_SLOW && offsets[s + W] + W <= end
                        ? N(join_group)(in, offsets + s, words, any, none, true)
                        : N(join_group)(in, offsets + s, words, any, none, false);
        if (count == W) {
            N(store)(to, y);
        } else {
            memcpy(to, &y, count * sizeof *to);
            return s + count;
        }
    }
    return s + N(segments)(in, offsets + s, segments - s, identity, (T *)out + s);
}

#undef ROWS
#undef ROW
#undef LANES
#undef PARTS
