/* The canonical tree (docs/tree-v1.md) inside a tile of 2^OPI_LOG_TILE items: OPI_W work-items have 2^OPI_LOG_E
 * consecutive items each.
 *
 * Before this text a primitive defines opi_node, which is what is combined, and opi_join(earlier, later).  Behind this
 * text come the texts of the shape, as src/gpu/canon/tree.c chooses them:
 *
 *     tree_chunk.cl                      one work-item has the whole tile
 *     tree_group.cl, tree_registers.cl   a work-group has it, and its work-items meet in local memory
 *     tree_warps.cl, tree_registers.cl   the same, and the work-items of a warp exchange their registers
 *
 * All of them define the run of one work-item (opi_item) and the places of all work-items (opi_lanes):
 *     OPI_LANES(lane)   in a kernel: declares the places
 *     OPI_CLIMB(lane)   in a function that gets them, and goes both up and down
 *     opi_item_up       combines the run, and returns its node
 *     opi_lanes_up      combines the nodes of all work-items to OPI_TOTAL
 *     opi_lanes_down    returns what precedes the work-item's run; OPI_CARRY precedes the tile
 *     opi_item_down     makes of the run its inclusive results
 *     opi_item_close    replaces the last result of the tile */

#define OPI_E    (1u << OPI_LOG_E)
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

#if OPI_BOUND /* every function that joins has the parameter `bound`, see bound.cl */
#define opi_join(a, b) opi_join(a, b, bound)
#endif

/* Loops over several elements of a work-item.  In a GPU's shape their bounds are constant, and the arrays that they
 * index must stay in registers. */
#if OPI_LOG_W == 0 || OPI_LOG_E == 0
#define OPI_UNROLL OPI_ROLLED
#else
#define OPI_UNROLL _Pragma("unroll")
#endif

/* A node that goes from one work-item to another, word by word. */
typedef union opi_words {
    opi_node node;
    uint32_t word[(sizeof(opi_node) + 3) / 4];
} opi_words;
#define OPI_WORDS (sizeof(opi_words) / 4)

OPI_FUNCTION opi_words opi_words_of(opi_node node)
{
    opi_words x;
    x.word[OPI_WORDS - 1] = 0; /* a node may end inside of it */
    x.node = node;
    return x;
}

/* --- a run of nodes -------------------------------------------------------------------------------------------------
 * X(i) is the place of node i, i < 2^log_n, and the run is aligned.  On the way up X(m-1), 2^k being the lowest bit set
 * in m, becomes N(k, (m - 2^k) >> k); on the way down it becomes P(m) = P(q) (+) N(k, q >> k), q = m - 2^k.  It is Brent
 * and Kung's network, and the definition word for word. */

#define OPI_UP_LEVEL(X, log_n, k)                                                                                      \
    OPI_UNROLL for (uint32_t i = 0; i < (1u << (log_n)) >> ((k) + 1); i++)                                             \
        X(((2 * i + 2) << (k)) - 1) = opi_join(X(((2 * i + 1) << (k)) - 1), X(((2 * i + 2) << (k)) - 1));

#define OPI_DOWN_LEVEL(X, log_n, k)                                                                                    \
    OPI_UNROLL for (uint32_t i = 1; (2 * i + 1) << (k) < 1u << (log_n); i++)                                           \
        X(((2 * i + 1) << (k)) - 1) = opi_join(X(((2 * i) << (k)) - 1), X(((2 * i + 1) << (k)) - 1));

/* One loop for each level, so that its bounds are constant; there are at most 5 levels. */
#define OPI_UP(X, log_n)                                                                                               \
    OPI_UP_LEVEL(X, log_n, 0)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 1)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 2)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 3)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 4)
#define OPI_DOWN(X, log_n)                                                                                             \
    OPI_DOWN_LEVEL(X, log_n, 3)                                                                                        \
    OPI_DOWN_LEVEL(X, log_n, 2)                                                                                        \
    OPI_DOWN_LEVEL(X, log_n, 1)                                                                                        \
    OPI_DOWN_LEVEL(X, log_n, 0)

/* Nodes at positions 2^k - 1 have no earlier node in the run: joins the incoming prefix to them.  most: how many of
 * them there are. */
#define OPI_FRONT(X, most, before)                                                                                     \
    OPI_UNROLL for (uint32_t k = 0; k < (most); k++) X((1u << k) - 1) = opi_join(before, X((1u << k) - 1));

/* Returns how many work-items have some of the first `count` elements of a tile. */
OPI_FUNCTION uint32_t opi_used(uint32_t count) { return count >> OPI_LOG_E ? count >> OPI_LOG_E : 1; }

/* --- the work-items of a work-group ---------------------------------------------------------------------------------
 * lane[] has a place for each work-item, and two more. */

#define OPI_TOTAL lane[OPI_W]     /* node of the first `used` work-items, a power of two; work-item 0 sees it */
#define OPI_CARRY lane[OPI_W + 1] /* what precedes the tile, if anything does */

/* What a work-item learns of its neighbours. */
typedef struct opi_place {
    uint32_t has_before; /* whether anything precedes the work-item's run */
    opi_node before;     /* what precedes the run, if has_before */
    opi_node after;      /* what precedes the next work-item's run */
} opi_place;
