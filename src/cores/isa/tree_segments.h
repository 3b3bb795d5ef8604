/* Short segments of an operator that rounds, as many at a time as a vector has lanes: a part of tree.h.
 *
 * Lane j is segment j.  The binary digits of its length name its nodes, the largest first, and for a missing node
 * stands NEUTRAL, which changes no operand (-0 of a sum, 1 of a product; the identity would make +0 of -0).  The nodes
 * of W elements and more are those of whole vectors; what is left, less than W elements, is loaded into a vector so
 * that its nodes lie in places of their own:
 *
 *     7 of W = 8    x0 x1 x2 x3   x4 x5   x6 .         5    x0 x1 x2 x3   . .   x4 .         2    . . . .   x0 x1   . .
 *
 * One level up (as in tile_up) makes pairs of it, and a transposition of pairs brings the same place of all segments
 * together: there the nodes are joined to what came before, the largest first.  Nothing is jumped over for one segment
 * alone. */
#include "cores/isa/groups.h"

#define PARTS (W / OPI_LANES_64)
#define LANES OPI_PASTE(OPI_UINT, LANE_BITS)

enum { N(NOT_SHORT) = 256 /* elements */ };

typedef LANES N(counts) __attribute__((vector_size(OPI_VECTOR)));

/* What a group of segments knows of each, in memory. */
typedef struct N(group) {
    LANES elements[W];
    LANES row[W];                               /* see load_nodes */
    uint64_t at[OPI_GROUP_PARTS][OPI_LANES_64]; /* the elements before it are joined already */
} N(group);

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

/* The nodes of `size` >= W elements, of the segments that have one. */
OPI_INLINE V N(nodes_of)(const T *in, const N(group) * group, unsigned size)
{
    V y[N(NOT_SHORT) / 2 / W], neutral = N(splat)(NEUTRAL);
    T neutrals[W];
    const unsigned vectors = size / W;
    N(store)(neutrals, neutral);
    for (unsigned v = 0; v < vectors; v++) {
        V t[W];
        for (int j = 0; j < W; j++) {
            const T *const x = in + ((const uint64_t *)group->at)[j] + v * W;
            t[j] = N(load)(group->elements[j] & size ? x : neutrals);
        }
        y[v] = N(tile_up)(t, NULL);
    }
    for (unsigned n = vectors / 2; n > 0; n /= 2)
        for (unsigned v = 0; v < n; v++) y[v] = JOIN(y[2 * v], y[2 * v + 1]);
    return y[0];
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

/* The results of W segments, of which one or more have a node of each size in `any`. */
OPI_INLINE V N(join_group)(const T *in, const uint64_t *offsets, const opi_words words[OPI_GROUP_PARTS], uint64_t any,
                           T identity, bool inside)
{
    const N(counts) elements = LANE_BITS == 32 ? (N(counts))opi_low_halves(words) : (N(counts))words[0];
    V sum = N(splat)(NEUTRAL), rest[W];
    N(group) group;
    const N(counts) rows = N(rows)(elements & (W - 1));
    memcpy(group.elements, &elements, sizeof elements);
    memcpy(group.row, &rows, sizeof rows);
    for (unsigned size = N(NOT_SHORT) / 2; size >= W / 2 && any >= W; size /= 2) {
        for (int k = 0; k < PARTS; k++) {
            const opi_words at = opi_load_words(offsets + k * OPI_LANES_64) + (words[k] & -(uint64_t)(2 * size));
            memcpy(group.at[k], &at, sizeof at);
        }
        OPI_IN_MEMORY(group);
        if (size >= W && any & size) sum = JOIN(sum, N(nodes_of)(in, &group, size));
    }
    if (any < W) memcpy(group.at, offsets, W * sizeof *offsets);
    OPI_IN_MEMORY(group);
    for (int j = 0; j < W; j++)
        rest[j] =
            N(load_nodes)(in + ((const uint64_t *)group.at)[j], group.row[j], group.elements[j] & (W - 1), inside);
    return N(choose)((M)(elements == 0), N(splat)(identity), N(join_nodes)(sum, rest));
}

/* Fewer than W segments are reduced one by one. */
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
