/* An index is an integer of OPI_INDEX_SIZE bytes.  `sign` is the bit that negative ones have, 0 if indices have no sign.  It
 * names one of n places; OPI_CLIP is 1 if the nearest place is meant where it is out of range. */
#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif

/* The place that an index names; n if it is out of range and not clipped. */
OPI_FUNCTION uint64_t opi_place(opi_index index, uint64_t n, uint64_t sign)
{
    const uint64_t given = index;
#if OPI_CLIP
    if (given & sign) return 0;
    return given < n ? given : n - 1;
#else
    return (given & sign) == 0 && given < n ? given : n;
#endif
}

/* Tells the host that index k is out of range, in one store: of several such indices, any one may remain. */
OPI_FUNCTION void opi_tell_wrong(OPI_GLOBAL opi_vector *fault, uint64_t k, opi_index index)
{
    const uint64_t given = index, place = k + 1;
    opi_vector told;
    told.x = (uint32_t)place;
    told.y = (uint32_t)(place >> 32);
    told.z = (uint32_t)given;
    told.w = (uint32_t)(given >> 32);
    *fault = told;
}
