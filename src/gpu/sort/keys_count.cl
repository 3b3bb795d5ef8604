/* How many keys each bucket has, and where it begins: one launch, or two where there are two deals. */

#define OPI_COUNT_BOUNDS  __launch_bounds__(OPI_COUNT_W, 1)
#define OPI_PLACES_BOUNDS __launch_bounds__(OPI_PLACES_W)
#define OPI_COUNT_VECTORS 4
#define OPI_COUNT_V       (OPI_COUNT_VECTORS * OPI_KEYS_A_VECTOR)
#define OPI_HALF_FULL     0x8000u

typedef union opi_few {
    opi_key x[OPI_COUNT_V];
    opi_vector v[OPI_COUNT_VECTORS];
} opi_few;

/* The counters of a group have 16 bits, two in a word. */
typedef struct opi_counting {
    uint32_t *pair;
    uint32_t *counts; /* of all groups */
    opi_order order;
} opi_counting;

/* Moves a half to memory before a counter can run over. */
OPI_FUNCTION void opi_count_bucket(const opi_counting *c, uint32_t bucket, uint32_t keys)
{
    const uint32_t shift = (bucket & 1) * 16, old = atomicAdd(&c->pair[bucket >> 1], keys << shift) >> shift & 0xffff;
    if (old < OPI_HALF_FULL && old + keys >= OPI_HALF_FULL) {
        atomicSub(&c->pair[bucket >> 1], OPI_HALF_FULL << shift);
        atomicAdd(&c->counts[bucket], OPI_HALF_FULL);
    }
}

template <class B> OPI_FUNCTION uint32_t opi_counted_bucket(const opi_counting *c, const B &bucket, opi_key key)
{
    return bucket.of(opi_mapped(key, c->order));
}

/* Keys in order or all equal give a row of vectors one bucket, and then one addition does for all of a warp. */
template <class B> OPI_FUNCTION void opi_count_few(const opi_counting *c, const B &bucket, const opi_few *few)
{
    opi_key own[OPI_COUNT_V];
    uint32_t one;
    OPI_UNROLL for (int j = 0; j < OPI_COUNT_V; j++) own[j] = opi_mapped(few->x[j], c->order);
    if (opi_may_be_one(bucket.of(own[0]))) {
        OPI_UNROLL for (int j = 0; j < OPI_COUNT_V; j += OPI_KEYS_A_VECTOR)
            if (opi_is_one_digit<OPI_KEYS_A_VECTOR>(bucket, own + j, &one)) {
                if (OPI_LANE == 0) opi_count_bucket(c, one, 32 * OPI_KEYS_A_VECTOR);
            } else {
                OPI_UNROLL for (int i = j; i < j + OPI_KEYS_A_VECTOR; i++) opi_count_bucket(c, bucket.of(own[i]), 1);
            }
    } else {
        OPI_UNROLL for (int j = 0; j < OPI_COUNT_V; j++) opi_count_bucket(c, bucket.of(own[j]), 1);
    }
}

/* first: the key with which tile 0 begins. */
OPI_FUNCTION void opi_load_few(opi_few *few, const opi_source &keys, uint64_t first, uint64_t tile)
{
    const uint64_t from = first + tile * (OPI_COUNT_W * OPI_COUNT_V);
    OPI_UNROLL for (uint32_t j = 0; j < OPI_COUNT_VECTORS; j++)
        few->v[j] = *(const opi_vector *)keys.key(from + (j * OPI_COUNT_W + OPI_SELF) * OPI_KEYS_A_VECTOR);
}

template <class B>
OPI_FUNCTION void opi_count_tiles(const opi_counting *c, const B &bucket, const opi_source &keys, uint64_t first,
                                  uint64_t tiles)
{
    opi_few few, next;
    if (OPI_GROUP < tiles) opi_load_few(&few, keys, first, OPI_GROUP);
    for (uint64_t tile = OPI_GROUP; tile < tiles; tile += OPI_GROUPS) {
        if (tile + OPI_GROUPS < tiles) opi_load_few(&next, keys, first, tile + OPI_GROUPS);
        opi_count_few(c, bucket, &few);
        __syncthreads(); /* at most 16384 additions are between two barriers, so that no counter runs over */
        few = next;
    }
}

template <class B>
OPI_FUNCTION void opi_count_all(const opi_counting *c, const B &bucket, const opi_source &from, uint64_t n)
{
    /* --- whole tiles between the first and the last address that is aligned --- */
    const uint64_t skew = ((uint64_t)from.at & 15) / OPI_KEY_SIZE, ahead = skew ? OPI_KEYS_A_VECTOR - skew : 0;
    const uint64_t tile = OPI_COUNT_W * OPI_COUNT_V, tiles = (n - ahead) / tile, behind = ahead + tiles * tile;
    opi_count_tiles(c, bucket, from, ahead, tiles);
    if (OPI_GROUP > 0) return;
    if (OPI_SELF < ahead) opi_count_bucket(c, opi_counted_bucket(c, bucket, *from.key(OPI_SELF)), 1);
    for (uint64_t i = behind + OPI_SELF; i < n; i += OPI_COUNT_W)
        opi_count_bucket(c, opi_counted_bucket(c, bucket, *from.key(i)), 1);
}

/* --- where buckets begin ------------------------------------------------------------------------------------------ */

/* A bucket that a group of `sort` cannot hold is on a list: for larger groups, or for `rest`, which leaves one whose
 * keys are equal as it is. */
OPI_FUNCTION void opi_list_bucket(opi_work *work, const opi_lists *lists, uint32_t bucket, uint32_t start,
                                  uint32_t count, uint32_t in_other)
{
    if (count > OPI_LARGE_MOST)
        opi_add_segment(work, lists, opi_is_pure(work, bucket), start, count, in_other);
    else if (count > OPI_SORT_MOST)
        lists->large[atomicAdd(&work->larges, 1u)] = bucket;
}

/* Whether all other groups have come here before; what they wrote can then be read.  `word` is of shared memory. */
OPI_FUNCTION bool opi_is_last_of(uint32_t *finished, uint32_t groups, uint32_t *word)
{
    __threadfence();
    __syncthreads();
    if (OPI_SELF == 0) *word = atomicAdd(finished, 1u) == groups - 1;
    __syncthreads();
    const bool is_last = *word;
    __threadfence();
    __syncthreads();
    return is_last;
}

/* Where buckets begin that one deal is for: there are at most OPI_FIRSTS. */
OPI_FUNCTION void opi_place_few(opi_work *work, uint64_t most, uint32_t n, uint32_t *sum)
{
    const opi_lists lists = opi_lists_of(work, most);
    const uint32_t bucket = OPI_SELF, buckets = work->map.buckets;
    const bool is_one = bucket < buckets;
    uint32_t all;
    const uint32_t count = is_one ? ((const volatile uint32_t *)work->counts)[bucket] : 0;
    const uint32_t start = opi_sum_before(count, sum, &all);
    if (bucket == buckets) work->begin[bucket] = n;
    if (!is_one) return;
    work->begin[bucket] = work->cursor_high[bucket * 8] = start;
    opi_list_bucket(work, &lists, bucket, start, count, 1);
}

/* The tiles of the second deal: those of a first digit begin where a vector does, at or before its first key. */
OPI_FUNCTION void opi_number_tiles(opi_work *work, uint32_t firsts, uint32_t low, uint32_t n, uint32_t *sum)
{
    const uint32_t d = OPI_SELF;
    uint32_t tiles = 0, all;
    if (d < firsts) {
        const uint32_t next = (d + 1) << low, start = work->begin[d << low];
        const uint32_t end = d + 1 < firsts ? work->begin[next] : n;
        const uint32_t from = start / OPI_KEYS_A_VECTOR * OPI_KEYS_A_VECTOR;
        tiles = end > start ? (end - from + OPI_DEAL_TILE - 1) / OPI_DEAL_TILE : 0;
    }
    const uint32_t before = opi_sum_before(tiles, sum, &all);
    work->tile[d] = before;
    if (d == 0) work->tile[OPI_FIRSTS] = all;
}

/* The same where there are two deals, with a group for each first digit: a bucket's number without its lowest `low`
 * bits.  The group that finishes last numbers the tiles; nobody waits. */
OPI_KERNEL OPI_PLACES_BOUNDS void opi_keys_places(OPI_PARAM(works), const uint64_t most, const uint32_t n,
                                                  const uint32_t low)
{
    OPI_LOCAL_MEMORY uint32_t sum[3][32], is_last;
    opi_work *const work = OPI_AT(opi_work, works);
    const opi_lists lists = opi_lists_of(work, most);
    const uint32_t *const counts = (const uint32_t *)work->counts;
    const uint32_t t = OPI_SELF, buckets = work->map.buckets, firsts = ((buckets - 1) >> low) + 1;
    const uint32_t first = (uint32_t)OPI_GROUP << low, bucket = first + t;
    if (OPI_GROUP >= firsts) return;

    uint32_t own = 0, before, all;
    OPI_UNROLL_8 for (uint32_t i = t; i < first; i += OPI_PLACES_W) own += counts[i];
    opi_sum_before(own, sum[0], &before);
    const bool is_mine = t < 1u << low && bucket < buckets;
    const uint32_t count = is_mine ? counts[bucket] : 0, start = before + opi_sum_before(count, sum[1], &all);
    if (is_mine) {
        work->begin[bucket] = work->cursor_low[bucket] = start;
        opi_list_bucket(work, &lists, bucket, start, count, 0);
    }
    if (t == 0) work->cursor_high[OPI_GROUP * 8] = before;
    if (t == 0 && OPI_GROUP == firsts - 1) work->begin[buckets] = n;

    if (opi_is_last_of(&work->finished, firsts, &is_last)) opi_number_tiles(work, firsts, low, n, sum[2]);
}

/* --- the first launch of both ------------------------------------------------------------------------------------- */

OPI_KERNEL OPI_COUNT_BOUNDS void opi_keys_count(OPI_PARAM(keys), OPI_PARAM(works), const uint64_t n, const uint64_t most,
                                     const uint32_t low, const uint64_t negative, const uint64_t flip OPI_DEALT_PARAM)
{
    OPI_SOURCE(source, keys)
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_work *const work = OPI_AT(opi_work, works);
    opi_any_bucket any;
    any.cell = (opi_cell *)opi_group_memory;
    any.map = work->map;
    opi_counting c;
    c.pair = (uint32_t *)(opi_group_memory + OPI_CELLS * sizeof(opi_cell));
    c.counts = (uint32_t *)work->counts;
    c.order = opi_order_of(negative, flip);
    const uint32_t pairs = (any.map.buckets + 1) / 2;
    opi_bring_cells(work, (opi_cell *)opi_group_memory);
    for (uint32_t i = OPI_SELF; i < pairs; i += OPI_COUNT_W) c.pair[i] = 0;
    __syncthreads();
    if (opi_is_plain(&any.map)) {
        opi_plain_bucket plain;
        plain.right = any.map.right;
        opi_count_all(&c, plain, source, n);
    } else {
        opi_count_all(&c, any, source, n);
    }
    __syncthreads();
    for (uint32_t i = OPI_SELF; i < pairs; i += OPI_COUNT_W) {
        const uint32_t pair = c.pair[i];
        if (pair)
            atomicAdd((unsigned long long *)&work->counts[i], (unsigned long long)(pair >> 16) << 32 | (pair & 0xffff));
    }
    if (low == 0 && opi_is_last_of(&work->finished, (uint32_t)OPI_GROUPS, c.pair))
        opi_place_few(work, most, (uint32_t)n, c.pair);
}
