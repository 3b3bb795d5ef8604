/* Bins: opi_bin gives the bin of an element, of type opi_x, or `bins` if it belongs to none.  OPI_BINNING is 0 if an element is
 * the number of its bin, OPI_CLIP then says whether the nearest bin is meant where there is no such bin; it is 1 for even bins,
 * 2 for edges.  low, high and scale are the bits of doubles. */
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

/* OPI_FEW_BINS: their numbers fit 32 bits, with which a GPU computes faster. */
#if OPI_FEW_BINS
typedef uint32_t opi_bin_number;
#else
typedef uint64_t opi_bin_number;
#endif

OPI_FUNCTION opi_bin_number opi_bin(opi_x x, opi_bin_number bins, OPI_GLOBAL const opi_x *edge, uint64_t low,
                                    uint64_t high, uint64_t scale)
{
#if OPI_BINNING == 0
#if OPI_IS_SIGNED
    if (x < 0) return OPI_CLIP ? 0 : bins;
#endif
    const uint64_t at = (uint64_t)x;
    return at < bins ? (opi_bin_number)at : OPI_CLIP ? bins - 1 : bins;
#elif OPI_BINNING == 1
    const double value = (double)x;
    if (!(value >= OPI_F64_OF(low) && value <= OPI_F64_OF(high))) return bins;
    const opi_bin_number at = (opi_bin_number)((value - OPI_F64_OF(low)) * OPI_F64_OF(scale));
    return at < bins ? at : bins - 1;
#else
    if (!(x >= edge[0] && x <= edge[bins])) return bins;
    opi_bin_number at = 0; /* the last edge that is not above x lies in [at, at + left) */
    for (opi_bin_number left = bins + 1; left > 1;) {
        const opi_bin_number half_way = left / 2;
        at += edge[at + half_way] <= x ? half_way : 0;
        left -= half_way;
    }
    return at < bins ? at : bins - 1;
#endif
}

/* Tells the host that element k is in no bin, in one store: of several such elements, any one may remain. */
OPI_FUNCTION void opi_tell_none(OPI_GLOBAL opi_vector *fault, uint64_t k, uint64_t given)
{
    const uint64_t place = k + 1;
    opi_vector told;
    told.x = (uint32_t)place;
    told.y = (uint32_t)(place >> 32);
    told.z = (uint32_t)given;
    told.w = (uint32_t)(given >> 32);
    *fault = told;
}
