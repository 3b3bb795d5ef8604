/* segments[i] = the segment to which element first + index[i] belongs: how many offsets behind the first one are not behind
 * it.  OPI_INDEX_SIZE, OPI_OFFSET_SIZE, OPI_NUMBER_SIZE: bytes of an index, an offset and a segment's number.
 * OPI_PLACE_SIZE: bytes of what an argsort writes. */
#define OPI_W (1u << OPI_LOG_W)

#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif
#if OPI_OFFSET_SIZE == 4
typedef uint32_t opi_offset;
#else
typedef uint64_t opi_offset;
#endif
#if OPI_NUMBER_SIZE == 1
typedef uint8_t opi_number;
#elif OPI_NUMBER_SIZE == 2
typedef uint16_t opi_number;
#elif OPI_NUMBER_SIZE == 4
typedef uint32_t opi_number;
#else
typedef uint64_t opi_number;
#endif

#if OPI_PLACE_SIZE == 4
typedef uint32_t opi_place;
#else
typedef uint64_t opi_place;
#endif

OPI_WHOLE_KERNEL void opi_segment_of(OPI_PARAM(index), const uint64_t n, const uint64_t first, OPI_PARAM(offsets),
                                     const uint64_t segments, OPI_PARAM(numbers))
{
    const uint64_t i = OPI_GROUP * OPI_W + OPI_SELF;
    if (i < n) {
        OPI_GLOBAL const opi_offset *const ends = OPI_AT(const opi_offset, offsets) + 1;
        const uint64_t element = first + OPI_AT(const opi_index, index)[i];
        uint64_t low = 0, high = segments - 1; /* it is before the last one's end */
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (ends[middle] <= element)
                low = middle + 1;
            else
                high = middle;
        }
        OPI_AT(opi_number, numbers)[i] = (opi_number)low;
    }
}

/* The same for segments of `length` elements each. */
OPI_WHOLE_KERNEL void opi_segment_of_even(OPI_PARAM(index), const uint64_t n, const uint64_t length, OPI_PARAM(numbers))
{
    const uint64_t i = OPI_GROUP * OPI_W + OPI_SELF;
    if (i < n) OPI_AT(opi_number, numbers)[i] = (opi_number)(OPI_AT(const opi_index, index)[i] / length);
}

/* places[i] = which element of its segment index[i] is: segments of `length` elements, in whose order the indices are. */
OPI_WHOLE_KERNEL void opi_places_in_segments(OPI_PARAM(index), const uint64_t n, const uint64_t length,
                                             OPI_PARAM(places))
{
    const uint64_t i = OPI_GROUP * OPI_W + OPI_SELF;
    if (i < n) OPI_AT(opi_place, places)[i] = (opi_place)(OPI_AT(const opi_index, index)[i] - i / length * length);
}
