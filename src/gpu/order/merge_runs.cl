/* Stable merge of OPI_RUNS sorted runs of keys, each of which lies in memory of another accelerator, into an array
 * whose tiles are dealt out (gpu/deal.h), or which has a part of the result.  Of equal keys those of earlier runs come
 * first.  Values may go with them (OPI_VALUE_SIZE).
 *
 * opi_runs_sample tells all accelerators each key of a run that ends a block of OPI_SAMPLE keys, mapped; or
 * opi_runs_look looks up those of all runs.
 * opi_runs_cut finds for each end of a tile of the result how many elements of each run come before it: first among
 * the samples, which this accelerator has itself, then among few keys in others' memory.  In opi_runs_merge each
 * work-group does a tile: it loads its part of each run, and merges the parts in local memory, two and two
 * (merge_tile.cl).  Of each value it is remembered from which place of the tile it comes; then the values are
 * loaded in the same manner as the keys.
 *
 * This text comes behind order.cl, value.cl, dealt.cl and merge_tile.cl. */

#define OPI_SAMPLE (1u << OPI_LOG_SAMPLE)

#if OPI_RUNS == 2
#define OPI_LIST_RUNS(X) X(0), X(1)
#elif OPI_RUNS == 3
#define OPI_LIST_RUNS(X) X(0), X(1), X(2)
#elif OPI_RUNS == 4
#define OPI_LIST_RUNS(X) X(0), X(1), X(2), X(3)
#elif OPI_RUNS == 5
#define OPI_LIST_RUNS(X) X(0), X(1), X(2), X(3), X(4)
#elif OPI_RUNS == 6
#define OPI_LIST_RUNS(X) X(0), X(1), X(2), X(3), X(4), X(5)
#elif OPI_RUNS == 7
#define OPI_LIST_RUNS(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6)
#else
#define OPI_LIST_RUNS(X) X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7)
#endif
#define OPI_RUN_PARAM(r) OPI_PARAM(run##r)
#define OPI_RUN_AT(r)    OPI_AT(const opi_item, run##r)
#define OPI_COPY_AT(r)   OPI_AT(opi_item, run##r)
#if OPI_VALUE_SIZE
#define OPI_VALUE_PARAM(r) OPI_PARAM(values##r)
#define OPI_VALUE_AT(r)    OPI_AT(const opi_value, values##r)
#define OPI_VALUE(...)     __VA_ARGS__ /* for what only values need */
#else
#define OPI_VALUE(...)
#endif
#define OPI_EACH_RUN     OPI_UNROLL for (uint32_t r = 0; r < OPI_RUNS; r++)

/* --- samples ------------------------------------------------------------------------------------------------------ */

OPI_WHOLE_KERNEL void opi_runs_sample(OPI_PARAM(keys), const uint64_t samples, OPI_ORDER,
                                      OPI_LIST_RUNS(OPI_RUN_PARAM))
{
    OPI_GLOBAL opi_item *const to[OPI_RUNS] = {OPI_LIST_RUNS(OPI_COPY_AT)};
    const uint64_t i = OPI_GROUP * OPI_W + OPI_SELF;
    OPI_READ_ORDER
    if (i >= samples) return;
    const opi_item key = OPI_MAPPED(OPI_AT(const opi_item, keys)[(i + 1) * OPI_SAMPLE - 1]);
    OPI_EACH_RUN to[r][i] = key;
}

/* --- cuts --------------------------------------------------------------------------------------------------------- */

/* The runs: how many keys each has, and which of all samples is its first. */
typedef struct opi_runs {
    uint64_t n[8], first[8];
    uint32_t log_most, none; /* log2 of the most keys of a run, rounded down */
} opi_runs;

/* The samples of all runs, `count` together. */
OPI_WHOLE_KERNEL void opi_runs_look(OPI_LIST_RUNS(OPI_RUN_PARAM), OPI_PARAM(samples), const opi_runs runs,
                                    const uint64_t count, OPI_ORDER)
{
    OPI_GLOBAL const opi_item *const run[OPI_RUNS] = {OPI_LIST_RUNS(OPI_RUN_AT)};
    OPI_GLOBAL const opi_item *of = run[0];
    const uint64_t i = OPI_GROUP * OPI_W + OPI_SELF;
    uint64_t first = 0;
    OPI_READ_ORDER
    if (i >= count) return;
    OPI_EACH_RUN
    {
        if (i >= runs.first[r]) {
            of = run[r];
            first = runs.first[r];
        }
    }
    OPI_AT(opi_item, samples)[i] = OPI_MAPPED(of[(i - first + 1) * OPI_SAMPLE - 1]);
}

/* Where key i of a run is, i + 1 being a multiple of 2^log; among samples it is mapped. */
OPI_FUNCTION OPI_GLOBAL const opi_item *opi_place_in_run(OPI_GLOBAL const opi_item *keys,
                                                         OPI_GLOBAL const opi_item *samples, uint64_t i, uint32_t log)
{
    return log >= OPI_LOG_SAMPLE ? samples + (((i + 1) >> OPI_LOG_SAMPLE) - 1) : keys + i;
}

/* A block of a run, which stands for its last key; is_beyond: the run has no such key, which comes behind all
 * others. */
typedef struct opi_block {
    opi_item key;
    bool is_beyond;
    uint32_t run;
} opi_block;

OPI_FUNCTION opi_block opi_make_block(opi_item key, bool is_beyond, uint32_t run)
{
    opi_block b;
    b.key = key;
    b.is_beyond = is_beyond;
    b.run = run;
    return b;
}

/* Whether a comes before b, a block of another run. */
OPI_FUNCTION bool opi_block_first(opi_block a, opi_block b)
{
    if (a.is_beyond != b.is_beyond) return b.is_beyond;
    return a.key < b.key || (a.key == b.key && a.run < b.run);
}

/* Sets before[r] to how many of the first `rank` elements of the merge are of run r.
 *
 * For ever smaller blocks it chooses as many whole ones as `rank` has room for, the first ones in the order of
 * their last keys.  Those of the larger blocks are right but for few, of each run the last or the next one: as long
 * as one is chosen that comes behind one that is not, they change places. */
OPI_FUNCTION void opi_cut_runs(OPI_GLOBAL const opi_item *const *run, OPI_GLOBAL const opi_item *const *sample,
                               opi_runs runs, uint64_t rank, opi_order order, uint64_t *before)
{
    opi_item last[OPI_RUNS], next[OPI_RUNS]; /* of the last block that is chosen, and of the next one, of each run */
    uint64_t sum = 0;
    OPI_EACH_RUN before[r] = 0, last[r] = 0;
    OPI_ROLLED for (uint32_t log = runs.log_most + 1; log-- > 0;)
    {
        const uint64_t block = (uint64_t)1 << log;
        OPI_EACH_RUN
        {
            const uint64_t end = before[r] + block;
            next[r] = end <= runs.n[r] ? *opi_place_in_run(run[r], sample[r], end - 1, log) : (opi_item)0;
        }
        if (log < OPI_LOG_SAMPLE) {
            OPI_EACH_RUN next[r] = before[r] + block <= runs.n[r] ? OPI_MAPPED(next[r]) : (opi_item)0;
        }
        /* Fewer steps are enough, if the runs are sorted. */
        OPI_ROLLED for (uint32_t step = 0; step < 4 * OPI_RUNS; step++)
        {
            const bool grows = sum + block <= rank;
            opi_block first = opi_make_block(next[0], before[0] + block > runs.n[0], 0);
            opi_block worst = opi_make_block(0, false, OPI_RUNS);
            OPI_EACH_RUN
            {
                const opi_block b = opi_make_block(next[r], before[r] + block > runs.n[r], r);
                if (r > 0 && opi_block_first(b, first)) first = b;
            }
            OPI_EACH_RUN
            {
                const opi_block b = opi_make_block(last[r], before[r] > runs.n[r], r);
                if (before[r] > 0 && (worst.run == OPI_RUNS || opi_block_first(worst, b))) worst = b;
            }
            if (!grows && (worst.run == OPI_RUNS || worst.run == first.run || opi_block_first(worst, first))) break;
            if (grows) worst.run = OPI_RUNS, sum += block;
            /* The two blocks that become the next one and the last one; both loads are under way at the same time. */
            OPI_GLOBAL const opi_item *at_next = sample[0], *at_last = sample[0];
            bool has_next = false, has_last = false;
            OPI_EACH_RUN
            {
                const uint64_t behind = before[r] + 2 * block, ahead = before[r] - block;
                if (r == first.run && behind <= runs.n[r]) {
                    at_next = opi_place_in_run(run[r], sample[r], behind - 1, log);
                    has_next = true;
                }
                if (r == worst.run && ahead > 0 && ahead <= runs.n[r]) {
                    at_last = opi_place_in_run(run[r], sample[r], ahead - 1, log);
                    has_last = true;
                }
            }
            opi_item new_next = 0, new_last = 0;
            if (has_next) new_next = *at_next;
            if (has_last) new_last = *at_last;
            if (has_next && log < OPI_LOG_SAMPLE) new_next = OPI_MAPPED(new_next);
            if (has_last && log < OPI_LOG_SAMPLE) new_last = OPI_MAPPED(new_last);
            OPI_EACH_RUN
            {
                if (r == first.run) {
                    before[r] += block;
                    last[r] = next[r];
                    next[r] = new_next;
                } else if (r == worst.run) {
                    before[r] -= block;
                    next[r] = last[r];
                    last[r] = new_last;
                }
            }
        }
    }
    OPI_EACH_RUN before[r] = before[r] < runs.n[r] ? before[r] : runs.n[r];
}

#if OPI_DEALT

/* Neighbouring tiles share a cut: 2^log_run tiles have one more.  The cut of the beginning of this accelerator's
 * tile k: */
OPI_FUNCTION uint64_t opi_cut_of_tile(const opi_dealt *dealt, uint64_t k)
{
    const uint64_t mask = ((uint64_t)1 << dealt->log_run) - 1, skipped = dealt->first & mask, at = skipped + k;
    return (at >> dealt->log_run) * (mask + 2) + (at & mask) - skipped;
}

/* Which of all tiles begins at a cut. */
OPI_FUNCTION uint64_t opi_tile_of_cut(const opi_dealt *dealt, uint64_t cut)
{
    const uint64_t mask = ((uint64_t)1 << dealt->log_run) - 1, skipped = dealt->first & mask, at = skipped + cut;
    const uint64_t row = at / (mask + 2), in_row = at - row * (mask + 2), behind = in_row > mask ? 1 : 0;
    return opi_dealt_item(dealt, (row << dealt->log_run) + in_row - behind - skipped) + behind;
}

#define OPI_CUT_OF_TILE(k) opi_cut_of_tile(&dealt, k)
#define OPI_TILE_OF_CUT(k) opi_tile_of_cut(&dealt, k)
#else
#define OPI_CUT_OF_TILE(k) (k)
#define OPI_TILE_OF_CUT(k) (k)
#endif

/* A work-group looks for few cuts, so that many multiprocessors have some: each search waits for memory most of the
 * time.  The result has n elements, from number `first` of the merge on. */
#define OPI_SEEKERS (OPI_W < 64 ? OPI_W : 64)

OPI_WHOLE_KERNEL void opi_runs_cut(OPI_LIST_RUNS(OPI_RUN_PARAM), OPI_PARAM(samples), const opi_runs runs,
                                   OPI_PARAM(cuts), const uint64_t count, const uint64_t first, const uint64_t n,
                                   OPI_ORDER OPI_DEALT_PARAM)
{
    OPI_GLOBAL const opi_item *const run[OPI_RUNS] = {OPI_LIST_RUNS(OPI_RUN_AT)};
    OPI_GLOBAL const opi_item *sample[OPI_RUNS];
    const uint64_t cut = OPI_GROUP * OPI_SEEKERS + OPI_SELF;
    uint64_t before[OPI_RUNS];
    OPI_READ_ORDER
    if (OPI_SELF >= OPI_SEEKERS || cut >= count) return;
    OPI_EACH_RUN sample[r] = OPI_AT(const opi_item, samples) + runs.first[r];
    const uint64_t place = OPI_TILE_OF_CUT(cut) * OPI_TILE;
    opi_cut_runs(run, sample, runs, first + (place < n ? place : n), order, before);
    OPI_EACH_RUN OPI_AT(uint64_t, cuts)[cut * OPI_RUNS + r] = before[r];
}

#define OPI_TOGETHER (1u << OPI_LOG_TOGETHER)
#if OPI_RUNS == 2 && OPI_W >= OPI_TOGETHER

/* The same of two runs, without samples: OPI_TOGETHER work-items look for a cut.  In each round each of them looks at one place:
 * fewer steps wait for memory, and more of it is read. */
OPI_WHOLE_KERNEL void opi_runs_cut_two(OPI_PARAM(run0), OPI_PARAM(run1), const opi_runs runs, OPI_PARAM(cuts),
                                       const uint64_t count, const uint64_t first, const uint64_t n,
                                       OPI_ORDER OPI_DEALT_PARAM)
{
    OPI_GLOBAL const opi_item *const a = OPI_AT(const opi_item, run0), *const b = OPI_AT(const opi_item, run1);
    OPI_LOCAL_MEMORY uint32_t before[OPI_W]; /* whether the element of run 0 there comes before the cut */
    OPI_LOCAL_MEMORY uint32_t found[OPI_W / OPI_TOGETHER];
    const uint32_t lane = OPI_SELF % OPI_TOGETHER, own = OPI_SELF / OPI_TOGETHER;
    const uint32_t rounds = (runs.log_most + OPI_LOG_TOGETHER) / OPI_LOG_TOGETHER;
    const uint64_t cut = OPI_GROUP * (OPI_W / OPI_TOGETHER) + own;
    const uint64_t place = cut < count ? OPI_TILE_OF_CUT(cut) * OPI_TILE : 0;
    const uint64_t rank = cut < count ? first + (place < n ? place : n) : 0;
    uint64_t least = rank > runs.n[1] ? rank - runs.n[1] : 0, most = rank < runs.n[0] ? rank : runs.n[0];
    OPI_READ_ORDER
    OPI_ROLLED for (uint32_t round = 0; round < rounds; round++)
    {
        const uint64_t step = (most - least + OPI_TOGETHER - 1) / OPI_TOGETHER, at = least + lane * step + (step - 1);
        uint32_t is_before = 0;
        if (least < most && at < most) is_before = OPI_MAPPED(a[at]) <= OPI_MAPPED(b[rank - 1 - at]) ? 1 : 0;
        before[OPI_SELF] = is_before;
        OPI_BARRIER();
        if (lane == 0 && !is_before) found[own] = 0;
        if (is_before && (lane == OPI_TOGETHER - 1 || !before[OPI_SELF + 1])) found[own] = lane + 1;
        OPI_BARRIER();
        if (least < most) {
            const uint64_t end = least + (found[own] + 1) * step - 1;
            least += found[own] * step;
            most = end < most ? end : most;
        }
    }
    if (lane == 0 && cut < count) {
        OPI_AT(uint64_t, cuts)[2 * cut] = least;
        OPI_AT(uint64_t, cuts)[2 * cut + 1] = rank - least;
    }
}

#endif

/* --- tiles -------------------------------------------------------------------------------------------------------- */

/* The part of a run that comes to a tile: where it begins, and how many keys it has.  Cuts ascend, unless a run is
 * not sorted: then a tile must stay inside all the same. */
#define OPI_EACH_PART(...)                                                                                             \
    {                                                                                                                  \
        OPI_GLOBAL const uint64_t *const at =                                                                          \
            OPI_AT(const uint64_t, cuts) + OPI_CUT_OF_TILE(OPI_GROUP) * OPI_RUNS;                                      \
        uint32_t left = (uint32_t)(n - begin < OPI_TILE ? n - begin : OPI_TILE);                                       \
        OPI_EACH_RUN                                                                                                   \
        {                                                                                                              \
            const uint64_t key = at[r], end = at[OPI_RUNS + r], all = end > key ? end - key : 0;                       \
            const uint32_t length = all < left ? (uint32_t)all : left;                                                 \
            left -= length;                                                                                            \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

#define OPI_MERGE_RUNS                                                                                                 \
    OPI_WHOLE_KERNEL void opi_runs_merge(OPI_LIST_RUNS(OPI_RUN_PARAM), OPI_PARAM(out),                                 \
                                         OPI_VALUE(OPI_LIST_RUNS(OPI_VALUE_PARAM), OPI_PARAM(out_values), )            \
                                             OPI_PARAM(cuts),                                                          \
                                         const uint64_t n, OPI_ORDER OPI_DEALT_PARAM)

#if OPI_LOG_W == 0

OPI_MERGE_RUNS
{
    OPI_GLOBAL const opi_item *from[OPI_RUNS] = {OPI_LIST_RUNS(OPI_RUN_AT)};
    const uint64_t begin = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE;
    OPI_GLOBAL opi_item *const to = OPI_AT(opi_item, out) + begin;
    uint32_t have[OPI_RUNS], count = 0;
    OPI_VALUE(OPI_GLOBAL const opi_value *value[OPI_RUNS] = {OPI_LIST_RUNS(OPI_VALUE_AT)};
              OPI_GLOBAL opi_value *const to_values = OPI_AT(opi_value, out_values) + begin;)
    OPI_READ_ORDER
    OPI_EACH_PART(from[r] += key; have[r] = length; count += length; OPI_VALUE(value[r] += key))
    for (uint32_t k = 0; k < count; k++) {
        uint32_t best = OPI_RUNS;
        opi_item first = 0;
        for (uint32_t r = 0; r < OPI_RUNS; r++) {
            if (have[r] == 0) continue;
            const opi_item key = OPI_MAPPED(*from[r]);
            if (best < OPI_RUNS && !(key < first)) continue;
            best = r;
            first = key;
        }
        to[k] = OPI_UNMAPPED(first);
        OPI_VALUE(to_values[k] = *value[best]++;)
        from[best]++;
        have[best]--;
    }
}

#else

/* Loads of a warp begin where lines of memory do, as over a link lines are asked for.  In local memory parts lie in
 * slots, and so that each begins as far behind a slot that is a multiple of OPI_LINE as its first key is behind the
 * beginning of a line. The first round of merges makes neighbours of them. */
#define OPI_LINE  (128 / OPI_KEY_SIZE)
#define OPI_LOADS ((OPI_TILE + 2 * OPI_RUNS * OPI_LINE + OPI_W - 1) / OPI_W)
#define OPI_SLOTS (OPI_LOADS * OPI_W)

typedef struct opi_tile_part {
    OPI_GLOBAL const opi_item *keys; /* the key of slot s is keys[s] */
    OPI_VALUE(OPI_GLOBAL const opi_value *values;)
    uint32_t slot;      /* the first slot, of no key perhaps */
    uint32_t low, high; /* slots of keys */
    uint32_t place;     /* of its first key, if parts were neighbours */
} opi_tile_part;

/* What a work-group has in its local memory. */
typedef struct opi_tile_here {
    OPI_LOCAL opi_item *item;
    OPI_LOCAL opi_tile_part *part;
    OPI_VALUE(OPI_LOCAL opi_value *value; /* it is where the keys were */
              OPI_LOCAL uint16_t *from;)  /* for each place the slot of its value */
} opi_tile_here;

/* Loads the parts of all runs to their slots: all loads are under way before the first is used. */
#define OPI_LOAD_PARTS(of_part, ...)                                                                                   \
    uint32_t slot[OPI_RUNS];                                                                                           \
    OPI_EACH_RUN slot[r] = here.part[r].slot;                                                                          \
    OPI_UNROLL for (uint32_t e = 0; e < OPI_LOADS; e++)                                                                \
    {                                                                                                                  \
        const uint32_t s = e * OPI_W + OPI_SELF;                                                                       \
        uint32_t of = 0;                                                                                               \
        OPI_EACH_RUN of += r > 0 && s >= slot[r] ? 1 : 0;                                                              \
        if (s >= here.part[of].low && s < here.part[of].high) own[e] = here.part[of].of_part[s];                       \
    }                                                                                                                  \
    OPI_UNROLL for (uint32_t e = 0; e < OPI_LOADS; e++) __VA_ARGS__

OPI_INLINED void opi_load_keys(opi_tile_here here, opi_order order)
{
    opi_item own[OPI_LOADS];
    OPI_UNROLL for (uint32_t e = 0; e < OPI_LOADS; e++) own[e] = 0;
    OPI_LOAD_PARTS(keys, here.item[OPI_LANE_AT(e)] = OPI_MAPPED(own[e]);)
    if (OPI_SELF == 0) here.item[OPI_SPREAD(OPI_SLOTS)] = 0; /* is read in vain */
}

#if OPI_VALUE_SIZE
OPI_INLINED void opi_load_values(opi_tile_here here)
{
    opi_value own[OPI_LOADS];
    OPI_LOAD_PARTS(values, here.value[e * OPI_W + OPI_SELF] = own[e];)
}
#endif

/* Two of what has been merged so far, and the first place of what they become. */
typedef struct opi_turn {
    opi_two_runs two;
    uint32_t begin;
} opi_turn;

/* Which two are merged to what has place t.  When runs have been merged by `together`, [bound[q], bound[q +
 * together]) is sorted, of each multiple q of it; at first they lie in their slots. */
OPI_INLINED opi_turn opi_turn_at(opi_tile_here here, const uint32_t *bound, uint32_t together, uint32_t t)
{
    opi_turn turn = {{0, 0, 0, 0}, 0};
    OPI_UNROLL for (uint32_t q = 0; q < OPI_RUNS; q += 2 * together)
    {
        const uint32_t middle = q + together < OPI_RUNS ? q + together : OPI_RUNS;
        const uint32_t end = middle + together < OPI_RUNS ? middle + together : OPI_RUNS;
        if (q > 0 && bound[q] > t) continue;
        turn.begin = bound[q];
        turn.two.a = together > 1 ? bound[q] : here.part[q].low;
        turn.two.a_end = together > 1 ? bound[middle] : here.part[q].high;
        turn.two.b = together > 1 ? bound[middle] : middle < OPI_RUNS ? here.part[middle].low : 0;
        turn.two.b_end = together > 1 ? bound[end] : middle < OPI_RUNS ? here.part[middle].high : 0;
    }
    return turn;
}

/* Merges the own share of what is merged by twos, from place t on; a share may be of several merges.  from: where
 * its elements were. */
OPI_INLINED void opi_merge_twos(opi_tile_here here, const uint32_t *bound, uint32_t together, uint32_t t, bool is_full,
                                uint32_t some, opi_order order, opi_item *merged, uint16_t *from)
{
    OPI_LOCAL const opi_item *const item = here.item;
    const opi_turn turn = opi_turn_at(here, bound, together, t);
    const uint32_t before = t - turn.begin, of_a = opi_cut_here(item, turn.two, before, order);
    opi_two_runs two = turn.two;
    two.a += of_a;
    two.b += before - of_a;
    opi_item x = item[OPI_SPREAD(two.a)], y = item[OPI_SPREAD(two.b)];
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (is_full || e < some) {
            if (2 * together < OPI_RUNS && two.a == two.a_end && two.b == two.b_end) {
                two = opi_turn_at(here, bound, together, t + e).two;
                x = item[OPI_SPREAD(two.a)];
                y = item[OPI_SPREAD(two.b)];
            }
            const bool is_b = two.b < two.b_end && (two.a == two.a_end || OPI_COMES_FIRST(y, x));
            merged[e] = is_b ? y : x;
            from[e] = (uint16_t)(is_b ? two.b : two.a);
            two.a += !is_b;
            two.b += is_b;
            const opi_item next = item[OPI_SPREAD(is_b ? two.b : two.a)];
            if (is_b)
                y = next;
            else
                x = next;
        }
    }
}

/* Merges what is sorted two and two, in place. */
OPI_INLINED void opi_merge_round(opi_tile_here here, const uint32_t *bound, uint32_t together, bool is_full,
                                 uint32_t count, opi_order order)
{
    const uint32_t t = OPI_SELF * OPI_E < count ? OPI_SELF * OPI_E : count;
    opi_item own[OPI_E];
    uint16_t from[OPI_E];
    opi_merge_twos(here, bound, together, t, is_full, count - t, order, own, from);
    OPI_VALUE(if (together > 1) OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) if (is_full || t + e < count) from[e] =
                  here.from[from[e]];)
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
    {
        if (is_full || t + e < count) {
            here.item[OPI_SHARE_AT(e)] = own[e];
            OPI_VALUE(here.from[t + e] = from[e];)
        }
    }
    OPI_BARRIER();
}

/* Where a tile of the result goes. */
typedef struct opi_tile_to {
    OPI_GLOBAL opi_item *keys;
    OPI_VALUE(OPI_GLOBAL opi_value *values;)
} opi_tile_to;

OPI_INLINED void opi_merge_parts(opi_tile_here here, const uint32_t *bound, bool is_full, uint32_t count,
                                 opi_tile_to to, opi_order order)
{
    OPI_UNROLL for (uint32_t together = 1; together < OPI_RUNS; together *= 2)
        opi_merge_round(here, bound, together, is_full, count, order);
    OPI_EACH_OF_TILE(to.keys[k] = OPI_UNMAPPED(here.item[OPI_LANE_AT(e)]))
#if OPI_VALUE_SIZE
    OPI_BARRIER();
    opi_load_values(here);
    OPI_BARRIER();
    OPI_EACH_OF_TILE(to.values[k] = here.value[here.from[k]])
#endif
}

#define OPI_KEYS_BYTES   ((OPI_SPREAD(OPI_SLOTS) + 1) * OPI_KEY_SIZE)
#define OPI_VALUES_BYTES (OPI_SLOTS * OPI_VALUE_SIZE)
#define OPI_ROOM_BYTES   (OPI_KEYS_BYTES > OPI_VALUES_BYTES ? OPI_KEYS_BYTES : OPI_VALUES_BYTES)

OPI_MERGE_RUNS
{
    OPI_LOCAL_MEMORY uint64_t room[(OPI_ROOM_BYTES + 7) / 8];
    OPI_LOCAL_MEMORY opi_tile_part part[OPI_RUNS];
    OPI_VALUE(OPI_LOCAL_MEMORY uint16_t from[OPI_TILE];
              OPI_GLOBAL const opi_value *const value[OPI_RUNS] = {OPI_LIST_RUNS(OPI_VALUE_AT)};)
    OPI_GLOBAL const opi_item *const run[OPI_RUNS] = {OPI_LIST_RUNS(OPI_RUN_AT)};
    const uint64_t begin = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE;
    opi_tile_here here;
    opi_tile_to to;
    uint32_t bound[OPI_RUNS + 1];
    OPI_READ_ORDER
    here.item = (OPI_LOCAL opi_item *)room;
    here.part = part;
    to.keys = OPI_AT(opi_item, out) + begin;
    OPI_VALUE(here.value = (OPI_LOCAL opi_value *)room; here.from = from;
              to.values = OPI_AT(opi_value, out_values) + begin;)
    if (OPI_SELF == 0) {
        uint32_t slot = 0, place = 0;
        OPI_EACH_PART(const uint32_t low = slot + (uint32_t)(key % OPI_LINE); part[r].slot = slot; part[r].low = low;
                      part[r].high = low + length; part[r].place = place; part[r].keys = run[r] + (key - low);
                      OPI_VALUE(part[r].values = value[r] + (key - low);)
                      slot = (low + length + OPI_LINE - 1) / OPI_LINE * OPI_LINE; place += length)
    }
    OPI_BARRIER();
    opi_load_keys(here, order);
    OPI_EACH_RUN bound[r] = part[r].place;
    bound[OPI_RUNS] = part[OPI_RUNS - 1].place + part[OPI_RUNS - 1].high - part[OPI_RUNS - 1].low;
    OPI_BARRIER();
#if OPI_HOST_CORES /* PoCL 3.1 has miscompiled barriers in loops of two branches */
    opi_merge_parts(here, bound, bound[OPI_RUNS] == OPI_TILE, bound[OPI_RUNS], to, order);
#else
    if (bound[OPI_RUNS] == OPI_TILE)
        opi_merge_parts(here, bound, true, OPI_TILE, to, order);
    else
        opi_merge_parts(here, bound, false, bound[OPI_RUNS], to, order);
#endif
}

#endif
