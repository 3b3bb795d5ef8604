/* Put: out[indices[k]] = in[k], of elements of OPI_UNITS units; of several equal indices the last one counts.  This text comes
 * behind unit.cl and index.cl.
 *
 * last[place] is the largest number of an index that names the place: opi_put_look finds it, and opi_put writes the element
 * of that index.  Index k here has the number k + 1 + numbered.  before: how many indices of the call come before the first
 * one here, for the message about a wrong one.
 *
 * OPI_DEALT: an accelerator puts the elements whose places lie in its own pages, and its `last` knows these alone; the first
 * one tells of wrong indices. */

#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

#if OPI_DEALT
#define OPI_IS_OWN(place) opi_is_in_own_page(&pages, place)
#define OPI_TELLS         (pages.own == 0)
#else
#define OPI_IS_OWN(place) true
#define OPI_TELLS         true
#endif

OPI_KERNEL void opi_put_look(OPI_PARAM(indices), const uint64_t count, const uint64_t n, const uint64_t sign,
                             const uint64_t numbered, const uint64_t before, OPI_PARAM(last),
                             OPI_PARAM(fault) OPI_PAGES_PARAM)
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    const uint32_t own = count - first < OPI_TILE ? (uint32_t)(count - first) : OPI_TILE;
    OPI_GLOBAL const opi_index *const at = OPI_AT(const opi_index, indices) + first;
    OPI_GLOBAL uint32_t *const last = OPI_AT(uint32_t, last);
    for (uint32_t k = OPI_SELF; k < own; k += OPI_W) {
        const uint64_t place = opi_place(at[k], n, sign);
        if (OPI_CLIP || place < n) {
            if (OPI_IS_OWN(place)) OPI_RAISE(&last[place], (uint32_t)(numbered + first) + k + 1);
        } else if (OPI_TELLS)
            opi_tell_wrong(OPI_AT(opi_vector, fault), before + first + k, at[k]);
    }
}

OPI_KERNEL void opi_put(OPI_PARAM(indices), OPI_PARAM(in), const uint64_t count, OPI_PARAM(out), const uint64_t n,
                        const uint64_t sign, const uint64_t numbered, OPI_PARAM(last) OPI_PAGES_PARAM)
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    const uint32_t own = count - first < OPI_TILE ? (uint32_t)(count - first) : OPI_TILE;
    OPI_GLOBAL const opi_index *const at = OPI_AT(const opi_index, indices) + first;
    OPI_GLOBAL const opi_unit *const from = OPI_AT(const opi_unit, in) + first * OPI_UNITS;
    OPI_GLOBAL opi_unit *const to = OPI_AT(opi_unit, out);
    OPI_GLOBAL const uint32_t *const last = OPI_AT(const uint32_t, last);
    /* Neighbours move neighbouring units. */
    for (uint64_t q = OPI_SELF; q < (uint64_t)own * OPI_UNITS; q += OPI_W) {
        const uint32_t k = (uint32_t)(q / OPI_UNITS), unit = (uint32_t)(q % OPI_UNITS);
        const uint64_t place = opi_place(at[k], n, sign);
        if ((OPI_CLIP || place < n) && OPI_IS_OWN(place) && last[place] == (uint32_t)(numbered + first) + k + 1)
            to[place * OPI_UNITS + unit] = from[q];
    }
}

/* Makes the n words of last 0. */
OPI_KERNEL void opi_put_clear(OPI_PARAM(last), const uint64_t n)
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    OPI_GLOBAL uint32_t *const last = OPI_AT(uint32_t, last) + first;
    const uint32_t own = n - first < OPI_TILE ? (uint32_t)(n - first) : OPI_TILE;
    for (uint32_t i = OPI_SELF; i < own; i += OPI_W) last[i] = 0;
}
