/* Moves keys to their buckets.
 *
 * A group brings a tile in order by one digit in shared memory, and then writes runs of neighbours.  Its room in each
 * bucket comes from one addition to the bucket's cursor, so that tiles do not wait for each other. */

#define OPI_DEAL_BOUNDS __launch_bounds__(OPI_DEAL_W, OPI_DEAL_GROUPS)
#define OPI_FEW         4                       /* keys whose digits are found together, if these take many instructions */
#define OPI_RAGGED(u)   ((u) * T + t >= lo && (u) * T + t < hi) /* key u of a tile that is not whole is one */

template <int T, int V, int DIGITS> struct opi_dealing {
    opi_key key[T * V];
    uint32_t count[DIGITS]; /* keys of each digit, then where they begin in the tile */
    uint32_t base[DIGITS];  /* where key i of the tile goes to, less i */
    uint32_t sum[32];
};

/* --- digits ------------------------------------------------------------------------------------------------------- */

/* Some bits of a bucket's number: the first deal is by the high ones, the second by the low ones. */
template <class B> struct opi_bucket_digit {
    B bucket;
    uint32_t right, mask;
    static constexpr bool IS_LIGHT = B::IS_LIGHT;
    __device__ uint32_t of(opi_key x) const { return bucket.of(x) >> right & mask; }
    template <int COUNT> __device__ void of_few(const opi_key *x, uint32_t *digit) const
    {
        bucket.template of_few<COUNT>(x, digit);
        OPI_UNROLL for (int j = 0; j < COUNT; j++) digit[j] = digit[j] >> right & mask;
    }
};
/* The 32 - `right` bits behind the first `lead`. */
struct opi_bits_digit {
    static constexpr bool IS_LIGHT = true;
    uint32_t lead, right;
    __device__ uint32_t of(opi_key x) const { return opi_bits_behind(x, lead) >> right; }
};

/* --- one tile ----------------------------------------------------------------------------------------------------- */

/* A tile: keys [lo, hi) of T * V positions from `at` on.  Where it is whole, a work-item has vectors of keys. */
template <int T, int V> struct opi_tile_keys {
    union {
        opi_key x[V];
        opi_vector v[V * OPI_KEY_SIZE / 16];
    };
};

template <int T, int V, class FROM>
OPI_FUNCTION void opi_load_tile(opi_tile_keys<T, V> *own, const FROM &from, uint32_t lo, uint32_t hi, bool whole)
{
    const uint32_t t = OPI_SELF;
    if (whole) {
        OPI_UNROLL for (uint32_t q = 0; q < V * OPI_KEY_SIZE / 16; q++) own->v[q] = *from.vector(q * T + t);
    } else {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) own->x[u] = OPI_RAGGED(u) ? from.raw(u * T + t) : 0;
    }
}

/* Ranks each key among those of its digit.  Keys in order or all equal give a row of vectors one digit: one addition for
 * all of a warp. */
template <int T, int V, int DIGITS, class D>
OPI_FUNCTION void opi_rank_whole(opi_dealing<T, V, DIGITS> *s, const D &digit, const opi_key *own, uint32_t *rank)
{
    uint32_t one, x = 0;
    if (opi_may_be_one(digit.of(own[0]))) {
        OPI_UNROLL for (uint32_t u = 0; u < V; u += OPI_KEYS_A_VECTOR)
            if (opi_is_one_digit<OPI_KEYS_A_VECTOR>(digit, own + u, &one)) {
                if (OPI_LANE == 0) x = atomicAdd(&s->count[one], 32u * OPI_KEYS_A_VECTOR);
                x = __shfl_sync(OPI_ALL, x, 0) + OPI_LANE;
                OPI_UNROLL for (uint32_t j = 0; j < OPI_KEYS_A_VECTOR; j++) opi_keep(rank, u + j, x + j * 32);
            } else {
                OPI_UNROLL for (uint32_t j = u; j < u + OPI_KEYS_A_VECTOR; j++)
                    opi_keep(rank, j, atomicAdd(&s->count[digit.of(own[j])], 1u));
            }
    } else {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) opi_keep(rank, u, atomicAdd(&s->count[digit.of(own[u])], 1u));
    }
}

/* The same for digits that take many instructions, a few keys at a time.  Bit u of `real`: key u is one. */
template <int T, int V, int DIGITS, class D>
OPI_FUNCTION void opi_rank_few(opi_dealing<T, V, DIGITS> *s, const D &digit, const opi_key *own, uint32_t real,
                               uint32_t *rank)
{
    const bool may_be_one = __all_sync(OPI_ALL, real == OPI_ALL) && opi_may_be_one(digit.of(own[0]));
    OPI_UNROLL for (uint32_t u = 0; u < V; u += OPI_FEW) {
        uint32_t few[OPI_FEW], x = 0;
        digit.template of_few<OPI_FEW>(own + u, few);
        if (may_be_one && opi_are_one<OPI_FEW>(few)) {
            if (OPI_LANE == 0) x = atomicAdd(&s->count[few[0]], 32u * OPI_FEW);
            x = __shfl_sync(OPI_ALL, x, 0) + OPI_LANE;
            OPI_UNROLL for (uint32_t j = 0; j < OPI_FEW; j++) opi_keep(rank, u + j, x + j * 32);
        } else {
            OPI_UNROLL for (uint32_t j = 0; j < OPI_FEW; j++)
                opi_keep(rank, u + j, real >> (u + j) & 1 ? atomicAdd(&s->count[few[j]], 1u) : 0);
        }
    }
}

/* Takes the tile's room in each bucket, and makes of counts where the digits begin in the tile. */
template <int T, int V, int DIGITS>
OPI_FUNCTION void opi_take_room(opi_dealing<T, V, DIGITS> *s, uint32_t *cursor, uint32_t stride)
{
    const uint32_t each = (DIGITS + T - 1) / T, from = OPI_SELF * each;
    uint32_t count[each], got[each], total = 0, all;
    OPI_UNROLL for (uint32_t j = 0; j < each; j++) {
        count[j] = from + j < DIGITS ? s->count[from + j] : 0;
        got[j] = count[j] ? atomicAdd(&cursor[(from + j) * stride], count[j]) : 0;
        total += count[j];
    }
    uint32_t at = opi_sum_before(total, s->sum, &all);
    OPI_UNROLL for (uint32_t j = 0; j < each; j++) {
        if (from + j < DIGITS) {
            s->count[from + j] = at;
            s->base[from + j] = got[j] - at;
        }
        at += count[j];
    }
}

/* Brings the keys in order, and writes them: BATCH look-ups are under way at a time. */
template <int T, int V, int DIGITS, int BATCH, class D>
OPI_FUNCTION void opi_write_tile(opi_dealing<T, V, DIGITS> *s, const D &digit, const opi_key *own, const uint32_t *rank,
                                 uint32_t lo, uint32_t hi, bool whole, opi_key *out)
{
    const uint32_t t = OPI_SELF;
    OPI_UNROLL for (uint32_t u = 0; u < V; u += BATCH) {
        uint32_t at[BATCH];
        OPI_UNROLL for (uint32_t j = 0; j < BATCH; j++)
            at[j] = s->count[digit.of(own[u + j])] + opi_kept(rank, u + j);
        OPI_UNROLL for (uint32_t j = 0; j < BATCH; j++)
            if (whole || OPI_RAGGED(u + j)) s->key[at[j]] = own[u + j];
    }
    __syncthreads();
    OPI_UNROLL for (uint32_t u = 0; u < V; u += BATCH) {
        opi_key x[BATCH];
        uint32_t at[BATCH];
        OPI_UNROLL for (uint32_t j = 0; j < BATCH; j++) x[j] = s->key[(u + j) * T + t];
        OPI_UNROLL for (uint32_t j = 0; j < BATCH; j++)
            if (whole || (u + j) * T + t < hi - lo) at[j] = s->base[digit.of(x[j])] + (u + j) * T + t;
        OPI_UNROLL for (uint32_t j = 0; j < BATCH; j++)
            if (whole || (u + j) * T + t < hi - lo) out[at[j]] = x[j];
    }
}

template <int T, int V, int DIGITS, class D>
OPI_FUNCTION void opi_write_few(opi_dealing<T, V, DIGITS> *s, const D &digit, const opi_key *own, const uint32_t *rank,
                                uint32_t real, uint32_t count, opi_key *out)
{
    const uint32_t t = OPI_SELF;
    uint32_t few[OPI_FEW];
    OPI_UNROLL for (uint32_t u = 0; u < V; u += OPI_FEW) {
        digit.template of_few<OPI_FEW>(own + u, few);
        OPI_UNROLL for (uint32_t j = 0; j < OPI_FEW; j++)
            if (real >> (u + j) & 1) s->key[s->count[few[j]] + opi_kept(rank, u + j)] = own[u + j];
    }
    __syncthreads();
    OPI_ROLLED for (uint32_t u = 0; u < V; u += OPI_FEW) {
        opi_key x[OPI_FEW];
        OPI_UNROLL for (uint32_t j = 0; j < OPI_FEW; j++) x[j] = s->key[(u + j) * T + t];
        digit.template of_few<OPI_FEW>(x, few);
        OPI_UNROLL for (uint32_t j = 0; j < OPI_FEW; j++)
            if ((u + j) * T + t < count) out[s->base[few[j]] + (u + j) * T + t] = x[j];
    }
}

/* from: maps what is read.  A barrier must follow before the memory is used again. */
template <int T, int V, int DIGITS, int BATCH, class FROM, class D>
OPI_FUNCTION void opi_deal_tile(opi_dealing<T, V, DIGITS> *s, const FROM &from, uint32_t lo, uint32_t hi,
                                const D &digit, uint32_t *cursor, uint32_t stride, opi_key *out)
{
    const uint32_t t = OPI_SELF;
    const bool whole = lo == 0 && hi == T * V && OPI_ALIGNED(from.at);
    opi_tile_keys<T, V> own;
    uint32_t rank[(V + 1) / 2];
    for (uint32_t i = t; i < DIGITS; i += T) s->count[i] = 0;
    opi_load_tile<T, V>(&own, from, lo, hi, whole);
    OPI_UNROLL for (int u = 0; u < V; u++) own.x[u] = from.map(own.x[u]);
    __syncthreads();
    uint32_t real = OPI_ALL; /* bit u: key u is one */
    if (!whole) {
        real = 0;
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) real |= (uint32_t)OPI_RAGGED(u) << u;
    }
    if constexpr (!D::IS_LIGHT) {
        opi_rank_few<T, V, DIGITS, D>(s, digit, own.x, real, rank);
    } else if (whole) {
        opi_rank_whole<T, V, DIGITS, D>(s, digit, own.x, rank);
    } else {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++)
            opi_keep(rank, u, OPI_RAGGED(u) ? atomicAdd(&s->count[digit.of(own.x[u])], 1u) : 0);
    }
    __syncthreads();
    opi_take_room<T, V, DIGITS>(s, cursor, stride);
    __syncthreads();
    if constexpr (!D::IS_LIGHT)
        opi_write_few<T, V, DIGITS, D>(s, digit, own.x, rank, real, hi - lo, out);
    else
        opi_write_tile<T, V, DIGITS, BATCH, D>(s, digit, own.x, rank, lo, hi, whole, out);
}

/* --- the kernels -------------------------------------------------------------------------------------------------- */

template <int V> struct opi_deal_memory {
    opi_dealing<OPI_DEAL_W, V, OPI_FIRSTS> deal;
    opi_cell cell[OPI_CELLS];
};
static_assert(sizeof(opi_deal_memory<OPI_DEAL_V>) <= OPI_DEAL_LOCAL, "memory");
static_assert(sizeof(opi_deal_memory<OPI_FEW_V>) <= OPI_FEW_LOCAL, "memory");

/* Finds the first digit whose tile this is; all tiles of the first digits are in `tile`. */
OPI_FUNCTION uint32_t opi_first_of_tile(const opi_work *work, uint32_t tile)
{
    uint32_t lo = 0, hi = OPI_FIRSTS - 1;
    while (lo < hi) {
        const uint32_t middle = (lo + hi + 1) / 2;
        if (work->tile[middle] <= tile)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

#if OPI_DEALT
/* What the first deal reads: keys of the source, from `first` on. */
struct opi_source_keys {
    const opi_key *at;
    opi_source source;
    uint64_t first;
    opi_order order;
    __device__ opi_key raw(uint32_t i) const { return *source.key(first + i); }
    __device__ const opi_vector *vector(uint32_t i) const
    {
        return (const opi_vector *)source.key(first + (uint64_t)i * OPI_KEYS_A_VECTOR);
    }
    __device__ opi_key map(opi_key x) const { return opi_mapped(x, order); }
};
#endif

/* Which keys a group deals, and how. */
template <class FROM> struct opi_share {
    FROM from; /* of the first position of the tile */
    opi_key *to;
    uint32_t lo, hi; /* the positions that are keys of the tile */
    uint32_t *cursor;
    uint32_t stride, right, mask;
};

/* The second deal: a tile of the keys of one first digit. */
OPI_FUNCTION void opi_find_again(opi_share<opi_raw_keys> *d, opi_work *work, uint32_t tile, uint32_t low)
{
    const uint32_t first = opi_first_of_tile(work, tile), next = (first + 1) << low, buckets = work->map.buckets;
    const uint32_t start = work->begin[first << low], end = work->begin[next < buckets ? next : buckets];
    const uint32_t begin =
        start / OPI_KEYS_A_VECTOR * OPI_KEYS_A_VECTOR + (tile - work->tile[first]) * OPI_DEAL_TILE;
    d->from.at += begin;
    d->from.order = opi_order_of(0, 0); /* the first deal has mapped them */
    d->lo = begin < start ? start - begin : 0;
    d->hi = end - begin;
    d->cursor = work->cursor_low + (first << low);
    d->stride = 1;
    d->right = 0;
    d->mask = (1u << low) - 1;
}

/* The first deal: tile `tile` of n keys. */
template <class FROM>
OPI_FUNCTION void opi_find_first(opi_share<FROM> *d, opi_work *work, uint32_t begin, uint32_t n, uint32_t low)
{
    d->lo = 0;
    d->hi = n - begin;
    d->cursor = work->cursor_high;
    d->stride = 8;
    d->right = low;
    d->mask = OPI_ALL;
}

template <int V, int BATCH, class FROM, class B>
OPI_FUNCTION void opi_deal_by(opi_deal_memory<V> *s, const opi_share<FROM> *d, const B &bucket)
{
    const uint32_t tile = OPI_DEAL_W * V;
    opi_bucket_digit<B> digit;
    digit.bucket = bucket;
    digit.right = d->right;
    digit.mask = d->mask;
    opi_deal_tile<OPI_DEAL_W, V, OPI_FIRSTS, BATCH>(&s->deal, d->from, d->lo, d->hi < tile ? d->hi : tile, digit,
                                                    d->cursor, d->stride, d->to);
}

template <int V, int BATCH, class FROM>
OPI_FUNCTION void opi_deal(opi_deal_memory<V> *s, const opi_work *work, const opi_share<FROM> *d)
{
    if (opi_is_plain(&work->map)) {
        opi_plain_bucket plain;
        plain.right = work->map.right;
        opi_deal_by<V, BATCH, FROM>(s, d, plain);
    } else {
        opi_any_bucket any;
        any.map = work->map;
        any.cell = s->cell;
        opi_bring_cells(work, s->cell);
        opi_deal_by<V, BATCH, FROM>(s, d, any);
    }
}

/* again: the second deal. */
OPI_KERNEL OPI_DEAL_BOUNDS void opi_keys_deal(OPI_PARAM(keys), OPI_PARAM(to), OPI_PARAM(works), const uint32_t n,
                                   const uint32_t low, const uint32_t again, const uint64_t negative,
                                   const uint64_t flip)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_work *const work = OPI_AT(opi_work, works);
    const uint32_t tile = (uint32_t)OPI_GROUP;
    opi_share<opi_raw_keys> d;
    d.from.at = OPI_AT(const opi_key, keys);
    d.to = OPI_AT(opi_key, to);
    if (again) {
        if (tile >= work->tile[OPI_FIRSTS]) return;
        opi_find_again(&d, work, tile, low);
    } else {
        opi_find_first(&d, work, tile * OPI_DEAL_TILE, n, low);
        d.from.at += tile * OPI_DEAL_TILE;
        d.from.order = opi_order_of(negative, flip);
    }
    opi_deal<OPI_DEAL_V, OPI_DEAL_BATCH>((opi_deal_memory<OPI_DEAL_V> *)opi_group_memory, work, &d);
}

#if OPI_DEALT
/* The first deal of keys that are dealt out. */
OPI_KERNEL OPI_DEAL_BOUNDS void opi_keys_deal_source(OPI_PARAM(keys), OPI_PARAM(to), OPI_PARAM(works), const uint32_t n,
                                   const uint32_t low, const uint64_t negative, const uint64_t flip OPI_DEALT_PARAM)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_work *const work = OPI_AT(opi_work, works);
    const uint32_t tile = (uint32_t)OPI_GROUP;
    OPI_SOURCE(source, keys)
    opi_share<opi_source_keys> d;
    d.from.source = source;
    d.from.at = source.at;
    d.from.first = (uint64_t)tile * OPI_DEAL_TILE;
    d.from.order = opi_order_of(negative, flip);
    d.to = OPI_AT(opi_key, to);
    opi_find_first(&d, work, tile * OPI_DEAL_TILE, n, low);
    opi_deal<OPI_DEAL_V, OPI_DEAL_BATCH>((opi_deal_memory<OPI_DEAL_V> *)opi_group_memory, work, &d);
}
#endif

/* The only deal of few keys: smaller tiles, so that all multiprocessors have some. */
OPI_KERNEL OPI_DEAL_BOUNDS void opi_keys_deal_few(OPI_PARAM(keys), OPI_PARAM(to), OPI_PARAM(works), const uint32_t n,
                                       const uint64_t negative, const uint64_t flip)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_work *const work = OPI_AT(opi_work, works);
    const uint32_t begin = (uint32_t)OPI_GROUP * (OPI_DEAL_W * OPI_FEW_V);
    opi_share<opi_raw_keys> d;
    d.from.at = OPI_AT(const opi_key, keys) + begin;
    d.from.order = opi_order_of(negative, flip);
    d.to = OPI_AT(opi_key, to);
    opi_find_first(&d, work, begin, n, 0);
    opi_deal<OPI_FEW_V, OPI_FEW_V>((opi_deal_memory<OPI_FEW_V> *)opi_group_memory, work, &d);
}
