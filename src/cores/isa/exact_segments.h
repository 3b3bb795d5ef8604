/* Short segments of an exact operator, as many at a time as a vector has lanes.
 *
 * A template beside exact.h, included once a width with LANE_BITS = 32 or 64, where there are masked loads.  The
 * elements of each segment are joined into a vector of its own, W at a time, the identity standing where the segment
 * has ended; these W vectors are a tile (tiles.h), which becomes the vector of the results.  Nothing is jumped over for
 * the sake of one segment: what a processor has to foresee is how long the longest of the W is. */
#include "cores/isa/groups.h"
#include "cores/isa/tiles.h"

#define N(name) OPI_PASTE(name, LANE_BITS)
#define W       OPI_PASTE(OPI_LANES, LANE_BITS)
#define U       N(opi_lane)
#define V       N(opi_vector)
#define PARTS   (W / OPI_LANES_64)

enum {
    N(MOST_TOGETHER) = 2,  /* up to so many vectors, the W segments are read side by side */
    N(MOST_EVEN) = 8,      /* up to so many, all segments take as many steps */
    N(NOT_SHORT) = 1 << 14 /* elements */
};

/* The W elements at x; lanes whose index is not below n get the identity.  inside: all W may be read, and are: the
 * masked loads of AVX2 are three times slower on data that are not in a cache, as if nothing was read ahead of them. */
OPI_INLINE V N(load_below)(N(opi_exact) op, const U *x, V index, U n, bool inside)
{
    const V fill = op.unkey(N(splat)(op.identity));
    if (inside) return op.key(N(select)((V)((N(opi_signed))index < (N(opi_signed))N(splat)(n)), N(load)(x), fill));
    return op.key((V)OPI_PASTE(OPI_LOAD_BELOW, LANE_BITS)(x, index, n, fill));
}

OPI_INLINE V N(indices)(void)
{
    V index;
    for (int l = 0; l < W; l++) index[l] = (U)l;
    return index;
}

/* Joins a segment that is not so short into a vector. */
OPI_INLINE V N(join_segment)(N(opi_exact) op, const U *x, size_t n, bool inside)
{
    const V identity = N(splat)(op.identity), index = N(indices)();
    V a = identity, b = identity;
    for (; n >= 2 * W; n -= 2 * W, x += 2 * W) {
        a = op.join(a, op.key(N(load)(x)));
        b = op.join(b, op.key(N(load)(x + W)));
    }
    a = op.join(a, N(load_below)(op, x, index, (U)n, inside));
    b = op.join(b, N(load_below)(op, x + W, index + W, (U)n, inside));
    return op.join(a, b);
}

/* Joins a segment into a vector, in as many steps as `most` elements take. */
OPI_INLINE V N(join_even)(N(opi_exact) op, const U *x, U n, U most, bool inside)
{
    V index = N(indices)(), a = N(load_below)(op, x, index, n, inside);
    for (U i = W; i < most; i += W) {
        index += W;
        a = op.join(a, N(load_below)(op, x + i, index, n, inside));
    }
    return a;
}

/* The largest lane. */
OPI_INLINE U N(largest)(V v)
{
#define ROUND(W, h, l) (((l) + (h)) & ((W)-1))
#define STEP(h)                                                                                                        \
    if (h < W) v = N(max_u)(v, OPI_SHUFFLE(W, v, v, ROUND, h))
    STEP(8);
    STEP(4);
    STEP(2);
    STEP(1);
#undef STEP
#undef ROUND
    return v[0];
}

/* The results of W segments; elements: how many each one has, `most` at most. */
OPI_INLINE V N(join_group)(N(opi_exact) op, const U *in, const uint64_t *offsets, V elements, U most, bool inside)
{
    V x[W], index = N(indices)();
    U n[W];
    memcpy(n, &elements, sizeof n);
    OPI_IN_MEMORY(n);
    if (most <= N(MOST_TOGETHER) * W) {
        for (int j = 0; j < W; j++) x[j] = N(load_below)(op, in + offsets[j], index, n[j], inside);
        for (U i = W; i < most; i += W) {
            index += W;
            for (int j = 0; j < W; j++)
                x[j] = op.join(x[j], N(load_below)(op, in + offsets[j] + i, index, n[j], inside));
        }
    } else if (most <= N(MOST_EVEN) * W) {
        for (int j = 0; j < W; j++) x[j] = N(join_even)(op, in + offsets[j], n[j], most, inside);
    } else {
        for (int j = 0; j < W; j++) x[j] = N(join_segment)(op, in + offsets[j], n[j], inside);
    }
#define LEVEL(h, LEFT, RIGHT)                                                                                          \
    for (int j = 0; j < W / (2 * h); j++)                                                                              \
        x[j] = op.join(OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], LEFT, h),                                                \
                       OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], RIGHT, h));
    OPI_PASTE(OPI_LEVELS_UP, LANE_BITS)
    (LEVEL)
#undef LEVEL
        return op.unkey(x[0]);
}

/* See oplus_leaves::segments; fewer than W segments are left over. */
OPI_INLINE size_t N(exact_segments)(N(opi_exact) op, const void *in, const uint64_t *offsets, size_t segments,
                                    void *out)
{
    const bool logical = op.join == N(land) || op.join == N(lor); /* one element alone is itself */
    const uint64_t end = offsets[segments];
    const V nothing = op.unkey(N(splat)(op.identity));
    const U none = nothing[0];
    const U *const some = end > 0 ? (const U *)in : &none;
    size_t s = 0, count = W;
    for (; segments - s >= W && count == W; s += count) {
        opi_words words[OPI_GROUP_PARTS];
        U *const to = (U *)out + s;
        const uint64_t any = opi_group_elements(offsets + s, PARTS, words);
        if (any <= 1) {
            OPI_CHOOSE_ONES(W, U, some, offsets + s, none, to);
            continue;
        }
        if (any >= N(NOT_SHORT)) count = opi_group_cut(N(NOT_SHORT), PARTS, words);
        const V elements = LANE_BITS == 32 ? (V)opi_low_halves(words) : (V)words[0];
        const U most = N(largest)(elements);
        const bool inside = OPI_MASKED_LOADS_SLOW && offsets[s + W] + most + W <= end;
        const V y = inside ? N(join_group)(op, in, offsets + s, elements, most, true)
                           : N(join_group)(op, in, offsets + s, elements, most, false);
        if (count == W)
            memcpy(to, &y, sizeof y);
        else
            memcpy(to, &y, count * sizeof *to);
        for (size_t j = 0; logical && j < count; j++)
            if (offsets[s + j + 1] - offsets[s + j] == 1) to[j] = ((const U *)in)[offsets[s + j]];
    }
    return s;
}

#undef PARTS
#undef V
#undef U
#undef W
#undef N
#undef LANE_BITS
