/* Sorts segments of at most OPI_SHORT_SEGMENT elements where they lie, in local memory.
 *
 * Work is divided by segments and elements together: segment s stands at place s + offsets[s] - offsets[0].  Work-group w has
 * the segments that stand at [w, w + 1) * OPI_ALL_PLACES.  So it has at most as many segments, and at most OPI_SHORT_SEGMENT
 * elements more than that, whatever the segments are.  Its elements lie together, and are nobody else's.
 *
 * A segment is cut into runs of OPI_RUN elements; most segments are one.  Runs are put into three lists by their length, and
 * are dealt out to work-items: each takes a run into registers, and sorts it by a network for so many elements.  Longer
 * segments are then merged from their runs in pairs: a work-item finds where its piece of the result begins in both, and
 * merges that in registers.  This text comes behind offset.cl, key.cl, key_order.cl and with_key.cl.
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

/* What a work-item sorts.  Equal keys alone cannot be told apart, so that no network needs to be stable.  With a value
 * goes the place in the run: where key and place fit a number together, it orders both. */
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

#define OPI_CUT_PARTS 8
/* cuts[2 * w] becomes the first segment of work-group w, and cuts[2 * w + 1] its first element; behind them stand how
 * many segments and elements there are. */
OPI_WHOLE_KERNEL void opi_short_cuts(OPI_PARAM(offsets), const uint64_t length, const uint64_t segments,
                                     const uint64_t windows, OPI_PARAM(cuts))
{
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const uint64_t w = OPI_GROUP * OPI_W + OPI_SELF, place = w << OPI_LOG_PLACES;
    if (w > windows) return;
    uint64_t low = w == windows ? segments : 0, high = place < segments ? place : segments;
    while (low < high) { /* among eight parts at a time: loads are under way together */
        uint64_t middle[OPI_CUT_PARTS - 1], begin[OPI_CUT_PARTS - 1];
        OPI_UNROLL for (uint32_t k = 0; k < OPI_CUT_PARTS - 1; k++)
            middle[k] = low + (high - low) * (k + 1) / OPI_CUT_PARTS;
        OPI_UNROLL for (uint32_t k = 0; k < OPI_CUT_PARTS - 1; k++) begin[k] = opi_begin_of(at, length, middle[k]);
        OPI_UNROLL for (uint32_t k = 0; k < OPI_CUT_PARTS - 1; k++) {
            if (middle[k] + begin[k] < place)
                low = middle[k] + 1;
            else if (middle[k] < high)
                high = middle[k];
        }
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

/* Element i stands at OPI_STAND(i).  Segments of one length would begin in few banks if it is even, or in one; with a
 * gap behind 32 elements they do not.  If it is odd, they are in different banks without gaps: log_gaps is 31. */
#define OPI_STAND(i) ((i) + ((i) >> log_gaps))
#define OPI_STANDS   (OPI_EACH * OPI_W + OPI_EACH * OPI_W / 32)

/* The lists of runs, one behind the other: of those that have more than 16 elements, more than 8, and more than one.
 * An entry is the first element of a run, and above that how many it has. */
#define OPI_LISTS     3u
#define OPI_LIST_AT(k) \
    (((k) > 0 ? OPI_ROOM / 17 + 1 : 0u) + ((k) > 1 ? OPI_ROOM / 9 + 1 : 0u) + ((k) > 2 ? OPI_ROOM / 2 + 1 : 0u))
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
#define OPI_PLACES place
#else
#define OPI_PUT_PLACE(at, item)
#define OPI_PLACES_PARAM
#define OPI_PLACES 0
#endif

/* Sorts the m elements from `from` on; place[] becomes where each was, and `first` more.  Batcher's network; where key
 * and place do not fit a number, a network of neighbours, which is stable. */
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

/* For each place e of a work-item, which is number i of a group; _HERE: if it is one of the n elements.  Without a
 * question all loads are on their way together. */
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

/* A segment that has more than OPI_RUN elements is merged in pieces of OPI_PIECE.  A piece, in a word: where its
 * segment begins, how many elements that has, and which of its pieces it is. */
#define OPI_PIECE        8u
#define OPI_LOG_BEGIN    13
#define OPI_LOG_LENGTH   10
#define OPI_PIECE_OF(begin, m, k) ((begin) | (m) << OPI_LOG_BEGIN | (k) << (OPI_LOG_BEGIN + OPI_LOG_LENGTH))
#define OPI_MOST_PIECES  (OPI_ROOM / OPI_PIECE + OPI_ROOM / (OPI_RUN + 1))
#define OPI_OWN_PIECES   ((OPI_MOST_PIECES + OPI_W - 1) / OPI_W) /* of a work-item, at most */

/* What a work-item merges of two runs. */
typedef struct opi_merging {
    opi_key key[OPI_PIECE];
#if OPI_VALUE_SIZE
    uint16_t place[OPI_PIECE];
#endif
    uint32_t at, n; /* the place of the first one, and how many there are: 0 if there are no two runs */
} opi_merging;

/* Finds a piece of the segment if its runs of `run` elements are merged in pairs.  Of equal keys those of the first run
 * come first. */
OPI_FUNCTION void opi_merge_piece(opi_merging *own, OPI_LOCAL const opi_key *key, OPI_LOCAL const uint16_t *place,
                                  uint32_t log_gaps, uint32_t piece, uint32_t run)
{
    const uint32_t begin = piece & ((1u << OPI_LOG_BEGIN) - 1), m = piece >> OPI_LOG_BEGIN & ((1u << OPI_LOG_LENGTH) - 1);
    const uint32_t at = (piece >> (OPI_LOG_BEGIN + OPI_LOG_LENGTH)) * OPI_PIECE, pair = at & ~(2 * run - 1);
    const uint32_t left = m - pair, before = at - pair;
    own->n = 0;
    if (left <= run) return;
    const uint32_t both = left < 2 * run ? left : 2 * run, first = begin + pair, second = first + run;
    uint32_t low = before > both - run ? before - (both - run) : 0, high = before < run ? before : run;
    while (low < high) { /* how many of the first run come before the piece */
        const uint32_t middle = (low + high) / 2;
        if (key[OPI_STAND(first + middle)] <= key[OPI_STAND(second + before - 1 - middle)])
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t i = first + low, j = second + before - low;
    const uint32_t end = first + both;
    opi_key x = key[OPI_STAND(i < second ? i : first)], y = key[OPI_STAND(j < end ? j : first)];
    own->at = begin + at;
    own->n = both - before < OPI_PIECE ? both - before : OPI_PIECE;
    OPI_UNROLL for (uint32_t e = 0; e < OPI_PIECE; e++)
    {
        const bool is_first = j >= end || (i < second && x <= y);
        const uint32_t from = is_first ? i : j, next = from + 1 < end ? from + 1 : first;
        own->key[e] = is_first ? x : y;
#if OPI_VALUE_SIZE
        own->place[e] = place[OPI_STAND(from < end ? from : first)];
#endif
        const opi_key z = key[OPI_STAND(next)];
        x = is_first ? z : x;
        y = is_first ? y : z;
        i += is_first;
        j += !is_first;
    }
}

/* --- the kernel ----------------------------------------------------------------------------------------------------- */

/* seen: how many offsets are wrong, and how many segments are long, if the host does not know yet: if any is, nothing
 * is done. */
OPI_RESIDENT_KERNEL void opi_short_sort(OPI_PARAM(keys), OPI_PARAM(offsets), const uint64_t length, OPI_PARAM(cuts),
                                        const uint64_t negative, const uint64_t flip, OPI_PARAM(values), OPI_PARAM(seen))
{
    OPI_LOCAL_MEMORY opi_key key[OPI_STANDS];
#if OPI_VALUE_SIZE
    OPI_LOCAL_MEMORY uint16_t place[OPI_STANDS]; /* where the element was that is here now: in the group, or its segment */
#endif
    OPI_LOCAL_MEMORY uint32_t noted[OPI_LIST_AT(3)]; /* the lists of runs; then that of pieces */
    OPI_LOCAL_MEMORY uint32_t listed[OPI_LISTS], longest_here; /* runs in each list; of segments that are sorted here */
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const opi_order order = opi_order_of(negative, flip);
    OPI_GLOBAL const uint64_t *const cut = OPI_AT(const uint64_t, cuts) + 2 * OPI_GROUP;
    const uint64_t from = cut[0], first = cut[1], to = cut[2];
    const uint32_t n = (uint32_t)(opi_end_of_short(at, length, from, to, cut[3]) - first), segments = (uint32_t)(to - from);
    const uint64_t outside = length > 0 ? 0 : at[0]; /* elements before the segments */
    OPI_GLOBAL opi_key *const own_keys = OPI_AT(opi_key, keys) + outside + first;
    if (n == 0 || (OPI_GIVEN(seen) && (OPI_AT(const uint64_t, seen)[0] | OPI_AT(const uint64_t, seen)[1]) != 0)) return;
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
            noted[OPI_LIST_AT(list) + OPI_ADD(&listed[list], 1u)] = r | run << OPI_LOG_FIRST;
            r += run;
            left -= run;
        }
    }
    OPI_BARRIER_ALL(); /* all has been read: beyond the last place work-items read the first one, which is another's */

    /* --- runs: a warp has those of one list --- */
    const uint32_t behind_0 = (listed[0] + 31) & ~31u, behind_1 = behind_0 + ((listed[1] + 31) & ~31u);
    const uint32_t longest = longest_here;
    for (uint32_t t = OPI_SELF; t < behind_1 + listed[2]; t += OPI_W) {
        const uint32_t list = t < behind_0 ? 0 : t < behind_1 ? 1 : 2, k = t - (list == 0 ? 0 : list == 1 ? behind_0 : behind_1);
        if (k >= listed[list]) continue;
        const uint32_t run = noted[OPI_LIST_AT(list) + k], r = run & ((1u << OPI_LOG_FIRST) - 1), m = run >> OPI_LOG_FIRST;
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

    /* --- longer segments: a work-item merges pieces of pairs of runs, and writes them when all have been read --- */
    if (longest > 0) {
        if (OPI_SELF == 0) listed[0] = 0;
        OPI_BARRIER();
        for (uint32_t s = OPI_SELF; s < segments; s += OPI_W) {
            const uint64_t b = opi_begin_of(at, length, from + s) - first, m = opi_begin_of(at, length, from + s + 1) - first - b;
            if (m <= OPI_RUN || m > OPI_SHORT_SEGMENT) continue;
            const uint32_t pieces = ((uint32_t)m + OPI_PIECE - 1) / OPI_PIECE, to_list = OPI_ADD(&listed[0], pieces);
            for (uint32_t k = 0; k < pieces; k++) noted[to_list + k] = OPI_PIECE_OF((uint32_t)b, (uint32_t)m, k);
        }
        OPI_BARRIER();
        const uint32_t pieces = listed[0];
        OPI_ROLLED for (uint32_t run = OPI_RUN; run < longest; run *= 2)
        {
            opi_merging own_piece[OPI_OWN_PIECES];
            OPI_UNROLL for (uint32_t p = 0; p < OPI_OWN_PIECES; p++)
            {
                own_piece[p].n = 0;
                if (p * OPI_W + OPI_SELF < pieces)
                    opi_merge_piece(&own_piece[p], key, OPI_PLACES, log_gaps, noted[p * OPI_W + OPI_SELF], run);
            }
            OPI_BARRIER();
            OPI_UNROLL for (uint32_t p = 0; p < OPI_OWN_PIECES; p++)
                OPI_UNROLL for (uint32_t e = 0; e < OPI_PIECE; e++)
                    if (e < own_piece[p].n) {
                        key[OPI_STAND(own_piece[p].at + e)] = own_piece[p].key[e];
#if OPI_VALUE_SIZE
                        place[OPI_STAND(own_piece[p].at + e)] = own_piece[p].place[e];
#endif
                    }
            OPI_BARRIER();
        }
    }

    /* --- neighbours write neighbours --- */
#if OPI_VALUE_SIZE
    OPI_GLOBAL opi_moved *const own_values = OPI_AT(opi_moved, values) + outside + first;
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
