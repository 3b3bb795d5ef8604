/* Writes the bin of each element, as a number of OPI_PLACE_SIZE bytes.  This text comes behind bins.cl. */
#if OPI_PLACE_SIZE == 4
typedef uint32_t opi_place_number;
#else
typedef uint64_t opi_place_number;
#endif

OPI_KERNEL void opi_place_in_bins(OPI_PARAM(in), const uint64_t n, const uint64_t bins, OPI_PARAM(out),
                                  OPI_PARAM(fault))
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    const uint32_t own = n - first < OPI_TILE ? (uint32_t)(n - first) : OPI_TILE;
    OPI_GLOBAL const opi_x *const x = OPI_AT(const opi_x, in) + first;
    OPI_GLOBAL opi_place_number *const out = OPI_AT(opi_place_number, out) + first;
    for (uint32_t i = OPI_SELF; i < own; i += OPI_W) {
        const uint64_t bin = opi_bin(x[i], bins, 0, 0, 0, 0);
        out[i] = (opi_place_number)bin;
        if (OPI_REFUSES && bin == bins) opi_tell_none(OPI_AT(opi_vector, fault), first + i, (uint64_t)x[i]);
    }
}
