/* The role carry: finds what precedes each part of a tile, from published nodes.  No work-group waits for another
 * one's prefix, so that there is no chain.
 *
 * P(tile) is the join of the nodes that the bits of `tile` stand for, the highest bit first (docs/tree-v1.md).  bit[k]
 * is the node of bit k. */

/* What precedes something, if anything does. */
typedef struct opi_before {
    opi_node node;
    uint32_t any;
} opi_before;

OPI_FUNCTION void opi_append(opi_before *before, opi_node node OPI_TAKE_P)
{
    before->node = before->any ? opi_join(before->node, node) : node;
    before->any = 1;
}

/* Sets the nodes of all bits of `tile`; own: the node of the tile. */
OPI_FUNCTION void opi_find_bits(const opi_pipe *pipe, uint32_t tile, const opi_look look[OPI_PIPE_LEVELS], opi_node own,
                                opi_words *bit OPI_TAKE_P)
{
    __syncwarp(); /* all have read the nodes of the tile before */
    OPI_UNROLL_NODES for (uint32_t level = 0; level < OPI_PIPE_LEVELS; level++) {
        const uint32_t i = tile >> 5 * level, most = i & 31;
        if (most == 0) continue;
        opi_join_neighbours(pipe, level, i, opi_seen(pipe, level, i, most, &look[level], own), most,
                            bit + 5 * level OPI_GIVE_P);
    }
    __syncwarp();
}

/* What precedes a tile, and what precedes the next one. */
typedef struct opi_carried {
    opi_before own;
    opi_node ending; /* the largest node that ends with the tile; it has 2^level tiles */
    opi_node next;
    uint32_t level;
} opi_carried;

OPI_FUNCTION opi_carried opi_fold_bits(uint32_t tile, const opi_words *bit, opi_node own OPI_TAKE_P)
{
    opi_carried carried;
    carried.level = __ffs(~tile) - 1;
    carried.own.any = 0;
    carried.own.node = carried.ending = own;
    OPI_ROLLED for (uint32_t k = 0; k < carried.level; k++) carried.ending = opi_join(bit[k].node, carried.ending);
    OPI_ROLLED for (uint32_t left = tile >> carried.level << carried.level; left;) {
        const uint32_t k = 31 - __clz(left);
        opi_append(&carried.own, bit[k].node OPI_GIVE_P);
        left ^= 1u << k;
    }
    opi_before next = carried.own;
    opi_append(&next, carried.ending OPI_GIVE_P);
    carried.next = next.node;
    OPI_ROLLED for (uint32_t k = carried.level; k-- > 0;) opi_append(&carried.own, bit[k].node OPI_GIVE_P);
    return carried;
}

/* Each work-item finds what precedes its part, of which it has the node. */
OPI_FUNCTION opi_before opi_before_part(const opi_pipe *pipe, opi_before before, opi_node part OPI_TAKE_P)
{
    opi_node of[OPI_LOG_PARTS];
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_PARTS; k++) {
        of[k] = part;
        part = opi_join(part, opi_node_behind(part, 1u << k));
    }
    OPI_UNROLL for (uint32_t up = 0; up < OPI_LOG_PARTS; up++) {
        const uint32_t k = OPI_LOG_PARTS - 1 - up;
        const opi_node left = opi_node_of(of[k], pipe->lane >> (k + 1) << (k + 1));
        if (pipe->lane >> k & 1) opi_append(&before, left OPI_GIVE_P);
    }
    return before;
}

/* Writes the range that ends with the last tile of the launch. */
OPI_FUNCTION void opi_write_range(opi_range *range, uint32_t tile, const opi_words *bit,
                                  const opi_carried *carried OPI_TAKE_P)
{
    opi_before fold;
    fold.any = 0;
    fold.node = carried->ending;
    range->end = (uint64_t)(tile + 1) << OPI_LOG_TILE;
    range->count = 0;
    for (uint32_t k = 32; k-- > carried->level;) {
        if (k > carried->level && !(tile >> k & 1)) continue;
        const opi_node node = k > carried->level ? bit[k].node : carried->ending;
        opi_append(&fold, node OPI_GIVE_P);
        range->level[range->count] = (uint8_t)(k + OPI_LOG_TILE);
        OPI_RANGE_NODE(range)[range->count] = node;
        OPI_RANGE_FOLD(range)[range->count] = fold.node;
        range->count++;
    }
}

/* Takes over the nodes of the range before the launch. */
OPI_FUNCTION void opi_take_range(opi_ring *ring, const opi_range *range, uint32_t begin)
{
    const uint32_t k = OPI_SELF;
    if (k < OPI_BITS && begin >> k & 1)
        ring->old[k] = opi_words_of(OPI_RANGE_NODE(range)[__popc(begin >> k) - 1]);
}

/* One of OPI_CARRY_WARPS warps. */
OPI_FUNCTION void opi_carry(const opi_pipe *pipe, uint32_t warp, opi_range *range OPI_TAKE_P)
{
    opi_ring *const ring = pipe->ring;
    opi_words *const bit = ring->bit[warp];
    for (uint32_t k = warp, i; (i = opi_tile_at(pipe, k)) < pipe->tiles;
         k += OPI_CARRY_WARPS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES, tile = pipe->begin + i;
        opi_look look[OPI_PIPE_LEVELS];
        if (!opi_listen(pipe, tile, look)) return;
        if (!opi_wait(pipe, &ring->summed[s], phase)) return;
        const opi_node part = ring->part[s][pipe->lane & (OPI_PARTS - 1)].node;
        const opi_node own = opi_parts_up(pipe, part OPI_GIVE_P);
        opi_find_bits(pipe, tile, look, own, bit OPI_GIVE_P);
        const opi_carried carried = opi_fold_bits(tile, bit, own OPI_GIVE_P);
        const opi_before before = opi_before_part(pipe, carried.own, part OPI_GIVE_P);
        if (!opi_wait_before(pipe, &ring->used[s], phase)) return;
        if (pipe->lane < OPI_PARTS) ring->before[s][pipe->lane] = opi_words_of(before.node);
        if (pipe->lane == 0) ring->before[s][OPI_PARTS] = opi_words_of(carried.next);
        opi_arrive(pipe, &ring->carried[s]);
        if (i == pipe->tiles - 1 && pipe->lane == 0) opi_write_range(range, tile, bit, &carried OPI_GIVE_P);
    }
}
