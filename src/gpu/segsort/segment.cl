/* The segment to which an element belongs.  This text comes behind offset.cl. */

#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
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

/* How many of ends[low .. high) are not behind an element, and `low`: its segment, from `low` to `high`. */
OPI_FUNCTION uint64_t opi_segment(OPI_GLOBAL const opi_offset *ends, uint64_t element, uint64_t low, uint64_t high)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (ends[middle] <= element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
