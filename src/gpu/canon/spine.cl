/* The step between opi_aggregate and opi_apply.  Before it, nodes[1 + b] is the node of tile b; after it, nodes[b] is
 * what precedes tile b, and nodes[0] is set if anything precedes the first tile.
 *
 * This is a scan, of nodes in place of elements.  One work-group does it (opi_spine).  If there are many nodes, tiles
 * of nodes are gathered first (opi_gather) and spread afterwards (opi_spread). */

/* Loads `count` nodes, from nodes[1] on. */
OPI_FUNCTION void opi_load_nodes(OPI_GLOBAL const opi_node *node, uint32_t count, opi_item *item)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E, size = opi_run_size(count);
    item->n = size;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_N(size); j++)
        item->x[j] = node[1 + (first + j < count ? first + j : count - 1)];
}

OPI_FUNCTION void opi_store_nodes(OPI_GLOBAL opi_node *node, uint32_t count, const opi_item *item)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_N(item->n); j++)
        if (first + j < count) node[1 + first + j] = item->x[j];
}

/* One work-group joins m nodes, which have 2^base elements each. */
OPI_FUNCTION void opi_join_nodes(opi_lanes lane, OPI_GLOBAL opi_node *node, uint64_t m, OPI_GLOBAL opi_range *range,
                                 uint64_t first, uint32_t base, uint32_t flags OPI_TAKE_P)
{
    OPI_CLIMB(lane)
    opi_walk walk;
    opi_walk_begin(&walk, lane, range, first, m, base, flags);
    if (OPI_SELF == 0 && walk.has_carry) node[0] = OPI_CARRY;
    for (uint64_t done = 0; done < m; done += walk.count) {
        opi_item item;
        opi_walk_next(&walk, flags);
        opi_load_nodes(node + done, walk.count, &item);
        opi_lanes_up(lane, opi_item_up(&item, walk.count OPI_GIVE_P), opi_used(walk.count) OPI_GIVE_P);
        const opi_place place = opi_lanes_down(lane, walk.has_carry OPI_GIVE_P);
        opi_walk_push(&walk, lane, range, base OPI_GIVE_P);
        opi_item_down(&item, &place OPI_GIVE_P);
        if (!walk.partial) opi_item_close(&item, walk.count, OPI_CARRY);
        opi_store_nodes(node + done, walk.count, &item);
        opi_walk_end(&walk, &item, range, base);
        walk.at += walk.count;
        walk.left -= walk.count;
        walk.has_carry = 1;
    }
}

OPI_KERNEL void opi_spine(OPI_PARAM(nodes), const uint64_t m, OPI_PARAM(range), const uint64_t first,
                          const uint32_t base, const uint32_t flags, OPI_PARAM(result) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    opi_join_nodes(lane, OPI_AT(opi_node, nodes), m, range, first, base, flags OPI_GIVE_P);
    if (OPI_GIVEN(result)) opi_tell(range, OPI_AT(opi_answer, result));
}

/* above[1 + g] becomes the node of tile g of nodes. */
OPI_KERNEL void opi_gather(OPI_PARAM(nodes), OPI_PARAM(above) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    opi_item item;
    opi_load_nodes(OPI_AT(const opi_node, nodes) + OPI_GROUP * OPI_TILE, OPI_TILE, &item);
    opi_lanes_up(lane, opi_item_up(&item, OPI_TILE OPI_GIVE_P), OPI_W OPI_GIVE_P);
    if (OPI_SELF == 0) OPI_AT(opi_node, above)[1 + OPI_GROUP] = OPI_TOTAL;
}

/* above[g] is what precedes tile g.  For tile 0 this is valid only if `began`. */
OPI_KERNEL void opi_spread(OPI_PARAM(nodes), OPI_PARAM(above), const uint32_t began OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_GLOBAL opi_node *const node = OPI_AT(opi_node, nodes) + OPI_GROUP * OPI_TILE;
    OPI_GLOBAL const opi_node *const before = OPI_AT(const opi_node, above) + OPI_GROUP;
    const uint32_t has_carry = OPI_GROUP > 0 || began;
    opi_item item;
    if (OPI_SELF == 0 && has_carry) {
        OPI_CARRY = before[0];
        if (OPI_GROUP == 0) node[0] = before[0];
    }
    opi_load_nodes(node, OPI_TILE, &item);
    opi_lanes_up(lane, opi_item_up(&item, OPI_TILE OPI_GIVE_P), OPI_W OPI_GIVE_P);
    const opi_place place = opi_lanes_down(lane, has_carry OPI_GIVE_P);
    opi_item_down(&item, &place OPI_GIVE_P);
    opi_item_close(&item, OPI_TILE, before[1]);
    opi_store_nodes(node, OPI_TILE, &item);
}
