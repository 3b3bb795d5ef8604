/* The role reduce: sums a tile up as soon as it is in the ring, long before the role scan comes to it, and publishes
 * its node. */

OPI_FUNCTION opi_node opi_line_up(const opi_line *line, const opi_heads *heads OPI_TAKE_P)
{
    opi_item item;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) item.x[j] = OPI_MAKE(line->x[j], heads->of[j]);
    return opi_item_up(&item, OPI_TILE OPI_GIVE_P);
}

OPI_FUNCTION opi_node opi_line_node(const opi_pipe *pipe, uint32_t s, uint32_t j, bool aligned OPI_TAKE_P)
{
    const uint32_t at = j * OPI_LINE_BYTES + pipe->lane * OPI_RUN_BYTES;
    const opi_line line = opi_line_at(pipe, s, at, aligned);
    const opi_heads heads = opi_heads_at(pipe, s, at);
    return opi_line_up(&line, &heads OPI_GIVE_P);
}

/* The node of a line in each work-item: work-item `lane` gets that of line `first` + lane % OPI_ROUND.  Lines are paired as
 * soon as two are there, so that few nodes are held at the same time: held[k] is of 2^k lines. */
OPI_FUNCTION opi_node opi_lines_up(const opi_pipe *pipe, uint32_t s, uint32_t first, bool aligned OPI_TAKE_P)
{
    opi_node held[OPI_LOG_ROUND + 1];
    OPI_UNROLL for (uint32_t j = 0; j < OPI_ROUND; j++) {
        opi_node node = opi_line_node(pipe, s, first + j, aligned OPI_GIVE_P);
        OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_ROUND && (j >> k & 1); k++)
            node = opi_pair_two(held[k], node, pipe->lane, k OPI_GIVE_P);
        OPI_UNROLL for (uint32_t k = 0; k <= OPI_LOG_ROUND; k++)
            if (((j + 1) & ((1u << k) - 1)) == 0 && ((j + 1) >> k & 1)) held[k] = node;
    }
    opi_node own = held[OPI_LOG_ROUND];
    OPI_UNROLL for (uint32_t k = OPI_LOG_ROUND; k < 5; k++) own = opi_pair_up(own, pipe->lane, k OPI_GIVE_P);
    return own;
}

/* Sums the tile in stage s up, and sets the nodes of its parts.  The tile's node is in every work-item.  Rounds are a
 * loop, because all roles together have more code than the caches of instructions hold. */
OPI_FUNCTION opi_node opi_tile_up(const opi_pipe *pipe, uint32_t s, bool aligned OPI_TAKE_P)
{
    opi_node own; /* of line `lane` */
    OPI_ROLLED for (uint32_t first = 0; first < OPI_ALL_LINES; first += OPI_ROUND) {
        const opi_node node = opi_lines_up(pipe, s, first, aligned OPI_GIVE_P);
        if ((pipe->lane & (OPI_ALL_LINES - 1)) >= first) own = node;
    }
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_LINES; k++) own = opi_pair_up(own, pipe->lane, k OPI_GIVE_P);
    if ((pipe->lane & (OPI_LINES - 1)) == 0 && pipe->lane < OPI_ALL_LINES)
        pipe->ring->part[s][pipe->lane / OPI_LINES] = opi_words_of(own);
    OPI_UNROLL for (uint32_t k = OPI_LOG_LINES; k < OPI_LOG_ALL; k++) own = opi_pair_up(own, pipe->lane, k OPI_GIVE_P);
    return own;
}

/* The node of OPI_PARTS work-items, each with the node of a part, in every work-item. */
OPI_FUNCTION opi_node opi_parts_up(const opi_pipe *pipe, opi_node part OPI_TAKE_P)
{
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_PARTS; k++) part = opi_pair_up(part, pipe->lane, k OPI_GIVE_P);
    return part;
}

/* One of OPI_REDUCE_WARPS warps. */
OPI_FUNCTION void opi_reduce(const opi_pipe *pipe, uint32_t warp, bool aligned OPI_TAKE_P)
{
    opi_ring *const ring = pipe->ring;
    for (uint32_t k = warp, i; (i = opi_tile_at(pipe, k)) < pipe->tiles;
         k += OPI_REDUCE_WARPS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES;
        if (!opi_wait(pipe, &ring->full[s], phase)) return;
        if (!opi_wait_before(pipe, &ring->carried[s], phase)) return;
        const opi_node own = opi_tile_up(pipe, s, aligned OPI_GIVE_P);
        if (pipe->lane == 0 && !OPI_IS_SILENT(pipe->begin + i)) opi_publish(pipe, 0, pipe->begin + i, own);
        opi_arrive(pipe, &ring->empty[s]);
        opi_arrive(pipe, &ring->summed[s]);
        if (!opi_close(pipe, pipe->begin + i, own OPI_GIVE_P)) return;
    }
}
