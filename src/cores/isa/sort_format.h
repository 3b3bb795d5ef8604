/* The loops over one record format; included once a format, with
 *
 *   FORMAT(name)      the name with the format's behind it
 *   RECORD, KEY       the types of a record and of its mapped key, uint32_t or uint64_t
 *   SIGNED_KEY        int32_t or int64_t
 *   MAKE_RECORD(k)    a record of key k without payload
 *   KEY_OF(r)         its key
 *   PAYLOAD_OF(r), SET_PAYLOAD(r, p)   its payload, where records have one (else not defined) */

/* What of a record's key is compared, `drop` being how many of its lowest bits are not: see opi_sort.  Records that have a
 * payload have no such bits. */
#ifdef PAYLOAD_OF
#define ORDER_OF(r) KEY_OF(r)
#else
#define ORDER_OF(r) (KEY_OF(r) >> drop)
#endif

/* --- from the caller's arrays to records, and back ------------------------------------------------------------- */

/* PUT(i, mapped): makes record i of a mapped key. */
#define LOAD_KEYS_OF(bits, PUT)                                                                                        \
    do {                                                                                                               \
        const int##bits##_t float_mask = (int##bits##_t)sort->float_mask, flip = (int##bits##_t)sort->flip;            \
        for (size_t i = 0; i < count; i++) {                                                                           \
            int##bits##_t raw;                                                                                         \
            memcpy(&raw, keys + i * sizeof raw, sizeof raw);                                                           \
            raw = (int##bits##_t)(raw ^ ((raw >> (bits - 1)) & float_mask) ^ flip);                                    \
            PUT(i, (uint##bits##_t)raw)                                                                                \
        }                                                                                                              \
    } while (0)
#define LOAD_KEYS(PUT)                                                                                                 \
    switch (sort->key_size) {                                                                                          \
    case 1:                                                                                                            \
        LOAD_KEYS_OF(8, PUT);                                                                                          \
        break;                                                                                                         \
    case 2:                                                                                                            \
        LOAD_KEYS_OF(16, PUT);                                                                                         \
        break;                                                                                                         \
    case 4:                                                                                                            \
        LOAD_KEYS_OF(32, PUT);                                                                                         \
        break;                                                                                                         \
    default:                                                                                                           \
        LOAD_KEYS_OF(64, PUT);                                                                                         \
    }

#ifndef PAYLOAD_OF
static inline KEY FORMAT(turned)(KEY key, unsigned left)
{
    enum { MASK = 8 * sizeof(KEY) - 1 };
    return (KEY)(key << left | key >> ((0 - left) & MASK));
}
#endif

static void FORMAT(load_keys)(const opi_sort *sort, size_t begin, size_t count, RECORD *OPLUS_RESTRICT_ out)
{
    const unsigned char *const keys = sort->keys + begin * sort->key_size;
#ifdef PAYLOAD_OF
#define PUT_WHOLE(i, mapped) out[i] = MAKE_RECORD(mapped);
#else
    const unsigned turn = sort->turn;
#define PUT_WHOLE(i, mapped) out[i] = MAKE_RECORD(FORMAT(turned)((KEY)(mapped), turn));
#endif
    LOAD_KEYS(PUT_WHOLE)
#undef PUT_WHOLE
}

#ifdef PAYLOAD_OF
/* The bits of the keys that a limited sort compares; the rest travels behind them if `whole` >= 0: shifted left by so many
 * bits. */
static void FORMAT(load_limited)(const opi_sort *sort, size_t begin, size_t count, RECORD *OPLUS_RESTRICT_ out,
                                 int whole)
{
    const unsigned char *const keys = sort->keys + begin * sort->key_size;
    const unsigned low = sort->low;
    const uint64_t range = sort->range;
#define PUT_RANGE(i, mapped)                                                                                           \
    out[i] = MAKE_RECORD((uint64_t)(mapped) >> low & range);                                                           \
    if (whole >= 0) SET_PAYLOAD(out[i], (uint64_t)(mapped) << whole);
    LOAD_KEYS(PUT_RANGE)
#undef PUT_RANGE
}
#endif
#undef LOAD_KEYS
#undef LOAD_KEYS_OF

static void FORMAT(load)(const opi_sort *sort, size_t begin, size_t count, RECORD *OPLUS_RESTRICT_ out)
{
#ifndef PAYLOAD_OF
    FORMAT(load_keys)(sort, begin, count, out);
#else
    const opi_sort_payload payload = sort->payload;
    const int whole = payload == OPI_SORT_BOTH ? 32 : -1;
    if (!sort->limited) FORMAT(load_keys)(sort, begin, count, out);
    if (sort->limited) FORMAT(load_limited)(sort, begin, count, out, whole);
    if (payload == OPI_SORT_INDEX || payload == OPI_SORT_PLACE) {
        for (size_t i = 0; i < count; i++) SET_PAYLOAD(out[i], begin + i);
        return;
    }
    const unsigned char *values = sort->values + begin * sort->value_size;
    if (payload == OPI_SORT_BOTH) {
        for (size_t i = 0; i < count; i++) {
            uint32_t value = 0;
            memcpy(&value, values + i * sort->value_size, sort->value_size);
            SET_PAYLOAD(out[i], PAYLOAD_OF(out[i]) | value);
        }
        return;
    }
#define LOAD_VALUES(T, size)                                                                                           \
    for (size_t i = 0; i < count; i++) {                                                                               \
        T value = 0;                                                                                                   \
        memcpy(&value, values + i * (size), size);                                                                     \
        SET_PAYLOAD(out[i], value);                                                                                    \
    }
    switch (sort->value_size) {
    case 4:
        LOAD_VALUES(uint32_t, 4) break;
    case 8:
        LOAD_VALUES(uint64_t, 8) break;
    default:
        LOAD_VALUES(uint64_t, sort->value_size)
    }
#undef LOAD_VALUES
#endif
}

/* MAPPED(r): the mapped key of a record. */
#define UNLOAD_KEYS_OF(bits, MAPPED)                                                                                   \
    do {                                                                                                               \
        const int##bits##_t float_mask = (int##bits##_t)sort->float_mask, flip = (int##bits##_t)sort->flip;            \
        for (size_t i = 0; i < count; i++) {                                                                           \
            int##bits##_t raw = (int##bits##_t)((int##bits##_t)(MAPPED(in[i])) ^ flip);                                \
            raw = (int##bits##_t)(raw ^ ((raw >> (bits - 1)) & float_mask));                                           \
            memcpy(keys + i * sizeof raw, &raw, sizeof raw);                                                           \
        }                                                                                                              \
    } while (0)
#define UNLOAD_KEYS(MAPPED)                                                                                            \
    switch (sort->key_size) {                                                                                          \
    case 1:                                                                                                            \
        UNLOAD_KEYS_OF(8, MAPPED);                                                                                     \
        break;                                                                                                         \
    case 2:                                                                                                            \
        UNLOAD_KEYS_OF(16, MAPPED);                                                                                    \
        break;                                                                                                         \
    case 4:                                                                                                            \
        UNLOAD_KEYS_OF(32, MAPPED);                                                                                    \
        break;                                                                                                         \
    default:                                                                                                           \
        UNLOAD_KEYS_OF(64, MAPPED);                                                                                    \
    }

static void FORMAT(unload_keys)(const opi_sort *sort, size_t begin, size_t count, const RECORD *OPLUS_RESTRICT_ in)
{
    unsigned char *const keys = sort->keys + begin * sort->key_size;
#ifdef PAYLOAD_OF
    UNLOAD_KEYS(KEY_OF)
#else
    const unsigned back = (8 * sizeof(KEY) - sort->turn) % (8 * sizeof(KEY));
#define TURNED_BACK(r) FORMAT(turned)(KEY_OF(r), back)
    UNLOAD_KEYS(TURNED_BACK)
#undef TURNED_BACK
#endif
}

#ifdef PAYLOAD_OF
/* The keys of a limited sort, which have travelled, or are gathered. */
static void FORMAT(unload_limited)(const opi_sort *sort, size_t begin, size_t count, const RECORD *OPLUS_RESTRICT_ in)
{
    const size_t size = sort->key_size;
    unsigned char *const keys = sort->keys + begin * size;
    if (sort->payload == OPI_SORT_INDEX) {
        for (size_t i = 0; i < count; i++)
            memcpy(sort->gathered_keys + (begin + i) * size, sort->keys + (size_t)PAYLOAD_OF(in[i]) * size, size);
        return;
    }
#define WHOLE_OF(r) ((uint64_t)PAYLOAD_OF(r) >> 32)
    UNLOAD_KEYS(WHOLE_OF)
#undef WHOLE_OF
}
#endif
#undef UNLOAD_KEYS
#undef UNLOAD_KEYS_OF

static void FORMAT(unload)(const opi_sort *sort, size_t begin, size_t count, const RECORD *OPLUS_RESTRICT_ in)
{
#ifndef PAYLOAD_OF
    FORMAT(unload_keys)(sort, begin, count, in);
#else
    if (sort->payload != OPI_SORT_PLACE)
        (sort->limited ? FORMAT(unload_limited) : FORMAT(unload_keys))(sort, begin, count, in);
    const size_t size = sort->value_size;
    if (sort->payload == OPI_SORT_INDEX) {
        for (size_t i = 0; i < count; i++)
            memcpy(sort->gathered + (begin + i) * size, sort->values + (size_t)PAYLOAD_OF(in[i]) * size, size);
        return;
    }
    unsigned char *values = sort->values + begin * size;
#define UNLOAD_VALUES(T, size)                                                                                         \
    for (size_t i = 0; i < count; i++) {                                                                               \
        const T value = (T)PAYLOAD_OF(in[i]);                                                                          \
        memcpy(values + i * (size), &value, size);                                                                     \
    }
    switch (size) {
    case 4:
        UNLOAD_VALUES(uint32_t, 4) break;
    case 8:
        UNLOAD_VALUES(uint64_t, 8) break;
    default:
        UNLOAD_VALUES(uint64_t, size)
    }
#undef UNLOAD_VALUES
#endif
}

/* The records from `begin` on, in place or through `chunk`: at least one, at most *count, which becomes their
 * number. */
static inline const RECORD *FORMAT(fetch)(const opi_sort *sort, opi_sort_place place, size_t begin, size_t *count,
                                          RECORD chunk[CHUNK])
{
    if (place != OPI_SORT_CALLER) return (const RECORD *)sort->records[place] + begin;
#ifndef PAYLOAD_OF
    const unsigned char *const keys = sort->keys + begin * sort->key_size;
    if (sort->key_size == sizeof(RECORD) && sort->turn == 0 && !sort->flip && !sort->float_mask &&
        (uintptr_t)keys % sizeof(RECORD) == 0)
        return (const RECORD *)(const void *)keys; /* unsigned numbers are their own records */
#endif
    if (*count > CHUNK) *count = CHUNK;
    FORMAT(load)(sort, begin, *count, chunk);
    return chunk;
}

#include "cores/isa/sort_partition.h"

/* --- a bucket ---------------------------------------------------------------------------------------------------- */

static void FORMAT(insert)(RECORD *x, size_t n, unsigned drop)
{
    (void)drop;
    for (size_t i = 1; i < n; i++) {
        const RECORD r = x[i];
        size_t j = i;
        for (; j > 0 && ORDER_OF(x[j - 1]) > ORDER_OF(r); j--) x[j] = x[j - 1];
        x[j] = r;
    }
}

static RECORD *FORMAT(sort_in_cache)(RECORD *x, RECORD *other, size_t n, unsigned drop, uint32_t *counts);

/* Sorts records whose keys, shifted right by `known`, are in order: only runs that agree in these bits can be out of
 * order. */
static void FORMAT(finish)(RECORD *x, RECORD *other, size_t n, unsigned known, unsigned drop, uint32_t *counts)
{
    (void)drop;
    for (size_t i = 1; i < n; i++) {
        if (ORDER_OF(x[i - 1]) <= ORDER_OF(x[i])) continue;
        const KEY prefix = ORDER_OF(x[i]) >> known;
        size_t begin = i - 1, end = i + 1;
        while (begin > 0 && ORDER_OF(x[begin - 1]) >> known == prefix) begin--;
        while (end < n && ORDER_OF(x[end]) >> known == prefix) end++;
        RECORD *const sorted = FORMAT(sort_in_cache)(x + begin, other + begin, end - begin, drop, counts);
        if (sorted != x + begin) memcpy(x + begin, sorted, (end - begin) * sizeof(RECORD));
        i = end;
    }
}

/* Counts the digits of up to three passes, of `bits` bits from bit `low` of a key on. */
static void FORMAT(count_digits)(const RECORD *OPLUS_RESTRICT_ x, size_t n, unsigned passes, unsigned low,
                                 unsigned bits, uint32_t *OPLUS_RESTRICT_ counts)
{
    const KEY mask = ((KEY)1 << bits) - 1;
    const unsigned middle = low + bits, high = middle + bits;
    uint32_t *const second = counts + ((size_t)1 << bits), *const third = second + ((size_t)1 << bits);
    for (size_t i = 0; i < n; i++) {
        const KEY key = KEY_OF(x[i]);
        counts[(key >> low) & mask]++;
        if (passes > 1) second[(key >> middle) & mask]++;
        if (passes > 2) third[(key >> high) & mask]++;
    }
}

/* Deals records out by one digit. */
static void FORMAT(scatter_in_cache)(const RECORD *OPLUS_RESTRICT_ x, size_t n, unsigned shift, KEY mask,
                                     uint32_t *OPLUS_RESTRICT_ position, RECORD *OPLUS_RESTRICT_ other)
{
    enum { STEP = 4 }; /* a loop of single records took 1.2 times as long (Zen 4, 2026-11-28) */
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (size_t k = 0; k < STEP; k++) other[position[(KEY_OF(x[i + k]) >> shift) & mask]++] = x[i + k];
    for (; i < n; i++) other[position[(KEY_OF(x[i]) >> shift) & mask]++] = x[i];
}

/* Sorts n < 2^32 records, using `other` of the same size; returns which of the two holds them. */
static RECORD *FORMAT(sort_in_cache)(RECORD *x, RECORD *other, size_t n, unsigned drop, uint32_t *counts)
{
    if (n <= INSERTION) {
        FORMAT(insert)(x, n, drop);
        return x;
    }

    /* --- 1. what needs no digits; reversed keys would also write to lines that collide in a cache --- */
    if (FORMAT(ascends)(x, n, drop)) return x;
    if (FORMAT(descends)(x, n, drop)) {
        for (size_t i = 0; i < n; i++) other[n - 1 - i] = x[i];
        return other;
    }

    /* --- 2. which digits: the highest bits that vary, as many as tell most of n records apart --- */
    KEY any = 0, all = (KEY)-1;
    for (size_t i = 0; i < n; i++) {
        any |= ORDER_OF(x[i]);
        all &= ORDER_OF(x[i]);
    }
    const digits plan = choose_digits((uint64_t)(any ^ all), n);
    const KEY mask = ((KEY)1 << plan.bits) - 1;

    /* --- 3. all histograms in one reading --- */
    memset(counts, 0, ((size_t)plan.passes << plan.bits) * sizeof *counts);
    const unsigned low = plan.low + drop;
    FORMAT(count_digits)(x, n, plan.passes, low, plan.bits, counts);

    /* --- 4. a stable scatter a digit --- */
    for (unsigned pass = 0, shift = low; pass < plan.passes; pass++, shift += plan.bits) {
        uint32_t *const position = counts + ((size_t)pass << plan.bits);
        if (position[(KEY_OF(x[0]) >> shift) & mask] == n) continue;
        counts_to_positions(position, (size_t)1 << plan.bits);
        FORMAT(scatter_in_cache)(x, n, shift, mask, position, other);
        RECORD *const swap = x;
        x = other;
        other = swap;
    }

    /* --- 5. what the digits did not tell apart --- */
    if (!plan.complete) FORMAT(finish)(x, other, n, plan.low, drop, counts);
    return x;
}

static void FORMAT(sort_bucket)(const opi_sort *sort, opi_sort_range range, void *other, uint32_t *counts)
{
    const size_t n = range.end - range.begin;
    RECORD *x =
        (RECORD *)sort->records[range.place == OPI_SORT_CALLER ? OPI_SORT_RECORDS_0 : range.place] + range.begin;
    if (range.place == OPI_SORT_CALLER) FORMAT(load)(sort, range.begin, n, x);
    if (!range.sorted) x = FORMAT(sort_in_cache)(x, other, n, sort->drop, counts);
    FORMAT(unload)(sort, range.begin, n, x);
}

enum { FORMAT(bytes) = sizeof(RECORD) };

#undef ORDER_OF
#undef FORMAT
#undef RECORD
#undef KEY
#undef SIGNED_KEY
#undef MAKE_RECORD
#undef KEY_OF
#undef PAYLOAD_OF
#undef SET_PAYLOAD
