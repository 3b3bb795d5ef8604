/* Bounds: places[i] = how many of n sorted elements come before wanted[i], or (OPI_UPPER) not behind it.
 *
 * A work-group has a tile of the wanted elements.  A work-item searches for OPI_LANES of them at the same time, since
 * each step of a search waits for memory; all take the same steps.  OPI_DEALT: tiles are dealt out to several accelerators. */

#define OPI_LANES 4

#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif

#if OPI_UPPER
#define OPI_IS_LEFT(there, wanted) (!OPI_LESS(wanted, there))
#else
#define OPI_IS_LEFT(there, wanted) OPI_LESS(there, wanted)
#endif

OPI_WHOLE_KERNEL void opi_bounds(OPI_PARAM(sorted_array), const uint64_t n, OPI_PARAM(wanted_array),
                                 const uint64_t count, OPI_PARAM(places), OPI_ORDER OPI_DEALT_PARAM)
{
    OPI_GLOBAL const opi_item *const sorted = OPI_AT(const opi_item, sorted_array);
    OPI_GLOBAL const opi_item *const wanted = OPI_AT(const opi_item, wanted_array);
    const uint64_t first = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE + OPI_SELF;
    OPI_READ_ORDER
    OPI_ROLLED for (uint32_t e = 0; e < OPI_E; e += OPI_LANES)
    {
        opi_item item[OPI_LANES];
        uint64_t at[OPI_LANES];
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        {
            const uint64_t i = first + (uint64_t)(e + l) * OPI_W;
            item[l] = wanted[i < count ? i : count - 1];
            at[l] = 0;
        }
        for (uint64_t left = n; left > 0;) { /* the place is in [at, at + left] */
            const uint64_t half_of = (left + 1) / 2;
            OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
            {
                const opi_item there = sorted[at[l] + half_of - 1];
                at[l] += OPI_IS_LEFT(there, item[l]) ? half_of : 0;
            }
            left -= half_of;
        }
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
        {
            const uint64_t i = first + (uint64_t)(e + l) * OPI_W;
            if (i < count) OPI_AT(opi_index, places)[i] = (opi_index)at[l];
        }
    }
}
