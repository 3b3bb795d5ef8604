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
 * OPI_INDEX_SIZE: bytes of an index; 0: there are none.  This text comes behind order.cl. */

#if OPI_INDEX_SIZE == 8
typedef uint64_t opi_index;
#else
typedef uint32_t opi_index;
#endif

/* A cut that is consistent with the one `step` elements before it. */
#define OPI_MENDED(cut, before, step)                                                                                  \
    ((cut) < (before) ? (before) : (cut) > (before) + (step) ? (before) + (step) : (cut))

/* The pair of runs to which element i belongs: it begins at `pair`, and has a_n elements in its first run and b_n in its
 * second one, of n in all. */
#define OPI_FIND_PAIR(T, i, n, run)                                                                                    \
    const T pair = (i) / (2 * (run)) * (2 * (run)), own = (i)-pair, left = (n) > pair ? (n)-pair : 0;                  \
    const T a_n = left < (run) ? left : (run), b_left = left - a_n, b_n = b_left < (run) ? b_left : (run);

/* --- cuts --------------------------------------------------------------------------------------------------------- */

OPI_WHOLE_KERNEL void opi_sort_by_cuts(OPI_PARAM(items), const uint64_t n, const uint64_t run, OPI_PARAM(cuts),
                                       OPI_PARAM(wrong), const uint64_t tiles, OPI_ORDER)
{
    const uint64_t tile = OPI_GROUP * OPI_W + OPI_SELF, at = tile * OPI_TILE;
    OPI_READ_ORDER
    if (tile < tiles) {
        OPI_FIND_PAIR(uint64_t, at, n, run)
        OPI_GLOBAL const opi_item *const a = OPI_AT(const opi_item, items) + pair;
        const uint64_t cut = opi_cut(a, a_n, a + a_n, b_n, own, order);
        if (own > 0) {
            const uint64_t before = opi_cut(a, a_n, a + a_n, b_n, own - OPI_TILE, order);
            if (cut < before || cut > before + OPI_TILE) OPI_AT(uint32_t, wrong)[at / (2 * run)] = 1;
        }
        OPI_AT(uint64_t, cuts)[tile] = cut;
    }
}

/* A work-item does a pair of runs, each of `tiles` tiles, of `all` tiles. */
OPI_WHOLE_KERNEL void opi_sort_by_mend(OPI_PARAM(cuts), OPI_PARAM(wrong), const uint64_t tiles, const uint64_t all)
{
    const uint64_t pair = OPI_GROUP * OPI_W + OPI_SELF, begin = pair * 2 * tiles;
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
    OPI_FIND_PAIR(uint64_t, begin, n, run)                                                                             \
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

OPI_WHOLE_KERNEL void opi_sort_by_merge(OPI_PARAM(items), OPI_PARAM(index), const uint64_t n, const uint64_t run,
                                        OPI_PARAM(cuts), OPI_PARAM(out), OPI_PARAM(out_index), OPI_ORDER)
{
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

/* --- a work-group does a tile ------------------------------------------------------------------------------------- */

/* Gaps in local memory: the shares of neighbouring work-items lie in different banks. */
#define OPI_SPREAD(i) ((i) + ((i) >> 5))

/* item: the elements of a tile; place: where each of them was at first. */
#if OPI_INDEX_SIZE
#define OPI_DECLARE_TILE                                                                                               \
    OPI_LOCAL_MEMORY opi_item item[OPI_SPREAD(OPI_TILE) + 1];                                                          \
    OPI_LOCAL_MEMORY uint16_t place[OPI_TILE];                                                                         \
    OPI_LOCAL_MEMORY uint32_t cuts_here[OPI_W + 1];                                                                    \
    OPI_LOCAL_MEMORY uint32_t wrong_here;
#define OPI_PLACES place
#else
#define OPI_DECLARE_TILE                                                                                               \
    OPI_LOCAL_MEMORY opi_item item[OPI_SPREAD(OPI_TILE) + 1];                                                          \
    OPI_LOCAL_MEMORY uint32_t cuts_here[OPI_W + 1];                                                                    \
    OPI_LOCAL_MEMORY uint32_t wrong_here;
#define OPI_PLACES ((OPI_LOCAL uint16_t *)0)
#endif

/* Merges the pair of runs [a, a + a_n) and [b, b + b_n) of a tile, to which the share of this work-item belongs: elements
 * t, t + 1, ... of what they become, which go to the places from self * OPI_E on.  All work-items come here. */
OPI_FUNCTION void opi_merge_here(OPI_LOCAL opi_item *item, OPI_LOCAL uint16_t *place, OPI_LOCAL uint32_t *cuts,
                                 OPI_LOCAL uint32_t *wrong, uint32_t a, uint32_t a_n, uint32_t b, uint32_t b_n,
                                 uint32_t t, opi_order order)
{
    const uint32_t self = OPI_SELF, n = a_n + b_n;
    const bool is_first = t == 0 || t >= n; /* its cut does not depend on the one before */

    /* --- 1. where the share begins in both runs --- */
    uint32_t low = t > b_n ? t - b_n : 0, high = t < a_n ? t : a_n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const opi_item x = item[OPI_SPREAD(a + middle)], y = item[OPI_SPREAD(b + t - 1 - middle)];
        if (OPI_LESS(y, x))
            high = middle;
        else
            low = middle + 1;
    }
    cuts[self] = is_first ? 0 : low;
    OPI_BARRIER();

    /* --- 2. cuts that do not ascend are mended, all by one work-item --- */
    if (!is_first && (low < cuts[self - 1] || low > cuts[self - 1] + OPI_E)) *wrong = 1;
    OPI_BARRIER();
    const bool is_wrong = *wrong != 0;
    OPI_BARRIER();
    if (is_wrong && is_first && t < n) { /* the first one of a pair does those of the pair */
        for (uint32_t k = 1; k * OPI_E < n; k++)
            cuts[self + k] = OPI_MENDED(cuts[self + k], cuts[self + k - 1], OPI_E);
        *wrong = 0;
    }
    OPI_BARRIER();

    /* --- 3. the share is merged --- */
    const uint32_t t_end = t + OPI_E < n ? t + OPI_E : n;
    uint32_t i = cuts[self], j = t - i;
    const uint32_t i_end = t_end < n ? cuts[self + 1] : a_n, j_end = t_end - i_end;
    opi_item merged[OPI_E];
    uint16_t from[OPI_E];
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (t + e < n) { /* an element that is loaded in vain is one of the share */
            const uint32_t at_a = i < i_end ? a + i : b + j, at_b = j < j_end ? b + j : a + i;
            const opi_item x = item[OPI_SPREAD(at_a)], y = item[OPI_SPREAD(at_b)];
            const bool is_b = i == i_end || (j < j_end && OPI_LESS(y, x));
            merged[e] = is_b ? y : x;
#if OPI_INDEX_SIZE
            from[e] = place[is_b ? at_b : at_a];
#endif
            i += !is_b;
            j += is_b;
        }
    }
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (t + e < n) {
            item[OPI_SPREAD(self * OPI_E + e)] = merged[e];
#if OPI_INDEX_SIZE
            place[self * OPI_E + e] = from[e];
#endif
        }
    }
    OPI_BARRIER();
}

/* Each work-item sorts its share, of the `count` elements of a tile: it exchanges neighbours. */
OPI_FUNCTION void opi_sort_share(OPI_LOCAL opi_item *item, OPI_LOCAL uint16_t *place, uint32_t count, opi_order order)
{
    const uint32_t t = OPI_SELF * OPI_E;
    opi_item x[OPI_E];
    uint16_t from[OPI_E];
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (t + e < count) x[e] = item[OPI_SPREAD(t + e)];
        from[e] = (uint16_t)(t + e);
    }
    OPI_UNROLL for (uint32_t round = 0; round < OPI_E; round++)
    {
        OPI_UNROLL for (uint32_t e = round & 1; e + 1 < OPI_E; e += 2)
        {
            if (t + e + 1 < count && OPI_LESS(x[e + 1], x[e])) {
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
        if (t + e < count) {
            item[OPI_SPREAD(t + e)] = x[e];
#if OPI_INDEX_SIZE
            place[t + e] = from[e];
#endif
        }
    }
    OPI_BARRIER();
}

OPI_WHOLE_KERNEL void opi_sort_by_blocks(OPI_PARAM(items), OPI_PARAM(out), OPI_PARAM(out_index), OPI_PARAM(other),
                                         OPI_PARAM(other_index), const uint64_t n, OPI_PARAM(wrong), OPI_ORDER)
{
    OPI_DECLARE_TILE
    const uint64_t begin = OPI_GROUP * OPI_TILE;
    const uint32_t count = (uint32_t)(n - begin < OPI_TILE ? n - begin : OPI_TILE);
    OPI_READ_ORDER
    for (uint32_t k = OPI_SELF; k < count; k += OPI_W) item[OPI_SPREAD(k)] = OPI_AT(const opi_item, items)[begin + k];
    if (OPI_SELF == 0) {
        OPI_AT(uint32_t, wrong)[OPI_GROUP] = 0;
        wrong_here = 0;
    }
    OPI_BARRIER();
    opi_sort_share(item, OPI_PLACES, count, order);
    OPI_ROLLED for (uint32_t run = OPI_E; run < OPI_TILE; run *= 2)
    {
        OPI_FIND_PAIR(uint32_t, OPI_SELF * OPI_E, count, run)
        opi_merge_here(item, OPI_PLACES, cuts_here, &wrong_here, pair, a_n, pair + a_n, b_n, own, order);
    }
    for (uint32_t k = OPI_SELF; k < count; k += OPI_W) {
        OPI_AT(opi_item, out)[begin + k] = item[OPI_SPREAD(k)];
        OPI_PUT_INDEX(OPI_AT(opi_index, out_index), begin + k, (opi_index)(begin + place[k]));
    }
}

OPI_WHOLE_KERNEL void opi_sort_by_merge(OPI_PARAM(items), OPI_PARAM(index), const uint64_t n, const uint64_t run,
                                        OPI_PARAM(cuts), OPI_PARAM(out), OPI_PARAM(out_index), OPI_ORDER)
{
    OPI_DECLARE_TILE
    OPI_READ_TILE
    for (uint32_t k = OPI_SELF; k < count; k += OPI_W) {
        item[OPI_SPREAD(k)] = k < a_count ? from_a[k] : from_b[k - a_count];
#if OPI_INDEX_SIZE
        place[k] = (uint16_t)k;
#endif
    }
    if (OPI_SELF == 0) wrong_here = 0;
    OPI_BARRIER();
    opi_merge_here(item, OPI_PLACES, cuts_here, &wrong_here, 0, a_count, a_count, count - a_count, OPI_SELF * OPI_E, order);
    for (uint32_t k = OPI_SELF; k < count; k += OPI_W) {
        to[k] = item[OPI_SPREAD(k)];
#if OPI_INDEX_SIZE
        const uint32_t f = place[k];
        OPI_AT(opi_index, out_index)
        [begin + k] = OPI_AT(const opi_index, index)[f < a_count ? a0 + f : b0 + (f - a_count)];
#endif
    }
}

#endif
