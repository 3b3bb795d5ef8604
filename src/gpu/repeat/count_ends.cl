/* Sums of blocks of counts.  2^63 stands for all that is not allowed, and stays what it is, whatever is added
 * (cores/ends.c).
 *
 *   OPI_COUNT_SIGNED 1: counts may be negative, which is not allowed
 *   OPI_ROUNDS       blocks that OPI_BLOCK_ITEMS work-items add up, one after the other */
#define OPI_REFUSED ((uint64_t)1 << 63)

OPI_FUNCTION uint64_t opi_add_counts(uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b;
    return (a | b | sum) >> 63 ? OPI_REFUSED : sum;
}

OPI_FUNCTION uint64_t opi_as_sum(opi_count count)
{
#if OPI_COUNT_SIGNED || OPI_COUNT_BYTES == 8
    return count >> (8 * OPI_COUNT_BYTES - 1) ? OPI_REFUSED : count;
#else
    return count;
#endif
}

OPI_WHOLE_KERNEL void opi_count_ends(OPI_PARAM(counts), const uint64_t n, OPI_PARAM(sums))
{
    OPI_LOCAL_MEMORY uint64_t place[OPI_PLACES];
    const uint32_t each = OPI_W / OPI_BLOCK_ITEMS; /* blocks of a round */
    const uint64_t first = OPI_GROUP * OPI_ROUNDS * each + OPI_SELF / OPI_BLOCK_ITEMS;
    OPI_GLOBAL const opi_count *const from = OPI_AT(const opi_count, counts);
    opi_count count[OPI_ROUNDS * OPI_COUNTS_EACH];
    _Pragma("unroll") for (uint32_t j = 0; j < OPI_ROUNDS * OPI_COUNTS_EACH; j++) {
        const uint64_t block = first + j / OPI_COUNTS_EACH * each;
        const uint64_t i = block * OPI_BLOCK + j % OPI_COUNTS_EACH * OPI_BLOCK_ITEMS + OPI_BLOCK_SELF;
        count[j] = i < n ? from[i] : 0;
    }
    _Pragma("unroll") for (uint32_t r = 0; r < OPI_ROUNDS; r++) {
        const uint64_t block = first + r * each;
        uint64_t sum = 0;
        _Pragma("unroll") for (uint32_t e = 0; e < OPI_COUNTS_EACH; e++)
            sum = opi_add_counts(sum, opi_as_sum(count[r * OPI_COUNTS_EACH + e]));
        for (uint32_t by = 1; by < OPI_BLOCK_ITEMS; by *= 2) sum = opi_add_counts(sum, opi_from_left(place, sum, by));
        if (OPI_BLOCK_SELF == OPI_BLOCK_ITEMS - 1 && block * OPI_BLOCK < n) OPI_AT(uint64_t, sums)[block] = sum;
    }
}
