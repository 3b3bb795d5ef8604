/* Stable radix sort: the three sweeps, over the loops of cores/isa/sort_format.h. */
#include "cores/sort.h"

#include "base/memory.h"
#include "cores/merge.h"

#include <assert.h>
#include <string.h>

enum {
    ENOUGH_BITS = 5,               /* varying bits in a partition's digit */
    PARTITION_BLOCKS = 64,         /* blocks at most, each with a summary */
    PARTITION_BLOCK_MIN = 1 << 15, /* records */
    RETURN_BLOCK_BYTES = 1 << 18,
    PARTITIONS_MAX = 4, /* of keys for vectors; quicksort takes what so many could not cut */
};

static unsigned highest_bit(uint64_t x) { return 63 - (unsigned)__builtin_clzll(x); }

/* by_vectors: how vectors sort a bucket; NULL: it is sorted by digits. */
static void set_bucket(opi_sort *sort, opi_sort_bucket *by_vectors)
{
    sort->by_vectors = by_vectors != NULL;
    sort->splits = 2;
    sort->bucket = by_vectors ? by_vectors : sort->format->by_digits;
    sort->cache_records = (by_vectors ? OPI_SORT_VECTOR_BYTES : OPI_SORT_CACHE_BYTES) / sort->format->bytes;
}

void opi_sort_prefer_digits(opi_sort *sort) { set_bucket(sort, NULL); }

void opi_sort_share(opi_sort *sort, size_t workers, size_t least)
{
    const size_t share = sort->n / workers, most = share > least ? share : least;
    if (sort->by_vectors && most < sort->cache_records) sort->cache_records = most;
}

opi_sort opi_sort_plan(const opi_isa *isa, const oplus_type *key, oplus_order order, void *keys,
                       const oplus_type *value, void *values, size_t n)
{
    opi_sort sort = {
        .n = n, .keys = keys, .values = values, .key_size = key->size, .key_bits = 8 * (unsigned)key->size};
    const opi_key_order by = opi_key_order_of(key, order);
    sort.float_mask = by.float_mask;
    sort.flip = by.flip;

    /* --- the smallest record that takes the key and the value, or else an index --- */
    bool wide = key->size > 4;
    if (values) {
        sort.value_size = value->size;
        sort.payload = value->size <= 8 ? OPI_SORT_VALUE : OPI_SORT_INDEX;
        if (sort.payload == OPI_SORT_VALUE ? value->size > 4 : n > UINT32_MAX) wide = true;
    }
    sort.format = &isa->sort[values ? wide ? OPI_SORT_PAIR64 : OPI_SORT_PAIR32 : wide ? OPI_SORT_U64 : OPI_SORT_U32];
    set_bucket(&sort, !values && key->size == sort.format->bytes ? sort.format->by_vectors : NULL);
    return sort;
}

void opi_sort_make_places(opi_sort *sort, const opi_isa *isa)
{
    const bool wide = sort->key_size > 4 || sort->n - 1 > UINT32_MAX;
    sort->payload = OPI_SORT_PLACE;
    sort->format = &isa->sort[wide ? OPI_SORT_PAIR64 : OPI_SORT_PAIR32];
    set_bucket(sort, NULL);
}

/* Of keys alone the whole key is the record.  The bits that are compared are turned to its highest ones. */
static void limit_keys_alone(opi_sort *sort, unsigned high)
{
    const unsigned record_bits = 8 * (unsigned)sort->format->bytes;
    sort->turn = record_bits - high;
    sort->drop = record_bits - sort->key_bits;
    set_bucket(sort, NULL);
}

void opi_sort_limit(opi_sort *sort, const opi_isa *isa, unsigned low, unsigned high)
{
    const unsigned bits = high - low;
    if (bits == sort->key_bits) return;
    sort->limited = true;
    sort->key_bits = bits;
    sort->low = low;
    sort->range = UINT64_MAX >> (64 - bits);
    bool wide = bits > 32 || sort->n - 1 > UINT32_MAX;
    if (!sort->values) {
        limit_keys_alone(sort, high);
        return;
    }
    if (sort->payload == OPI_SORT_VALUE && sort->key_size <= 4 && sort->value_size <= 4) {
        sort->payload = OPI_SORT_BOTH;
        wide = true;
    } else if (sort->payload == OPI_SORT_VALUE) {
        sort->payload = OPI_SORT_INDEX;
    }
    sort->format = &isa->sort[wide ? OPI_SORT_PAIR64 : OPI_SORT_PAIR32];
    set_bucket(sort, NULL);
}

/* --- partition */

static void start_summary(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep, (void)at;
    opi_sort_summary *const summary = carry;
    memset(summary, 0, sizeof *summary);
    summary->all = UINT64_MAX;
    summary->empty = summary->sorted = true;
}

static void summarise(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    (void)scratch;
    const opi_sort_partition *const p = (const opi_sort_partition *)sweep;
    p->sort->format->summarise(p->sort, p->range.place, p->range.begin + begin, p->range.begin + end, &p->digit, carry);
}

static void join_summaries(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    opi_sort_summary *const a = left;
    const opi_sort_summary *const b = right;
    if (b->empty) return;
    a->sorted = a->sorted && b->sorted && (a->empty || a->last <= b->first);
    if (a->empty) a->first = b->first;
    a->empty = false;
    a->last = b->last;
    a->any |= b->any;
    a->all &= b->all;
    for (size_t d = 0; d < OPI_SORT_DIGITS; d++) a->count[d] += b->count[d];
}

bool opi_sort_is_large(const opi_sort *sort, const opi_sort_range *range, size_t most)
{
    if (sort->by_vectors && range->partitions == PARTITIONS_MAX) return false;
    return !range->sorted && range->end - range->begin > most;
}

opi_sort_digit opi_sort_first_digit(const opi_sort *sort, const opi_sort_range *range)
{
    if (sort->by_vectors) return sort->format->choose_digit(sort, range);
    return (opi_sort_digit){.shift = range->shift > OPI_SORT_DIGIT_BITS ? range->shift - OPI_SORT_DIGIT_BITS : 0};
}

unsigned opi_sort_shift(const opi_sort_summary *total)
{
    const unsigned top = highest_bit(total->any ^ total->all) + 1;
    return top > OPI_SORT_DIGIT_BITS ? top - OPI_SORT_DIGIT_BITS : 0;
}

bool opi_sort_moves(const opi_sort_partition *partition, const opi_sort_summary *total)
{
    if (total->sorted) return false;
    const opi_sort_digit *const digit = &partition->digit;
    return digit->of != OPI_SORT_BITS || digit->shift == 0 ||
           highest_bit(total->any ^ total->all) + 1 >= digit->shift + ENOUGH_BITS;
}

static opi_sort_place away(opi_sort_place place)
{
    return place == OPI_SORT_RECORDS_0 ? OPI_SORT_RECORDS_1 : OPI_SORT_RECORDS_0;
}

static void scatter(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                    void *scratch)
{
    (void)aggregated, (void)scratch;
    const opi_sort_partition *const p = (const opi_sort_partition *)sweep;
    if (!opi_sort_moves(p, total)) return;
    const opi_sort_summary *const before = carry, *const whole = total;
    size_t position[OPI_SORT_DIGITS], sum = p->range.begin;
    for (size_t d = 0; d < OPI_SORT_DIGITS; d++) {
        position[d] = sum + before->count[d];
        sum += whole->count[d];
    }
    p->sort->format->scatter(p->sort, p->range.place, p->range.begin + begin, p->range.begin + end, &p->digit,
                             p->sort->records[away(p->range.place)], position);
}

void opi_sort_partition_plan(opi_sort_partition *partition, const opi_sort *sort, opi_sort_range range,
                             opi_sort_digit digit)
{
    const size_t n = range.end - range.begin, share = n / PARTITION_BLOCKS + 1;
    *partition = (opi_sort_partition){
        .sweep = {.n = n,
                  .block = share > PARTITION_BLOCK_MIN ? share : PARTITION_BLOCK_MIN,
                  .bytes = 2 * n * sort->format->bytes,
                  .carry_bytes = sizeof(opi_sort_summary),
                  .whole = true,
                  .start = start_summary,
                  .aggregate = summarise,
                  .join = join_summaries,
                  .apply = scatter},
        .sort = sort,
        .range = range,
        .digit = digit,
    };
}

size_t opi_sort_ranges_max(const opi_sort *sort)
{
    /* At each digit, the ranges to be cut are larger than a cache and do not overlap. */
    const size_t cuts = 1 + sort->n / sort->cache_records;
    return 1 + 2 * cuts + cuts * OPI_SORT_DIGITS * ((sort->key_bits + OPI_SORT_DIGIT_BITS - 1) / OPI_SORT_DIGIT_BITS);
}

/* Records in their final order are only copied to the caller: cuts them into pieces for the workers. */
static size_t cut(const opi_sort *sort, opi_sort_range range, opi_sort_range *piece)
{
    size_t pieces = 0;
    range.sorted = true;
    for (size_t begin = range.begin, end = range.end; begin < end; begin = range.end) {
        range.begin = begin;
        range.end = end - begin > sort->cache_records ? begin + sort->cache_records : end;
        piece[pieces++] = range;
    }
    return pieces;
}

size_t opi_sort_split(const opi_sort_partition *partition, const opi_sort_summary *total, opi_sort_range *range)
{
    opi_sort_range bucket = partition->range;
    if (total->sorted) return cut(partition->sort, bucket, range);

    bucket.place = away(bucket.place);
    bucket.shift = partition->digit.shift;
    bucket.partitions++;
    size_t ranges = 0;
    for (size_t d = 0, begin = bucket.begin; d < OPI_SORT_DIGITS; d++) {
        bucket.begin = begin;
        bucket.end = begin += total->count[d];
        if (partition->digit.shift == 0 && partition->digit.of == OPI_SORT_BITS)
            ranges += cut(partition->sort, bucket, range + ranges);
        else if (total->count[d] > 0)
            range[ranges++] = bucket;
    }
    return ranges;
}

/* --- buckets */

static void sort_buckets(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                         bool aggregated, void *scratch)
{
    (void)carry, (void)total, (void)aggregated;
    const opi_sort_buckets *const b = (const opi_sort_buckets *)sweep;
    uint32_t *const counts = scratch;
    for (size_t i = begin; i < end; i++)
        if (b->range[i].end > b->range[i].begin)
            b->sort->bucket(b->sort, b->range[i], counts + OPI_SORT_COUNTERS, counts);
}

/* Whether a range needs no other scratch: vectors sort keys between their records and the caller's array. */
static bool brings_scratch(const opi_sort *sort, const opi_sort_range *range)
{
    return sort->by_vectors && range->place != OPI_SORT_CALLER;
}

void opi_sort_buckets_plan(opi_sort_buckets *buckets, const opi_sort *sort, const opi_sort_range *range, size_t ranges)
{
    size_t largest = 0;
    for (size_t i = 0; i < ranges; i++)
        if (!range[i].sorted && !brings_scratch(sort, &range[i]) && range[i].end - range[i].begin > largest)
            largest = range[i].end - range[i].begin;
    *buckets = (opi_sort_buckets){
        .sweep = {.n = ranges,
                  .block = 1,
                  .bytes = 2 * sort->n * sort->format->bytes,
                  .scratch_bytes = OPI_SORT_COUNTERS * sizeof(uint32_t) + largest * sort->format->bytes,
                  .apply = sort_buckets},
        .sort = sort,
        .range = range,
    };
}

bool opi_sort_is_small(const opi_sort *sort)
{
    if (sort->by_vectors) return sort->n <= OPI_SORT_SMALL_BYTES / sort->format->bytes;
    return sort->n <= OPI_SORT_SMALL && sort->payload != OPI_SORT_INDEX;
}

void opi_sort_small(const opi_sort *sort)
{
    _Alignas(OPI_CACHE_LINE) unsigned char records[OPI_SORT_SMALL_BYTES];
    const opi_sort_range range = {.end = sort->n, .place = OPI_SORT_CALLER};
    assert(opi_sort_is_small(sort));
    if (sort->by_vectors) {
        sort->bucket(sort, range, records, NULL);
        return;
    }
    uint32_t counts[OPI_SORT_COUNTERS_SMALL];
    opi_sort local = *sort;
    local.records[0] = records;
    local.bucket(&local, range, records + OPI_SORT_SMALL * OPI_SORT_RECORD_BYTES_MAX, counts);
}

static void bring_back(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    const opi_sort *const sort = ((const opi_sort_buckets *)sweep)->sort;
    memcpy(sort->values + begin * sort->value_size, sort->gathered + begin * sort->value_size,
           (end - begin) * sort->value_size);
    if (sort->limited)
        memcpy(sort->keys + begin * sort->key_size, sort->gathered_keys + begin * sort->key_size,
               (end - begin) * sort->key_size);
}

void opi_sort_return_plan(opi_sort_buckets *values, const opi_sort *sort)
{
    const size_t size = sort->value_size + (sort->limited ? sort->key_size : 0), block = RETURN_BLOCK_BYTES / size;
    *values = (opi_sort_buckets){
        .sweep = {.n = sort->n, .block = block ? block : 1, .bytes = 2 * sort->n * size, .apply = bring_back},
        .sort = sort,
    };
}
