/* The way "counts": keys alone of 1 or 2 bytes.  Equal keys have equal bits, so that it is enough to count them and to write
 * so many of each.  This text comes behind sums.cl, key.cl and key_order.cl.
 *
 *     clear   makes the counts 0
 *     count   reads all keys; each work-group counts those of a part in memory of its own, then adds up
 *     place   finds where the keys of each value begin in the result
 *     fill    writes the result; a work-item writes vectors of 16 bytes, and searches for the key of each
 *
 * A table of counts has 32 bits for each key; where there are 2^31 keys or more there are several tables.  Counting one key
 * over and over is not slow.  Keys of 1 byte: a work-item has one of OPI_COPIES counters of each key, and all work-items of
 * a warp have different ones, in different banks.  Keys of 2 bytes: a run of equal keys is added at once; there is no room
 * for as many counters, or for 32 bits each.  Two keys share a word, and whoever makes a count reach 2^15 takes so many away
 * and adds them to the table; between two barriers at most 2^15 keys are counted, so that no count goes beyond 16 bits.
 * Where there is no room for all keys, OPI_RANGES work-groups read the same part, and each counts the keys of one range.
 *
 * Defined before this text: the numbers of gpu/sort/counts.c. */

#define OPI_KEYS      (1u << OPI_KEY_BITS)
#define OPI_EACH      (uint32_t)(16 / OPI_KEY_SIZE) /* keys of a vector */
#define OPI_OWN_KEYS  (OPI_KEYS / OPI_RANGES)       /* those that a work-group counts */
#define OPI_EVERY(k, n) _Pragma("unroll") for (uint32_t k = 0; k < (n); k++)

typedef union opi_some {
    opi_vector vector;
    opi_key key[16 / OPI_KEY_SIZE];
} opi_some;

/* The vectors, at multiples of 16 bytes, that an array of n keys lies in. */
typedef struct opi_vectors {
    uint32_t before;       /* keys of the first one that come before the array */
    uint64_t first, after; /* those that lie in the array whole */
} opi_vectors;

OPI_FUNCTION opi_vectors opi_vectors_of(uint32_t before, uint64_t n)
{
    opi_vectors v;
    v.before = before;
    v.first = before > 0;
    v.after = (before + n) / OPI_EACH;
    if (v.after < v.first) v.after = v.first;
    return v;
}

OPI_KERNEL void opi_counts_clear(OPI_PARAM(counts), const uint64_t words)
{
    OPI_AFTER_LAUNCHES();
    for (uint64_t i = OPI_GROUP * OPI_W + OPI_SELF; i < words; i += OPI_GROUPS * OPI_W)
        OPI_AT(uint32_t, counts)[i] = 0;
}

/* --- counting ------------------------------------------------------------------------------------------------------ */

#if OPI_KEY_SIZE == 1

#define OPI_OWN_WORDS (OPI_KEYS * OPI_COPIES)

/* A work-item that is alone has the copies in turn: it need not wait for the addition before. */
#if OPI_LOG_W == 0
#define OPI_COUNT_KEY(x, k) own[(x) * OPI_COPIES + (k) % OPI_COPIES]++
#else
#define OPI_COUNT_KEY(x, k) OPI_INCREMENT(&own[(x) * OPI_COPIES + OPI_SELF % OPI_COPIES])
#endif
#define OPI_COUNT_VECTOR(some) OPI_EVERY(k, OPI_EACH) OPI_COUNT_KEY((some).key[k], k);
#define OPI_PERIOD_ENDS()

OPI_INLINED uint32_t opi_own_count(OPI_LOCAL const uint32_t *own, uint32_t key)
{
    uint32_t count = 0;
    OPI_EVERY(c, OPI_COPIES) count += own[key * OPI_COPIES + (c + key) % OPI_COPIES];
    return count;
}

#else

#define OPI_OWN_WORDS (OPI_OWN_KEYS / 2)
#define OPI_HALF      (1u << 15)

/* Counts `length` keys x. */
OPI_INLINED void opi_count_run(OPI_LOCAL uint32_t *own, OPI_GLOBAL uint32_t *counts, uint32_t range, uint32_t x,
                               uint32_t length)
{
    OPI_LOCAL uint32_t *const word = &own[x % OPI_OWN_KEYS / 2];
    const uint32_t shift = x % 2 * 16;
    if (OPI_RANGES > 1 && x / OPI_OWN_KEYS != range) return;
#if OPI_LOG_W == 0
    const uint32_t all = *word;
    *word = all + (length << shift);
#else
    const uint32_t all = OPI_ADD(word, length << shift);
#endif
    const uint32_t old = all >> shift & 0xffff;
    if (old >= OPI_HALF || old + length < OPI_HALF) return;
#if OPI_LOG_W == 0
    *word -= OPI_HALF << shift;
#else
    OPI_ADD(word, (uint32_t)0 - (OPI_HALF << shift));
#endif
    OPI_ADD(&counts[x], OPI_HALF);
}

#define OPI_COUNT_KEY(x, k) opi_count_run(own, counts, range, x, 1)
#if OPI_LOG_W == 0
#define OPI_COUNT_VECTOR(some) OPI_EVERY(k, OPI_EACH) OPI_COUNT_KEY((some).key[k], k);
#else
#define OPI_COUNT_VECTOR(some)                                                                                         \
    {                                                                                                                  \
        uint32_t run = (some).key[0], length = 1;                                                                      \
        _Pragma("unroll") for (uint32_t k = 1; k < OPI_EACH; k++)                                                      \
        {                                                                                                              \
            if ((some).key[k] != run) {                                                                                \
                opi_count_run(own, counts, range, run, length);                                                        \
                run = (some).key[k];                                                                                   \
                length = 0;                                                                                            \
            }                                                                                                          \
            length++;                                                                                                  \
        }                                                                                                              \
        opi_count_run(own, counts, range, run, length);                                                                \
    }
#endif
#define OPI_PERIOD_ENDS() OPI_BARRIER()

OPI_INLINED uint32_t opi_own_count(OPI_LOCAL const uint32_t *own, uint32_t key)
{
    return own[key / 2] >> key % 2 * 16 & 0xffff;
}

#endif

/* Counts n keys.  OPI_RANGES work-groups have `part` vectors; `share` parts have a table together. */
OPI_RESIDENT_KERNEL void opi_counts_count(OPI_PARAM(keys), const uint64_t n, const uint64_t part,
                                       OPI_PARAM(tables), const uint64_t share)
{
#if OPI_OWN_ADDED
    extern __shared__ __align__(16) uint32_t own[];
#else
    OPI_LOCAL_MEMORY uint32_t own[OPI_OWN_WORDS];
#endif
    const uint32_t range = (uint32_t)(OPI_GROUP % OPI_RANGES);
    const uint64_t number = OPI_GROUP / OPI_RANGES;
    OPI_GLOBAL uint32_t *const counts = OPI_AT(uint32_t, tables) + number / share * OPI_KEYS;
    OPI_GLOBAL const opi_key *const key = OPI_AT(const opi_key, keys);
    const uint32_t before = OPI_BEYOND(key) / OPI_KEY_SIZE;
    OPI_GLOBAL const opi_vector *const vector = (OPI_GLOBAL const opi_vector *)(key - before);
    const opi_vectors all = opi_vectors_of(before, n);
    const uint64_t begin = all.first + number * part, end = begin + part < all.after ? begin + part : all.after;
    for (uint32_t i = OPI_SELF; i < OPI_OWN_WORDS; i += OPI_W) own[i] = 0;
    OPI_AFTER_LAUNCHES();
    OPI_BARRIER();

    if (number == 0) { /* what is in no whole vector */
        const uint64_t left = all.first * OPI_EACH - before < n ? all.first * OPI_EACH - before : n;
        const uint64_t whole = (all.after - all.first) * OPI_EACH;
        for (uint64_t i = OPI_SELF; i < n - whole; i += OPI_W) OPI_COUNT_KEY(key[i < left ? i : i + whole], i);
        OPI_PERIOD_ENDS();
    }

    /* The next vectors are under way while some are counted. */
    opi_some next[OPI_BATCH], now[OPI_BATCH];
    OPI_EVERY(b, OPI_BATCH)
    if (begin + b * OPI_W + OPI_SELF < end) next[b].vector = vector[begin + b * OPI_W + OPI_SELF];
    for (uint64_t at = begin; at < end; at += OPI_BATCH * OPI_W) {
        const uint64_t then = at + OPI_BATCH * OPI_W + OPI_SELF;
        OPI_EVERY(b, OPI_BATCH) now[b] = next[b];
        OPI_EVERY(b, OPI_BATCH) if (then + b * OPI_W < end) next[b].vector = vector[then + b * OPI_W];
        OPI_EVERY(b, OPI_BATCH) if (at + b * OPI_W + OPI_SELF < end) OPI_COUNT_VECTOR(now[b])
        OPI_PERIOD_ENDS();
    }

    OPI_BARRIER();
    for (uint32_t i = OPI_SELF; i < OPI_OWN_KEYS; i += OPI_W) {
        const uint32_t count = opi_own_count(own, i);
        if (count > 0) OPI_ADD(&counts[range * OPI_OWN_KEYS + i], count);
    }
}

/* --- places -------------------------------------------------------------------------------------------------------- */

/* How many keys come as number r in the order of keys. */
OPI_FUNCTION uint64_t opi_count_at(OPI_GLOBAL const uint32_t *counts, uint64_t tables, opi_order order, uint32_t r)
{
    const uint32_t key = opi_unmapped((opi_key)r, order);
    uint64_t count = 0;
    for (uint64_t t = 0; t < tables; t++) count += counts[t * OPI_KEYS + key];
    return count;
}

/* The same of the numbers below `end` that are this work-item's. */
OPI_FUNCTION uint64_t opi_count_below(OPI_GLOBAL const uint32_t *counts, uint64_t tables, opi_order order, uint32_t end)
{
    uint64_t count = 0;
    for (uint64_t t = 0; t < tables; t++)
        _Pragma("unroll 8") for (uint32_t r = OPI_SELF; r < end; r += OPI_W)
            count += counts[t * OPI_KEYS + opi_unmapped((opi_key)r, order)];
    return count;
}

/* starts[r] becomes how many keys come before number r; starts[OPI_KEYS] becomes n.  A work-group does OPI_PLACES of them. */
OPI_WHOLE_KERNEL void opi_counts_place(OPI_PARAM(counts), const uint64_t tables, OPI_PARAM(starts),
                                       const uint64_t negative, const uint64_t flip)
{
    OPI_LOCAL_MEMORY uint64_t sum[OPI_SUMS];
    OPI_GLOBAL const uint32_t *const counts = OPI_AT(const uint32_t, counts);
    OPI_GLOBAL uint64_t *const starts = OPI_AT(uint64_t, starts);
    const opi_order order = opi_order_of(negative, flip);
    const uint32_t first = (uint32_t)OPI_GROUP * OPI_PLACES;
    uint64_t before, all;
    OPI_AFTER_LAUNCHES();
    opi_wide_sums(sum, opi_count_below(counts, tables, order, first), &before);
    for (uint32_t i = OPI_SELF; i - OPI_SELF < OPI_PLACES; i += OPI_W) {
        const uint64_t own = i < OPI_PLACES ? opi_count_at(counts, tables, order, first + i) : 0;
        const uint64_t up_to = opi_wide_sums(sum, own, &all);
        if (i < OPI_PLACES) starts[first + i] = before + up_to - own;
        before += all;
    }
    if (first + OPI_PLACES == OPI_KEYS && OPI_SELF == 0) starts[OPI_KEYS] = before;
}

/* --- writing ------------------------------------------------------------------------------------------------------- */

/* The number of key i of the result, which comes at number r or behind it: steps that double, then halving. */
OPI_FUNCTION uint32_t opi_number_at(OPI_GLOBAL const uint64_t *starts, uint32_t r, uint64_t i)
{
    uint32_t step = 1;
    while (r + step < OPI_KEYS && starts[r + step] <= i) {
        r += step;
        step *= 2;
    }
    uint32_t after = r + step < OPI_KEYS ? r + step : OPI_KEYS;
    while (after - r > 1) {
        const uint32_t middle = (r + after) / 2;
        if (starts[middle] <= i)
            r = middle;
        else
            after = middle;
    }
    return r;
}

/* Writes n keys; a work-group writes `part` vectors. */
OPI_WHOLE_KERNEL void opi_counts_fill(OPI_PARAM(starts), OPI_PARAM(to), const uint64_t n, const uint64_t part,
                                      const uint64_t negative, const uint64_t flip)
{
    OPI_GLOBAL const uint64_t *const starts = OPI_AT(const uint64_t, starts);
    OPI_GLOBAL opi_key *const to = OPI_AT(opi_key, to);
    const uint32_t before = OPI_BEYOND(to) / OPI_KEY_SIZE; /* keys of the first vector that come before the array */
    OPI_GLOBAL opi_vector *const vector = (OPI_GLOBAL opi_vector *)(to - before);
    const opi_order order = opi_order_of(negative, flip);
    const uint64_t all = (before + n + OPI_EACH - 1) / OPI_EACH, begin = OPI_GROUP * part;
    const uint64_t end = begin + part < all ? begin + part : all;
    uint64_t stop = 0; /* where the keys of number r end */
    uint32_t r = 0;
    opi_some some;
    OPI_AFTER_LAUNCHES();
    for (uint64_t v = begin + OPI_SELF; v < end; v += OPI_W) {
        const uint64_t until = (v + 1) * OPI_EACH - before < n ? (v + 1) * OPI_EACH - before : n;
        uint64_t i = v > 0 ? v * OPI_EACH - before : 0;
        if (i + OPI_EACH == until && until <= stop) { /* `some` is as it must be */
            vector[v] = some.vector;
            continue;
        }
        while (i < until) {
            if (i >= stop) {
                r = opi_number_at(starts, r, i);
                stop = starts[r + 1];
                OPI_EVERY(k, OPI_EACH) some.key[k] = opi_unmapped((opi_key)r, order);
            }
            const uint64_t last = until < stop ? until : stop;
            if (last - i == OPI_EACH) {
                vector[v] = some.vector;
                i = last;
            }
            for (; i < last; i++) to[i] = some.key[0];
        }
    }
}
