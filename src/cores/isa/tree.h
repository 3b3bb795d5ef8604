/* Blocks of the canonical tree for one operator on lanes that round: node and scan (tree_blocks.h); segmented scan
 * (tree_segscan.h); short segments (tree_segments.h).
 *
 * A template, included once for each operator with
 *     TREE       name of the operator; TREE_node, TREE_scan and TREE_segscan are its generic loops (oplus/leaf.h)
 *     T          float or double, LANE_BITS 32 or 64
 *     JOIN(a, b) the operator, on vectors and on scalars
 *     NEUTRAL    what it joins to any operand without changing it
 *     QUIET(x, n) makes NaNs canonical in n elements at x
 *
 * The unit is a tile: W vectors of W lanes.  Going up, pairs of vectors are shuffled into the left and the right
 * operands of neighbouring pairs and joined, W to 1: the last vector holds, in lane v, the node of vector v.  The
 * inverse of such a shuffle is one shuffle too, so that going down takes as many; going down needs the left operands,
 * which are kept.  These nodes, the spine, are scanned by the same function and come back as what precedes each vector.
 *
 *     up    4 vectors of 4:  a0 a1 a2 a3 | b0 b1 b2 b3   left = a0 a2 b0 b2, right = a1 a3 b1 b3
 *     down  c = what precedes a01 a23 b01 b23; d = c (+) left;  a's results c0 d0 c1 d1, b's c2 d2 c3 d3
 *
 * That makes 4 shuffles a vector at any width.  An inclusive scan is the exclusive scan moved by a place; past the
 * caches, where vectors must be aligned, the move takes one more. */
#include "base/memory.h"
#include "cores/isa/lanes.h"
#include "cores/isa/tiles.h"

#define N(name) OPI_PASTE(TREE, name)
#define W       OPI_PASTE(OPI_LANES, LANE_BITS)
#define V       N(vector)
#define M       N(mask) /* of lanes: each all ones or 0 */
#define LEVELS  OPLUS_LEAF_LEVEL(sizeof(T))

typedef T V __attribute__((vector_size(OPI_VECTOR)));
typedef OPI_PASTE(OPI_INT, LANE_BITS) N(flag);
typedef N(flag) M __attribute__((vector_size(OPI_VECTOR)));

/* The kinds of scan.  Where a segment begins, an exclusive scan writes the identity; a spine keeps what precedes it. */
typedef enum N(kind) { N(INCLUSIVE), N(EXCLUSIVE), N(SPINE) } N(kind);

OPI_INLINE V N(splat)(T x) { return x - (V){0}; }
OPI_INLINE V N(choose)(M mask, V a, V b) { return (V)((M)b ^ (((M)a ^ (M)b) & mask)); }

OPI_INLINE V N(load)(const T *in)
{
    V v;
    memcpy(&v, in, sizeof v);
    return v;
}

OPI_INLINE void N(store)(T *out, V v) { memcpy(out, &v, sizeof v); }

/* Writes the results of a vector: c, what precedes each element, or for an inclusive scan what precedes the next one.
 */
OPI_INLINE void N(put)(T *out, V c, V next, N(kind) kind)
{
    N(store)(out, kind == N(INCLUSIVE) ? OPI_SHUFFLE(W, c, next, OPI_DOWN, 0) : c);
}

/* The same for vector v of a block, after the vectors before it.  An inclusive result is the exclusive one of the next
 * element, so that no lane needs to move if vectors are written one place earlier; only the first would then begin
 * before the block.  (Sums in cache: AVX2 1.2 times as fast, SSE2 1.6 times; 2026-11-23, Zen 4.) */
OPI_INLINE void N(put_vector)(T *out, size_t v, V c, V next, N(kind) kind)
{
    if (kind == N(INCLUSIVE) && v > 0)
        N(store)(out + v * W - 1, c);
    else
        N(put)(out + v * W, c, next, kind);
}

/* Writes the results where nothing looks for NaNs afterwards: NaNs are made canonical here.  streams: past the caches. */
OPI_INLINE void N(put_quiet)(T *out, V c, V next, N(kind) kind, bool streams)
{
    const V v = kind == N(INCLUSIVE) ? OPI_SHUFFLE(W, c, next, OPI_DOWN, 0) : c;
    const V quiet = N(choose)((M)(v != v), N(splat)((T)__builtin_nan("")), v);
    if (streams)
        OPI_STREAM(out, quiet);
    else
        N(store)(out, quiet);
}

/* --- a tile up and down ------------------------------------------------------------------------------------------ */

/* x: the tile's vectors, destroyed; returns their nodes.  left: gets W - 1 vectors of left operands, or NULL. */
OPI_INLINE V N(tile_up)(V x[W], V *left)
{
    int k = 0;
#define LEVEL(h, LEFT, RIGHT)                                                                                          \
    for (int j = 0; j < W / (2 * h); j++) {                                                                            \
        const V a = OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], LEFT, h);                                                   \
        const V b = OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], RIGHT, h);                                                  \
        if (left) left[k++] = a;                                                                                       \
        x[j] = JOIN(a, b);                                                                                             \
    }
    OPI_PASTE(OPI_LEVELS_UP, LANE_BITS)
    (LEVEL)
#undef LEVEL
        return x[0];
}

/* x[0]: what precedes each of the W vectors; becomes their exclusive results. */
OPI_INLINE void N(tile_down)(V x[W], const V *left)
{
    int k = W - 1;
#define LEVEL(h, FIRST, SECOND)                                                                                        \
    for (int j = W / (2 * h); j-- > 0;) {                                                                              \
        const V c = x[j], d = JOIN(c, left[--k]);                                                                      \
        x[2 * j] = OPI_SHUFFLE(W, c, d, FIRST, h);                                                                     \
        x[2 * j + 1] = OPI_SHUFFLE(W, c, d, SECOND, h);                                                                \
    }
    OPI_PASTE(OPI_LEVELS_DOWN, LANE_BITS)(LEVEL)
#undef LEVEL
}

/* --- a single vector --------------------------------------------------------------------------------------------- */

/* Up: lane l joins the node that ends h lanes before it, if l + 1 is a multiple of 2h: it then holds the node of the 2h
 * lanes that end in it.  Down: a lane with bit h joins the node before its half to what precedes both halves. */
#define BEFORE_UP(W, h, l)   (((l) & (2 * (h)-1)) == 2 * (h)-1 ? (l) - (h) : (l))
#define CHOOSE_UP(W, h, l)   (((l) & (2 * (h)-1)) == 2 * (h)-1 ? (W) + (l) : (l))
#define BEFORE_DOWN(W, h, l) ((l) & (h) ? (((l) & ~(2 * (h)-1)) | ((h)-1)) : (l))
#define CHOOSE_DOWN(W, h, l) ((l) & (h) ? (W) + (l) : (l))

OPI_INLINE V N(vector_up)(V y)
{
#define STEP(h)                                                                                                        \
    if (h < W) y = OPI_SHUFFLE(W, y, JOIN(OPI_SHUFFLE(W, y, y, BEFORE_UP, h), y), CHOOSE_UP, h)
    STEP(1);
    STEP(2);
    STEP(4);
    STEP(8);
#undef STEP
    return y;
}

OPI_INLINE V N(vector_down)(V c, V y)
{
#define STEP(h)                                                                                                        \
    if (h < W) c = OPI_SHUFFLE(W, c, JOIN(c, OPI_SHUFFLE(W, y, y, BEFORE_DOWN, h)), CHOOSE_DOWN, h)
    STEP(8);
    STEP(4);
    STEP(2);
    STEP(1);
#undef STEP
    return c;
}

/* --- node -------------------------------------------------------------------------------------------------------- */

/* Bytes to prefetch ahead where the elements come from memory: without it a tenth of the speed is lost there, but in
 * cache prefetching costs time (sums of floats: 0.90 against 0.83 of the read limit, and 63 against 81 GB/s;
 * 2026-11-21, Xeon with AVX-512). */
enum { N(AHEAD) = 8192 };

/* The cache lines that begin in bytes begin to end - 1 after in, as far ahead. */
OPI_INLINE void N(prefetch)(const T *in, size_t begin, size_t end)
{
    for (size_t j = opi_round_up(begin, OPI_CACHE_LINE); j < end; j += OPI_CACHE_LINE)
        __builtin_prefetch((const char *)in + N(AHEAD) + j, 0, 2);
}

/* Nodes of the n / W vectors at in, n a multiple of W * W.  far: they come from memory. */
OPI_INLINE void N(spine)(const T *in, size_t n, T *nodes, bool far)
{
    for (; n > 0; n -= W * W, in += W * W, nodes += W) {
        if (far) N(prefetch)(in, 0, W * W * sizeof(T));
        V x[W];
        for (int j = 0; j < W; j++) x[j] = N(load)(in + j * W);
        N(store)(nodes, N(tile_up)(x, NULL));
    }
}

/* Shuffles in order: lanes 0 2 4 ... and 1 3 5 ... of two vectors; lane l + h, which in lane 0 continues the node of h
 * lanes. */
#define EVEN(W, h, l)  (2 * (l))
#define ODD(W, h, l)   (2 * (l) + 1)
#define AFTER(W, h, l) (((l) + (h)) & ((W)-1))

/* The node of fewer vectors than a tile has; their number is a constant. */
OPI_INLINE T N(node_vectors)(const T *in, int vectors)
{
    V y[W];
    for (int j = 0; j < vectors; j++) y[j] = N(load)(in + j * W);
    for (int n = vectors / 2; n > 0; n /= 2)
        for (int j = 0; j < n; j++)
            y[j] =
                JOIN(OPI_SHUFFLE(W, y[2 * j], y[2 * j + 1], EVEN, 0), OPI_SHUFFLE(W, y[2 * j], y[2 * j + 1], ODD, 0));
#define STEP(h)                                                                                                        \
    if (h < W) y[0] = JOIN(y[0], OPI_SHUFFLE(W, y[0], y[0], AFTER, h))
    STEP(1);
    STEP(2);
    STEP(4);
    STEP(8);
#undef STEP
    return y[0][0];
}

/* A node has no results to keep in cache, so that its block may be larger: the last steps, on less than a tile, then
 * cost less (a sum of floats in cache: 82 instead of 46 GB/s; 2026-11-21, Xeon with
 * AVX-512). */
enum { N(NODE_LEVEL) = LEVELS + 3 };

OPI_INLINE void N(node_of)(const void *in, unsigned level, void *node, bool far)
{
    T nodes[2][((size_t)1 << N(NODE_LEVEL)) / W];
    const T *x = in;
    size_t n = (size_t)1 << level;
    if (n < W) {
        *(T *)node = n == 1   ? x[0]
                     : n == 2 ? JOIN(x[0], x[1])
                     : n == 4
                         ? JOIN(JOIN(x[0], x[1]), JOIN(x[2], x[3]))
                         : JOIN(JOIN(JOIN(x[0], x[1]), JOIN(x[2], x[3])), JOIN(JOIN(x[4], x[5]), JOIN(x[6], x[7])));
        return;
    }
    for (int k = 0; n >= W * W; k ^= 1, n /= W) {
        N(spine)(x, n, nodes[k], far && x == in);
        x = nodes[k];
    }
    switch (n / W) {
    case 1:
        *(T *)node = N(node_vectors)(x, 1);
        break;
    case 2:
        *(T *)node = N(node_vectors)(x, 2);
        break;
    case 4:
        *(T *)node = N(node_vectors)(x, W < 4 ? W : 4);
        break;
    case 8:
        *(T *)node = N(node_vectors)(x, W < 8 ? W : 8);
        break;
    }
}

static void N(node_fast)(const void *in, unsigned level, void *node) { N(node_of)(in, level, node, false); }
static void N(node_far)(const void *in, unsigned level, void *node) { N(node_of)(in, level, node, true); }

/* --- scan -------------------------------------------------------------------------------------------------------- */

/* Scans fewer vectors than a tile has: each by itself, their nodes one by one. */
OPI_INLINE void N(scan_vectors)(const T *in, size_t vectors, N(kind) kind, T before, T *out, T *node)
{
    V y[W];
    T last[W], c[W + 1];
    for (size_t j = 0; j < vectors; j++) {
        y[j] = N(vector_up)(N(load)(in + j * W));
        last[j] = y[j][W - 1];
    }
    for (size_t h = 1; h < vectors; h *= 2)
        for (size_t i = 2 * h - 1; i < vectors; i += 2 * h) last[i] = JOIN(last[i - h], last[i]);
    *node = last[vectors - 1];
    c[0] = before;
    for (size_t i = 1; i < vectors; i++) c[i] = JOIN(c[i & (i - 1)], last[i - 1]);
    c[vectors] = before; /* any value: the caller writes the last inclusive result */
    for (size_t j = 0; j < vectors; j++)
        N(put_vector)(out, j, N(vector_down)(N(splat)(c[j]), y[j]), N(splat)(c[j + 1]), kind);
}

static void N(scan_tiles)(const T *in, size_t n, N(kind) kind, T before, T *out, T *node);

/* n >= W.  in == out is allowed: all is read before anything is written.
 * far: both are in memory, and out is aligned to a vector; the results of the last cache line go to tail, unless that is
 * NULL.  Half of what will be read is prefetched on the way up and half on the way down, so that memory is read all the
 * time (1.2 to 1.5 times as fast as all of it at once; 2026-11-23, Zen 4). */
OPI_INLINE void N(scan_tiles_to)(const T *in, size_t n, N(kind) kind, T before, T *out, T *node, bool far, T *tail)
{
    const size_t tiles = n / (W * W), half = W * W * sizeof(T) / 2;
    const size_t streamed = n / W - (tail ? OPI_CACHE_LINE / OPI_VECTOR : 0);
    V left[((size_t)1 << LEVELS) / W];
    T spine[((size_t)1 << LEVELS) / W + W];
    if (tiles == 0) {
        N(scan_vectors)(in, n / W, kind, before, out, node);
        return;
    }
    for (size_t t = 0; t < tiles; t++) {
        V x[W];
        if (far) N(prefetch)(in, t * half, (t + 1) * half);
        for (int j = 0; j < W; j++) x[j] = N(load)(in + (t * W + j) * W);
        N(store)(spine + t * W, N(tile_up)(x, left + t * (W - 1)));
    }
    N(scan_tiles)(spine, n / W, N(SPINE), before, spine, node);
    spine[n / W] = before; /* any value: the caller writes the last inclusive result */
    for (size_t t = 0; t < tiles; t++) {
        V x[W + 1];
        if (far) N(prefetch)(in, (tiles + t) * half, (tiles + t + 1) * half);
        x[0] = N(load)(spine + t * W);
        x[W] = N(splat)(spine[(t + 1) * W]);
        N(tile_down)(x, left + t * (W - 1));
        for (int j = 0; j < W && !far; j++) N(put_vector)(out, t * W + (size_t)j, x[j], x[j + 1], kind);
        for (int j = 0; j < W && far; j++) {
            const size_t v = t * W + (size_t)j;
            if (v < streamed)
                N(put_quiet)(out + v * W, x[j], x[j + 1], kind, true);
            else
                N(put_quiet)(tail + (v - streamed) * W, x[j], x[j + 1], kind, false);
        }
    }
}

/* In a cache. */
static void N(scan_tiles)(const T *in, size_t n, N(kind) kind, T before, T *out, T *node)
{
    N(scan_tiles_to)(in, n, kind, before, out, node, false, NULL);
}

#include "cores/isa/tree_blocks.h"
#include "cores/isa/tree_segscan.h"

#ifdef OPI_MASKED_LOADS
#include "cores/isa/tree_segments.h"
#else
static size_t N(segments_fast)(const void *in, const uint64_t *offsets, size_t segments, const void *identity,
                               void *out)
{
    return N(segments)(in, offsets, segments, identity, out);
}
#endif

#undef AFTER
#undef ODD
#undef EVEN
#undef CHOOSE_DOWN
#undef BEFORE_DOWN
#undef CHOOSE_UP
#undef BEFORE_UP
#undef LEVELS
#undef M
#undef V
#undef W
#undef N
#undef NEUTRAL
#undef QUIET
#undef JOIN
#undef LANE_BITS
#undef T
#undef TREE
