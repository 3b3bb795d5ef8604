/* Segmented reduce: the canonical tree of each segment, anchored at its start.
 *
 * opi_segment_few reduces each segment of less than 2^OPI_LOG_LEAST elements by one work-item.  A longer segment has
 * work-groups of its own (offsets.cl), one for each whole tile.  opi_segment_tiles finds the nodes of tiles, and the
 * result of a segment that is shorter than a tile.  opi_segment_long, in the first work-group of a segment, joins the
 * nodes of its tiles and the elements behind the last tile. */

/* --- few elements ------------------------------------------------------------------------------------------------- */

#if OPI_LOG_W == 0

/* The reduce of n elements: joins the nodes that the binary digits of n name, from left to right. */
OPI_FUNCTION opi_node opi_few(OPI_GLOBAL const opi_t *in, uint32_t n OPI_TAKE_P)
{
    opi_item own, *const item = &own;
    const uint32_t size = opi_run_size(n);
    uint32_t end = 0;
    opi_node result = in[0];
    item->n = size;
    for (uint32_t j = 0; j < n; j++) item->x[j] = in[j];
    for (uint32_t j = n; j < size; j++) item->x[j] = item->x[n - 1];
    opi_item_up(item, n OPI_GIVE_P);
    for (uint32_t k = OPI_LOG_LEAST; k-- > 0;) {
        if (!(n >> k & 1)) continue;
        const opi_node node = item->x[OPI_LEVEL(k) + (end >> k)];
        result = end == 0 ? node : opi_join(result, node);
        end += 1u << k;
    }
    return result;
}

#else

/* The reduce of n elements.  If bit k of the number of elements read is set, node[k] is the last node of 2^k elements,
 * and waits for its neighbour. */
OPI_FUNCTION opi_node opi_few(OPI_GLOBAL const opi_t *in, uint32_t n OPI_TAKE_P)
{
    opi_node node[OPI_LOG_LEAST], own = in[0];
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_LEAST; k++) node[k] = own;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t goes_up = 1;
        own = in[i];
        OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_LEAST; k++) {
            if (goes_up && !(i >> k & 1)) node[k] = own;
            goes_up = goes_up && i >> k & 1;
            if (goes_up) own = opi_join(node[k], own);
        }
    }
    uint32_t any = 0;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LOG_LEAST; j++) {
        const uint32_t k = OPI_LOG_LEAST - 1 - j;
        if (!(n >> k & 1)) continue;
        own = any ? opi_join(own, node[k]) : node[k];
        any = 1;
    }
    return own;
}

#endif

/* in[0] has the index `origin` in the numbering of the offsets. */
OPI_WHOLE_KERNEL void opi_segment_few(OPI_PARAM(in), OPI_PARAM(offsets), const uint64_t origin, const uint64_t segments,
                                const uint64_t part, OPI_PARAM(out) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const uint64_t begin = OPI_GROUP * part, end = begin + part < segments ? begin + part : segments;
    for (uint64_t s = begin + OPI_SELF; s < end; s += OPI_W) {
        const uint64_t n = opi_length(at, s);
        if (n >> OPI_LOG_LEAST) continue;
        OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) + (at[s] - origin);
        OPI_AT(opi_t, out)[s] = opi_quiet(n == 0 ? opi_identity() : opi_few(from, (uint32_t)n OPI_GIVE_P));
    }
}

/* --- work-groups of segments -------------------------------------------------------------------------------------- */

/* Returns the segment that a work-group belongs to: the last one whose first work-group is not behind it. */
OPI_FUNCTION uint64_t opi_segment_of(OPI_GLOBAL const uint64_t *start, uint64_t segments, uint64_t group)
{
    uint64_t low = 0, high = segments;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (start[middle] <= group)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Loads a run of `count` elements, or of nodes, and combines it.  Returns the run's node. */
OPI_FUNCTION opi_node opi_rise_elements(opi_item *item, OPI_GLOBAL const opi_t *in, uint32_t count,
                                        OPI_LOCAL opi_vector *stage OPI_TAKE_P)
{
    const uint32_t size = opi_run_size(count);
    opi_run run;
    item->n = size;
    opi_load(in, count, size, &run, stage);
    OPI_UNROLL for (uint32_t j = 0; j < OPI_N(size); j++) item->x[j] = run.x[j];
    return opi_item_up(item, count OPI_GIVE_P);
}

OPI_FUNCTION opi_node opi_rise_nodes(opi_item *item, OPI_GLOBAL const opi_node *node, uint32_t count OPI_TAKE_P)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E, size = opi_run_size(count);
    item->n = size;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_N(size); j++)
        item->x[j] = node[first + j < count ? first + j : count - 1];
    return opi_item_up(item, count OPI_GIVE_P);
}

OPI_WHOLE_KERNEL void opi_segment_tiles(OPI_PARAM(in), OPI_PARAM(offsets), const uint64_t origin, OPI_PARAM(start),
                                  const uint64_t segments, OPI_PARAM(nodes), OPI_PARAM(out) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    OPI_GLOBAL const uint64_t *const start = OPI_AT(const uint64_t, start);
    if (OPI_GROUP >= start[segments]) return;
    const uint64_t s = opi_segment_of(start, segments, OPI_GROUP), n = opi_length(at, s);
    const uint64_t first = (OPI_GROUP - start[s]) << OPI_LOG_TILE;
    const uint32_t count = n < OPI_TILE ? (uint32_t)n : OPI_TILE;
    opi_item item;
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) + (at[s] - origin) + first;
    const opi_node own = opi_rise_elements(&item, from, count, stage OPI_GIVE_P);
    opi_lanes_up(lane, own, opi_used(count) OPI_GIVE_P);
    if (count == OPI_TILE) {
        if (OPI_SELF == 0) OPI_AT(opi_node, nodes)[OPI_GROUP] = OPI_TOTAL;
    } else {
        const uint32_t own_first = OPI_SELF << OPI_LOG_E;
        const opi_place place = opi_lanes_down(lane, 0 OPI_GIVE_P);
        opi_item_down(&item, &place OPI_GIVE_P);
        OPI_UNROLL for (uint32_t j = 0; j < OPI_N(item.n); j++)
            if (own_first + j == count - 1) OPI_AT(opi_t, out)[s] = opi_quiet(item.x[j]);
    }
}

/* Each level has a node for each whole tile of the level below; the lowest level is that of the elements.  What is
 * behind the last whole tile of a level is joined to the result, from the highest level down. */
OPI_WHOLE_KERNEL void opi_segment_long(OPI_PARAM(in), OPI_PARAM(offsets), const uint64_t origin, OPI_PARAM(start),
                                 const uint64_t segments, OPI_PARAM(nodes), OPI_PARAM(out) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    OPI_GLOBAL const uint64_t *const start = OPI_AT(const uint64_t, start);
    OPI_GLOBAL opi_node *const node = OPI_AT(opi_node, nodes) + OPI_GROUP;
    if (OPI_GROUP >= start[segments]) return;
    const uint64_t s = opi_segment_of(start, segments, OPI_GROUP), n = opi_length(at, s);
    if (start[s] != OPI_GROUP || n < OPI_TILE) return;

    /* --- up: the node of a tile is written over a node of that tile, or of an earlier one --- */
    uint32_t levels = 1;
    opi_item item;
    for (uint64_t m = n >> OPI_LOG_TILE; m >= OPI_TILE; m >>= OPI_LOG_TILE) {
        for (uint64_t tile = 0; tile < m >> OPI_LOG_TILE; tile++) {
            const opi_node own = opi_rise_nodes(&item, node + (tile << OPI_LOG_TILE), OPI_TILE OPI_GIVE_P);
            opi_lanes_up(lane, own, OPI_W OPI_GIVE_P);
            if (OPI_SELF == 0) node[tile] = OPI_TOTAL;
            OPI_BARRIER_ALL();
        }
        levels++;
    }

    /* --- down --- */
    uint32_t has_carry = 0;
    for (uint32_t level = levels + 1; level-- > 0;) {
        const uint64_t m = n >> level * OPI_LOG_TILE;
        const uint32_t count = (uint32_t)m & (OPI_TILE - 1), own_first = OPI_SELF << OPI_LOG_E;
        if (count == 0) continue;
        OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) + (at[s] - origin) + (m - count);
        const opi_node own = level > 0 ? opi_rise_nodes(&item, node + (m - count), count OPI_GIVE_P)
                                       : opi_rise_elements(&item, from, count, stage OPI_GIVE_P);
        opi_lanes_up(lane, own, opi_used(count) OPI_GIVE_P);
        const opi_place place = opi_lanes_down(lane, has_carry OPI_GIVE_P);
        opi_item_down(&item, &place OPI_GIVE_P);
        OPI_BARRIER();
        OPI_UNROLL for (uint32_t j = 0; j < OPI_N(item.n); j++)
            if (own_first + j == count - 1) OPI_CARRY = item.x[j];
        OPI_BARRIER();
        has_carry = 1;
    }
    if (OPI_SELF == 0) OPI_AT(opi_t, out)[s] = opi_quiet(OPI_CARRY);
}
