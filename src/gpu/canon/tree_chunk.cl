/* The canonical tree of a tile that one work-item has: a part of tree.cl.  lane[] is that work-item's own. */

#define OPI_LANES(lane) opi_node lane[3];
typedef opi_node *opi_lanes;
#define OPI_CLIMB(lane)

OPI_FUNCTION void opi_lanes_up(opi_lanes lane, opi_node own, uint32_t used OPI_TAKE_P) { OPI_TOTAL = own; }

OPI_FUNCTION opi_place opi_lanes_down(opi_lanes lane, uint32_t has_carry OPI_TAKE_P)
{
    opi_place place;
    place.has_before = has_carry;
    place.before = OPI_TOTAL;
    place.after = OPI_TOTAL;
    if (has_carry) {
        place.before = OPI_CARRY;
        place.after = opi_join(OPI_CARRY, OPI_TOTAL);
    }
    return place;
}

/* --- the work-item's run: a whole tile -------------------------------------------------------------------------- */

/* The levels of the tree lie one behind the other.  Each is computed from its neighbour by a loop over consecutive
 * nodes, which compilers vectorize: x has N(k, i) on the way up, and P((i + 1) 2^k) on the way down. */
#define OPI_N(size)  (size)
#define OPI_LEVEL(k) (2 * OPI_E - (2 * OPI_E >> (k)))
typedef struct opi_item {
    opi_node x[2 * OPI_E];
    uint32_t n; /* nodes of level 0: OPI_E, or the power of two that `count` needs.  A loop that writes to x uses a copy
                   of n: a compiler must assume that the loop changes n. */
} opi_item;

OPI_FUNCTION uint32_t opi_run_size(uint32_t count)
{
    uint32_t n = 1;
    while (n < count) n *= 2;
    return n;
}

OPI_FUNCTION void opi_level_up(const opi_node *OPI_RESTRICT level, opi_node *OPI_RESTRICT above, uint32_t n OPI_TAKE_P)
{
    for (uint32_t i = 0; i < n / 2; i++) above[i] = opi_join(level[2 * i], level[2 * i + 1]);
}

/* The result of node i above is also that of its right half, and it precedes the left half of node i + 1. */
OPI_FUNCTION void opi_level_down(opi_node *OPI_RESTRICT level, const opi_node *OPI_RESTRICT above,
                                 uint32_t n OPI_TAKE_P)
{
    for (uint32_t i = 0; i < n / 2 - 1; i++) {
        const opi_node end = above[i], left = level[2 * i + 2];
        level[2 * i + 1] = end;
        level[2 * i + 2] = opi_join(end, left);
    }
    level[n - 1] = above[n / 2 - 1];
}

/* Returns the node of the run, or of its first `count` elements if they are fewer; `count` is a power of two then. */
OPI_FUNCTION opi_node opi_item_up(opi_item *item, uint32_t count OPI_TAKE_P)
{
    uint32_t k = 0;
    for (uint32_t n = item->n; n > 1; n /= 2, k++)
        opi_level_up(item->x + OPI_LEVEL(k), item->x + OPI_LEVEL(k + 1), n OPI_GIVE_P);
    for (k = 0; 2u << k <= count;) k++;
    return item->x[OPI_LEVEL(k)];
}

OPI_FUNCTION void opi_item_down(opi_item *item, const opi_place *place OPI_TAKE_P)
{
    uint32_t k = 0;
    while (1u << k < item->n) k++;
    item->x[OPI_LEVEL(k)] = place->after;
    for (uint32_t n = 2; k-- > 0; n *= 2) {
        opi_node *const level = item->x + OPI_LEVEL(k);
        if (place->has_before) level[0] = opi_join(place->before, level[0]);
        opi_level_down(level, item->x + OPI_LEVEL(k + 1), n OPI_GIVE_P);
    }
}

/* The last of `count` results may be that of a node larger than the tile.  Then it comes from elsewhere. */
OPI_FUNCTION void opi_item_close(opi_item *item, uint32_t count, opi_node last) { item->x[count - 1] = last; }
