/* A reduce in one launch: each work-group finds the node of 2^log_own tiles, and the one that ends last joins the nodes,
 * and does the elements behind the whole tiles.  Which one that is does not matter: the tree is the same.  In CUDA
 * alone. */

/* Joins the node of tile t of a group's own tiles; then stack[k] is the node of 2^k tiles for each bit k that is set in
 * t + 1. */
OPI_FUNCTION void opi_stack(OPI_LOCAL opi_node *stack, uint32_t t, opi_node node OPI_TAKE_P)
{
    uint32_t level = 0;
    for (; t >> level & 1; level++) node = opi_join(stack[level], node);
    stack[level] = node;
}

/* Tiles that are no 2^log_own have a node for each bit of their number, the largest first. */
#define OPI_FOR_BITS(level, tiles, log_own)                                                                            \
    for (uint32_t level = (log_own) + 1; level-- > 0;)                                                                 \
        if ((tiles) >> level & 1)

/* ended: how many work-groups have ended; 0 between launches. */
OPI_KERNEL void opi_reduce(OPI_PARAM(in), OPI_PARAM(nodes), const uint64_t tiles, const uint32_t log_own,
                           const uint64_t tail, OPI_PARAM(range), const uint64_t first, const uint32_t flags,
                           OPI_PARAM(ended), OPI_PARAM(result) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    OPI_LOCAL_MEMORY opi_node stack[OPI_LAST_LEVELS];
    OPI_LOCAL_MEMORY uint32_t is_last;
    const uint8_t *const no_heads = 0;
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in);
    OPI_GLOBAL opi_node *const node = OPI_AT(opi_node, nodes);
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    const uint64_t begin = OPI_GROUP << log_own;
    const uint32_t own = tiles - begin < 1u << log_own ? (uint32_t)(tiles - begin) : 1u << log_own;
    for (uint32_t t = 0; t < own; t++) {
        opi_item item;
        opi_lanes_up(lane, opi_rise(&item, from + (begin + t) * OPI_TILE, no_heads, OPI_TILE, stage OPI_GIVE_P),
                     OPI_W OPI_GIVE_P);
        if (OPI_SELF == 0) opi_stack(stack, t, OPI_TOTAL OPI_GIVE_P);
        OPI_BARRIER();
    }
    if (OPI_SELF == 0) {
        uint64_t at = 1 + OPI_GROUP;
        OPI_FOR_BITS(level, own, log_own) node[at++] = stack[level];
        __threadfence(); /* whoever sees the count sees the nodes */
        is_last = atomicAdd(OPI_AT(uint32_t, ended), 1u) + 1 == OPI_GROUPS;
    }
    OPI_BARRIER();
    if (!is_last) return;
    __threadfence();
    opi_join_nodes(lane, node, tiles >> log_own, range, first, OPI_LOG_TILE + log_own, flags OPI_GIVE_P);
    OPI_BARRIER_ALL();
    if (OPI_SELF == 0) {
        const uint32_t rest = (uint32_t)tiles & ((1u << log_own) - 1);
        uint64_t at = 1 + (tiles >> log_own);
        OPI_FOR_BITS(level, rest, log_own) opi_push(range, OPI_LOG_TILE + level, node[at++] OPI_GIVE_P);
        *OPI_AT(uint32_t, ended) = 0;
    }
    OPI_BARRIER_ALL();
    if (tail > 0)
        opi_do_alone(lane, stage, from + tiles * OPI_TILE, no_heads, 0, false, tail, range, 0,
                     flags & ~OPI_FRESH OPI_GIVE_P);
    if (OPI_GIVEN(result)) opi_tell(range, OPI_AT(opi_answer, result));
}
