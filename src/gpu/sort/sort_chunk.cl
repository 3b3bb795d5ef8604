/* Stable radix sort with work-groups of one work-item, whose part is a chunk.  This text comes behind sums.cl and
 * sort.cl. */

/* place[d] becomes the number of keys in [begin, end) whose digit is d. */
OPI_FUNCTION void opi_count(OPI_GLOBAL const opi_key *keys, uint64_t begin, uint64_t end, OPI_ORDER, uint64_t *place)
{
    for (uint32_t d = 0; d < OPI_DIGITS; d++) place[d] = 0;
    for (uint64_t i = begin; i < end; i++) place[opi_digit(keys[i], negative, flip, shift, mask)]++;
}

/* Moves the elements [begin, end) to their places; place[d] is the place of the next element whose digit is d. */
OPI_FUNCTION void opi_deal(OPI_GLOBAL const opi_key *keys, OPI_GLOBAL const opi_value *values, uint64_t begin,
                           uint64_t end, OPI_ORDER, uint64_t *place, OPI_GLOBAL opi_key *to_keys,
                           OPI_GLOBAL opi_value *to_values)
{
    for (uint64_t i = begin; i < end; i++) {
        const opi_key key = keys[i];
        const uint64_t at = place[opi_digit(key, negative, flip, shift, mask)]++;
        to_keys[at] = key;
#if OPI_VALUE_SIZE
        to_values[at] = opi_value_at(values, i);
#endif
    }
}

#if OPI_ONE

/* Sorts n elements by the bits [low, high) of their keys.  The elements go to and fro between two places, and end in
 * the first. */
OPI_WHOLE_KERNEL void opi_sort_one(OPI_PARAM(keys), OPI_PARAM(values), OPI_PARAM(to_keys), OPI_PARAM(to_values),
                             OPI_PARAM(other_keys), OPI_PARAM(other_values), const uint64_t n, const uint64_t negative,
                             const uint64_t flip, const uint32_t low, const uint32_t high)
{
    OPI_GLOBAL const opi_key *from_keys = OPI_AT(const opi_key, keys);
    OPI_GLOBAL const opi_value *from_values = OPI_GIVEN_VALUES;
    for (uint32_t shift = low; shift < high; shift += OPI_DIGIT_BITS) {
        const uint32_t left = (high - shift - 1) / OPI_DIGIT_BITS; /* passes after this one */
        const uint32_t mask = left > 0 ? OPI_DIGITS - 1 : (OPI_DIGITS - 1) >> (shift + OPI_DIGIT_BITS - high);
        OPI_GLOBAL opi_key *const keys_to = left & 1 ? OPI_AT(opi_key, other_keys) : OPI_AT(opi_key, to_keys);
        OPI_GLOBAL opi_value *const values_to =
            left & 1 ? OPI_AT(opi_value, other_values) : OPI_AT(opi_value, to_values);
        uint64_t place[OPI_DIGITS], before = 0;
        opi_count(from_keys, 0, n, negative, flip, shift, mask, place);
        for (uint32_t d = 0; d < OPI_DIGITS; d++) {
            const uint64_t own = place[d];
            place[d] = before;
            before += own;
        }
        opi_deal(from_keys, from_values, 0, n, negative, flip, shift, mask, place, keys_to, values_to);
        from_keys = keys_to;
        from_values = values_to;
    }
}

#else

OPI_WHOLE_KERNEL void opi_histogram(OPI_PARAM(keys), const uint64_t n, const uint64_t part, OPI_PARAM(counts),
                                    OPI_ORDER)
{
    const uint64_t begin = OPI_GROUP * part, end = begin + part < n ? begin + part : n;
    uint64_t place[OPI_DIGITS];
    opi_count(OPI_AT(const opi_key, keys), begin, end, negative, flip, shift, mask, place);
    for (uint32_t d = 0; d < OPI_DIGITS; d++) OPI_AT(uint64_t, counts)[d * OPI_GROUPS + OPI_GROUP] = place[d];
}

OPI_WHOLE_KERNEL void opi_scatter(OPI_PARAM(keys), OPI_PARAM(values), OPI_PARAM(to_keys), OPI_PARAM(to_values),
                            const uint64_t n, const uint64_t part, OPI_PARAM(counts), OPI_PARAM(totals), OPI_ORDER,
                            const uint32_t bits)
{
    const uint64_t begin = OPI_GROUP * part, end = begin + part < n ? begin + part : n;
    uint64_t place[OPI_DIGITS], before = 0;
    for (uint32_t d = 0; d < OPI_DIGITS; d++) {
        place[d] = before + OPI_AT(const uint64_t, counts)[d * OPI_GROUPS + OPI_GROUP];
        before += OPI_AT(const uint64_t, totals)[d];
    }
    opi_deal(OPI_AT(const opi_key, keys), OPI_GIVEN_VALUES, begin, end, negative, flip, shift, mask, place,
             OPI_AT(opi_key, to_keys), OPI_AT(opi_value, to_values));
}

#endif
