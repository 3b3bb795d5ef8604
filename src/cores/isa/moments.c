/* Moments: the generic loops of their operator; and of a block of elements its node, from the elements themselves.
 *
 * In a block all groups that are joined have 2^k elements, at level k of the tree.  So no numbers are kept, and the square of a
 * difference of sums counts 1 / 2^(k+1): there is no division.  As in tree.h, pairs of vectors are shuffled into the left
 * and the right operands of neighbours, level by level, until W vectors of W nodes have become one. */
#include "cores/isa/lanes.h"
#include "cores/isa/leaves.h"
#include "cores/isa/tiles.h"
#include "cores/moments.h"

/* --- the operator ------------------------------------------------------------------------------------------------- */

OPLUS_FN_(oplus_moments, join_moments, (oplus_moments a, oplus_moments b), OPI_BODY_JOIN_MOMENTS)
OPLUS_TYPED_ELEMENT_(join_moments, join_moments, oplus_moments)
OPLUS_LEAF_SET_(, join_moments, oplus_moments, OPLUS_STRICT_)

extern const oplus_leaves OPI_ISA_NAME(opi_moments_leaves);
const oplus_leaves OPI_ISA_NAME(opi_moments_leaves) = {join_moments_node,     join_moments_scan, join_moments_segscan,
                                                       join_moments_segments, join_moments_run,  join_moments_segrun,
                                                       join_moments_zip};

/* --- nodes from elements ------------------------------------------------------------------------------------------ */

#define W OPI_LANES_64 /* a macro: it names the shuffles */
enum {
    UP = W == 8   ? 3
         : W == 4 ? 2
                  : 1, /* levels from W vectors to one */
    NODES = (1 << OPI_MOMENTS_LEVEL) / W
};
_Static_assert(1 << UP == W, "a vector has 2, 4 or 8 lanes");

typedef double F __attribute__((vector_size(OPI_VECTOR)));

/* Nodes of one level, in order: sums, and sums of squares. */
typedef struct nodes {
    double sum[NODES], m2[NODES];
} nodes;

OPI_INLINE F load(const double *from)
{
    F v;
    memcpy(&v, from, sizeof v);
    return v;
}

OPI_INLINE void store(double *to, F v) { memcpy(to, &v, sizeof v); }

/* What the square of a difference counts if two groups of 2^level elements are joined. */
OPI_INLINE double weight_at(unsigned level) { return 0.5 / (double)(1u << level); }

/* W vectors become one, which is the first.  single: the nodes are elements, and m2 is not read. */
OPI_INLINE void join_tile(F sum[W], F m2[W], unsigned level, bool single)
{
    double weight = weight_at(level);
#define LEVEL(h, LEFT, RIGHT)                                                                                          \
    for (int j = 0; j < W / (2 * h); j++) {                                                                            \
        const F left = OPI_SHUFFLE(W, sum[2 * j], sum[2 * j + 1], LEFT, h);                                            \
        const F right = OPI_SHUFFLE(W, sum[2 * j], sum[2 * j + 1], RIGHT, h);                                          \
        const F difference = right - left, square = difference * difference * weight;                                  \
        if (single && h == 1)                                                                                          \
            m2[j] = square;                                                                                            \
        else                                                                                                           \
            m2[j] = OPI_SHUFFLE(W, m2[2 * j], m2[2 * j + 1], LEFT, h) +                                                \
                    OPI_SHUFFLE(W, m2[2 * j], m2[2 * j + 1], RIGHT, h) + square;                                       \
        sum[j] = left + right;                                                                                         \
    }                                                                                                                  \
    weight *= 0.5;
    OPI_LEVELS_UP_64(LEVEL)
#undef LEVEL
}

/* The root of n nodes of a level. */
OPI_INLINE void join_all(nodes *x, size_t n, unsigned level, void *node)
{
    for (; n >= (size_t)W * W; n /= W, level += UP)
        for (size_t i = 0; i < n / W; i += W) {
            F sum[W], m2[W];
            for (size_t j = 0; j < W; j++) {
                sum[j] = load(x->sum + i * W + j * W);
                m2[j] = load(x->m2 + i * W + j * W);
            }
            join_tile(sum, m2, level, false);
            store(x->sum + i, sum[0]);
            store(x->m2 + i, m2[0]);
        }
    for (; n > 1; n /= 2, level++)
        for (size_t i = 0; i < n / 2; i++) {
            const double left = x->sum[2 * i], right = x->sum[2 * i + 1], difference = right - left;
            x->m2[i] = (x->m2[2 * i] + x->m2[2 * i + 1]) + difference * difference * weight_at(level);
            x->sum[i] = left + right;
        }
    *(oplus_moments *)node = (oplus_moments){UINT64_C(1) << level, x->sum[0], x->m2[0]};
}

#define NODE(suffix, T)                                                                                                \
    static void node_##suffix(const void *in, unsigned level, void *node)                                              \
    {                                                                                                                  \
        typedef T vector __attribute__((vector_size(W * sizeof(T))));                                                  \
        const T *const x = in;                                                                                         \
        const size_t n = (size_t)1 << level;                                                                           \
        nodes found;                                                                                                   \
        if (n < W * W) {                                                                                               \
            for (size_t i = 0; i < n; i++) {                                                                           \
                found.sum[i] = (double)x[i];                                                                           \
                found.m2[i] = 0;                                                                                       \
            }                                                                                                          \
            join_all(&found, n, 0, node);                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t i = 0; i < n / W; i += W) {                                                                        \
            F sum[W], m2[W];                                                                                           \
            for (size_t j = 0; j < W; j++) {                                                                           \
                vector v;                                                                                              \
                memcpy(&v, x + (i + j) * W, sizeof v);                                                                 \
                sum[j] = __builtin_convertvector(v, F);                                                                \
            }                                                                                                          \
            join_tile(sum, m2, 0, true);                                                                               \
            store(found.sum + i, sum[0]);                                                                              \
            store(found.m2 + i, m2[0]);                                                                                \
        }                                                                                                              \
        join_all(&found, n / W, UP, node);                                                                             \
    }
OPLUS_FOR_MOMENTS(NODE)

#define ROW(suffix, T) node_##suffix,
void (*const OPI_ISA_NAME(opi_moments)[OPI_MOMENTS])(const void *in, unsigned level,
                                                     void *node) = {OPLUS_FOR_MOMENTS(ROW)};
