/* Stable radix sort, from the lowest digit to the highest, a digit being eight bits.
 *
 * For each digit there are three launches.  opi_histogram: each work-group counts the digits of its contiguous part.
 * opi_rows: a work-group for each value of the digit scans the counts.  opi_scatter: each work-group moves its part.
 * The order in which work-groups run does not matter.  opi_sort_one sorts in one launch what one work-group can hold.
 * These kernels are in sort_chunk.cl and sort_group.cl; here is what both shapes share.
 *
 * This text comes behind sums.cl, value.cl and key.cl.  Defined before all: OPI_KEY_SIZE; OPI_INDEXED, whether the value is the
 * index of the key, and then OPI_FAR_UNIT, the bytes of the units of the values that stay; OPI_ONE, whether everything is
 * one launch. */

#define OPI_E (1u << OPI_LOG_E)

#define OPI_GIVEN_VALUES (OPI_GIVEN(values) ? OPI_AT(const opi_value, values) : 0)

/* --- what travels with a key -------------------------------------------------------------------------------------- */

#if OPI_VALUE_SIZE
/* Returns value i.  If values are indices, the first pass makes them. */
OPI_FUNCTION opi_value opi_value_at(OPI_GLOBAL const opi_value *values, uint64_t i)
{
#if OPI_INDEXED
    opi_value index;
    index.unit[0] = (opi_unit)i;
    if (!values) return index;
#endif
    return values[i];
}
#else
typedef uint8_t opi_value; /* there are no values */
#endif

/* --- the order ---------------------------------------------------------------------------------------------------- */

/* Which keys come first: as unsigned integers, once the bits in `flip`, and those in `negative` if the highest is set,
 * are inverted; the digit at bit `shift` of that, and of the digit the bits of `mask`. */
#define OPI_ORDER const uint64_t negative, const uint64_t flip, const uint32_t shift, const uint32_t mask

OPI_FUNCTION uint32_t opi_digit(opi_key key, OPI_ORDER)
{
    const opi_key inverted = key >> (8 * OPI_KEY_SIZE - 1) ? (opi_key)negative : (opi_key)0;
    return (uint32_t)((opi_key)(key ^ inverted ^ (opi_key)flip) >> shift) & mask;
}

/* --- values that stayed ------------------------------------------------------------------------------------------- */

#if OPI_INDEXED
#if OPI_FAR_UNIT == 1
typedef uint8_t opi_far;
#elif OPI_FAR_UNIT == 2
typedef uint16_t opi_far;
#elif OPI_FAR_UNIT == 4
typedef uint32_t opi_far;
#else
typedef uint64_t opi_far;
#endif

/* Each value has `units` of them; a work-group writes `part` of n units. */
OPI_WHOLE_KERNEL void opi_gather(OPI_PARAM(from), OPI_PARAM(index), OPI_PARAM(to), const uint64_t units,
                                 const uint64_t n, const uint64_t part)
{
    const uint64_t begin = OPI_GROUP * part, end = begin + part < n ? begin + part : n;
    for (uint64_t i = begin + OPI_SELF; i < end; i += OPI_W) {
        const uint64_t value = i / units;
        OPI_AT(opi_far, to)[i] = OPI_AT(const opi_far, from)[OPI_AT(const opi_unit, index)[value] * units + i % units];
    }
}
#endif
