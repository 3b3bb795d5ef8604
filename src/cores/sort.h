/* Stable radix sort, and keys alone by vectors: what happens inside a block.
 *
 * Keys are mapped to unsigned integers whose order is the wanted one and travel as records, alone or with a payload (a
 * small value, or the index of a large one).  Three kinds of sweep sort them:
 *
 *   partition   a range too large for a core's cache is dealt into buckets by its highest digit that varies, from the
 *               caller's arrays into scratch memory; again on what is still too large (cores/sort_passes.c)
 *   buckets     each bucket is sorted in a core's cache and goes back to the caller: least significant digit first, or,
 *               for keys alone of 32 or 64 bits where the instruction set supports it, by quicksort (equal keys have
 *               equal bits, so that nobody can tell which came first)
 *   gather      values that did not travel are fetched by index, and return
 *
 * A sort of keys alone by some bits turns each key so that these are the highest bits of its record.  One of pairs has these bits
 * as the keys of its records; the caller's keys travel or are gathered as values are.
 */
#ifndef OPI_LEAF_SORT_H
#define OPI_LEAF_SORT_H

#include "cores/isa.h"
#include "cores/sweep.h"

enum {
    OPI_SORT_DIGIT_BITS = 8, /* of a partition */
    OPI_SORT_DIGITS = 1 << OPI_SORT_DIGIT_BITS,
    OPI_SORT_CACHE_BYTES =
        1 << 20, /* of a bucket's records; as much again is its scratch, and both fit a core's cache */
    OPI_SORT_VECTOR_BYTES =
        16 << 20,         /* the same where vectors sort them: their first splits stream, a third-level cache
                                       * is near enough */
    OPI_SORT_SMALL = 256, /* records that are sorted on the stack; vectors sort as many as there is room for */
    OPI_SORT_RECORD_BYTES_MAX = 16,
    OPI_SORT_SMALL_BYTES = 2 * OPI_SORT_SMALL * OPI_SORT_RECORD_BYTES_MAX,

    /* For the sort in cache: the counters of all passes of a round. */
    OPI_SORT_COUNTER_BITS = 9, /* the lines that a pass writes to then fit the first-level cache */
    OPI_SORT_PASSES = 3,
    OPI_SORT_COUNTERS = OPI_SORT_PASSES << OPI_SORT_COUNTER_BITS,
    OPI_SORT_COUNTERS_SMALL = OPI_SORT_PASSES * OPI_SORT_SMALL, /* digits have at most log2(n) bits */
};

/* What travels with a key. */
typedef enum opi_sort_payload {
    OPI_SORT_KEY_ALONE,
    OPI_SORT_VALUE,
    OPI_SORT_INDEX, /* of the value, which is gathered */
    OPI_SORT_PLACE, /* the index itself, which is written to `values`; the keys stay as they are */
    OPI_SORT_BOTH   /* of a sort by some bits, which are then the key of a record: the mapped key, in the higher half,
                     * and the value; both have at most 4 bytes */
} opi_sort_payload;

typedef struct opi_sort_format opi_sort_format;

typedef struct opi_sort opi_sort;
typedef struct opi_sort_range opi_sort_range;

/* Sorts a range and writes it to the caller's arrays.  other: scratch of its size; counts: OPI_SORT_COUNTERS. */
typedef void opi_sort_bucket(const opi_sort *sort, opi_sort_range range, void *other, uint32_t *counts);

struct opi_sort {
    const opi_sort_format *format;
    opi_sort_bucket *bucket; /* by digits, or by vectors */
    bool by_vectors;
    unsigned splits;      /* vectors split a part at sampled keys splits * log2(its size) times, then halve its range */
    size_t cache_records; /* a range of more is partitioned */
    unsigned key_bits;
    uint64_t float_mask, flip; /* mapped = raw ^ (raw < 0 ? float_mask : 0) ^ flip, as integers of the key's size */
    bool limited;              /* the key of a record is mapped >> low & range, of key_bits bits, ... */
    unsigned low;
    uint64_t range;
    /* ... but of keys alone, the mapped key, turned left by `turn` bits, so that the lowest `drop` bits are not compared. */
    unsigned turn, drop;
    opi_sort_payload payload;
    size_t n, key_size, value_size;
    unsigned char *keys, *values; /* the caller's */
    unsigned char *records[2];    /* scratch: n records each; the second only where n > cache_records */
    unsigned char *gathered;      /* scratch for n values; with OPI_SORT_INDEX */
    unsigned char *gathered_keys; /* the same for n keys, if it is limited, too */
};

/* Where a range of records lies. */
typedef enum opi_sort_place { OPI_SORT_RECORDS_0, OPI_SORT_RECORDS_1, OPI_SORT_CALLER } opi_sort_place;

/* What a partition deals by: bits of a key from `shift` on; or, of keys that vectors sort, bits of the distance from
 * `base`, where those below and those too far above go to the first and to the last bucket.  So most of the buckets are
 * spent where most of the keys are.  The distance is that of the keys or, of floats, that of their values: of uniform
 * floats in [0, 1) half have the same exponent, and the distance of keys would send them to few buckets. */
typedef enum opi_sort_digit_of { OPI_SORT_BITS, OPI_SORT_DISTANCE, OPI_SORT_FLOAT_DISTANCE } opi_sort_digit_of;
typedef struct opi_sort_digit {
    opi_sort_digit_of of;
    bool same; /* nearly all keys are the same, as far as a sample shows */
    unsigned shift;
    uint64_t base, largest; /* largest: magnitude of a float that counts, as bits */
} opi_sort_digit;

/* Records [begin, end), all of which belong between the ranges beside them.  Keys that are sorted by digits agree above
 * bit `shift`. */
struct opi_sort_range {
    size_t begin, end;
    opi_sort_place place;
    unsigned shift;
    unsigned partitions; /* that the range has come through */
    bool sorted;         /* in their final order already */
};

/* The carry of a partition: what is known of a run of keys. */
typedef struct opi_sort_summary {
    uint64_t any, all;    /* the OR and the AND of the keys */
    uint64_t first, last; /* keys, if there are any */
    bool empty, sorted;
    uint64_t count[OPI_SORT_DIGITS];
} opi_sort_summary;

/* The record formats: a key of 32 or 64 bits, alone or with a payload of as many. */
enum { OPI_SORT_U32, OPI_SORT_U64, OPI_SORT_PAIR32, OPI_SORT_PAIR64, OPI_SORT_FORMATS };

/* The loops over one record format, for one instruction set (src/cores/isa/sort_format.h, sort_vector.c). */
struct opi_sort_format {
    size_t bytes; /* of a record */
    /* What a range that vectors will sort is best dealt by; it has SAMPLE (isa/sort.c) records or more. */
    opi_sort_digit (*choose_digit)(const opi_sort *sort, const opi_sort_range *range);
    /* Adds the records [begin, end) to a summary that counts a digit. */
    void (*summarise)(const opi_sort *sort, opi_sort_place place, size_t begin, size_t end, const opi_sort_digit *digit,
                      opi_sort_summary *summary);
    /* Deals the records out: position[d] is where in `to` the next record of digit d goes. */
    void (*scatter)(const opi_sort *sort, opi_sort_place place, size_t begin, size_t end, const opi_sort_digit *digit,
                    unsigned char *to, size_t position[OPI_SORT_DIGITS]);
    opi_sort_bucket *by_digits;  /* least significant first, stably */
    opi_sort_bucket *by_vectors; /* keys alone, of the record's size; NULL where there are none */
};

typedef struct opi_sort_partition {
    opi_sweep sweep; /* first: a leaf finds its partition through it */
    const opi_sort *sort;
    opi_sort_range range;
    opi_sort_digit digit;
} opi_sort_partition;

typedef struct opi_sort_buckets {
    opi_sweep sweep;
    const opi_sort *sort;
    const opi_sort_range *range;
} opi_sort_buckets;

/* values NULL: keys alone.  The scratch members are the caller's to fill in. */
opi_sort opi_sort_plan(const opi_isa *isa, const oplus_type *key, oplus_order order, void *keys,
                       const oplus_type *value, void *values, size_t n);

/* Makes a sort of pairs an argsort: values is then an array of indices, of 4 or 8 bytes each, that it writes. */
void opi_sort_make_places(opi_sort *sort, const opi_isa *isa);
/* Makes a sort, or what opi_sort_make_places has made, one by the bits [low, high) of the mapped keys: if these are not all,
 * keys of equal bits keep their order. */
void opi_sort_limit(opi_sort *sort, const opi_isa *isa, unsigned low, unsigned high);
/* Makes it sort by digits even where vectors could sort. */
void opi_sort_prefer_digits(opi_sort *sort);
/* Makes it partition again what is more than one worker's share, at least `least` records, where vectors sort. */
void opi_sort_share(opi_sort *sort, size_t workers, size_t least);

/* Whether there are so few elements, whose values travel, that they are sorted at once and without scratch memory. */
bool opi_sort_is_small(const opi_sort *sort);
void opi_sort_small(const opi_sort *sort);

/* Whether a range of more than `most` records is to be partitioned (again), and by what. */
bool opi_sort_is_large(const opi_sort *sort, const opi_sort_range *range, size_t most);
opi_sort_digit opi_sort_first_digit(const opi_sort *sort, const opi_sort_range *range);
/* Deals a range into buckets, in the other scratch array.  The carry is an opi_sort_summary; nothing moves unless
 * opi_sort_moves(partition, summary): the range may be sorted, or its digit may hardly vary, and then the digit at
 * opi_sort_shift(summary) is better. */
void opi_sort_partition_plan(opi_sort_partition *partition, const opi_sort *sort, opi_sort_range range,
                             opi_sort_digit digit);
bool opi_sort_moves(const opi_sort_partition *partition, const opi_sort_summary *total);
unsigned opi_sort_shift(const opi_sort_summary *total);
/* The ranges that a partition has made: its buckets, or pieces of what was sorted already; returns how many. */
size_t opi_sort_split(const opi_sort_partition *partition, const opi_sort_summary *total, opi_sort_range *range);
/* The most ranges that a sort makes, intermediate ones included. */
size_t opi_sort_ranges_max(const opi_sort *sort);

/* Sorts each range and writes it to the caller's arrays (with OPI_SORT_INDEX its values to `gathered`). */
void opi_sort_buckets_plan(opi_sort_buckets *buckets, const opi_sort *sort, const opi_sort_range *range, size_t ranges);
/* Copies what has been gathered to the caller's arrays. */
void opi_sort_return_plan(opi_sort_buckets *values, const opi_sort *sort);

#endif
