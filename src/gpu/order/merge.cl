/* Stable merge of two sorted arrays, a and b.
 *
 * opi_merge_cuts finds for each tile of the result how many elements before it are of a: cut[t] for tile t, and the last
 * one for the end.  In opi_merge each work-group does a tile.  In a group of several work-items the elements are copied to
 * local memory, where each work-item looks for its own share and merges it (merge_tile.cl).
 *
 * OPI_DEALT: the tiles of the result are dealt out to several accelerators (gpu/deal.h); tiles that this one has need not be
 * neighbours, so that each has two cuts, of its beginning and its end.
 *
 * This text comes behind order.cl, merge_tile.cl, value.cl and dealt.cl. */

#if OPI_DEALT
#define OPI_CUTS_OF(tiles)  (2 * (tiles))
#define OPI_PLACE_OF(cut)   ((OPI_DEALT_ITEM((cut) / 2) + (cut) % 2) * OPI_TILE)
#define OPI_FIRST_CUT(tile) (2 * (tile))
#else
#define OPI_CUTS_OF(tiles)  ((tiles) + 1)
#define OPI_PLACE_OF(cut)   ((cut)*OPI_TILE)
#define OPI_FIRST_CUT(tile) (tile)
#endif

OPI_WHOLE_KERNEL void opi_merge_cuts(OPI_PARAM(a), const uint64_t a_n, OPI_PARAM(b), const uint64_t b_n,
                                     OPI_PARAM(cuts), const uint64_t tiles, OPI_ORDER OPI_DEALT_PARAM)
{
    const uint64_t cut = OPI_GROUP * OPI_W + OPI_SELF, n = a_n + b_n;
    OPI_READ_ORDER
    if (cut >= OPI_CUTS_OF(tiles)) return;
    const uint64_t place = OPI_PLACE_OF(cut);
    OPI_AT(uint64_t, cuts)
    [cut] = opi_cut(OPI_AT(const opi_item, a), a_n, OPI_AT(const opi_item, b), b_n, place < n ? place : n, order);
}

#define OPI_ARRAYS                                                                                                     \
    OPI_PARAM(a), OPI_PARAM(b), OPI_PARAM(out), OPI_PARAM(a_values), OPI_PARAM(b_values), OPI_PARAM(out_values),       \
        const uint64_t n, OPI_PARAM(cuts), OPI_ORDER OPI_DEALT_PARAM

/* The tile of a work-group: [a0, a0 + a_count) and [b0, b0 + b_count) go to the places from `begin` on.  Cuts ascend,
 * unless an array is not sorted: then a tile must stay inside all the same. */
#define OPI_READ_TILE                                                                                                  \
    const uint64_t begin = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE, left = n - begin, cut = OPI_FIRST_CUT(OPI_GROUP);     \
    const uint32_t count = (uint32_t)(left < OPI_TILE ? left : OPI_TILE);                                              \
    const uint64_t a0 = OPI_AT(const uint64_t, cuts)[cut], b0 = begin - a0;                                            \
    const uint64_t a1 = OPI_AT(const uint64_t, cuts)[cut + 1], a_all = a1 > a0 ? a1 - a0 : 0;                          \
    const uint32_t a_count = a_all < count ? (uint32_t)a_all : count;                                                  \
    OPI_GLOBAL const opi_item *const from_a = OPI_AT(const opi_item, a) + a0;                                          \
    OPI_GLOBAL const opi_item *const from_b = OPI_AT(const opi_item, b) + b0;                                          \
    OPI_GLOBAL opi_item *const to = OPI_AT(opi_item, out) + begin;                                                     \
    OPI_READ_ORDER

#if OPI_LOG_W == 0

OPI_WHOLE_KERNEL void opi_merge(OPI_ARRAYS)
{
    OPI_READ_TILE
    const uint32_t b_count = count - a_count;
    uint32_t i = 0, j = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool is_b = i == a_count;
        if (!is_b && j < b_count) {
            const opi_item x = from_a[i], y = from_b[j];
            is_b = OPI_LESS(y, x);
        }
        to[k] = is_b ? from_b[j] : from_a[i];
#if OPI_VALUE_SIZE
        OPI_AT(opi_value, out_values)
        [begin + k] = is_b ? OPI_AT(const opi_value, b_values)[b0 + j] : OPI_AT(const opi_value, a_values)[a0 + i];
#endif
        i += !is_b;
        j += is_b;
    }
}

#else

/* A tile: of the elements that come to it the first a_count are of a.  b: such that element k of the tile, if it is of
 * b, is b[k]. */
typedef struct opi_merged_tile {
    OPI_GLOBAL const opi_item *a, *b;
    OPI_GLOBAL opi_item *to;
    uint32_t a_count, count;
#if OPI_VALUE_SIZE
    OPI_GLOBAL const opi_value *a_values, *b_values;
    OPI_GLOBAL opi_value *to_values;
    OPI_LOCAL uint16_t *from; /* which of them goes to each place */
#endif
} opi_merged_tile;

OPI_INLINED void opi_merge_tile(OPI_LOCAL opi_item *item, opi_merged_tile tile, bool is_full, opi_order order)
{
    const uint32_t count = is_full ? OPI_TILE : tile.count, a_count = tile.a_count;
    opi_item own[OPI_E];
    uint16_t from[OPI_E];

    /* --- 1. bring them here: all are under way before the first is used --- */
    OPI_EACH_OF_TILE(own[e] = (k < a_count ? tile.a : tile.b)[k])
    OPI_EACH_OF_TILE(item[OPI_LANE_AT(e)] = OPI_MAPPED(own[e]))
    if (OPI_SELF == 0) item[OPI_SPREAD(count)] = own[0]; /* is read in vain */
    OPI_BARRIER();

    /* --- 2. merge the own share --- */
    const uint32_t t = OPI_SELF * OPI_E < count ? OPI_SELF * OPI_E : count;
    opi_two_runs runs = {0, a_count, a_count, count};
    runs.a = opi_cut_here(item, runs, t, order);
    runs.b += t - runs.a;
    opi_merge_share(item, runs, is_full, count - t, order, own, from);
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (is_full || t + e < count) {
            item[OPI_SHARE_AT(e)] = own[e];
#if OPI_VALUE_SIZE
            tile.from[t + e] = from[e];
#endif
        }
    }
    OPI_BARRIER();

    /* --- 3. write it --- */
    OPI_EACH_OF_TILE(tile.to[k] = OPI_UNMAPPED(item[OPI_LANE_AT(e)]))
#if OPI_VALUE_SIZE
    OPI_EACH_OF_TILE(const uint32_t f = tile.from[k];
                     tile.to_values[k] = (f < a_count ? tile.a_values : tile.b_values)[f])
#endif
}

OPI_WHOLE_KERNEL void opi_merge(OPI_ARRAYS)
{
    OPI_LOCAL_MEMORY opi_item item[OPI_ROOM];
#if OPI_VALUE_SIZE
    OPI_LOCAL_MEMORY uint16_t from[OPI_TILE];
#endif
    OPI_READ_TILE
    opi_merged_tile tile;
    tile.a = from_a;
    tile.b = from_b - a_count;
    tile.to = to;
    tile.a_count = a_count;
    tile.count = count;
#if OPI_VALUE_SIZE
    tile.a_values = OPI_AT(const opi_value, a_values) + a0;
    tile.b_values = OPI_AT(const opi_value, b_values) + b0 - a_count;
    tile.to_values = OPI_AT(opi_value, out_values) + begin;
    tile.from = from;
#endif
    if (count == OPI_TILE)
        opi_merge_tile(item, tile, true, order);
    else
        opi_merge_tile(item, tile, false, order);
}

#endif
