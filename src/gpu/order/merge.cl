/* Stable merge of two sorted arrays, a and b.
 *
 * opi_merge_cuts finds for each tile of the result how many elements before it are of a: cut[t] for tile t, and the last
 * one for the end.  In opi_merge each work-group does a tile.  In a group of several work-items the elements are copied to
 * local memory, where each work-item looks for its own share and merges it.
 *
 * OPI_DEALT: the tiles of the result are dealt out to several accelerators (gpu/deal.h); tiles that this one has need not be
 * neighbours, so that each has two cuts, of its beginning and its end.
 *
 * This text comes behind order.cl, value.cl and dealt.cl. */

#if OPI_DEALT
#define OPI_CUTS_OF(tiles)  (2 * (tiles))
#define OPI_PLACE_OF(cut)   ((OPI_DEALT_ITEM((cut) / 2) + (cut) % 2) * OPI_TILE)
#define OPI_FIRST_CUT(tile) (2 * (tile))
#else
#define OPI_CUTS_OF(tiles)  ((tiles) + 1)
#define OPI_PLACE_OF(cut)   ((cut) * OPI_TILE)
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

/* The tile of a work-group: [a0, a0 + a_count) and [b0, b0 + b_count) go to the places from `begin` on.  Cuts ascend, unless
 * an array is not sorted: then a tile must stay inside all the same. */
#define OPI_READ_TILE                                                                                                  \
    const uint64_t begin = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE, left = n - begin, cut = OPI_FIRST_CUT(OPI_GROUP);     \
    const uint32_t count = (uint32_t)(left < OPI_TILE ? left : OPI_TILE);                                              \
    const uint64_t a0 = OPI_AT(const uint64_t, cuts)[cut], b0 = begin - a0;                                            \
    const uint64_t a1 = OPI_AT(const uint64_t, cuts)[cut + 1], a_all = a1 > a0 ? a1 - a0 : 0;                          \
    const uint32_t a_count = a_all < count ? (uint32_t)a_all : count, b_count = count - a_count;                       \
    OPI_GLOBAL const opi_item *const from_a = OPI_AT(const opi_item, a) + a0;                                          \
    OPI_GLOBAL const opi_item *const from_b = OPI_AT(const opi_item, b) + b0;                                          \
    OPI_GLOBAL opi_item *const to = OPI_AT(opi_item, out) + begin;                                                     \
    OPI_READ_ORDER

#if OPI_LOG_W == 0

OPI_WHOLE_KERNEL void opi_merge(OPI_ARRAYS)
{
    OPI_READ_TILE
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

/* Gaps in local memory: the shares of neighbouring work-items lie in different banks. */
#define OPI_SPREAD(i) ((i) + ((i) >> 5))

OPI_WHOLE_KERNEL void opi_merge(OPI_ARRAYS)
{
    OPI_LOCAL_MEMORY opi_item item[OPI_SPREAD(OPI_TILE) + 1]; /* those of a, behind them those of b */
#if OPI_VALUE_SIZE
    OPI_LOCAL_MEMORY uint16_t from[OPI_TILE]; /* which of them goes to each place */
#endif
    OPI_READ_TILE

    /* --- 1. bring them here --- */
    opi_item merged[OPI_E];
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) /* all are under way before the first is used */
    {
        const uint32_t k = (e << OPI_LOG_W) + OPI_SELF;
        if (k < count) merged[e] = k < a_count ? from_a[k] : from_b[k - a_count];
    }
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        const uint32_t k = (e << OPI_LOG_W) + OPI_SELF;
        if (k < count) item[OPI_SPREAD(k)] = merged[e];
    }
    OPI_BARRIER();

    /* --- 2. the share of a work-item begins with element i of a and j of b --- */
    const uint32_t t = OPI_SELF * OPI_E < count ? OPI_SELF * OPI_E : count;
    uint32_t low = t > b_count ? t - b_count : 0, high = t < a_count ? t : a_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const opi_item x = item[OPI_SPREAD(middle)], y = item[OPI_SPREAD(a_count + t - 1 - middle)];
        if (OPI_LESS(y, x))
            high = middle;
        else
            low = middle + 1;
    }
    uint32_t i = low, j = t - low;

    /* --- 3. merge it; i and j stay inside: an element that is loaded in vain is one of the tile --- */
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (t + e < count) {
            const opi_item x = item[OPI_SPREAD(i < a_count ? i : 0)];
            const opi_item y = item[OPI_SPREAD(a_count + j < count ? a_count + j : 0)];
            const bool is_b = i == a_count || (j < b_count && OPI_LESS(y, x));
            merged[e] = is_b ? y : x;
#if OPI_VALUE_SIZE
            from[t + e] = (uint16_t)(is_b ? a_count + j : i);
#endif
            i += !is_b;
            j += is_b;
        }
    }
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) if (t + e < count) item[OPI_SPREAD(t + e)] = merged[e];
    OPI_BARRIER();

    /* --- 4. write it --- */
    for (uint32_t k = OPI_SELF; k < count; k += OPI_W) {
        to[k] = item[OPI_SPREAD(k)];
#if OPI_VALUE_SIZE
        const uint32_t f = from[k];
        OPI_AT(opi_value, out_values)
        [begin + k] = f < a_count ? OPI_AT(const opi_value, a_values)[a0 + f]
                                  : OPI_AT(const opi_value, b_values)[b0 + (f - a_count)];
#endif
    }
}

#endif
