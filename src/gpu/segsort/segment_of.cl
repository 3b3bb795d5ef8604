/* numbers[i] = the segment to which element first + i belongs: how many offsets behind the first one are not behind it.
 * OPI_INDEX_SIZE, OPI_OFFSET_SIZE, OPI_NUMBER_SIZE: bytes of an index, an offset and a segment's number.
 * OPI_PLACE_SIZE: bytes of what an argsort writes.  This text comes behind offset.cl, segment.cl and packed.cl. */
#define OPI_W (1u << OPI_LOG_W)

#if OPI_PLACE_SIZE == 4
typedef uint32_t opi_place;
#else
typedef uint64_t opi_place;
#endif

#define OPI_EACH     8 /* elements of a work-item */
#define OPI_ELEMENTS (OPI_EACH * OPI_W)

/* Elements are taken as they lie, so that few segments are looked at by a work-group: by index, in the order of their
 * keys, each would be searched among all. */
OPI_WHOLE_KERNEL void opi_segment_of(const uint64_t n, const uint64_t first, OPI_PARAM(offsets), const uint64_t segments,
                                     OPI_PARAM(numbers))
{
    OPI_LOCAL_MEMORY uint64_t edge[2]; /* segments of the first element of the group, and of the last one */
    OPI_GLOBAL const opi_offset *const ends = OPI_AT(const opi_offset, offsets) + 1;
    const uint64_t begin = OPI_GROUP * OPI_ELEMENTS, end = n - begin < OPI_ELEMENTS ? n : begin + OPI_ELEMENTS;
    for (uint32_t k = OPI_SELF; k < 2; k += OPI_W)
        edge[k] = opi_segment(ends, first + (k == 0 ? begin : end - 1), 0, segments - 1); /* before the last one's end */
    OPI_BARRIER();
    for (uint64_t i = begin + OPI_SELF; i < end; i += OPI_W)
        OPI_AT(opi_number, numbers)[i] = (opi_number)opi_segment(ends, first + i, edge[0], edge[1]);
}

#if OPI_PACKED_SIZE
/* packed[i] = key i, and the segment to which it belongs; if segments have `length` elements each, there are no
 * offsets. */
OPI_WHOLE_KERNEL void opi_pack_segments(const uint64_t n, const uint64_t first, OPI_PARAM(offsets), const uint64_t segments,
                                        const uint64_t length, OPI_PARAM(keys), const uint64_t negative,
                                        const uint64_t flip, const uint32_t unused, OPI_PARAM(packed))
{
    OPI_LOCAL_MEMORY uint64_t edge[2]; /* as in opi_segment_of */
    OPI_GLOBAL const opi_offset *const ends = OPI_AT(const opi_offset, offsets) + 1;
    const opi_order order = opi_order_of(negative, flip);
    const uint64_t begin = OPI_GROUP * OPI_ELEMENTS, end = n - begin < OPI_ELEMENTS ? n : begin + OPI_ELEMENTS;
    if (length == 0)
        for (uint32_t k = OPI_SELF; k < 2; k += OPI_W)
            edge[k] = opi_segment(ends, first + (k == 0 ? begin : end - 1), 0, segments - 1);
    OPI_BARRIER();
    for (uint64_t i = begin + OPI_SELF; i < end; i += OPI_W) {
        const uint64_t number = length > 0 ? i / length : opi_segment(ends, first + i, edge[0], edge[1]);
        OPI_AT(opi_packed, packed)[i] = opi_pack(OPI_AT(const opi_key, keys)[i], number, order, unused);
    }
}

/* keys[i] = the key of packed[i]. */
OPI_WHOLE_KERNEL void opi_unpack_segments(OPI_PARAM(packed), const uint64_t n, const uint64_t negative,
                                          const uint64_t flip, const uint32_t unused, OPI_PARAM(keys))
{
    const opi_order order = opi_order_of(negative, flip);
    const uint64_t begin = OPI_GROUP * OPI_ELEMENTS, end = n - begin < OPI_ELEMENTS ? n : begin + OPI_ELEMENTS;
    for (uint64_t i = begin + OPI_SELF; i < end; i += OPI_W)
        OPI_AT(opi_key, keys)[i] = opi_unpacked(OPI_AT(const opi_packed, packed)[i], order, unused);
}
#endif

/* numbers[i] = the segment of element index[i], or of element i without indices, if segments have `length` elements
 * each. */
OPI_WHOLE_KERNEL void opi_segment_of_even(OPI_PARAM(index), const uint64_t n, const uint64_t length, OPI_PARAM(numbers))
{
    const uint64_t i = OPI_GROUP * OPI_W + OPI_SELF;
    if (i < n) {
        const uint64_t element = OPI_GIVEN(index) ? (uint64_t)OPI_AT(const opi_index, index)[i] : i;
        OPI_AT(opi_number, numbers)[i] = (opi_number)(element / length);
    }
}

/* places[i] = which element of its segment index[i] is: segments of `length` elements, in whose order the indices
 * are. */
OPI_WHOLE_KERNEL void opi_places_in_segments(OPI_PARAM(index), const uint64_t n, const uint64_t length,
                                             OPI_PARAM(places))
{
    const uint64_t i = OPI_GROUP * OPI_W + OPI_SELF;
    if (i < n) OPI_AT(opi_place, places)[i] = (opi_place)(OPI_AT(const opi_index, index)[i] - i / length * length);
}
