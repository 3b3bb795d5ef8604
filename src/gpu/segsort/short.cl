/* Sorts segments of at most OPI_SHORT_SEGMENT elements where they lie, in local memory.
 *
 * Work is divided by segments and elements together: segment s stands at place s + offsets[s] - offsets[0].  Work-group w has
 * the segments that stand at [w, w + 1) * OPI_ALL_PLACES.  So it has at most as many segments, and at most OPI_SHORT_SEGMENT
 * elements more than that, whatever the segments are.  Its elements lie together, and are nobody else's.
 *
 * A segment is cut into runs of OPI_RUN elements; most segments are one.  Runs are put into three lists by their length, and
 * are dealt out to work-items: each takes a run into registers, and sorts it by a network for so many elements.  Longer
 * segments are then merged from their runs in pairs: each element looks for its place in the other run.  This text comes
 * behind offset.cl, key.cl, key_order.cl and with_key.cl.
 *
 * OPI_VALUE_SIZE: bytes of what moves with a key, or 0; OPI_PLACES_ONLY: keys stay, and values become places in segments.
 * OPI_MIXED: there are longer segments, too, whose elements stay as they are.  The last one of a work-group may have any
 * number of them, which are then not even read. */

#define OPI_W          (1u << OPI_LOG_W)
#define OPI_ALL_PLACES (1u << OPI_LOG_PLACES)
#define OPI_ROOM       (OPI_ALL_PLACES + OPI_SHORT_SEGMENT)
#define OPI_EACH       ((OPI_ROOM + OPI_W - 1) / OPI_W) /* elements of a work-item */

#if OPI_HOST_CORES
#define OPI_UNROLL
#else
#define OPI_UNROLL _Pragma("unroll")
#endif

/* What a work-item sorts.  Equal keys alone cannot be told apart, so that no network needs to be stable.  With a value goes
 * the place in the run: where key and place fit a number together, it orders both. */
#define OPI_APART (OPI_KEY_SIZE == 8 && OPI_VALUE_SIZE) /* they do not */
#if OPI_APART
#define OPI_RUN 8u
typedef struct opi_item {
    opi_key key;
    uint32_t place;
} opi_item;
#elif OPI_KEY_SIZE == 8 || (OPI_KEY_SIZE == 4 && OPI_VALUE_SIZE)
#define OPI_RUN 16u
typedef uint64_t opi_item;
#else
#define OPI_RUN 32u
typedef uint32_t opi_item;
#endif

/* The first element of segment s, counted from that of the first segment; without offsets each has `length`. */
OPI_FUNCTION uint64_t opi_begin_of(OPI_GLOBAL const opi_offset *at, uint64_t length, uint64_t s)
{
    return length > 0 ? s * length : (uint64_t)(at[s] - at[0]);
}

/* cuts[2 * w] becomes the first segment of work-group w, and cuts[2 * w + 1] its first element; behind them stand how many
 * segments and elements there are. */
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
    OPI_AT(uint64_t, cuts)[2 * w] = low;
    OPI_AT(uint64_t, cuts)[2 * w + 1] = opi_begin_of(at, length, low);
}

/* Where the last segment of [from, to) ends, which is `end`; or where it begins, if it is long. */
OPI_FUNCTION uint64_t opi_end_of_short(OPI_GLOBAL const opi_offset *at, uint64_t length, uint64_t from, uint64_t to,
                                       uint64_t end)
{
#if OPI_MIXED
    if (from < to && end - opi_begin_of(at, length, to - 1) > OPI_SHORT_SEGMENT)
        return opi_begin_of(at, length, to - 1);
#endif
    return end;
}

/* --- local memory --------------------------------------------------------------------------------------------------- */

/* Element i stands at OPI_STAND(i).  Segments of one length would begin in few banks if it is even, or in one; with a gap
 * behind 32 elements they do not.  If it is odd, they are in different banks without gaps: log_gaps is 31. */
#define OPI_STAND(i) ((i) + ((i) >> log_gaps))
#define OPI_STANDS   (OPI_EACH * OPI_W + OPI_EACH * OPI_W / 32)

/* The lists of runs, one behind the other: of those that have more than 16 elements, more than 8, and more than one.  An
 * entry is the first element of a run, and above that how many it has. */
#define OPI_LISTS     3u
#define OPI_LIST_AT(k) ((k) == 0 ? 0u : (k) == 1 ? OPI_ROOM / 17 + 1 : OPI_ROOM / 17 + OPI_ROOM / 9 + 2)
#define OPI_LOG_FIRST 16

/* --- runs ----------------------------------------------------------------------------------------------------------- */

#if OPI_APART
OPI_FUNCTION void opi_compare(opi_item *a, opi_item *b)
{
    const opi_item x = *a, y = *b;
    const bool swap = y.key < x.key;
    *a = swap ? y : x;
    *b = swap ? x : y;
}
#else
OPI_FUNCTION void opi_compare(opi_item *a, opi_item *b)
{
    const opi_item x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}
#endif

/* x[j] becomes element j of a run, or what comes behind all elements if the run has only m. */
#if OPI_APART
#define OPI_TAKE(at, j)                                                                                                \
    x[j].key = j < m ? key[at] : OPI_LAST_KEY;                                                                         \
    x[j].place = j;
#define OPI_KEY_OF(item)   (item).key
#define OPI_PLACE_OF(item) (item).place
#elif OPI_VALUE_SIZE
#define OPI_TAKE(at, j)    x[j] = j < m ? (opi_item)key[at] << OPI_KEY_BITS | j : ~(opi_item)0;
#define OPI_KEY_OF(item)   (opi_key)((item) >> OPI_KEY_BITS)
#define OPI_PLACE_OF(item) (uint32_t)((item) & OPI_LAST_KEY)
#else
#define OPI_TAKE(at, j)    x[j] = j < m ? (opi_item)key[at] : ~(opi_item)0;
#define OPI_KEY_OF(item)   (opi_key)(item)
#endif
#if OPI_VALUE_SIZE
#define OPI_PUT_PLACE(at, item) place[at] = (uint16_t)(first + OPI_PLACE_OF(item));
#define OPI_PLACES_PARAM , OPI_LOCAL uint16_t *place, uint32_t first
#else
#define OPI_PUT_PLACE(at, item)
#define OPI_PLACES_PARAM
#endif

/* Sorts the m elements from `from` on; place[] becomes where each was, and `first` more.  Batcher's network; where key and
 * place do not fit a number, a network of neighbours, which is stable. */
#define OPI_SORT_RUN(name, N, LOG_N)                                                                                   \
    OPI_FUNCTION void name(OPI_LOCAL opi_key *key, uint32_t from, uint32_t m, uint32_t log_gaps OPI_PLACES_PARAM)      \
    {                                                                                                                  \
        opi_item x[N];                                                                                                 \
        OPI_UNROLL for (uint32_t j = 0; j < N; j++)                                                                    \
        {                                                                                                              \
            OPI_TAKE(OPI_STAND(from + j), j)                                                                           \
        }                                                                                                              \
        OPI_NETWORK(N, LOG_N)                                                                                          \
        OPI_UNROLL for (uint32_t j = 0; j < N; j++)                                                                    \
        {                                                                                                              \
            if (j < m) {                                                                                               \
                key[OPI_STAND(from + j)] = OPI_KEY_OF(x[j]);                                                           \
                OPI_PUT_PLACE(OPI_STAND(from + j), x[j])                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
#if OPI_APART
#define OPI_NETWORK(N, LOG_N)                                                                                          \
    OPI_UNROLL for (uint32_t round = 0; round < N; round++)                                                            \
        OPI_UNROLL for (uint32_t j = 0; j + 1 < N; j++)                                                                \
            if ((j & 1) == (round & 1)) opi_compare(&x[j], &x[j + 1]);
#else
#define OPI_NETWORK(N, LOG_N)                                                                                          \
    OPI_UNROLL for (int level = 0; level < LOG_N; level++)                                                             \
        OPI_UNROLL for (int step = LOG_N - 1; step >= 0; step--)                                                       \
            OPI_UNROLL for (int i = 0; i < N - 1; i++)                                                                 \
            {                                                                                                          \
                const int p = 1 << level, k = 1 << step, j = i - k % p;                                                \
                if (step <= level && j >= 0 && j / k % 2 == 0 && i + k < N && i / (2 * p) == (i + k) / (2 * p))        \
                    opi_compare(&x[i], &x[i + k]);                                                                     \
            }
#endif
OPI_SORT_RUN(opi_sort_eight, 8, 3)
#if OPI_RUN > 8
OPI_SORT_RUN(opi_sort_sixteen, 16, 4)
#endif
#if OPI_RUN > 16
OPI_SORT_RUN(opi_sort_thirty_two, 32, 5)
#endif

/* --- longer segments ------------------------------------------------------------------------------------------------ */

/* A segment of the group, in a word: where it begins, and above that where it ends. */
#define OPI_BOUNDS(begin, end) ((begin) | (end) << OPI_LOG_FIRST)
#define OPI_BEGIN(bounds)      ((bounds) & ((1u << OPI_LOG_FIRST) - 1))
#define OPI_END(bounds)        ((bounds) >> OPI_LOG_FIRST)

/* For each place e of a work-item, which is number i of a group; _HERE: if it is one of the n elements.  Without a question
 * all loads are on their way together. */
#define OPI_EACH_PLACE(...)                                                                                            \
    OPI_UNROLL for (uint32_t e = 0; e < OPI_EACH; e++)                                                                 \
    {                                                                                                                  \
        const uint32_t i = e * OPI_W + OPI_SELF;                                                                       \
        __VA_ARGS__;                                                                                                   \
    }
#define OPI_EACH_HERE(...)                                                                                             \
    OPI_UNROLL for (uint32_t e = 0; e < OPI_EACH; e++)                                                                 \
    {                                                                                                                  \
        const uint32_t i = e * OPI_W + OPI_SELF;                                                                       \
        if (i < n) {                                                                                                   \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

/* How many work-items note the elements of a segment: about as many as it has elements on average. */
OPI_FUNCTION uint32_t opi_log_noting(uint32_t elements, uint32_t segments)
{
    uint32_t log_each = 0;
    while (log_each < OPI_LOG_W && (segments << (log_each + 1)) <= elements) log_each++;
    return log_each;
}

/* A segment [begin, end) consists of sorted runs of OPI_RUN << round elements: where does the one at `place` come to if the runs
 * are merged in pairs?  Of equal keys those of the first run come first.  A segment that is one run stays as it is. */
OPI_FUNCTION uint32_t opi_merged_place(OPI_LOCAL const opi_key *key, uint32_t log_gaps, uint32_t bounds, uint32_t run,
                                       opi_key own, uint32_t place)
{
    const uint32_t begin = OPI_BEGIN(bounds), end = OPI_END(bounds);
    const uint32_t at = place - begin, pair = begin + (at & ~(2 * run - 1));
    const bool is_second = (at & run) != 0;
    const uint32_t other = is_second ? pair : pair + run;
    uint32_t low = other, high = other + run < end ? other + run : end;
    if (other >= end) return place;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const opi_key x = key[OPI_STAND(middle)];
        if (x < own || (is_second && x == own))
            low = middle + 1;
        else
            high = middle;
    }
    return pair + (at & (run - 1)) + (low - other);
}

/* --- the kernel ----------------------------------------------------------------------------------------------------- */

OPI_RESIDENT_KERNEL void opi_short_sort(OPI_PARAM(keys), OPI_PARAM(offsets), const uint64_t length, OPI_PARAM(cuts),
                                        const uint64_t negative, const uint64_t flip, OPI_PARAM(values))
{
    OPI_LOCAL_MEMORY opi_key key[OPI_STANDS];
#if OPI_VALUE_SIZE
    OPI_LOCAL_MEMORY uint16_t place[OPI_STANDS]; /* where the element was that is here now: in the group, or its segment */
#endif
    OPI_LOCAL_MEMORY uint32_t noted[OPI_EACH * OPI_W]; /* the lists of runs; then the bounds of each element's segment */
    OPI_LOCAL_MEMORY uint32_t listed[OPI_LISTS], longest_here; /* runs in each list; of segments that are sorted here */
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const opi_order order = opi_order_of(negative, flip);
    OPI_GLOBAL const uint64_t *const cut = OPI_AT(const uint64_t, cuts) + 2 * OPI_GROUP;
    const uint64_t from = cut[0], first = cut[1], to = cut[2];
    const uint32_t n = (uint32_t)(opi_end_of_short(at, length, from, to, cut[3]) - first), segments = (uint32_t)(to - from);
    OPI_GLOBAL opi_key *const own_keys = OPI_AT(opi_key, keys) + first;
    if (n == 0) return;
    const uint32_t log_gaps = opi_begin_of(at, length, from + 1) - first & 1 ? 31 : 5;
    if (OPI_SELF == 0) {
        listed[0] = listed[1] = listed[2] = 0;
        longest_here = 0;
    }
    OPI_BARRIER();

    /* --- all is read before anything is written --- */
    opi_key own[OPI_EACH];
    OPI_EACH_PLACE(own[e] = own_keys[i < n ? i : 0])
    OPI_EACH_PLACE(key[OPI_STAND(i)] = opi_mapped(own[e], order))
#if OPI_VALUE_SIZE
    OPI_EACH_PLACE(place[OPI_STAND(i)] = (uint16_t)(OPI_PLACES_ONLY ? 0 : i))
#endif
    for (uint32_t s = OPI_SELF; s < segments; s += OPI_W) {
        const uint64_t b = opi_begin_of(at, length, from + s) - first, m = opi_begin_of(at, length, from + s + 1) - first - b;
#if OPI_MIXED
        if (m > OPI_SHORT_SEGMENT) continue;
#endif
        if (m > OPI_RUN) OPI_RAISE(&longest_here, (uint32_t)m);
        const uint32_t alone = OPI_PLACES_ONLY && m > OPI_RUN ? 0 : 1; /* an element that is a run has a place to write */
        for (uint32_t r = (uint32_t)b, left = (uint32_t)m; left > alone;) {
            const uint32_t run = left < OPI_RUN ? left : OPI_RUN, list = run > 16 ? 0 : run > 8 ? 1 : 2;
            noted[OPI_LIST_AT(list) + OPI_ADD(&listed[list], 1u)] = OPI_BOUNDS(r, run);
            r += run;
            left -= run;
        }
    }
    OPI_BARRIER();

    /* --- runs: a warp has those of one list --- */
    const uint32_t behind_0 = (listed[0] + 31) & ~31u, behind_1 = behind_0 + ((listed[1] + 31) & ~31u);
    const uint32_t longest = longest_here;
    for (uint32_t t = OPI_SELF; t < behind_1 + listed[2]; t += OPI_W) {
        const uint32_t list = t < behind_0 ? 0 : t < behind_1 ? 1 : 2, k = t - (list == 0 ? 0 : list == 1 ? behind_0 : behind_1);
        if (k >= listed[list]) continue;
        const uint32_t run = noted[OPI_LIST_AT(list) + k], r = OPI_BEGIN(run), m = OPI_END(run);
#if OPI_PLACES_ONLY
#define OPI_PLACES_ARGUMENT , place, r % (uint32_t)length
#elif OPI_VALUE_SIZE
#define OPI_PLACES_ARGUMENT , place, r
#else
#define OPI_PLACES_ARGUMENT
#endif
#if OPI_RUN > 16
        if (list == 0) opi_sort_thirty_two(key, r, m, log_gaps OPI_PLACES_ARGUMENT);
#endif
#if OPI_RUN > 8
        if (list == 1) opi_sort_sixteen(key, r, m, log_gaps OPI_PLACES_ARGUMENT);
#endif
        if (list == 2) opi_sort_eight(key, r, m, log_gaps OPI_PLACES_ARGUMENT);
    }
    OPI_BARRIER();

    /* --- longer segments: an element stays with its work-item, and knows its place --- */
    if (longest > 0) {
        const uint32_t log_each = opi_log_noting(n, segments), lane = OPI_SELF & ((1u << log_each) - 1);
        for (uint32_t s = OPI_SELF >> log_each; s < segments; s += OPI_W >> log_each) {
            const uint32_t b = (uint32_t)(opi_begin_of(at, length, from + s) - first);
            const uint64_t till = opi_begin_of(at, length, from + s + 1) - first;
            const uint32_t behind = till < n ? (uint32_t)till : n;
            const bool is_sorted = till - b <= OPI_RUN || till - b > OPI_SHORT_SEGMENT;
            for (uint32_t i = b + lane; i < behind; i += 1u << log_each)
                noted[i] = is_sorted ? OPI_BOUNDS(i, i) : OPI_BOUNDS(b, behind);
        }
        uint32_t to_place[OPI_EACH];
#if OPI_VALUE_SIZE
        uint16_t from_place[OPI_EACH];
        OPI_EACH_PLACE(from_place[e] = place[OPI_STAND(i)])
#endif
        OPI_EACH_PLACE(own[e] = key[OPI_STAND(i)]; to_place[e] = i)
        OPI_BARRIER();
        OPI_ROLLED for (uint32_t run = OPI_RUN; run < longest; run *= 2)
        {
            OPI_EACH_HERE(to_place[e] = opi_merged_place(key, log_gaps, noted[i], run, own[e], to_place[e]))
            OPI_BARRIER();
            OPI_EACH_HERE(key[OPI_STAND(to_place[e])] = own[e])
            OPI_BARRIER();
        }
#if OPI_VALUE_SIZE
        OPI_EACH_HERE(place[OPI_STAND(to_place[e])] = from_place[e])
        OPI_BARRIER();
#endif
    }

    /* --- neighbours write neighbours --- */
#if OPI_VALUE_SIZE
    OPI_GLOBAL opi_moved *const own_values = OPI_AT(opi_moved, values) + first;
#endif
#if OPI_PLACES_ONLY
    OPI_EACH_HERE(own_values[i] = (opi_moved)place[OPI_STAND(i)])
#else
#if OPI_VALUE_SIZE
    opi_moved moved[OPI_EACH];
    OPI_EACH_PLACE(moved[e] = own_values[i < n ? place[OPI_STAND(i)] : 0])
    OPI_BARRIER_ALL();
    OPI_EACH_HERE(own_values[i] = moved[e])
#endif
    OPI_EACH_PLACE(own[e] = key[OPI_STAND(i)])
    OPI_EACH_HERE(own_keys[i] = opi_unmapped(own[e], order))
#endif
}
