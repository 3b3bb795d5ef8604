/* Quicksort by vectors; included once for each width, after sort_network.h.
 *
 * A part of n keys has room for n in the caller's memory, where it will end, and for n in scratch memory; its keys are
 * in one of the two.  A split reads them once and sends those <= a pivot to the front of the caller's memory, the
 * others to the front of the scratch memory, so that it need not check on which side there is room: it only overwrites
 * what has been read.  Small parts are sorted by a network, at their final place. */

/* How a part is being sorted. */
typedef struct V(quicksort) {
    V(coding) coding;
    uint64_t random;
} V(quicksort);

/* Fetches the line that is `ahead` keys further and will be written; there may be none. */
OPI_INLINE void V(prefetch_store)(const KEY *at, size_t ahead)
{
    __builtin_prefetch((const void *)((uintptr_t)at + ahead * sizeof *at), 1, 3);
}

/* --- a split ------------------------------------------------------------------------------------------------------ */

/* Sends the keys <= pivot to `low` and the others to `high`, and returns how many are <= pivot.  Each of the two has
 * room for n, and may be `from`. */
static size_t V(split)(const KEY *from, size_t n, KEY pivot, KEY *low, KEY *high)
{
    enum { AT_ONCE = 4, AHEAD = 8 * LANES };
    const VECTOR pivots = V(all)(pivot);
    size_t i = 0, others = 0;
    for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES) {
        VECTOR v[AT_ONCE];
        for (size_t k = 0; k < AT_ONCE; k++) { /* see scatter_directly: the lines that will be stored to */
            V(prefetch_store)(low + (i - others), AHEAD + k * LANES);
            V(prefetch_store)(high + others, AHEAD + k * LANES);
        }
        for (size_t k = 0; k < AT_ONCE; k++) v[k] = V(load)(from + i + k * LANES);
        for (size_t k = 0; k < AT_ONCE; k++)
            others += V(split_vector)(v[k], pivots, low + (i + k * LANES - others), high + others);
    }
    for (; i + LANES <= n; i += LANES)
        others += V(split_vector)(V(load)(from + i), pivots, low + (i - others), high + others);
    for (; i < n; i++) {
        const KEY key = from[i];
        low[i - others] = key;
        high[others] = key;
        others += V(greater)(key, pivot);
    }
    return n - others;
}

/* --- the pivot ---------------------------------------------------------------------------------------------------- */

/* The first key that is not `key`, or NULL. */
static const KEY *V(another)(const KEY *from, size_t n, KEY key)
{
    const VECTOR keys = V(all)(key);
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        VECTOR differ = {0};
        for (size_t k = 0; k < 4; k++) differ |= V(load)(from + i + k * LANES) ^ keys;
        if (!V(is_zero)(differ)) break;
    }
    while (i < n && from[i] == key) i++;
    return i < n ? from + i : NULL;
}

/* The middle between the smallest and the largest key; false if these are the same.  After as many such splits as a
 * key has bits, all keys of a part are the same. */
static bool V(middle)(const KEY *from, size_t n, KEY *pivot)
{
    KEY least = from[0] ^ KEY_BIAS, most = least;
    for (size_t i = 1; i < n; i++) {
        const KEY key = from[i] ^ KEY_BIAS;
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    *pivot = (least + (most - least) / 2) ^ KEY_BIAS;
    return least != most;
}

enum { V(FEW) = 16, V(MANY) = 64, V(FEW_ROWS) = 4 };

/* Takes `count` sample keys of a part, and sorts them. */
static void V(sample)(V(quicksort) * sort, const KEY *from, size_t n, KEY *sample, size_t count)
{
    const size_t step = n / count;
    for (size_t i = 0; i < count; i++) {
        sort->random = sort->random * 6364136223846793005u + 1442695040888963407u;
        sample[i] = from[i * step + ((sort->random >> 32) * step >> 32)];
    }
    if (count == V(FEW))
        V(sort_few)(sample, V(FEW), sample, (V(coding)){0, 0});
    else
        V(sort_few)(sample, V(MANY), sample, (V(coding)){0, 0});
}

/* Chooses a pivot that has keys on both sides: the median of a sample, or, where the median is also the largest of the
 * sample, the number below it; false if all keys are the same. */
static bool V(choose)(const KEY *from, size_t n, const KEY *sample, size_t count, KEY *pivot)
{
    const KEY median = sample[count / 2];
    bool below = median == sample[count - 1];
    if (below && median == sample[0]) {
        const KEY *const other = V(another)(from, n, median);
        if (!other) return false;
        below = V(greater)(median, *other);
    }
    *pivot = below ? median - 1 : median;
    return true;
}

/* --- parts -------------------------------------------------------------------------------------------------------- */

static void V(fill)(KEY *to, size_t n, KEY raw)
{
    const VECTOR v = V(all)(raw);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) V(store)(to + i, v);
    for (; i < n; i++) to[i] = raw;
}

static void V(sort_part)(V(quicksort) * sort, KEY *home, KEY *scratch, size_t n, bool in_scratch, unsigned splits);

#if KEY_BITS == 64
#include "cores/isa/sort_deal.h"
#else
/* Does nothing: splits by vectors of narrow keys are faster than dealing keys one by one. */
static bool V(deal)(V(quicksort) * sort, KEY *home, KEY *scratch, size_t n, bool in_scratch, unsigned splits,
                    const KEY *sample)
{
    (void)sort, (void)home, (void)scratch, (void)n, (void)in_scratch, (void)splits, (void)sample;
    return false;
}
#endif

/* Sorts n keys to `home`, in the caller's bits.  splits: how many may be made at a key of the part before its range is
 * halved. */
static void V(sort_part)(V(quicksort) * sort, KEY *home, KEY *scratch, size_t n, bool in_scratch, unsigned splits)
{
    for (;;) {
        KEY pivot, *const from = in_scratch ? scratch : home;
        bool differ;
        if (n <= V(NETWORK_MAX)) {
            V(sort_few)(from, n, home, sort->coding);
            return;
        }
        if (splits > 0) {
            KEY sample[V(MANY)] = {0}; /* gcc's analyzer does not see that it is filled */
            const size_t count = n < 2048 ? V(FEW) : V(MANY);
            V(sample)(sort, from, n, sample, count);
            if (V(deal)(sort, home, scratch, n, in_scratch, splits - 1, sample)) return;
            differ = V(choose)(from, n, sample, count, &pivot);
            splits--;
        } else {
            differ = V(middle)(from, n, &pivot);
        }
        if (!differ) {
            V(fill)(home, n, V(raw)(sort->coding, from[0]));
            return;
        }
        const size_t low = V(split)(from, n, pivot, home, scratch), high = n - low;
        if (low < high) {
            V(sort_part)(sort, home, scratch + high, low, false, splits);
            home += low;
            n = high;
            in_scratch = true;
        } else {
            V(sort_part)(sort, home + low, scratch, high, true, splits);
            scratch += high;
            n = low;
            in_scratch = false;
        }
    }
}

/* --- what is in order already ------------------------------------------------------------------------------------- */

/* Whether no key is greater than the next one; the first keys are mostly enough to tell. */
static bool V(ascends)(const KEY *from, size_t n)
{
    size_t i = 0;
    for (; i + 4 * LANES < n; i += 4 * LANES) {
        VECTOR differ = {0};
        for (size_t k = 0; k < 4; k++) {
            const VECTOR v = V(load)(from + i + k * LANES);
            VECTOR low = v, high = V(load)(from + i + k * LANES + 1);
            V(order)(&low, &high);
            differ |= low ^ v;
        }
        if (!V(is_zero)(differ)) return false;
    }
    while (i + 1 < n && !V(greater)(from[i], from[i + 1])) i++;
    return i + 1 >= n;
}

static bool V(descends)(const KEY *from, size_t n)
{
    size_t i = 1;
    while (i < n && !V(greater)(from[i], from[i - 1])) i++;
    return i == n;
}

static void V(bring_home)(KEY *home, const KEY *from, size_t n, V(coding) coding)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) V(store)(home + i, V(raw_vector)(coding, V(load)(from + i)));
    for (; i < n; i++) home[i] = V(raw)(coding, from[i]);
}

static void V(reverse)(KEY *x, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const KEY first = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = first;
    }
}

/* --- a range ------------------------------------------------------------------------------------------------------ */

/* Converts the caller's bits, or records, to keys as they are compared here. */
static KEY *V(take)(const opi_sort *sort, opi_sort_range range, V(coding) coding)
{
    const size_t n = range.end - range.begin;
    KEY *const keys = (KEY *)sort->keys + range.begin;
    if (range.place == OPI_SORT_CALLER) {
        size_t i = 0;
        for (; i + LANES <= n; i += LANES) V(store)(keys + i, V(keys_of)(coding, V(load)(keys + i)));
        for (; i < n; i++) keys[i] = (keys[i] >> (KEY_BITS - 1) ? keys[i] ^ coding.float_mask : keys[i]) ^ coding.flip;
        return keys;
    }
    KEY *const records = (KEY *)sort->records[range.place] + range.begin;
    for (size_t i = 0; KEY_BIAS && i < n; i++) records[i] ^= KEY_BIAS;
    return records;
}

/* Sorts a few rows from the caller's memory.  It converts them in vectors, as a network would have to wait to read what
 * was just written in single keys. */
static void V(sort_at_once)(KEY *home, size_t n, V(coding) coding)
{
    KEY keys[V(FEW_ROWS) * LANES];
    for (size_t i = 0; i < n; i += LANES) {
        const VECTOR raw = V(load_some)(home + i, n - i < LANES ? n - i : LANES, (VECTOR){0});
        V(store)(keys + i, V(keys_of)(coding, raw));
    }
    V(sort_few)(keys, n, home, coding);
}

static void V(sort_range)(const opi_sort *sort, opi_sort_range range, void *other)
{
    const size_t n = range.end - range.begin;
    KEY *const home = (KEY *)sort->keys + range.begin;
    V(quicksort) own = {.coding = {(KEY)sort->float_mask, (KEY)sort->flip ^ KEY_BIAS}, .random = n};
    if (n <= V(FEW_ROWS) * LANES && range.place == OPI_SORT_CALLER) {
        V(sort_at_once)(home, n, own.coding);
        return;
    }
    KEY *const from = V(take)(sort, range, own.coding);
    const bool in_scratch = from != home;
    if (n > V(NETWORK_MAX)) {
        const bool ascends = range.sorted || V(ascends)(from, n);
        if (ascends || V(descends)(from, n)) {
            V(bring_home)(home, from, n, own.coding);
            if (!ascends) V(reverse)(home, n);
            return;
        }
    }
    V(sort_part)
    (&own, home, in_scratch ? from : other, n, in_scratch, sort->splits * (64 - (unsigned)__builtin_clzll(n)));
}
