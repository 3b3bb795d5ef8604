#include "cores/put_buckets.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/put.h"
#include "cores/take.h"

#include <stdatomic.h>
#include <string.h>

enum {
    BLOCK = 1 << 16,        /* elements: with their indices and their copies they fit a second-level cache */
    CHUNK = 1 << 25,        /* elements at most, of which copies are made */
    MOST_BUCKETS = 128,     /* so many places to write to at once stay in a first-level cache */
    BUCKET_BYTES = 1 << 20, /* of the output, unless that has more of them: they stay in a second-level cache */
    SUITS_BYTES = 64 << 20, /* of the output, */
    SUITS_COUNT = 1 << 18   /* and elements, from which it is the faster way */
};

typedef struct chunk {
    opi_sweep sweep; /* over the elements of the chunk, then over the buckets */
    const opi_isa *isa;
    opi_indices indices;
    size_t size; /* of an element, bytes */
    const char *in;
    char *out;
    size_t first, count; /* elements of this chunk */
    size_t blocks, buckets;
    unsigned shift;       /* place >> shift: the bucket */
    uint32_t *starts;     /* buckets + 1 for each block: where each bucket's elements begin in the block */
    char *elements;       /* the elements of each block, bucket by bucket, each behind its place in the bucket */
    atomic_size_t *wrong; /* the first index out of range so far */
} chunk;

static inline size_t record_bytes(size_t size) { return sizeof(uint32_t) + size; }

/* --- the first pass ----------------------------------------------------------------------------------------------- */

static inline uint64_t place_of(const opi_indices *indices, bool is_wide, bool clips, uint64_t sign, size_t k)
{
    const uint64_t at = is_wide ? ((const uint64_t *)indices->at)[k] : ((const uint32_t *)indices->at)[k];
    return clips ? opi_index_clipped(at, sign, indices->n) : at;
}

/* `size`, `is_wide` and `clips` are constants where this is called. */
OPLUS_INLINE_ void sort_into_buckets(const chunk *c, size_t size, bool is_wide, bool clips, size_t begin, size_t end)
{
    uint32_t *const starts = c->starts + begin / BLOCK * (c->buckets + 1), next[MOST_BUCKETS];
    const opi_indices *const indices = &c->indices;
    const uint64_t sign = opi_index_sign(indices), in_bucket = (UINT64_C(1) << c->shift) - 1;
    const char *const in = c->in + c->first * size;
    char *const elements = c->elements + begin * record_bytes(size);
    for (size_t k = begin; k < end; k++)
        starts[(place_of(indices, is_wide, clips, sign, c->first + k) >> c->shift) + 1]++;
    for (size_t b = 0; b < c->buckets; b++) {
        next[b] = starts[b];
        starts[b + 1] += starts[b];
    }
    for (size_t k = begin; k < end; k++) {
        const uint64_t place = place_of(indices, is_wide, clips, sign, c->first + k);
        const uint32_t in_its_bucket = (uint32_t)(place & in_bucket);
        char *const to = elements + next[place >> c->shift]++ * record_bytes(size);
        memcpy(to, &in_its_bucket, sizeof in_its_bucket);
        memcpy(to + sizeof in_its_bucket, in + k * size, size);
    }
}

OPLUS_INLINE_ void sort_by_size(const chunk *c, bool is_wide, bool clips, size_t begin, size_t end)
{
    switch (c->size) {
    case 4:
        sort_into_buckets(c, 4, is_wide, clips, begin, end);
        break;
    case 8:
        sort_into_buckets(c, 8, is_wide, clips, begin, end);
        break;
    default:
        sort_into_buckets(c, c->size, is_wide, clips, begin, end);
    }
}

static void remember_wrong(const chunk *c, size_t k)
{
    size_t known = atomic_load(c->wrong);
    while (k < known && !atomic_compare_exchange_weak(c->wrong, &known, k)) continue;
}

static void sort_block(const chunk *c, size_t begin, size_t end)
{
    const opi_indices *const indices = &c->indices;
    memset(c->starts + begin / BLOCK * (c->buckets + 1), 0, (c->buckets + 1) * sizeof *c->starts);
    if (!indices->clip && opi_indices_any_wrong(c->isa, indices, c->first + begin, end - begin))
        remember_wrong(c, opi_indices_first_wrong(indices, c->first + begin)); /* nothing of the block is put */
    else if (indices->clip)
        sort_by_size(c, indices->type->size == sizeof(uint64_t), true, begin, end);
    else if (indices->type->size == sizeof(uint64_t))
        sort_by_size(c, true, false, begin, end);
    else
        sort_by_size(c, false, false, begin, end);
}

static void sort_blocks(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                        bool aggregated, void *scratch)
{
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t k = begin; k < end; k += BLOCK) sort_block((const chunk *)sweep, k, opi_smaller(k + BLOCK, end));
}

/* --- the second pass ---------------------------------------------------------------------------------------------- */

OPLUS_INLINE_ void put_bucket(const chunk *c, size_t size, size_t bucket)
{
    char *const out = c->out + (bucket << c->shift) * size;
    for (size_t b = 0; b < c->blocks; b++) {
        const uint32_t *const starts = c->starts + b * (c->buckets + 1) + bucket;
        const char *from = c->elements + (b * BLOCK + starts[0]) * record_bytes(size);
        for (uint32_t k = starts[0], place; k < starts[1]; k++, from += record_bytes(size)) {
            memcpy(&place, from, sizeof place);
            memcpy(out + place * size, from + sizeof place, size);
        }
    }
}

static void put_buckets(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                        bool aggregated, void *scratch)
{
    const chunk *const c = (const chunk *)sweep;
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t bucket = begin; bucket < end; bucket++)
        if (c->size == 4)
            put_bucket(c, 4, bucket);
        else if (c->size == 8)
            put_bucket(c, 8, bucket);
        else
            put_bucket(c, c->size, bucket);
}

/* --- all chunks --------------------------------------------------------------------------------------------------- */

bool opi_put_suits_buckets(const opi_task *task)
{
    const size_t size = task->array[OPI_TABLE].size;
    return size <= OPI_PUT_SMALL && task->n >= SUITS_COUNT && task->indices.n * size >= SUITS_BYTES &&
           task->indices.n <= (uint64_t)MOST_BUCKETS << 32; /* a place in a bucket is a uint32_t */
}

static size_t starts_of(size_t most) { return (most / BLOCK + 1) * (MOST_BUCKETS + 1); }

size_t opi_put_bucket_bytes(const opi_task *task)
{
    const size_t most = opi_smaller(task->n, CHUNK);
    return starts_of(most) * sizeof(uint32_t) + most * record_bytes(task->array[OPI_TABLE].size);
}

static void divide(chunk *c)
{
    const uint64_t n = c->indices.n;
    while ((UINT64_C(1) << c->shift) * c->size < BUCKET_BYTES || (n - 1) >> c->shift >= MOST_BUCKETS) c->shift++;
    c->buckets = (size_t)((n - 1) >> c->shift) + 1;
}

static oplus_status put_chunk(opi_cores *cores, const char *call, chunk *c)
{
    c->blocks = (c->count + BLOCK - 1) / BLOCK;
    c->sweep.n = c->count;
    c->sweep.block = BLOCK;
    c->sweep.apply = sort_blocks;
    OPI_TRY(opi_cores_sweep(cores, call, &c->sweep, NULL));
    c->sweep.n = c->buckets;
    c->sweep.block = 1;
    c->sweep.apply = put_buckets;
    return opi_cores_sweep(cores, call, &c->sweep, NULL);
}

oplus_status opi_put_by_buckets(opi_cores *cores, const char *call, const opi_task *task, size_t *wrong)
{
    atomic_size_t first_wrong = SIZE_MAX;
    const size_t most = opi_smaller(task->n, CHUNK);
    chunk c = {.isa = cores->isa,
               .indices = task->indices,
               .size = task->array[OPI_TABLE].size,
               .in = task->array[OPI_PUT_IN].mem,
               .out = (char *)task->array[OPI_TABLE].mem,
               .wrong = &first_wrong};
    divide(&c);
    c.starts = cores->array.mem;
    c.elements = (char *)(c.starts + starts_of(most));
    c.sweep.bytes = most * (2 * c.size + c.indices.type->size);
    for (; c.first < task->n && first_wrong == SIZE_MAX; c.first += c.count) {
        c.count = opi_smaller(CHUNK, task->n - c.first);
        OPI_TRY(put_chunk(cores, call, &c));
    }
    *wrong = first_wrong;
    return OPLUS_OK;
}
