/* What a partition deals the records of one format by; included by cores/isa/sort_format.h, whose macros it uses.  See
 * opi_sort_digit. */

#define SIGN ((KEY)1 << (8 * sizeof(KEY) - 1))

/* How far a float is from the least one, in fixed point, as the order of keys has it.  `largest`: the magnitude of the
 * largest float that counts (its bits without the sign), to which larger ones are clamped.  Integers alone compute it,
 * because two threads that round in different directions must find the same. */
static inline KEY FORMAT(value)(KEY key, KEY largest)
{
    enum { BITS = 8 * sizeof(KEY), FRACTION = BITS == 32 ? 23 : 52 };
    const SIGNED_KEY centred = (SIGNED_KEY)(key ^ SIGN), negative = centred >> (BITS - 1);
    const KEY given = (KEY)(centred ^ negative), magnitude = given < largest ? given : largest;
    const KEY below = (largest >> FRACTION) - (magnitude >> FRACTION), drop = below < BITS ? below : BITS - 1;
    const KEY one = (KEY)1 << FRACTION;
    const KEY point = ((magnitude & (one - 1)) | one) << (BITS - 2 - FRACTION) >> drop;
    return point ^ (KEY)negative ^ SIGN;
}

static inline uint8_t FORMAT(bucket)(KEY value, KEY base, unsigned shift)
{
    /* compared as AVX2 can compare 64 bits */
    const KEY above = ((SIGNED_KEY)(value ^ SIGN) > (SIGNED_KEY)(base ^ SIGN) ? value - base : 0) >> shift;
    return (uint8_t)(above >> OPI_SORT_DIGIT_BITS ? OPI_SORT_DIGITS - 1 : above);
}

/* Writes the digits of at most CHUNK records, in loops that compilers vectorize. */
static void FORMAT(digits)(const RECORD *OPLUS_RESTRICT_ in, size_t n, const opi_sort_digit *digit, unsigned drop,
                           uint8_t *OPLUS_RESTRICT_ out)
{
    const KEY base = (KEY)digit->base, largest = (KEY)digit->largest;
    const unsigned shift = digit->shift;
    switch (digit->of) {
    case OPI_SORT_BITS:
        for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(KEY_OF(in[i]) >> (shift + drop));
        break;
    case OPI_SORT_DISTANCE:
        for (size_t i = 0; i < n; i++) out[i] = FORMAT(bucket)(KEY_OF(in[i]), base, shift);
        break;
    case OPI_SORT_FLOAT_DISTANCE:
        for (size_t i = 0; i < n; i++) out[i] = FORMAT(bucket)(FORMAT(value)(KEY_OF(in[i]), largest), base, shift);
    }
}

/* --- the choice, from a sample ------------------------------------------------------------------------------------ */

static int FORMAT(compare)(const void *a, const void *b)
{
    const KEY x = KEY_OF(*(const RECORD *)a), y = KEY_OF(*(const RECORD *)b);
    return (x > y) - (x < y);
}

/* Some records of a range, from strata of the same size, in order. */
static void FORMAT(sample)(const opi_sort *sort, const opi_sort_range *range, RECORD record[SAMPLE])
{
    const size_t step = (range->end - range->begin) / SAMPLE;
    uint64_t random = range->end - range->begin;
    for (size_t i = 0; i < SAMPLE; i++) {
        RECORD chunk[CHUNK];
        size_t one = 1;
        random = random * 6364136223846793005u + 1442695040888963407u;
        record[i] =
            *FORMAT(fetch)(sort, range->place, range->begin + i * step + (size_t)(random >> 32) % step, &one, chunk);
    }
    qsort(record, SAMPLE, sizeof *record, FORMAT(compare));
}

/* The buckets between two values; shift: as many bits of the distance as are left. */
static void FORMAT(set_range)(opi_sort_digit *digit, KEY first, KEY last)
{
    const unsigned bits = last > first ? highest_bit(last - first) + 1 : 0;
    digit->base = first;
    digit->same = bits == 0;
    digit->shift = bits > OPI_SORT_DIGIT_BITS ? bits - OPI_SORT_DIGIT_BITS : 0;
}

/* How many of the sample's records are in the fullest bucket. */
static size_t FORMAT(crowd)(const RECORD sample[SAMPLE], const opi_sort_digit *digit)
{
    uint8_t d[SAMPLE];
    size_t most = 0;
    FORMAT(digits)(sample, SAMPLE, digit, 0, d);
    for (size_t i = 0; i < SAMPLE; i++)
        while (i + most < SAMPLE && d[i + most] == d[i]) most++;
    return most;
}

/* The digit by which a range is dealt into the most even buckets: the distance of the keys or, of floats, that of their
 * values. */
static opi_sort_digit FORMAT(choose_digit)(const opi_sort *sort, const opi_sort_range *range)
{
    RECORD sample[SAMPLE];
    FORMAT(sample)(sort, range, sample);
    const KEY first = KEY_OF(sample[OUTSIDE]), last = KEY_OF(sample[SAMPLE - 1 - OUTSIDE]);
    opi_sort_digit by_key = {.of = OPI_SORT_DISTANCE};
    FORMAT(set_range)(&by_key, first, last);
    if (!sort->float_mask) return by_key;

    const KEY below = first & SIGN ? first ^ SIGN : (KEY)~first ^ SIGN,
              above = last & SIGN ? last ^ SIGN : (KEY)~last ^ SIGN;
    opi_sort_digit by_value = {.of = OPI_SORT_FLOAT_DISTANCE, .largest = below > above ? below : above};
    FORMAT(set_range)
    (&by_value, FORMAT(value)(first, (KEY)by_value.largest), FORMAT(value)(last, (KEY)by_value.largest));
    return FORMAT(crowd)(sample, &by_value) < FORMAT(crowd)(sample, &by_key) ? by_value : by_key;
}

#undef SIGN
