/* Reduce, scan and segmented scan.
 *
 * opi_aggregate -> opi_spine -> opi_apply over whole tiles.  opi_one does everything in one work-group, for few
 * elements or less than a tile.  The order in which work-groups run does not matter. */

/* Whether a segment starts at element i of a tile of `count`; beyond `count` any answer is good.  A loop that is
 * vectorized needs a condition here, but work-items are faster with a load without one (with a condition, on an H200,
 * segmented scan had 0.92 of its rate, exclusive 0.79). */
#if OPI_LOG_W == 0
#define OPI_HEAD(heads, i, count) ((i) < (count) && (heads)[i])
#else
#define OPI_HEAD(heads, i, count) (heads)[(i) < (count) ? (i) : (count) - 1]
#endif

/* Loads a work-item's run of a tile of `count` elements, and combines it.  Returns the run's node. */
OPI_FUNCTION opi_node opi_rise(opi_item *item, opi_source in, OPI_GLOBAL const uint8_t *heads,
                               uint32_t count, OPI_LOCAL opi_vector *stage OPI_TAKE_P)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E, size = opi_run_size(count);
    opi_run run;
    item->n = size;
    opi_load(in, count, size, &run, stage);
    OPI_UNROLL for (uint32_t j = 0; j < OPI_N(size); j++)
        item->x[j] = OPI_MAKE(run.x[j], OPI_HEAD(heads, first + j, count));
    return opi_item_up(item, count OPI_GIVE_P);
}

/* Writes the results of the run. */
OPI_FUNCTION void opi_write(opi_item *item, const opi_place *place, uint32_t flags, OPI_GLOBAL const uint8_t *heads,
                            uint32_t count, opi_sink out, OPI_LOCAL opi_vector *stage OPI_TAKE_P)
{
    const uint32_t size = item->n;
    opi_run run;
    if (flags & OPI_EXCLUSIVE) {
        const uint32_t first = OPI_SELF << OPI_LOG_E;
        OPI_UNROLL for (uint32_t j = 0; j < OPI_N(size); j++) {
            opi_t x = opi_identity();
#if OPI_LIFTED
            if (!(first + j < count && heads[first + j]))
#endif
            {
                if (j > 0)
                    x = OPI_VALUE(item->x[j - 1]);
                else if (place->has_before)
                    x = OPI_VALUE(place->before);
            }
            run.x[j] = opi_quiet(x);
        }
    } else {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_N(size); j++) run.x[j] = opi_quiet(OPI_VALUE(item->x[j]));
    }
    opi_store(out, count, size, &run, stage);
}

/* nodes[1 + b] becomes the node of tile b. */
OPI_KERNEL void opi_aggregate(OPI_PARAM(in), OPI_PARAM(heads) OPI_MORE_PARAMS, OPI_PARAM(nodes) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    const uint64_t first = OPI_GROUP * OPI_TILE;
    OPI_SOURCE(first)
    opi_item item;
    opi_lanes_up(lane,
                 opi_rise(&item, source, OPI_AT(const uint8_t, heads) + first, OPI_TILE, stage OPI_GIVE_P),
                 OPI_W OPI_GIVE_P);
    if (OPI_SELF == 0) OPI_AT(opi_node, nodes)[1 + OPI_GROUP] = OPI_TOTAL;
}

#if !OPI_HAS_LAST /* the program of a scan */
OPI_KERNEL void opi_apply(OPI_PARAM(in), OPI_PARAM(heads) OPI_MORE_PARAMS, OPI_PARAM(out), OPI_PARAM(nodes), OPI_PARAM(range),
                          const uint32_t flags OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    const uint64_t first = OPI_GROUP * OPI_TILE;
    OPI_GLOBAL const opi_node *const before = OPI_AT(const opi_node, nodes) + OPI_GROUP;
    OPI_GLOBAL const uint8_t *const own_heads = OPI_AT(const uint8_t, heads) + first;
    const uint32_t has_carry = OPI_GROUP > 0 || OPI_AT(const opi_range, range)->began;
    OPI_SOURCE(first)
    OPI_SINK(first)
    opi_item item;
    if (OPI_SELF == 0 && has_carry) OPI_CARRY = before[0];
    const opi_node own = opi_rise(&item, source, own_heads, OPI_TILE, stage OPI_GIVE_P);
    opi_lanes_up(lane, own, OPI_W OPI_GIVE_P);
    const opi_place place = opi_lanes_down(lane, has_carry OPI_GIVE_P);
    opi_item_down(&item, &place OPI_GIVE_P);
    opi_item_close(&item, OPI_TILE, before[1]);
    opi_write(&item, &place, flags, own_heads, OPI_TILE, sink, stage OPI_GIVE_P);
}
#endif

/* One work-group does n elements.  A reduce has no out. */
OPI_FUNCTION void opi_do_alone(opi_lanes lane, OPI_LOCAL opi_vector *stage, opi_source in,
                               OPI_GLOBAL const uint8_t *heads, opi_sink out, bool writes, uint64_t n,
                               OPI_GLOBAL opi_range *range, uint64_t first, uint32_t flags OPI_TAKE_P)
{
    OPI_CLIMB(lane)
    opi_walk walk;
    opi_walk_begin(&walk, lane, range, first, n, 0, flags);
    for (uint64_t done = 0; done < n; done += walk.count) {
        opi_item item;
        opi_walk_next(&walk, flags);
        const opi_node own = opi_rise(&item, opi_behind(in, done), heads + done, walk.count, stage OPI_GIVE_P);
        opi_lanes_up(lane, own, opi_used(walk.count) OPI_GIVE_P);
        const opi_place place = opi_lanes_down(lane, walk.has_carry OPI_GIVE_P);
        opi_walk_push(&walk, lane, range, 0 OPI_GIVE_P);
        opi_item_down(&item, &place OPI_GIVE_P);
        if (!walk.partial) opi_item_close(&item, walk.count, OPI_CARRY);
        if (writes)
            opi_write(&item, &place, flags, heads + done, walk.count, opi_sink_behind(out, done), stage OPI_GIVE_P);
        opi_walk_end(&walk, &item, range, 0);
        walk.at += walk.count;
        walk.left -= walk.count;
        walk.has_carry = 1;
    }
}

OPI_KERNEL void opi_one(OPI_PARAM(in), OPI_PARAM(heads) OPI_MORE_PARAMS, OPI_PARAM(out), const uint64_t n, OPI_PARAM(range),
                        const uint64_t first, const uint32_t flags, OPI_PARAM(result) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    OPI_SOURCE(0)
    OPI_SINK(0)
    opi_do_alone(lane, stage, source, OPI_AT(const uint8_t, heads), sink, OPI_GIVEN(out), n, range, first,
                 flags OPI_GIVE_P);
    if (OPI_GIVEN(result)) opi_tell(range, OPI_AT(opi_answer, result));
}

/* A node as an argument of a kernel: OpenCL takes no bool there, nor a struct that has one. */
typedef struct opi_given_node {
    uint8_t byte[sizeof(opi_node)];
} opi_given_node;

/* The range becomes one node, which stands for all elements before `end`: the init of a fold, say. */
OPI_KERNEL void opi_begin(OPI_PARAM(range), const uint64_t end, const uint32_t level, const opi_given_node node)
{
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    OPI_GLOBAL uint8_t *const own = (OPI_GLOBAL uint8_t *)OPI_RANGE_NODE(range);
    OPI_GLOBAL uint8_t *const fold = (OPI_GLOBAL uint8_t *)OPI_RANGE_FOLD(range);
    range->end = end;
    range->count = 1;
    range->level[0] = (uint8_t)level;
    for (uint32_t k = 0; k < sizeof(opi_node); k++) own[k] = fold[k] = node.byte[k];
}

/* Writes the value of the whole range. */
OPI_KERNEL void opi_result(OPI_PARAM(range), OPI_PARAM(result) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    OPI_GLOBAL opi_t *const to = OPI_AT(opi_t, result);
    if (range->count == 0)
        *to = opi_quiet(opi_identity());
    else
        *to = opi_quiet(OPI_VALUE(OPI_RANGE_FOLD(range)[range->count - 1]));
}
