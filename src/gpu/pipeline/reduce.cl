/* The role reduce: sums a tile up as soon as it is in the ring, long before the role scan comes to it, and publishes
 * its node. */

OPI_FUNCTION opi_node opi_line_up(const opi_line *line, const opi_heads *heads OPI_TAKE_P)
{
    opi_item item;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) item.x[j] = OPI_MAKE(line->x[j], heads->of[j]);
    return opi_item_up(&item, OPI_TILE OPI_GIVE_P);
}

/* The node of a part, in every work-item.  Work-items that exchange nodes of two lines keep one line each, so that the
 * number of exchanges is small. */
OPI_FUNCTION opi_node opi_part_up(const opi_pipe *pipe, uint32_t s, uint32_t part OPI_TAKE_P)
{
    opi_node node[OPI_LINES];
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        const uint32_t at = part * OPI_PART_BYTES + (j * 32 + pipe->lane) * 16;
        const opi_line line = opi_line_at(pipe, s, at);
        const opi_heads heads = opi_heads_at(pipe, s, at);
        node[j] = opi_line_up(&line, &heads OPI_GIVE_P);
    }
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_LINES; k++) {
        const bool right = pipe->lane >> k & 1;
        OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES >> (k + 1); j++) {
            const opi_node kept = right ? node[2 * j + 1] : node[2 * j];
            const opi_node got = opi_node_across(right ? node[2 * j] : node[2 * j + 1], 1u << k);
            node[j] = opi_join(right ? got : kept, right ? kept : got);
        }
    }
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) /* the lanes of a line, then the lines */
        node[0] = opi_fly(pipe, node[0], (k + OPI_LOG_LINES) % 5 OPI_GIVE_P);
    return node[0];
}

/* The node of OPI_PARTS work-items, each with the node of a part, in every work-item. */
OPI_FUNCTION opi_node opi_parts_up(const opi_pipe *pipe, opi_node part OPI_TAKE_P)
{
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_PARTS; k++) part = opi_fly(pipe, part, k OPI_GIVE_P);
    return part;
}

/* One of OPI_REDUCE_WARPS warps. */
OPI_FUNCTION void opi_reduce(const opi_pipe *pipe, uint32_t warp OPI_TAKE_P)
{
    opi_ring *const ring = pipe->ring;
    for (uint32_t k = warp, i; (i = (uint32_t)OPI_GROUP + k * (uint32_t)OPI_GROUPS) < pipe->tiles;
         k += OPI_REDUCE_WARPS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES;
        opi_node own;
        if (!opi_wait(pipe, &ring->full[s], phase)) return;
        if (!opi_wait_before(pipe, &ring->carried[s], phase)) return;
        _Pragma("unroll 2") for (uint32_t part = 0; part < OPI_PARTS; part++) {
            const opi_node node = opi_part_up(pipe, s, part OPI_GIVE_P);
            if (part == 0 || (pipe->lane & (OPI_PARTS - 1)) == part) own = node;
        }
        if (pipe->lane < OPI_PARTS) ring->part[s][pipe->lane] = opi_words_of(own);
        own = opi_parts_up(pipe, own OPI_GIVE_P);
        if (pipe->lane == 0 && !OPI_IS_SILENT(pipe->begin + i)) opi_publish(pipe, 0, pipe->begin + i, own);
        opi_arrive(pipe, &ring->empty[s]);
        opi_arrive(pipe, &ring->summed[s]);
        if (!opi_close(pipe, pipe->begin + i, own OPI_GIVE_P)) return;
    }
}
