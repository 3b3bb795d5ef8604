/* The way "partition": a sort of keys alone, from the highest digit down.  CUDA, compute capability 8.0.
 *
 * Nobody can tell equal keys apart, so nothing here is stable: a key's rank among those of its digit comes from one
 * atomic addition, and a tile reserves its room in a bucket by one more.
 *
 *     sample      sorts a sample, and makes of it a map from keys to buckets of some 4096 keys (keys_sample.cl,
 *                 keys_map.cl)
 *     count       reads all keys and counts those of each bucket (keys_count.cl)
 *     places      where each bucket begins
 *     deal        moves the keys to their buckets, by the high and then by the low half of the bucket's number
 *                 (keys_deal.cl)
 *     sort        a work-group sorts each bucket in its own memory (keys_local.cl, keys_sort.cl)
 *     rest        deals buckets that are too large by further bits, until every piece fits (keys_rest.cl)
 *
 * The map only decides how even the buckets are; any map that never puts a larger key before a smaller one is right.
 *
 * This text comes behind sort.cl, key_order.cl, warps.cl and numbers.cl.  Defined before it: OPI_KEY_SIZE, and the numbers of
 * gpu/sort/partition.c. */

#define OPI_UNROLL_8 _Pragma("unroll 8")
#define OPI_KEYS_A_VECTOR (16 / OPI_KEY_SIZE)

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* The 32 bits behind the first `used`; there are zeros behind the last bit. */
OPI_FUNCTION uint32_t opi_bits_behind(opi_key x, uint32_t used)
{
#if OPI_KEY_SIZE == 4
    return used > 31 ? 0 : x << used;
#else
    return used > 63 ? 0 : (uint32_t)(x << used >> 32);
#endif
}

OPI_FUNCTION uint32_t opi_leading_zeros(opi_key x)
{
#if OPI_KEY_SIZE == 4
    return (uint32_t)__clz((int)x);
#else
    return (uint32_t)__clzll((long long)x);
#endif
}

/* The caller's keys.  OPI_DEALT: they lie in pages that are dealt out (canon/dealt.cl), and key i is the i-th one of this
 * accelerator; vectors do not lie across the end of a page. */
typedef struct opi_source {
    const opi_key *at;
#if OPI_DEALT
    const opi_dealt *dealt;
    __device__ const opi_key *key(uint64_t i) const { return at + opi_dealt_item(dealt, i); }
#else
    __device__ const opi_key *key(uint64_t i) const { return at + i; }
#endif
} opi_source;

#if OPI_DEALT
#define OPI_SOURCE(source, keys)                                                                                       \
    opi_source source;                                                                                                 \
    source.at = OPI_AT(const opi_key, keys);                                                                           \
    source.dealt = &dealt;
#else
#define OPI_SOURCE(source, keys)                                                                                       \
    opi_source source;                                                                                                 \
    source.at = OPI_AT(const opi_key, keys);
#endif

/* --- a warp, a work-group ----------------------------------------------------------------------------------------- */

OPI_FUNCTION opi_key opi_warp_or(opi_key x)
{
#if OPI_KEY_SIZE == 4
    return __reduce_or_sync(OPI_ALL, x);
#else
    return (uint64_t)__reduce_or_sync(OPI_ALL, (uint32_t)(x >> 32)) << 32 | __reduce_or_sync(OPI_ALL, (uint32_t)x);
#endif
}

OPI_FUNCTION void opi_atomic_or(opi_key *to, opi_key x)
{
#if OPI_KEY_SIZE == 4
    atomicOr(to, x);
#else
    atomicOr((unsigned long long *)to, (unsigned long long)x);
#endif
}

/* Which bits of keys vary: those that are set in one and not set in another. */
typedef struct opi_seen {
    opi_key set, clear;
} opi_seen;

OPI_FUNCTION void opi_see(opi_seen *seen, opi_key x)
{
    seen->set |= x;
    seen->clear |= ~x;
}

OPI_FUNCTION opi_key opi_warp_min(opi_key x)
{
#if OPI_KEY_SIZE == 4
    return __reduce_min_sync(OPI_ALL, x);
#else
    const uint32_t high = __reduce_min_sync(OPI_ALL, (uint32_t)(x >> 32));
    const uint32_t low = __reduce_min_sync(OPI_ALL, (uint32_t)(x >> 32) == high ? (uint32_t)x : OPI_ALL);
    return (uint64_t)high << 32 | low;
#endif
}

OPI_FUNCTION void opi_atomic_min(opi_key *to, opi_key x)
{
#if OPI_KEY_SIZE == 4
    atomicMin(to, x);
#else
    atomicMin((unsigned long long *)to, (unsigned long long)x);
#endif
}

/* Adds what a warp has seen to what `all` has. */
OPI_FUNCTION void opi_tell_seen(opi_seen *all, opi_seen seen)
{
    const opi_key set = opi_warp_or(seen.set), clear = opi_warp_or(seen.clear);
    if (OPI_LANE > 0) return;
    opi_atomic_or(&all->set, set);
    opi_atomic_or(&all->clear, clear);
}

/* --- what the launches of a sort tell each other ------------------------------------------------------------------- */

/* A cell of the map: how the buckets of its keys begin and how wide they are (keys_map.cl).  Cells of longer keys are
 * more, and packed. */
#if OPI_KEY_SIZE == 4
typedef struct __align__(16) opi_cell {
    uint32_t low, last, shift, first;
} opi_cell;
#else
typedef struct __align__(8) opi_cell {
    uint32_t low, place;
} opi_cell;
#endif
static_assert(sizeof(opi_cell) == OPI_CELL_BYTES, "the host reserves less, or more");

typedef struct opi_map {
    opi_key least, most; /* keys outside count as these */
    uint32_t lead;       /* the first bits of how far keys are above the least: all 0 */
    uint32_t scaled;     /* 1: a key's place is its number of bits, and then the bits behind the highest (keys_map.cl) */
    uint32_t right;      /* a bucket's number is 32 bits of the key, shifted so far right; 0: it is in the cells */
    uint32_t buckets;
} opi_map;

/* Whether a bucket's number is simply the highest bits of the key. */
OPI_FUNCTION bool opi_is_plain(const opi_map *map) { return map->right > 0 && map->lead == 0; }

/* A piece that is still to be dealt. */
typedef struct opi_segment {
    uint32_t start, count;
    uint32_t in_other; /* it lies in the scratch memory, not where the result will be */
    uint32_t tile;     /* tiles of the segments before this one */
    opi_seen seen;
} opi_segment;

/* A piece that fits a work-group's memory. */
typedef struct opi_piece {
    uint32_t start, count, in_other;
} opi_piece;

typedef struct opi_work {
    uint32_t finished;      /* groups of `places` that are done */
    uint32_t waiting;       /* arrivals at the barriers of `rest` */
    uint32_t larges;        /* buckets that `sort` leaves to `sort_large` */
    uint32_t pieces;        /* of `rest`, to be sorted at the next level */
    uint64_t todo[2];       /* segments << 32 | their tiles: of this level of `rest`, and of the next; at first [1] has
                               those of equal keys */
    opi_map map;
    opi_cell cell[OPI_CELLS];
    uint32_t pure[OPI_BUCKETS / 32]; /* a bit for each bucket: all its keys are equal */
    uint32_t tile[OPI_FIRSTS + 1];      /* of the second deal: the first tile of each first digit */
    uint32_t cursor_high[OPI_FIRSTS * 8]; /* where the next key of a first digit goes; 32 bytes apart */
    uint32_t cursor_low[OPI_BUCKETS];   /* the same for a bucket */
    uint32_t begin[OPI_BUCKETS + 8];    /* where a bucket begins, and the last one ends */
    uint64_t counts[OPI_BUCKETS / 2];   /* keys of each bucket, in pairs */
} opi_work;

static_assert(sizeof(opi_work) <= OPI_PARTITION_BYTES, "the host reserves less");

/* The lists behind it, each for `most` entries. */
typedef struct opi_lists {
    opi_segment *segment[2];
    opi_piece *piece;    /* OPI_PIECES_A_SEGMENT for each segment */
    uint32_t *count;     /* 256 for each segment */
    uint32_t *large;
} opi_lists;

OPI_FUNCTION opi_lists opi_lists_of(opi_work *work, uint64_t most)
{
    opi_lists lists;
    unsigned char *p = (unsigned char *)work + OPI_PARTITION_BYTES;
    OPI_UNROLL for (int i = 0; i < 2; i++) {
        lists.segment[i] = (opi_segment *)p;
        p += most * sizeof(opi_segment);
    }
    lists.count = (uint32_t *)p;
    p += most * 256 * sizeof(uint32_t);
    lists.piece = (opi_piece *)p;
    p += (most * OPI_PIECES_A_SEGMENT + OPI_PIECES_MORE) * sizeof(opi_piece);
    lists.large = (uint32_t *)p;
    return lists;
}

OPI_FUNCTION void opi_add_segment(opi_work *work, const opi_lists *lists, uint32_t level, uint32_t start,
                                  uint32_t count, uint32_t in_other)
{
    const uint32_t tiles = (count + OPI_SORT_MOST - 1) / OPI_SORT_MOST;
    const uint64_t at = atomicAdd((unsigned long long *)&work->todo[level & 1], 1ull << 32 | tiles);
    opi_segment *const to = &lists->segment[level & 1][at >> 32];
    to->start = start;
    to->count = count;
    to->in_other = in_other;
    to->tile = (uint32_t)at;
    to->seen.set = to->seen.clear = 0;
}
