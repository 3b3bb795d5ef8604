/* Counts the elements of each bin.  This text comes behind bins.cl.
 *
 * Each work-group counts a part of the elements: in memory of its own, in OPI_COPIES tables of OPI_OWN_BINS words, so that
 * fewer work-items meet at one word, and adds them up at the end; or, if OPI_OWN_BINS is 0, in the counts of all. */

#define OPI_BATCH     8u /* elements of a work-item that are under way at once; */
#define OPI_BROAD     2u /* ... vectors, where elements lie at a multiple of 16 bytes */
#define OPI_IN_VECTOR (uint32_t)(16 / sizeof(opi_x))

#if OPI_LOG_W > 0
#define OPI_EVERY(k, n) _Pragma("unroll") for (uint32_t k = 0; k < (n); k++)

typedef union opi_some {
    opi_vector vector;
    opi_x x[16 / sizeof(opi_x)];
} opi_some;
#endif

/* The table of a work-item, of one of the warps of 32. */
#define OPI_OWN_COPY ((OPI_SELF >> 5) % OPI_COPIES)

#if OPI_OWN_BINS > 0
#define OPI_COUNT_IN(bin) OPI_INCREMENT(&own[OPI_OWN_COPY * OPI_OWN_BINS + (uint32_t)(bin)])
#else
#define OPI_COUNT_IN(bin) OPI_INCREMENT(&counts[bin])
#endif
#define OPI_COUNT_ONE(element, k)                                                                                      \
    {                                                                                                                  \
        const opi_x given = (element);                                                                                 \
        const opi_bin_number bin = opi_bin(given, (opi_bin_number)bins, edge, low, high, scale);                       \
        if (bin < (opi_bin_number)bins)                                                                                \
            OPI_COUNT_IN(bin);                                                                                         \
        else if (OPI_REFUSES)                                                                                          \
            opi_tell_none(OPI_AT(opi_vector, fault), before + first + (k), (uint64_t)given);                           \
    }

/* Counts n elements; a work-group has `part` of them, of those that are this accelerator's if they are dealt out.  before: how
 * many of the call come before them. */
OPI_RESIDENT_KERNEL void opi_count(OPI_PARAM(in), const uint64_t n, const uint64_t part, const uint64_t bins,
                                   OPI_PARAM(edges), const uint64_t low, const uint64_t high, const uint64_t scale,
                                   const uint64_t before, OPI_PARAM(counts), OPI_PARAM(fault) OPI_DEALT_PARAM)
{
    OPI_GLOBAL uint32_t *const counts = OPI_AT(uint32_t, counts);
    OPI_GLOBAL const opi_x *const edge = OPI_AT(const opi_x, edges);
    const uint64_t first = OPI_DEALT_ITEM(OPI_GROUP) * part, some = n - first < part ? n - first : part;
    OPI_GLOBAL const opi_x *const x = OPI_AT(const opi_x, in) + first;
#if OPI_OWN_BINS > 0
    OPI_LOCAL_MEMORY uint32_t own[OPI_COPIES * OPI_OWN_BINS];
    for (uint32_t b = OPI_SELF; b < OPI_COPIES * OPI_OWN_BINS; b += OPI_W) own[b] = 0;
    OPI_BARRIER();
#endif
    uint64_t i = OPI_SELF;
#if OPI_LOG_W > 0
    if (OPI_ALIGNED(x)) {
        const uint32_t step = OPI_BROAD * OPI_W * OPI_IN_VECTOR;
        const uint64_t whole = some / step;
        OPI_GLOBAL const opi_vector *const vector = (OPI_GLOBAL const opi_vector *)x;
        for (uint64_t v = OPI_SELF; v < whole * OPI_BROAD * OPI_W; v += OPI_BROAD * OPI_W) {
            opi_some batch[OPI_BROAD];
            OPI_EVERY(k, OPI_BROAD) batch[k].vector = vector[v + k * OPI_W];
            OPI_EVERY(k, OPI_BROAD)
            OPI_EVERY(l, OPI_IN_VECTOR) OPI_COUNT_ONE(batch[k].x[l], (v + k * OPI_W) * OPI_IN_VECTOR + l)
        }
        i += whole * step;
    }
    for (; i + (OPI_BATCH - 1) * OPI_W < some; i += OPI_BATCH * OPI_W) {
        opi_x batch[OPI_BATCH];
        OPI_EVERY(k, OPI_BATCH) batch[k] = x[i + k * OPI_W];
        OPI_EVERY(k, OPI_BATCH) OPI_COUNT_ONE(batch[k], i + k * OPI_W)
    }
#endif
    for (; i < some; i += OPI_W) OPI_COUNT_ONE(x[i], i)
#if OPI_OWN_BINS > 0
    OPI_BARRIER();
    for (uint32_t b = OPI_SELF; b < bins; b += OPI_W) {
        uint32_t count = 0;
        for (uint32_t copy = 0; copy < OPI_COPIES; copy++) count += own[copy * OPI_OWN_BINS + b];
        if (count > 0) OPI_ADD(&counts[b], count);
    }
#endif
}

/* Makes the counts of all bins 0. */
OPI_KERNEL void opi_count_clear(OPI_PARAM(counts), const uint64_t bins)
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    OPI_GLOBAL uint32_t *const counts = OPI_AT(uint32_t, counts) + first;
    const uint32_t own = bins - first < OPI_TILE ? (uint32_t)(bins - first) : OPI_TILE;
    for (uint32_t b = OPI_SELF; b < own; b += OPI_W) counts[b] = 0;
}

#if OPI_COUNTER_SIZE == 4
typedef uint32_t opi_counter;
#else
typedef uint64_t opi_counter;
#endif

/* Writes the counts, or, if they are not the first of the call, adds them to those that are there. */
OPI_KERNEL void opi_count_write(OPI_PARAM(counts), const uint64_t bins, OPI_PARAM(out), const uint64_t is_first)
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    OPI_GLOBAL const uint32_t *const counts = OPI_AT(const uint32_t, counts) + first;
    OPI_GLOBAL opi_counter *const out = OPI_AT(opi_counter, out) + first;
    const uint32_t own = bins - first < OPI_TILE ? (uint32_t)(bins - first) : OPI_TILE;
    for (uint32_t b = OPI_SELF; b < own; b += OPI_W) out[b] = is_first ? counts[b] : out[b] + counts[b];
}
