/* Sorts segments of at most OPI_SHORT_SEGMENT elements where they lie: runs of 8 elements by comparing each with each, then
 * longer runs by merging them in pairs, in which each element looks for its place in the other run.  This text comes behind
 * offset.cl, key.cl, key_order.cl and with_key.cl.
 *
 * Work is divided by segments and elements together: segment s stands at place s + offsets[s] - offsets[0].  Work-group w has
 * the segments that stand at [w, w + 1) * OPI_ALL_PLACES.  So it has at most as many segments, and at most OPI_SHORT_SEGMENT
 * elements more than that, whatever the segments are.  Its elements lie together, and are nobody else's.
 *
 * OPI_VALUE_SIZE: bytes of what moves with a key, or 0; OPI_PLACES_ONLY: keys stay, and values become places in segments.
 * OPI_MIXED: there are longer segments, too, whose elements stay as they are.  The last one of a work-group may have any
 * number of them, which are then not even read. */

#define OPI_W          (1u << OPI_LOG_W)
#define OPI_ALL_PLACES (1u << OPI_LOG_PLACES)
#define OPI_ROOM       (OPI_ALL_PLACES + OPI_SHORT_SEGMENT)
#define OPI_EACH       ((OPI_ROOM + OPI_W - 1) / OPI_W) /* elements of a work-item */
#define OPI_RUN        8u                               /* elements whose order is found by comparing each with each */

#if OPI_HOST_CORES
#define OPI_UNROLL
#else
#define OPI_UNROLL _Pragma("unroll")
#endif

/* For each element e of a work-item, which is number i of the n of a group, and which is sorted here. */
#define OPI_EACH_HERE(...)                                                                                             \
    OPI_UNROLL for (uint32_t e = 0; e < OPI_EACH; e++)                                                                 \
    {                                                                                                                  \
        const uint32_t i = e * OPI_W + OPI_SELF;                                                                       \
        if (i < n && (!OPI_MIXED || end[i] != 0)) {                                                                    \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

/* The first element of segment s, counted from that of the first segment; without offsets each has `length`. */
OPI_FUNCTION uint64_t opi_begin_of(OPI_GLOBAL const opi_offset *at, uint64_t length, uint64_t s)
{
    return length > 0 ? s * length : (uint64_t)(at[s] - at[0]);
}

/* cuts[w] becomes the first segment of work-group w; behind them stands the number of segments. */
OPI_WHOLE_KERNEL void opi_short_cuts(OPI_PARAM(offsets), const uint64_t length, const uint64_t segments,
                                     const uint64_t windows, OPI_PARAM(cuts))
{
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const uint64_t w = OPI_GROUP * OPI_W + OPI_SELF, place = w << OPI_LOG_PLACES;
    if (w > windows) return;
    uint64_t low = w == windows ? segments : 0, high = place < segments ? place : segments;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle + opi_begin_of(at, length, middle) < place)
            low = middle + 1;
        else
            high = middle;
    }
    OPI_AT(uint64_t, cuts)[w] = low;
}

/* Where the last segment of [from, to) ends; or where it begins, if it is long. */
OPI_FUNCTION uint64_t opi_end_of_short(OPI_GLOBAL const opi_offset *at, uint64_t length, uint64_t from, uint64_t to)
{
    const uint64_t end = opi_begin_of(at, length, to);
#if OPI_MIXED
    if (from < to && end - opi_begin_of(at, length, to - 1) > OPI_SHORT_SEGMENT)
        return opi_begin_of(at, length, to - 1);
#endif
    return end;
}

/* How many work-items note the elements of a segment: about as many as it has elements on average. */
OPI_FUNCTION uint32_t opi_log_noting(uint32_t elements, uint32_t segments)
{
    uint32_t log_each = 0;
    while (log_each < OPI_LOG_W && (segments << (log_each + 1)) <= elements) log_each++;
    return log_each;
}

/* How many elements of [begin, end) come before element i, which is one of them. */
OPI_FUNCTION uint32_t opi_before(OPI_LOCAL const opi_key *key, uint32_t begin, uint32_t end, uint32_t i)
{
    const opi_key own = key[i];
    uint32_t before = 0;
    for (uint32_t j = begin; j < i; j++) before += key[j] <= own;
    for (uint32_t j = i + 1; j < end; j++) before += key[j] < own;
    return before;
}

/* A segment [begin, end) consists of sorted runs of OPI_RUN << round elements: where does the one at `place` come to if the runs
 * are merged in pairs?  Of equal keys those of the first run come first. */
OPI_FUNCTION uint32_t opi_merged_place(OPI_LOCAL const opi_key *key, uint32_t begin, uint32_t end, uint32_t run,
                                       opi_key own, uint32_t place)
{
    const uint32_t at = place - begin, pair = begin + (at & ~(2 * run - 1));
    const bool is_second = (at & run) != 0;
    const uint32_t other = is_second ? pair : pair + run;
    uint32_t low = other, high = other + run < end ? other + run : end;
    if (other >= end) return place;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const opi_key x = key[middle];
        if (x < own || (is_second && x == own))
            low = middle + 1;
        else
            high = middle;
    }
    return pair + (at & (run - 1)) + (low - other);
}

/* Writes element i, which is number e of its work-item, where it belongs. */
#if OPI_PLACES_ONLY
#define OPI_WRITE(place, x) own_values[place] = (opi_moved)(i - begin[i])
#elif OPI_VALUE_SIZE
#define OPI_WRITE(place, x)                                                                                            \
    own_keys[place] = opi_unmapped(x, order);                                                                          \
    own_values[place] = moved[e]
#else
#define OPI_WRITE(place, x) own_keys[place] = opi_unmapped(x, order)
#endif

OPI_RESIDENT_KERNEL void opi_short_sort(OPI_PARAM(keys), OPI_PARAM(offsets), const uint64_t length, OPI_PARAM(cuts),
                                        const uint64_t negative, const uint64_t flip, OPI_PARAM(values))
{
    OPI_LOCAL_MEMORY opi_key key[OPI_ROOM];
    OPI_LOCAL_MEMORY uint16_t begin[OPI_ROOM], end[OPI_ROOM]; /* of the segment of each element; end 0: it is long */
    OPI_LOCAL_MEMORY uint32_t longest_here;                   /* segment that is sorted here */
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const opi_order order = opi_order_of(negative, flip);
    const uint64_t from = OPI_AT(const uint64_t, cuts)[OPI_GROUP], to = OPI_AT(const uint64_t, cuts)[OPI_GROUP + 1];
    const uint64_t first = opi_begin_of(at, length, from);
    const uint32_t n = (uint32_t)(opi_end_of_short(at, length, from, to) - first), segments = (uint32_t)(to - from);
    OPI_GLOBAL opi_key *const own_keys = OPI_AT(opi_key, keys) + first;
    if (n == 0) return;
    if (OPI_SELF == 0) longest_here = 0;
    OPI_BARRIER();

    /* --- all is read before anything is written --- */
#if OPI_VALUE_SIZE
    OPI_GLOBAL opi_moved *const own_values = OPI_AT(opi_moved, values) + first;
    opi_moved moved[OPI_EACH];
#endif
    OPI_UNROLL for (uint32_t e = 0; e < OPI_EACH; e++)
    {
        const uint32_t i = e * OPI_W + OPI_SELF;
        if (i < n) key[i] = opi_mapped(own_keys[i], order);
#if OPI_VALUE_SIZE && !OPI_PLACES_ONLY
        if (i < n) moved[e] = own_values[i];
#endif
    }
    const uint32_t log_each = opi_log_noting(n, segments), lane = OPI_SELF & ((1u << log_each) - 1);
    for (uint32_t s = OPI_SELF >> log_each; s < segments; s += OPI_W >> log_each) {
        const uint32_t b = (uint32_t)(opi_begin_of(at, length, from + s) - first);
#if OPI_MIXED
        const uint64_t till = opi_begin_of(at, length, from + s + 1) - first;
        const uint32_t behind = till < n ? (uint32_t)till : n, noted = till - b > OPI_SHORT_SEGMENT ? 0 : behind;
#else
        const uint32_t behind = (uint32_t)(opi_begin_of(at, length, from + s + 1) - first), noted = behind;
#endif
        for (uint32_t i = b + lane; i < behind; i += 1u << log_each) {
            begin[i] = (uint16_t)b;
            end[i] = (uint16_t)noted;
        }
        if (lane == 0 && noted > b) OPI_RAISE(&longest_here, noted - b);
    }
    OPI_BARRIER();
    const uint32_t longest = longest_here;

    /* --- runs are sorted by counting; if there is nothing else to do, all is written --- */
    if (longest <= OPI_RUN) {
        OPI_EACH_HERE(const uint32_t place = begin[i] + opi_before(key, begin[i], end[i], i); OPI_WRITE(place, key[i]))
        return;
    }
    opi_key own[OPI_EACH];
    uint32_t place[OPI_EACH];
    OPI_EACH_HERE(const uint32_t b = begin[i], in_run = b + ((i - b) & ~(OPI_RUN - 1)), behind = in_run + OPI_RUN;
                  own[e] = key[i]; place[e] = in_run + opi_before(key, in_run, behind < end[i] ? behind : end[i], i))

    /* --- runs are merged in pairs: an element stays with its work-item, and knows its place --- */
    OPI_ROLLED for (uint32_t run = OPI_RUN; run < longest; run *= 2)
    {
        OPI_BARRIER();
        OPI_EACH_HERE(key[place[e]] = own[e])
        OPI_BARRIER();
        OPI_EACH_HERE(place[e] = opi_merged_place(key, begin[i], end[i], run, own[e], place[e]))
    }
    OPI_EACH_HERE(OPI_WRITE(place[e], own[e]))
}
