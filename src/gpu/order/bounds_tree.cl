/* Bounds by a tree of samples: see bounds_tree.c.
 *
 * Level s has every 2^s-th element, so that its item k (from 0) is the last one of the run k of 2^s elements; there are
 * (n - 1) >> s of them, and the node that the last ones are in is filled up with the last element of all, as are items that
 * a search can only come to beyond them.  A search knows the run c of a level that the place is in: it is the number of
 * items of that level that come before the place.  From level to level a run has OPI_FAN smaller ones, whose items are one
 * node.  Whatever is counted in what fills up comes behind all items, so that c is cut to their number.
 *
 * The tree in memory: the top, then the levels from the widest runs to the narrowest.  The top has 2^depth - 1 items of
 * level `top` in the order of a heap from item 1 on: a search of it in local memory goes to other banks with every step. */

#define OPI_LANES (1u << OPI_LOG_LANES) /* searches of a work-item at the same time */
#define OPI_FAN   (1u << OPI_LOG_FAN)

#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif

typedef struct opi_bounds_shape {
    uint32_t depth, top, levels, log_rounds;
} opi_bounds_shape;

/* Whether a mapped element lies left of the place of a mapped one that is wanted. */
#if OPI_UPPER
#define OPI_IS_LEFT(there, wanted) (!OPI_COMES_FIRST(wanted, there))
#else
#define OPI_IS_LEFT(there, wanted) OPI_COMES_FIRST(there, wanted)
#endif

/* --- the tree is built -------------------------------------------------------------------------------------------- */

/* The last element of run q - 1 of 2^s elements, or of all. */
OPI_FUNCTION opi_item opi_sample(OPI_GLOBAL const opi_item *sorted, uint64_t n, uint64_t q, uint32_t s, opi_order order)
{
    const uint64_t end = q << s;
    return OPI_MAPPED(sorted[(end < n ? end : n) - 1]);
}

OPI_WHOLE_KERNEL void opi_bounds_build(OPI_PARAM(sorted_array), const uint64_t n, OPI_PARAM(tree),
                                       const uint64_t items, OPI_ORDER, const opi_bounds_shape shape)
{
    OPI_GLOBAL const opi_item *const sorted = OPI_AT(const opi_item, sorted_array);
    const uint64_t step = OPI_GROUPS * OPI_W;
    OPI_READ_ORDER
    for (uint64_t i = OPI_GROUP * OPI_W + OPI_SELF; i < items; i += step) {
        uint64_t k = i, q = 1;
        uint32_t s = shape.top;
        if (i < (uint64_t)1 << shape.depth) { /* item i of a heap */
            uint32_t d = shape.depth - 1;
            while (d > 0 && i >> d == 0) d--;
            if (i > 0) q = (2 * (i - ((uint64_t)1 << d)) + 1) << (shape.depth - 1 - d);
        } else {
            k -= (uint64_t)1 << shape.depth;
            for (s -= OPI_LOG_FAN;; s -= OPI_LOG_FAN) {
                const uint64_t level = (((n - 1) >> s >> OPI_LOG_FAN) + 1) << OPI_LOG_FAN;
                if (k < level) break;
                k -= level;
            }
            q = k + 1;
        }
        OPI_AT(opi_item, tree)[i] = opi_sample(sorted, n, q, s, order);
    }
}

/* --- it is searched ----------------------------------------------------------------------------------------------- */

#if OPI_BY_TEXT
#define OPI_BY_VECTORS 0
#else
#define OPI_BY_VECTORS (OPI_VECTORS && OPI_KEY_SIZE > 1 && OPI_KEY_SIZE << OPI_LOG_FAN >= 16) /* few keys: they are counted */
#endif

#if OPI_BY_VECTORS
#define OPI_VECTOR_KEYS (16 / OPI_KEY_SIZE)

/* Key k of a vector. */
OPI_FUNCTION opi_item opi_key_in(const uint32_t word[4], uint32_t k)
{
#if OPI_KEY_SIZE == 8
    return (opi_item)word[2 * k] | (opi_item)word[2 * k + 1] << 32;
#else
    return (opi_item)(word[k * OPI_KEY_SIZE / 4] >> (k * OPI_KEY_SIZE % 4 * 8));
#endif
}

/* How many keys of a vector lie left of the place. */
OPI_FUNCTION uint32_t opi_left_in(opi_vector read, bool mapped, opi_item wanted, opi_order order)
{
    uint32_t word[4], count = 0;
    word[0] = read.x;
    word[1] = read.y;
    word[2] = read.z;
    word[3] = read.w;
    OPI_UNROLL for (uint32_t k = 0; k < OPI_VECTOR_KEYS; k++)
    {
        const opi_item key = opi_key_in(word, k), there = mapped ? key : OPI_MAPPED(key);
        count += OPI_IS_LEFT(there, wanted) ? 1 : 0;
    }
    return count;
}

/* How many keys of the node that begins there lie left of the place. */
OPI_FUNCTION uint32_t opi_count_left(OPI_GLOBAL const opi_item *keys, uint64_t begin, bool mapped, opi_item wanted,
                                     opi_order order)
{
    OPI_GLOBAL const opi_vector *const node = (OPI_GLOBAL const opi_vector *)(keys + begin);
    opi_vector read[OPI_FAN / OPI_VECTOR_KEYS];
    uint32_t count = 0;
    OPI_UNROLL for (uint32_t v = 0; v < OPI_FAN / OPI_VECTOR_KEYS; v++) read[v] = node[v];
    OPI_UNROLL for (uint32_t v = 0; v < OPI_FAN / OPI_VECTOR_KEYS; v++)
        count += opi_left_in(read[v], mapped, wanted, order);
    return count;
}
#endif

/* How many items of a node lie left of the place: not all of them do, or it is cut later. */
OPI_FUNCTION uint32_t opi_child(OPI_GLOBAL const opi_item *level, uint64_t node, opi_item wanted, opi_order order)
{
#if OPI_BY_VECTORS
    return opi_count_left(level, node, true, wanted, order);
#else
    uint32_t r = 0;
    OPI_UNROLL for (uint32_t half_of = OPI_FAN / 2; half_of > 0; half_of /= 2)
    {
        const opi_item there = level[node + r + half_of - 1];
        r += OPI_IS_LEFT(there, wanted) ? half_of : 0;
    }
    return r;
#endif
}

#if OPI_BY_VECTORS
/* The place is in the OPI_FAN elements from `at` on, or behind them if they are the last ones.  Reads whole vectors: the
 * last OPI_FAN elements may begin before `at`, and some may follow. */
OPI_FUNCTION uint64_t opi_in_node(OPI_GLOBAL const opi_item *sorted, uint64_t n, uint64_t at, opi_item wanted,
                                  opi_order order)
{
    const uint64_t last = (n - OPI_FAN) / OPI_VECTOR_KEYS * OPI_VECTOR_KEYS, begin = at < last ? at : last;
    const uint64_t left = begin + opi_count_left(sorted, begin, false, wanted, order), end = begin + OPI_FAN;
    uint64_t more = 0;
    if (left == end)
        while (more < OPI_VECTOR_KEYS && left + more < n) {
            const opi_item there = OPI_MAPPED(sorted[left + more]);
            if (!OPI_IS_LEFT(there, wanted)) break;
            more++;
        }
    return left + more;
}
#endif

#if OPI_W == 1
#define OPI_TOP_MEMORY OPI_GLOBAL
#else
#define OPI_TOP_MEMORY OPI_LOCAL
#endif

/* The places of OPI_LANES elements: each step is done for all of them, so that their reads are under way together. */
OPI_INLINED void opi_places(OPI_GLOBAL const opi_item *sorted, uint64_t n, OPI_GLOBAL const opi_item *tree,
                             OPI_TOP_MEMORY const opi_item *top, const opi_item wanted[OPI_LANES],
                             uint64_t at[OPI_LANES], bool aligned, opi_bounds_shape shape, opi_order order)
{
    uint32_t heap[OPI_LANES], s = shape.top;
    uint64_t most = (n - 1) >> s;
    OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++) heap[l] = 1;
    OPI_ROLLED for (uint32_t d = 0; d < shape.depth; d++)
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        {
            const opi_item there = top[heap[l]];
            heap[l] = 2 * heap[l] + (OPI_IS_LEFT(there, wanted[l]) ? 1 : 0);
        }
    OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
    {
        at[l] = heap[l] - (1u << shape.depth);
        if (at[l] > most) at[l] = most;
    }
    tree += (uint64_t)1 << shape.depth;
    OPI_ROLLED for (uint32_t level = 0; level < shape.levels; level++)
    {
        s -= OPI_LOG_FAN;
        most = (n - 1) >> s;
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        {
            const uint64_t node = at[l] << OPI_LOG_FAN, child = node + opi_child(tree, node, wanted[l], order);
            at[l] = child < most ? child : most;
        }
        tree += ((most >> OPI_LOG_FAN) + 1) << OPI_LOG_FAN;
    }
    /* The place is in [at, at + 2^s]: the array continues with its last element until there, and what lies behind is cut. */
    OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++) at[l] <<= s;
    OPI_ROLLED for (; s > (aligned ? OPI_LOG_FAN : 0); s--)
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        {
            const uint64_t half_of = (uint64_t)1 << (s - 1), i = at[l] + half_of - 1;
            const opi_item there = OPI_MAPPED(sorted[i < n ? i : n - 1]);
            at[l] += OPI_IS_LEFT(there, wanted[l]) ? half_of : 0;
        }
#if OPI_BY_VECTORS
    if (aligned && s == OPI_LOG_FAN) {
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++) at[l] = opi_in_node(sorted, n, at[l], wanted[l], order);
        return;
    }
#endif
    OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        for (uint32_t k = 0; k < 1u << s && at[l] < n; k++) {
            const opi_item there = OPI_MAPPED(sorted[at[l]]);
            if (!OPI_IS_LEFT(there, wanted[l])) break;
            at[l]++;
        }
    OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++) at[l] = at[l] < n ? at[l] : n;
}

OPI_WHOLE_KERNEL void opi_bounds_by_tree(OPI_PARAM(sorted_array), const uint64_t n, OPI_PARAM(tree),
                                         OPI_PARAM(wanted_array), const uint64_t count, OPI_PARAM(places), OPI_ORDER,
                                         const opi_bounds_shape shape OPI_DEALT_PARAM)
{
    OPI_GLOBAL const opi_item *const sorted = OPI_AT(const opi_item, sorted_array);
    OPI_GLOBAL const opi_item *const nodes = OPI_AT(const opi_item, tree);
    OPI_GLOBAL const opi_item *const wanted = OPI_AT(const opi_item, wanted_array);
    const uint64_t first = (OPI_DEALT_ITEM(OPI_GROUP) * OPI_LANES * OPI_W << shape.log_rounds) + OPI_SELF;
    const bool aligned = OPI_BY_VECTORS && OPI_ALIGNED(sorted) && n >= OPI_FAN;
#if OPI_W == 1
    OPI_GLOBAL const opi_item *const top = nodes;
#else
    OPI_LOCAL_MEMORY opi_item top[1u << OPI_LOG_TOP];
    for (uint32_t i = OPI_SELF; i < 1u << shape.depth; i += OPI_W) top[i] = nodes[i];
    OPI_BARRIER();
#endif
    OPI_READ_ORDER
    OPI_ROLLED for (uint32_t round = 0; round < 1u << shape.log_rounds; round++)
    {
        opi_item item[OPI_LANES];
        uint64_t at[OPI_LANES];
        const uint64_t begin = first + (uint64_t)round * OPI_LANES * OPI_W;
        if (begin >= count) break;
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        {
            const uint64_t i = begin + (uint64_t)l * OPI_W;
            item[l] = OPI_MAPPED(wanted[i < count ? i : count - 1]);
        }
        opi_places(sorted, n, nodes, top, item, at, aligned, shape, order);
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        {
            const uint64_t i = begin + (uint64_t)l * OPI_W;
            if (i < count) OPI_AT(opi_index, places)[i] = (opi_index)at[l];
        }
    }
}
