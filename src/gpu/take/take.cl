/* Take: out[k] = in[indices[k]], of elements of OPI_UNITS units.  This text comes behind unit.cl and index.cl.
 *
 * `in` is the elements low ... low + some - 1 of n; elements before and behind them are left out, as another launch takes
 * them.  before: how many indices of the call come before the first one here, for the message about a wrong one.
 * OPI_DEALT: the tiles are dealt out to several accelerators (gpu/deal.h). */

#define OPI_E    (1u << OPI_LOG_E)
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)
/* Units that a work-item has under way at once: all of its elements, or one of each if they are large. */
#define OPI_BATCH (OPI_E * OPI_UNITS <= 16 ? OPI_E * OPI_UNITS : OPI_E)

OPI_KERNEL void opi_take(OPI_PARAM(indices), OPI_PARAM(out), const uint64_t count, OPI_PARAM(in), const uint64_t n,
                         const uint64_t sign, const uint64_t low, const uint64_t some, const uint64_t before,
                         OPI_PARAM(fault) OPI_DEALT_PARAM)
{
    const uint64_t first = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE;
    const uint32_t own = count - first < OPI_TILE ? (uint32_t)(count - first) : OPI_TILE;
    OPI_GLOBAL const opi_index *const at = OPI_AT(const opi_index, indices) + first;
    OPI_GLOBAL const opi_unit *const from = OPI_AT(const opi_unit, in);
    OPI_GLOBAL opi_unit *const to = OPI_AT(opi_unit, out) + first * OPI_UNITS;
    OPI_GLOBAL opi_vector *const told = OPI_AT(opi_vector, fault);
    /* Neighbours move neighbouring units. */
#if OPI_LOG_W > 0
    if (own == OPI_TILE && OPI_UNITS <= 1u << 20) { /* 32 bits count the units of a tile; several units of a work-item are under way before the first one is written */
        for (uint32_t q0 = OPI_SELF; q0 < OPI_TILE * OPI_UNITS; q0 += OPI_BATCH << OPI_LOG_W) {
            opi_index index[OPI_BATCH];
            opi_unit x[OPI_BATCH];
            bool moved[OPI_BATCH];
            _Pragma("unroll") for (uint32_t j = 0; j < OPI_BATCH; j++)
                index[j] = at[(q0 + (j << OPI_LOG_W)) / OPI_UNITS];
            _Pragma("unroll") for (uint32_t j = 0; j < OPI_BATCH; j++) {
                const uint64_t place = opi_place(index[j], n, sign) - low;
                moved[j] = place < some;
                x[j] = from[(moved[j] ? place : 0) * OPI_UNITS + (q0 + (j << OPI_LOG_W)) % OPI_UNITS];
            }
            _Pragma("unroll") for (uint32_t j = 0; j < OPI_BATCH; j++) {
                const uint32_t q = q0 + (j << OPI_LOG_W);
                if (moved[j])
                    to[q] = x[j];
                else if (!OPI_CLIP && opi_place(index[j], n, sign) >= n)
                    opi_tell_wrong(told, before + first + q / OPI_UNITS, index[j]);
            }
        }
        return;
    }
#endif
    for (uint64_t q = OPI_SELF; q < (uint64_t)own * OPI_UNITS; q += OPI_W) {
        const uint32_t k = (uint32_t)(q / OPI_UNITS), unit = (uint32_t)(q % OPI_UNITS);
        const uint64_t place = opi_place(at[k], n, sign);
        if (place - low < some)
            to[q] = from[(place - low) * OPI_UNITS + unit];
        else if (!OPI_CLIP && place >= n)
            opi_tell_wrong(told, before + first + k, at[k]);
    }
}
