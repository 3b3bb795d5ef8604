/* Deals a part of quicksort into many buckets at once.  Keys move one by one, but each key only once, instead of by a
 * split for each bit of the bucket's number.  Included by cores/isa/sort_split.h where that is faster. */

enum { V(DEAL_MIN) = 2048, V(DEAL_MAX) = 1 << 16, V(DEAL_BUCKETS) = 512, V(DEAL_KEYS) = 64, V(DEAL_CHUNK) = 256 };

/* A key's bucket is its distance from a base key, clamped, so that most of the buckets are spent where most of the keys
 * are. */
typedef struct V(dealing) {
    KEY base, last; /* bucket */
    unsigned shift;
} V(dealing);

static void V(buckets_of)(V(dealing) deal, const KEY *OPLUS_RESTRICT_ from, size_t n, uint16_t *OPLUS_RESTRICT_ bucket)
{
    const int64_t base = (int64_t)(deal.base ^ KEY_BIAS ^ (KEY)1 << 63);
    for (size_t i = 0; i < n; i++) {
        const int64_t key = (int64_t)(from[i] ^ KEY_BIAS ^ (KEY)1 << 63); /* compared as AVX2 can */
        const uint64_t above = (key > base ? (uint64_t)key - (uint64_t)base : 0) >> deal.shift;
        bucket[i] = (uint16_t)(above & ~(uint64_t)deal.last ? deal.last : above);
    }
}

/* False if too many keys would be in one bucket, or there are too few. */
static bool V(plan_deal)(size_t n, const KEY *sample, V(dealing) * deal)
{
    enum { OUTSIDE = 2, CROWD = V(MANY) / 4 };
    if (n < V(DEAL_MIN) || n > V(DEAL_MAX)) return false;
    KEY buckets = V(DEAL_MIN) / V(DEAL_KEYS);
    while (buckets < V(DEAL_BUCKETS) && buckets * V(DEAL_KEYS) < n) buckets *= 2;
    const KEY width = sample[V(MANY) - 1 - OUTSIDE] - sample[OUTSIDE];
    if (width < buckets) return false;
    *deal = (V(dealing)){sample[OUTSIDE], buckets - 1,
                         (unsigned)__builtin_clzll(buckets) + 1 - (unsigned)__builtin_clzll(width)};
    uint16_t bucket[V(MANY)];
    V(buckets_of)(*deal, sample, V(MANY), bucket);
    for (size_t i = CROWD; i < V(MANY); i++)
        if (bucket[i] == bucket[i - CROWD]) return false;
    return true;
}

static bool V(deal)(V(quicksort) * sort, KEY *home, KEY *scratch, size_t n, bool in_scratch, unsigned splits,
                    const KEY *sample)
{
    V(dealing) deal;
    if (!V(plan_deal)(n, sample, &deal)) return false;
    KEY *const from = in_scratch ? scratch : home, *const to = in_scratch ? home : scratch;
    uint32_t end[V(DEAL_BUCKETS)] = {0};
    uint16_t bucket[V(DEAL_CHUNK)];
    for (size_t begin = 0, left = n, count; left > 0; begin += count, left -= count) {
        count = left < V(DEAL_CHUNK) ? left : V(DEAL_CHUNK);
        V(buckets_of)(deal, from + begin, count, bucket);
        for (size_t i = 0; i < count; i++) end[bucket[i]]++;
    }
    counts_to_positions(end, deal.last + 1);
    for (size_t begin = 0, left = n, count; left > 0; begin += count, left -= count) {
        count = left < V(DEAL_CHUNK) ? left : V(DEAL_CHUNK);
        V(buckets_of)(deal, from + begin, count, bucket);
        for (size_t i = 0; i < count; i++) to[end[bucket[i]]++] = from[begin + i];
    }
    for (size_t b = 0, begin = 0; b <= deal.last; begin = end[b++])
        if (end[b] > begin) V(sort_part)(sort, home + begin, scratch + begin, end[b] - begin, !in_scratch, splits);
    return true;
}
