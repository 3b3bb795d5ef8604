/* Merges in the local memory of a work-group: a work-item does a share of OPI_E neighbouring elements of the result.
 *
 * `is_full` is true where a tile has all of its OPI_TILE elements: its code then has no question for the end of the tile.
 *
 * This text comes behind order.cl, and is for work-groups of several work-items. */

/* Gaps in local memory: the shares of neighbouring work-items lie in different banks. */
#define OPI_SPREAD(i) ((i) + ((i) >> 5))
/* Elements of a tile, and one behind the last, which is read in vain. */
#define OPI_ROOM (OPI_SPREAD(OPI_TILE) + 1)

/* Where element e of the own share is, and element e of those that a work-item loads and stores: e * OPI_W + OPI_SELF.  OPI_E
 * divides 32, so that there is no gap inside of a share. */
#define OPI_SHARE_AT(e) (OPI_SPREAD(OPI_SELF * OPI_E) + (e))
#if OPI_LOG_W >= 5
#define OPI_LANE_AT(e) (OPI_SPREAD(OPI_SELF) + (e) * (OPI_W + OPI_W / 32))
#else
#define OPI_LANE_AT(e) OPI_SPREAD(((e) << OPI_LOG_W) + OPI_SELF)
#endif

/* For each element e that this work-item loads or stores, which is number k of the `count` of a tile. */
#define OPI_EACH_OF_TILE(...)                                                                                          \
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)                                                                    \
    {                                                                                                                  \
        const uint32_t k = (e << OPI_LOG_W) + OPI_SELF;                                                                \
        if (is_full || k < count) {                                                                                    \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

/* Two runs in local memory. */
typedef struct opi_two_runs {
    uint32_t a, a_end, b, b_end;
} opi_two_runs;

/* How many of the first t elements of their merge are of a. */
OPI_FUNCTION uint32_t opi_cut_here(OPI_LOCAL const opi_item *item, opi_two_runs r, uint32_t t, opi_order order)
{
    const uint32_t a_n = r.a_end - r.a, b_n = r.b_end - r.b;
    uint32_t low = t > b_n ? t - b_n : 0, high = t < a_n ? t : a_n;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const opi_item x = item[OPI_SPREAD(r.a + middle)], y = item[OPI_SPREAD(r.b + t - 1 - middle)];
        if (OPI_COMES_FIRST(y, x))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Merges the first `some` elements of two runs; from: where they were.  The element behind a run may be read, but is not
 * compared. */
OPI_FUNCTION void opi_merge_share(OPI_LOCAL const opi_item *item, opi_two_runs r, bool is_full, uint32_t some,
                                  opi_order order, opi_item *merged, uint16_t *from)
{
    opi_item x = item[OPI_SPREAD(r.a)], y = item[OPI_SPREAD(r.b)];
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (is_full || e < some) {
            const bool is_b = r.b < r.b_end && (r.a == r.a_end || OPI_COMES_FIRST(y, x));
            merged[e] = is_b ? y : x;
            from[e] = (uint16_t)(is_b ? r.b : r.a);
            r.a += !is_b;
            r.b += is_b;
            const opi_item next = item[OPI_SPREAD(is_b ? r.b : r.a)];
            if (is_b)
                y = next;
            else
                x = next;
        }
    }
}
