/* Stable radix sort with work-groups of many work-items, whose parts consist of tiles.  This text comes behind sums.cl
 * and sort.cl. */

#define OPI_TILE   (1u << OPI_LOG_TILE)

/* Arrays that are indexed in loops of constant bounds must stay in registers on a GPU.  A processor does not have so
 * many registers, and its compiler would take long. */
#if OPI_HOST_CORES
#define OPI_UNROLL
#else
#define OPI_UNROLL _Pragma("unroll")
#endif

#define OPI_STAGE_ITEM    (OPI_VALUE_SIZE > OPI_KEY_SIZE ? OPI_VALUE_SIZE : OPI_KEY_SIZE)
#define OPI_STAGE_VECTORS ((OPI_WITH_GAPS(OPI_TILE) * OPI_STAGE_ITEM + 15) / 16)

/* --- one tile ----------------------------------------------------------------------------------------------------- */

/* The elements of a work-item: first OPI_E consecutive ones of the tile, later every OPI_W-th. */
typedef struct opi_own {
    opi_key key[OPI_E];
#if OPI_VALUE_SIZE
    opi_value value[OPI_E];
#endif
} opi_own;

#define OPI_CONSECUTIVE(j) ((OPI_SELF << OPI_LOG_E) + (j))
#define OPI_SPREAD(j)      (((j) << OPI_LOG_W) + OPI_SELF)

/* Writes x[j] to place to(j) of the tile, then reads x[j] from place from(j); `count` places are used. */
#define OPI_EXCHANGE(T, x, to, from)                                                                                   \
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)                                                                    \
        if (OPI_CONSECUTIVE(j) < count) ((OPI_LOCAL T *)stage)[OPI_PADDED(to(j))] = (x)[j];                            \
    OPI_BARRIER();                                                                                                     \
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)                                                                    \
        if (from(j) < count) (x)[j] = ((OPI_LOCAL T *)stage)[OPI_PADDED(from(j))];

/* Reads element i = OPI_SPREAD(j) as AT(i), so that neighbours read neighbouring elements, and then gives it to the
 * work-item whose run it belongs to. */
#define OPI_BRING(T, x, AT)                                                                                            \
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)                                                                    \
        if (OPI_SPREAD(j) < count) ((OPI_LOCAL T *)stage)[OPI_PADDED(OPI_SPREAD(j))] = AT(OPI_SPREAD(j));              \
    OPI_BARRIER();                                                                                                     \
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)                                                                    \
        if (OPI_CONSECUTIVE(j) < count)                                                                                \
            (x)[j] = ((OPI_LOCAL T *)stage)[OPI_PADDED(OPI_CONSECUTIVE(j))];                                           \
    OPI_BARRIER();

#define OPI_KEY_AT(i)   keys[first + (i)]
#define OPI_VALUE_AT(i) opi_value_at(values, first + (i))

/* Loads `count` elements, from `first` on. */
OPI_FUNCTION void opi_bring(OPI_GLOBAL const opi_key *keys, OPI_GLOBAL const opi_value *values, uint64_t first,
                            uint32_t count, OPI_LOCAL opi_vector *stage, opi_own *own)
{
    OPI_BRING(opi_key, own->key, OPI_KEY_AT)
#if OPI_VALUE_SIZE
    OPI_BRING(opi_value, own->value, OPI_VALUE_AT)
#endif
}

/* rank[j] becomes the place of element j in the order of the half digits at `shift`: mask is at most 15.  Each work-item
 * counts in a column of its own; a word counts half digit h in its lower half, and h + 8 in its upper half.  The scan goes
 * over half digits, then over work-items. */
OPI_FUNCTION void opi_rank(const opi_own *own, uint32_t count, OPI_ORDER, OPI_LOCAL uint32_t *counter,
                           OPI_LOCAL uint32_t *sum, uint32_t *rank)
{
    uint32_t word[OPI_E], upper[OPI_E];
    OPI_UNROLL for (uint32_t w = 0; w < OPI_SORT_WORDS; w++) counter[OPI_PADDED(w * OPI_W + OPI_SELF)] = 0;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
        const uint32_t digit = opi_digit(own->key[j], negative, flip, shift, mask);
        word[j] = OPI_PADDED((digit & 7) * OPI_W + OPI_SELF);
        upper[j] = digit >> 3 << 4;
        rank[j] = 0;
        if (OPI_CONSECUTIVE(j) < count) {
            const uint32_t seen = counter[word[j]];
            rank[j] = seen >> upper[j] & 0xffff;
            counter[word[j]] = seen + (1u << upper[j]);
        }
    }
    OPI_BARRIER();
    uint32_t run = 0, all;
    OPI_UNROLL for (uint32_t w = 0; w < OPI_SORT_WORDS; w++) {
        const uint32_t i = OPI_PADDED(OPI_SELF * OPI_SORT_WORDS + w), seen = counter[i];
        counter[i] = run;
        run += seen;
    }
    uint32_t before = opi_sums(sum, run, &all) - run;
    before += all << 16; /* all lower halves come before any upper half */
    OPI_UNROLL for (uint32_t w = 0; w < OPI_SORT_WORDS; w++) counter[OPI_PADDED(OPI_SELF * OPI_SORT_WORDS + w)] += before;
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) rank[j] += counter[word[j]] >> upper[j] & 0xffff;
    OPI_BARRIER();
}

#define OPI_RANKED(j) rank[j]

/* Sorts the tile by the half digit at `shift`.  Afterwards each work-item has consecutive elements again. */
OPI_FUNCTION void opi_sort_round(opi_own *own, uint32_t count, OPI_ORDER, OPI_LOCAL uint32_t *counter,
                            OPI_LOCAL uint32_t *sum, OPI_LOCAL opi_vector *stage)
{
    uint32_t rank[OPI_E];
    opi_rank(own, count, negative, flip, shift, mask, counter, sum, rank);
    OPI_EXCHANGE(opi_key, own->key, OPI_RANKED, OPI_CONSECUTIVE)
    OPI_BARRIER();
#if OPI_VALUE_SIZE
    OPI_EXCHANGE(opi_value, own->value, OPI_RANKED, OPI_CONSECUTIVE)
    OPI_BARRIER();
#endif
}

#define OPI_SORT_LOCALS                                                                                                \
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE_VECTORS];                                                              \
    OPI_LOCAL_MEMORY uint32_t counter[OPI_WITH_GAPS(OPI_SORT_WORDS * OPI_W)];                                               \
    OPI_LOCAL_MEMORY uint32_t sum[OPI_SUMS];

#if OPI_ONE

/* Sorts n elements, at most a tile, by the bits [low, high) of their keys.  The compiler must not know these numbers:
 * it would repeat all of this for each digit.  The results may be written over the elements. */
OPI_WHOLE_KERNEL void opi_sort_one(OPI_PARAM(keys), OPI_PARAM(values), OPI_PARAM(to_keys), OPI_PARAM(to_values),
                             OPI_PARAM(other_keys), OPI_PARAM(other_values), const uint64_t n, const uint64_t negative,
                             const uint64_t flip, const uint32_t low, const uint32_t high)
{
    OPI_SORT_LOCALS
    const uint32_t count = (uint32_t)n;
    opi_own own;
    opi_bring(OPI_AT(const opi_key, keys), OPI_GIVEN_VALUES, 0, count, stage, &own);
    OPI_ROLLED for (uint32_t shift = low; shift < high; shift += 4)
        opi_sort_round(&own, count, negative, flip, shift, high - shift < 4 ? (1u << (high - shift)) - 1 : 15u, counter,
                       sum, stage);
    OPI_BARRIER_ALL(); /* all elements have been read */
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
        if (OPI_CONSECUTIVE(j) >= count) continue;
        OPI_AT(opi_key, to_keys)[OPI_CONSECUTIVE(j)] = own.key[j];
#if OPI_VALUE_SIZE
        OPI_AT(opi_value, to_values)[OPI_CONSECUTIVE(j)] = own.value[j];
#endif
    }
}

#else

/* --- the histogram of a part -------------------------------------------------------------------------------------- */

/* The counters exist several times, so that fewer work-items wait for the same counter. */
#define OPI_COPIES (OPI_W > 32 ? OPI_W / 32 : 1)

OPI_WHOLE_KERNEL void opi_histogram(OPI_PARAM(keys), const uint64_t n, const uint64_t part, OPI_PARAM(counts),
                                    OPI_ORDER)
{
    OPI_LOCAL_MEMORY uint32_t count[OPI_COPIES * OPI_DIGITS];
    OPI_GLOBAL const opi_key *const from = OPI_AT(const opi_key, keys);
    const uint64_t begin = OPI_GROUP * part, end = begin + part < n ? begin + part : n;
    const uint32_t copy = OPI_SELF / 32 * OPI_DIGITS;
    for (uint32_t d = OPI_SELF; d < OPI_COPIES * OPI_DIGITS; d += OPI_W) count[d] = 0;
    OPI_BARRIER();
    uint64_t i = begin + OPI_SELF;
    for (; i + (OPI_E - 1) * OPI_W < end; i += OPI_E * OPI_W) {
        opi_key key[OPI_E];
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) key[j] = from[i + j * OPI_W];
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
            OPI_INCREMENT(&count[copy + opi_digit(key[j], negative, flip, shift, mask)]);
    }
    for (; i < end; i += OPI_W) OPI_INCREMENT(&count[copy + opi_digit(from[i], negative, flip, shift, mask)]);
    OPI_BARRIER();
    for (uint32_t d = OPI_SELF; d < OPI_DIGITS; d += OPI_W) {
        uint64_t sum = 0;
        OPI_UNROLL for (uint32_t c = 0; c < OPI_COPIES; c++) sum += count[c * OPI_DIGITS + d];
        OPI_AT(uint64_t, counts)[d * OPI_GROUPS + OPI_GROUP] = sum;
    }
}

/* --- a part, tile after tile -------------------------------------------------------------------------------------- */

#define OPI_ENDS 256u /* set beside a digit: this element is the last of the tile with that digit */

/* Sorts each tile by the digit, which has `bits` bits, so that neighbours then write to neighbouring places.  place[d]
 * is the place of the next element whose digit is d; run[d] is where these elements begin in the sorted tile. */
OPI_WHOLE_KERNEL void opi_scatter(OPI_PARAM(keys), OPI_PARAM(values), OPI_PARAM(to_keys), OPI_PARAM(to_values),
                            const uint64_t n, const uint64_t part, OPI_PARAM(counts), OPI_PARAM(totals), OPI_ORDER,
                            const uint32_t bits)
{
    OPI_SORT_LOCALS
    OPI_LOCAL_MEMORY uint64_t place[OPI_DIGITS];
    OPI_LOCAL_MEMORY uint32_t run[OPI_DIGITS];
    const uint64_t begin = OPI_GROUP * part, end = begin + part < n ? begin + part : n;

    uint64_t before = 0, all;
    for (uint32_t first = 0; first < OPI_DIGITS; first += OPI_W) {
        const uint32_t d = first + OPI_SELF;
        const uint64_t own = d < OPI_DIGITS ? OPI_AT(const uint64_t, totals)[d] : 0;
        const uint64_t up_to = opi_wide_sums((OPI_LOCAL uint64_t *)stage, own, &all);
        if (d < OPI_DIGITS)
            place[d] = before + up_to - own + OPI_AT(const uint64_t, counts)[d * OPI_GROUPS + OPI_GROUP];
        before += all;
    }

    for (uint64_t first = begin; first < end; first += OPI_TILE) {
        const uint32_t count = end - first < OPI_TILE ? (uint32_t)(end - first) : OPI_TILE;
        uint32_t mark[OPI_E];
        opi_own own;
        opi_bring(OPI_AT(const opi_key, keys), OPI_GIVEN_VALUES, first, count, stage, &own);
        OPI_ROLLED for (uint32_t done = 0; done < bits; done += 4)
            opi_sort_round(&own, count, negative, flip, shift + done, mask >> done & 15, counter, sum, stage);
        OPI_EXCHANGE(opi_key, own.key, OPI_CONSECUTIVE, OPI_SPREAD)
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            const uint32_t i = OPI_SPREAD(j);
            OPI_LOCAL const opi_key *const sorted = (OPI_LOCAL const opi_key *)stage;
            mark[j] = 0;
            if (i >= count) continue;
            const uint32_t digit = opi_digit(own.key[j], negative, flip, shift, mask);
            if (i == 0 || opi_digit(sorted[OPI_PADDED(i - 1)], negative, flip, shift, mask) != digit) run[digit] = i;
            mark[j] = digit;
            if (i + 1 == count || opi_digit(sorted[OPI_PADDED(i + 1)], negative, flip, shift, mask) != digit)
                mark[j] |= OPI_ENDS;
        }
        OPI_BARRIER();
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            const uint32_t i = OPI_SPREAD(j), digit = mark[j] & (OPI_DIGITS - 1);
            if (i < count) OPI_AT(opi_key, to_keys)[place[digit] + (i - run[digit])] = own.key[j];
        }
#if OPI_VALUE_SIZE
        OPI_EXCHANGE(opi_value, own.value, OPI_CONSECUTIVE, OPI_SPREAD)
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            const uint32_t i = OPI_SPREAD(j), digit = mark[j] & (OPI_DIGITS - 1);
            if (i < count) OPI_AT(opi_value, to_values)[place[digit] + (i - run[digit])] = own.value[j];
        }
#endif
        OPI_BARRIER();
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            const uint32_t i = OPI_SPREAD(j), digit = mark[j] & (OPI_DIGITS - 1);
            if (i < count && mark[j] & OPI_ENDS) place[digit] += i + 1 - run[digit];
        }
    }
}

#endif
