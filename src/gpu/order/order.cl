/* The order of elements, for bounds, merges and sorts by a function: that of a sort, or that of a function.
 *
 * OPI_BY_TEXT is 1 if opi_fn(a, b) compares elements of the type opi_a, with a parameter if OPI_PARAMETER.  Otherwise
 * elements are keys of OPI_KEY_SIZE bytes: as unsigned integers, once the bits in `flip`, and those in `negative` if the
 * highest is set, are inverted. */

#define OPI_E    (1u << OPI_LOG_E)
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

#if OPI_HOST_CORES /* PoCL 3.1 has miscompiled such loops */
#define OPI_UNROLL
#else
#define OPI_UNROLL _Pragma("unroll")
#endif

#if OPI_BY_TEXT
typedef opi_a opi_item;
#elif OPI_KEY_SIZE == 1
typedef uint8_t opi_item;
#elif OPI_KEY_SIZE == 2
typedef uint16_t opi_item;
#elif OPI_KEY_SIZE == 4
typedef uint32_t opi_item;
#else
typedef uint64_t opi_item;
#endif

typedef struct opi_order {
    uint64_t negative, flip;
#if OPI_PARAMETER
    opi_p parameter;
#endif
} opi_order;

#define OPI_ORDER const uint64_t negative, const uint64_t flip, OPI_PARAM(param)
#if OPI_PARAMETER
#define OPI_READ_ORDER                                                                                                 \
    opi_order order;                                                                                                   \
    order.negative = negative;                                                                                         \
    order.flip = flip;                                                                                                 \
    order.parameter = *OPI_AT(const opi_p, param);
#else
#define OPI_READ_ORDER                                                                                                 \
    opi_order order;                                                                                                   \
    order.negative = negative;                                                                                         \
    order.flip = flip;
#endif

/* Whether a comes before b. */
#if OPI_BY_TEXT && OPI_PARAMETER
#define OPI_LESS(a, b) (opi_fn(a, b, order.parameter) != 0)
#elif OPI_BY_TEXT
#define OPI_LESS(a, b) (opi_fn(a, b) != 0)
#else
OPI_FUNCTION opi_item opi_mapped(opi_item key, opi_order order)
{
    const opi_item inverted = key >> (8 * OPI_KEY_SIZE - 1) ? (opi_item)order.negative : (opi_item)0;
    return (opi_item)(key ^ inverted ^ (opi_item)order.flip);
}
OPI_FUNCTION opi_item opi_unmapped(opi_item mapped, opi_order order)
{
    const opi_item key = mapped ^ (opi_item)order.flip;
    return (opi_item)(key ^ (key >> (8 * OPI_KEY_SIZE - 1) ? (opi_item)order.negative : (opi_item)0));
}
#define OPI_LESS(a, b) (opi_mapped(a, order) < opi_mapped(b, order))
#endif

/* What is compared often is mapped once. */
#if OPI_BY_TEXT
#define OPI_MAPPED(x)         (x)
#define OPI_UNMAPPED(x)       (x)
#define OPI_COMES_FIRST(a, b) OPI_LESS(a, b)
#else
#define OPI_MAPPED(x)         opi_mapped(x, order)
#define OPI_UNMAPPED(x)       opi_unmapped(x, order)
#define OPI_COMES_FIRST(a, b) ((a) < (b))
#endif

/* How many of the first t elements of the merge are of a.  Of equal elements those of a come first. */
OPI_FUNCTION uint64_t opi_cut(OPI_GLOBAL const opi_item *a, uint64_t a_n, OPI_GLOBAL const opi_item *b, uint64_t b_n,
                              uint64_t t, opi_order order)
{
    uint64_t low = t > b_n ? t - b_n : 0, high = t < a_n ? t : a_n;
    while (high - low > 3) { /* three places at a time, whose loads are under way together: half as many waits */
        const uint64_t quarter = (high - low) / 4, i0 = low + quarter, i1 = i0 + quarter, i2 = i1 + quarter;
        const opi_item x0 = a[i0], x1 = a[i1], x2 = a[i2];
        const opi_item y0 = b[t - 1 - i0], y1 = b[t - 1 - i1], y2 = b[t - 1 - i2];
        const bool less0 = OPI_LESS(y0, x0), less1 = OPI_LESS(y1, x1), less2 = OPI_LESS(y2, x2);
        if (less1) {
            high = less0 ? i0 : i1;
            low = less0 ? low : i0 + 1;
        } else {
            low = less2 ? i1 + 1 : i2 + 1;
            high = less2 ? i2 : high;
        }
    }
    while (low < high) {
        const uint64_t i = low + (high - low) / 2;
        const opi_item x = a[i], y = b[t - 1 - i];
        if (OPI_LESS(y, x))
            high = i;
        else
            low = i + 1;
    }
    return low;
}
