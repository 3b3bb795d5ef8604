/* Stable merge sort in the order of a function, which may go along with indices: an argsort.
 *
 *   opi_sort_by_blocks   each work-group sorts a tile: shares of work-items by exchanging neighbours, then runs in pairs
 *   opi_sort_by_cuts     a pass that merges runs in pairs: how many elements before each tile of its pair are of the first
 *                        run?
 *   opi_sort_by_mend     a function that is no order may answer anything: cuts that do not ascend are made to
 *   opi_sort_by_merge    each work-group merges a tile
 *
 * What lies between two cuts is merged by itself, so that each element goes to one place, whatever the function answers.
 *
 * OPI_INDEX_SIZE: bytes of an index; 0: there are none.  This text comes behind order.cl, and, for work-groups
 * of several work-items, merge_tile.cl. */

#if OPI_INDEX_SIZE == 8
typedef uint64_t opi_index;
#else
typedef uint32_t opi_index;
#endif

/* A cut that is consistent with the one `step` elements before it. */
#define OPI_MENDED(cut, before, step)                                                                                  \
    ((cut) < (before) ? (before) : (cut) > (before) + (step) ? (before) + (step) : (cut))

/* The pair of runs, each of 2^log_run elements, to which element i belongs: it begins at `pair`, and has a_n elements in its
 * first run and b_n in its second one, of n in all. */
#define OPI_FIND_PAIR(T, i, n, log_run)                                                                                \
    const T run = (T)1 << (log_run), pair = (i) >> ((log_run) + 1) << ((log_run) + 1), own = (i)-pair;                 \
    const T left = (n) > pair ? (n)-pair : 0, a_n = left < run ? left : run, b_left = left - a_n;                      \
    const T b_n = b_left < run ? b_left : run;

/* --- cuts --------------------------------------------------------------------------------------------------------- */

/* A cut is compared with the one before it, which the work-item before has found: a group's first one finds the last cut of the
 * group before once more.  Few work-items of a group do anything: the reads of a search are scattered, and what holds it up
 * is the multiprocessor that makes them. */
#if OPI_LOG_W > 0
#define OPI_SEEKERS (OPI_W < 32 ? OPI_W : 32)
#define OPI_CUTS    (OPI_SEEKERS - 1)
#else
#define OPI_SEEKERS 1
#define OPI_CUTS    1
#endif

OPI_WHOLE_KERNEL void opi_sort_by_cuts(OPI_PARAM(items), const uint64_t n, const uint32_t log_run, OPI_PARAM(cuts),
                                       OPI_PARAM(wrong), const uint64_t tiles, OPI_ORDER)
{
    OPI_LOCAL_MEMORY uint64_t found[OPI_SEEKERS];
    OPI_AFTER_LAUNCHES();
    const uint64_t tile = OPI_GROUP * OPI_CUTS + OPI_SELF - (OPI_SEEKERS - OPI_CUTS), at = tile * OPI_TILE;
    const bool seeks = OPI_SELF < OPI_SEEKERS && tile < tiles; /* group 0 has none before its first */
    OPI_READ_ORDER
    OPI_FIND_PAIR(uint64_t, at, n, log_run)
    OPI_GLOBAL const opi_item *const a = OPI_AT(const opi_item, items) + pair;
    if (seeks) found[OPI_SELF] = opi_cut(a, a_n, a + a_n, b_n, own, order);
    OPI_BARRIER();
    if (seeks && OPI_SELF >= OPI_SEEKERS - OPI_CUTS) {
        const uint64_t cut = found[OPI_SELF];
        if (own > 0) {
#if OPI_LOG_W > 0
            const uint64_t before = found[OPI_SELF - 1];
#else
            const uint64_t before = opi_cut(a, a_n, a + a_n, b_n, own - OPI_TILE, order);
#endif
            if (cut < before || cut > before + OPI_TILE) OPI_AT(uint32_t, wrong)[at >> (log_run + 1)] = 1;
        }
        OPI_AT(uint64_t, cuts)[tile] = cut;
    }
}

/* A work-item does a pair of runs, each of `tiles` tiles, of `all` tiles. */
OPI_WHOLE_KERNEL void opi_sort_by_mend(OPI_PARAM(cuts), OPI_PARAM(wrong), const uint64_t tiles, const uint64_t all)
{
    const uint64_t pair = OPI_GROUP * OPI_W + OPI_SELF, begin = pair * 2 * tiles;
    OPI_AFTER_LAUNCHES();
    OPI_GLOBAL uint64_t *const cut = OPI_AT(uint64_t, cuts);
    if (begin < all && OPI_AT(uint32_t, wrong)[pair]) {
        const uint64_t end = all - begin < 2 * tiles ? all : begin + 2 * tiles;
        for (uint64_t i = begin + 1; i < end; i++) cut[i] = OPI_MENDED(cut[i], cut[i - 1], OPI_TILE);
        OPI_AT(uint32_t, wrong)[pair] = 0;
    }
}

/* The tile of a work-group: [a0, a0 + a_count) and [b0, b0 + b_count) go to the places from `begin` on. */
#define OPI_READ_TILE                                                                                                  \
    const uint64_t begin = OPI_GROUP * OPI_TILE;                                                                       \
    const uint32_t count = (uint32_t)(n - begin < OPI_TILE ? n - begin : OPI_TILE);                                    \
    OPI_FIND_PAIR(uint64_t, begin, n, log_run)                                                                         \
    OPI_GLOBAL const uint64_t *const cut_at = OPI_AT(const uint64_t, cuts) + OPI_GROUP;                                \
    const uint64_t cut = cut_at[0], cut_end = own + count < a_n + b_n ? cut_at[1] : a_n;                               \
    const uint32_t a_count = (uint32_t)(cut_end - cut);                                                                \
    const uint64_t a0 = pair + cut, b0 = pair + a_n + own - cut;                                                       \
    OPI_GLOBAL const opi_item *const from_a = OPI_AT(const opi_item, items) + a0;                                      \
    OPI_GLOBAL const opi_item *const from_b = OPI_AT(const opi_item, items) + b0;                                      \
    OPI_GLOBAL opi_item *const to = OPI_AT(opi_item, out) + begin;                                                     \
    OPI_READ_ORDER

#if OPI_INDEX_SIZE
#define OPI_PUT_INDEX(to, at, index) (to)[at] = (index)
#else
#define OPI_PUT_INDEX(to, at, index)
#endif

#if OPI_LOG_W == 0

/* --- one work-item does a tile ------------------------------------------------------------------------------------ */

#define OPI_LOG_RUN (OPI_LOG_TILE < 3 ? OPI_LOG_TILE : 3)

/* Two runs that are neighbours become one. */
OPI_FUNCTION void opi_merge_two(OPI_GLOBAL const opi_item *from, OPI_GLOBAL const opi_index *index, uint64_t a,
                                uint64_t a_end, uint64_t b, uint64_t b_end, OPI_GLOBAL opi_item *to,
                                OPI_GLOBAL opi_index *to_index, uint64_t at, opi_order order)
{
    while (a < a_end || b < b_end) {
        bool is_b = a == a_end;
        if (!is_b && b < b_end) {
            const opi_item x = from[a], y = from[b];
            is_b = OPI_LESS(y, x);
        }
        const uint64_t i = is_b ? b : a;
        to[at] = from[i];
        OPI_PUT_INDEX(to_index, at, index[i]);
        a += !is_b;
        b += is_b;
        at++;
    }
}

/* Sorts [begin, end) by insertion; `in` may be `to`. */
OPI_FUNCTION void opi_insert(OPI_GLOBAL const opi_item *in, uint64_t begin, uint64_t end, OPI_GLOBAL opi_item *to,
                             OPI_GLOBAL opi_index *index, opi_order order)
{
    for (uint64_t i = begin; i < end; i++) {
        const opi_item x = in[i];
        uint64_t j = i;
        for (; j > begin; j--) {
            const opi_item y = to[j - 1];
            if (!OPI_LESS(x, y)) break;
            to[j] = y;
            OPI_PUT_INDEX(index, j, index[j - 1]);
        }
        to[j] = x;
        OPI_PUT_INDEX(index, j, (opi_index)i);
    }
}

OPI_WHOLE_KERNEL void opi_sort_by_blocks(OPI_PARAM(items), OPI_PARAM(out), OPI_PARAM(out_index), OPI_PARAM(other),
                                         OPI_PARAM(other_index), const uint64_t n, OPI_PARAM(wrong), OPI_ORDER)
{
    const uint64_t begin = OPI_GROUP * OPI_TILE, end = n - begin < OPI_TILE ? n : begin + OPI_TILE;
    OPI_AFTER_LAUNCHES();
    const bool swapped = (OPI_LOG_TILE - OPI_LOG_RUN) & 1;
    OPI_GLOBAL opi_item *from = swapped ? OPI_AT(opi_item, other) : OPI_AT(opi_item, out);
    OPI_GLOBAL opi_item *to = swapped ? OPI_AT(opi_item, out) : OPI_AT(opi_item, other);
    OPI_GLOBAL opi_index *index = swapped ? OPI_AT(opi_index, other_index) : OPI_AT(opi_index, out_index);
    OPI_GLOBAL opi_index *to_index = swapped ? OPI_AT(opi_index, out_index) : OPI_AT(opi_index, other_index);
    OPI_READ_ORDER
    OPI_AT(uint32_t, wrong)[OPI_GROUP] = 0;
    for (uint64_t at = begin; at < end; at += 1u << OPI_LOG_RUN) {
        const uint64_t run_end = end - at < 1u << OPI_LOG_RUN ? end : at + (1u << OPI_LOG_RUN);
        opi_insert(OPI_AT(const opi_item, items), at, run_end, from, index, order);
    }
    for (uint32_t log = OPI_LOG_RUN; log < OPI_LOG_TILE; log++) {
        const uint64_t run = (uint64_t)1 << log;
        for (uint64_t at = begin; at < end; at += 2 * run) {
            const uint64_t a_end = end - at < run ? end : at + run, b_end = end - a_end < run ? end : a_end + run;
            opi_merge_two(from, index, at, a_end, a_end, b_end, to, to_index, at, order);
        }
        OPI_GLOBAL opi_item *const next = from;
        OPI_GLOBAL opi_index *const next_index = index;
        from = to;
        index = to_index;
        to = next;
        to_index = next_index;
    }
}

OPI_WHOLE_KERNEL void opi_sort_by_merge(OPI_PARAM(items), OPI_PARAM(index), const uint64_t n, const uint32_t log_run,
                                        OPI_PARAM(cuts), OPI_PARAM(out), OPI_PARAM(out_index), OPI_ORDER)
{
    OPI_AFTER_LAUNCHES();
    OPI_READ_TILE
    uint32_t i = 0, j = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool is_b = i == a_count;
        if (!is_b && i + j < count && j < count - a_count) {
            const opi_item x = from_a[i], y = from_b[j];
            is_b = OPI_LESS(y, x);
        }
        to[k] = is_b ? from_b[j] : from_a[i];
        OPI_PUT_INDEX(OPI_AT(opi_index, out_index), begin + k, OPI_AT(const opi_index, index)[is_b ? b0 + j : a0 + i]);
        i += !is_b;
        j += is_b;
    }
}

#else

/* --- a work-group does a tile (merge_tile.cl) ---------------------------------------------------------------------- */

/* item: the elements of a tile; place: where each of them was at first. */
typedef struct opi_here {
    OPI_LOCAL opi_item *item;
    OPI_LOCAL uint16_t *place; /* if there are indices */
    OPI_LOCAL uint32_t *cuts, *wrong;
} opi_here;

#if OPI_INDEX_SIZE
#define OPI_DECLARE_PLACES                                                                                             \
    OPI_LOCAL_MEMORY uint16_t place[OPI_TILE];                                                                         \
    here.place = place;
#define OPI_PLACE(...) __VA_ARGS__;
#else
#define OPI_DECLARE_PLACES here.place = 0;
#define OPI_PLACE(...)
#endif
#define OPI_DECLARE_TILE                                                                                               \
    OPI_LOCAL_MEMORY opi_item item[OPI_ROOM];                                                                          \
    OPI_LOCAL_MEMORY uint32_t cuts_here[OPI_W + 1];                                                                    \
    OPI_LOCAL_MEMORY uint32_t wrong_here;                                                                              \
    opi_here here;                                                                                                     \
    OPI_DECLARE_PLACES                                                                                                 \
    here.item = item;                                                                                                  \
    here.cuts = cuts_here;                                                                                             \
    here.wrong = &wrong_here;

/* Where the share of this work-item, which begins with element t of the n that a pair of runs becomes, begins in the first run,
 * and where it ends there.  All work-items come here; round: not 0, another one each time. */
OPI_FUNCTION opi_two_runs opi_share_of(opi_here here, opi_two_runs r, uint32_t t, uint32_t round, bool is_full,
                                       opi_order order)
{
    const uint32_t self = OPI_SELF, a_n = r.a_end - r.a, b_n = r.b_end - r.b, n = a_n + b_n;
    const bool is_first = t == 0 || (!is_full && t >= n); /* its cut does not depend on the one before */
    const uint32_t cut = is_first ? 0 : opi_cut_here(here.item, r, t, order);
    here.cuts[self] = cut;
    OPI_BARRIER();

    /* --- cuts that do not ascend are mended, all of a pair by its first work-item --- */
    if (!is_first && (cut < here.cuts[self - 1] || cut > here.cuts[self - 1] + OPI_E)) *here.wrong = round;
    OPI_BARRIER();
    if (*here.wrong == round) {
        if (is_first && t < n)
            for (uint32_t k = 1; k * OPI_E < n; k++)
                here.cuts[self + k] = OPI_MENDED(here.cuts[self + k], here.cuts[self + k - 1], OPI_E);
        OPI_BARRIER();
    }

    const uint32_t t_end = is_full || t + OPI_E < n ? t + OPI_E : n, begin = here.cuts[self];
    const uint32_t end = t_end < n ? here.cuts[self + 1] : a_n;
    r.a_end = r.a + end;
    r.b_end = r.b + t_end - end;
    r.a += begin;
    r.b += t - begin;
    return r;
}

/* Merges the pair of runs of a tile to which the share of this work-item belongs; what they become goes to the places from
 * SELF * OPI_E on.  All work-items come here. */
OPI_FUNCTION void opi_merge_here(opi_here here, opi_two_runs r, uint32_t t, uint32_t round, bool is_full,
                                 opi_order order)
{
    const uint32_t n = r.a_end - r.a + (r.b_end - r.b), some = is_full ? OPI_E : t < n ? n - t : 0;
    const opi_two_runs share = opi_share_of(here, r, t, round, is_full, order);
    opi_item merged[OPI_E];
    uint16_t from[OPI_E];
    if (some > 0) {
        opi_merge_share(here.item, share, is_full, some, order, merged, from);
        OPI_PLACE(OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) if (is_full || e < some) from[e] =
                      here.place[from[e]])
    }
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (is_full || e < some) {
            here.item[OPI_SHARE_AT(e)] = merged[e];
            OPI_PLACE(here.place[OPI_SELF * OPI_E + e] = from[e])
        }
    }
    OPI_BARRIER();
}

/* Each work-item sorts its share, of the `count` elements of a tile: it exchanges neighbours. */
OPI_FUNCTION void opi_sort_share(opi_here here, bool is_full, uint32_t count, opi_order order)
{
    const uint32_t t = OPI_SELF * OPI_E;
    opi_item x[OPI_E];
    uint16_t from[OPI_E];
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (is_full || t + e < count) x[e] = here.item[OPI_SHARE_AT(e)];
        from[e] = (uint16_t)(t + e);
    }
    OPI_UNROLL for (uint32_t round = 0; round < OPI_E; round++)
    {
        OPI_UNROLL for (uint32_t e = round & 1; e + 1 < OPI_E; e += 2)
        {
            if ((is_full || t + e + 1 < count) && OPI_COMES_FIRST(x[e + 1], x[e])) {
                const opi_item other = x[e];
                const uint16_t other_from = from[e];
                x[e] = x[e + 1];
                x[e + 1] = other;
                from[e] = from[e + 1];
                from[e + 1] = other_from;
            }
        }
    }
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (is_full || t + e < count) {
            here.item[OPI_SHARE_AT(e)] = x[e];
            OPI_PLACE(here.place[t + e] = from[e])
        }
    }
    OPI_BARRIER();
}

OPI_FUNCTION void opi_sort_tile(opi_here here, OPI_GLOBAL const opi_item *in, bool is_full, uint32_t count,
                                OPI_GLOBAL opi_item *to, opi_order order)
{
    opi_item own[OPI_E];
    OPI_EACH_OF_TILE(own[e] = in[k])
    OPI_EACH_OF_TILE(here.item[OPI_LANE_AT(e)] = own[e])
    if (OPI_SELF == 0) {
        here.item[OPI_SPREAD(count)] = own[0]; /* is read in vain */
        *here.wrong = 0;
    }
    OPI_BARRIER();
    opi_sort_share(here, is_full, count, order);
    OPI_ROLLED for (uint32_t log_run = OPI_LOG_E; log_run < OPI_LOG_TILE; log_run++)
    {
        OPI_FIND_PAIR(uint32_t, OPI_SELF * OPI_E, count, log_run)
        opi_two_runs r;
        r.a = pair;
        r.a_end = r.b = pair + a_n;
        r.b_end = r.b + b_n;
        opi_merge_here(here, r, own, log_run + 1, is_full, order);
    }
    OPI_EACH_OF_TILE(to[k] = here.item[OPI_LANE_AT(e)])
}

OPI_RESIDENT_KERNEL void opi_sort_by_blocks(OPI_PARAM(items), OPI_PARAM(out), OPI_PARAM(out_index), OPI_PARAM(other),
                                            OPI_PARAM(other_index), const uint64_t n, OPI_PARAM(wrong), OPI_ORDER)
{
    OPI_DECLARE_TILE
    const uint64_t begin = OPI_GROUP * OPI_TILE;
    const uint32_t count = (uint32_t)(n - begin < OPI_TILE ? n - begin : OPI_TILE);
    OPI_AFTER_LAUNCHES();
    OPI_READ_ORDER
    OPI_GLOBAL const opi_item *const in = OPI_AT(const opi_item, items) + begin;
    OPI_GLOBAL opi_item *const to = OPI_AT(opi_item, out) + begin;
    if (OPI_SELF == 0) OPI_AT(uint32_t, wrong)[OPI_GROUP] = 0;
    if (count == OPI_TILE)
        opi_sort_tile(here, in, true, OPI_TILE, to, order);
    else
        opi_sort_tile(here, in, false, count, to, order);
    OPI_PLACE(for (uint32_t k = OPI_SELF; k < count; k += OPI_W) OPI_AT(opi_index, out_index)[begin + k] =
                  (opi_index)(begin + place[k]))
}

OPI_FUNCTION void opi_sort_by_merge_tile(opi_here here, OPI_GLOBAL const opi_item *a, uint32_t a_count,
                                         OPI_GLOBAL const opi_item *b, bool is_full, uint32_t count,
                                         OPI_GLOBAL opi_item *to, opi_order order)
{
    opi_item own[OPI_E];
    opi_two_runs r;
    r.a = 0;
    r.a_end = r.b = a_count;
    r.b_end = count;
    OPI_EACH_OF_TILE(own[e] = (k < a_count ? a : b)[k])
    OPI_EACH_OF_TILE(here.item[OPI_LANE_AT(e)] = own[e]; OPI_PLACE(here.place[k] = (uint16_t)k))
    if (OPI_SELF == 0) {
        here.item[OPI_SPREAD(count)] = own[0]; /* is read in vain */
        *here.wrong = 0;
    }
    OPI_BARRIER();
    opi_merge_here(here, r, OPI_SELF * OPI_E, 1, is_full, order);
    OPI_EACH_OF_TILE(to[k] = here.item[OPI_LANE_AT(e)])
}

OPI_RESIDENT_KERNEL void opi_sort_by_merge(OPI_PARAM(items), OPI_PARAM(index), const uint64_t n, const uint32_t log_run,
                                           OPI_PARAM(cuts), OPI_PARAM(out), OPI_PARAM(out_index), OPI_ORDER)
{
    OPI_DECLARE_TILE
    OPI_AFTER_LAUNCHES();
    OPI_READ_TILE
    if (count == OPI_TILE)
        opi_sort_by_merge_tile(here, from_a, a_count, from_b - a_count, true, OPI_TILE, to, order);
    else
        opi_sort_by_merge_tile(here, from_a, a_count, from_b - a_count, false, count, to, order);
#if OPI_INDEX_SIZE
    for (uint32_t k = OPI_SELF; k < count; k += OPI_W) {
        const uint32_t f = place[k];
        OPI_AT(opi_index, out_index)
        [begin + k] = OPI_AT(const opi_index, index)[f < a_count ? a0 + f : b0 + (f - a_count)];
    }
#endif
}

#endif
