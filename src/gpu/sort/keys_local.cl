/* A work-group of T work-items sorts up to T * V keys in its own memory.
 *
 * How far a key is from the least one gives it a bin: few keys share one, so that all keys are then near their places,
 * and two rounds of sorting networks over sixteen neighbours put them right.  Where they do not, or where bins are
 * crowded, each bin becomes as many as it has keys; and where that does not help, the group sorts in another manner
 * (keys_crowded.cl). */

#define OPI_LOG_BINS(T, V) ((T) * (V) >= 8192 ? 13 : 12)

template <int T, int V> struct opi_local {
    opi_key key[T * V];
    uint32_t bin[1 << OPI_LOG_BINS(T, V)];
    uint32_t sum[32];
    opi_key least, not_most; /* the inverse of the greatest key */
};

/* The group's memory.  Functions that are called take it themselves: through a pointer that they are given, the compiler
 * does not see that memory is shared, and its accesses are slow. */
template <class S> OPI_FUNCTION S *opi_group_memory_as(void)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    return (S *)opi_group_memory;
}

#define OPI_CROWD 12           /* keys of a bin that do not come near their places */
#define OPI_ANY_CROWD 0xffffu /* they may: keys of a bin may be equal, and networks show it */

/* Where element i stands in shared memory: work-items that read sixteen neighbours each do not meet in a bank. */
OPI_FUNCTION uint32_t opi_stand(uint32_t i) { return i ^ (i >> 3 & (OPI_KEY_SIZE == 4 ? 12 : 14)); }
OPI_FUNCTION uint32_t opi_stand_word(uint32_t i) { return i ^ (i >> 3 & 12); }

/* --- sixteen keys of a work-item ---------------------------------------------------------------------------------- */

typedef union opi_sixteen {
    opi_key x[16];
    opi_vector v[OPI_KEY_SIZE];
} opi_sixteen;

OPI_FUNCTION void opi_take_sixteen(opi_sixteen *own, const opi_key *key, uint32_t from)
{
    OPI_UNROLL for (uint32_t j = 0; j < OPI_KEY_SIZE; j++)
        own->v[j] = *(const opi_vector *)(key + opi_stand(from + j * OPI_KEYS_A_VECTOR));
}

OPI_FUNCTION void opi_put_sixteen(const opi_sixteen *own, opi_key *key, uint32_t from)
{
    OPI_UNROLL for (uint32_t j = 0; j < OPI_KEY_SIZE; j++)
        *(opi_vector *)(key + opi_stand(from + j * OPI_KEYS_A_VECTOR)) = own->v[j];
}

OPI_FUNCTION void opi_compare(opi_key *a, opi_key *b)
{
    const opi_key x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}

/* Batcher's network for sixteen.  FIRST 0: sorts; FIRST 3: merges two sorted eights. */
template <int FIRST> OPI_FUNCTION void opi_network(opi_key *x)
{
    OPI_UNROLL for (int level = FIRST; level < 4; level++)
        OPI_UNROLL for (int step = 3; step >= 0; step--)
            OPI_UNROLL for (int i = 0; i < 15; i++) {
                const int p = 1 << level, k = 1 << step, j = i - k % p;
                if (step <= level && j >= 0 && j / k % 2 == 0 && i + k < 16 && i / (2 * p) == (i + k) / (2 * p))
                    opi_compare(&x[i], &x[i + k]);
            }
}

/* --- bins --------------------------------------------------------------------------------------------------------- */

/* bin[i] becomes the number of keys in the bins before i.  Sixteen bins are a work-item's. */
template <int T, int V> OPI_FUNCTION void opi_add_bins(opi_local<T, V> *s)
{
    const uint32_t from = OPI_SELF * 16;
    const bool owns = from < 1u << OPI_LOG_BINS(T, V);
    union { uint32_t x[16]; opi_vector v[4]; } own;
    uint32_t total = 0, all;
    if (owns) {
        OPI_UNROLL for (uint32_t j = 0; j < 4; j++)
            own.v[j] = *(const opi_vector *)(s->bin + opi_stand_word(from + 4 * j));
        OPI_UNROLL for (int j = 0; j < 16; j++) {
            const uint32_t x = own.x[j];
            own.x[j] = total;
            total += x;
        }
    }
    const uint32_t before = opi_sum_before(total, s->sum, &all);
    if (!owns) return;
    OPI_UNROLL for (int j = 0; j < 16; j++) own.x[j] += before;
    OPI_UNROLL for (uint32_t j = 0; j < 4; j++) *(opi_vector *)(s->bin + opi_stand_word(from + 4 * j)) = own.v[j];
}

/* Puts n keys in order that are in s->key in any order, whatever they are (keys_crowded.cl).  The first `lead` bits of how
 * far they are above `base` are the same. */
template <int T, int V> OPI_CALLED void opi_order_crowded(uint32_t n, opi_key base, uint32_t lead);

/* --- the sort ----------------------------------------------------------------------------------------------------- */

/* rank[u]: in the higher half how many keys have come to the bin before key u, in the lower half where the bin stands.
 * Returns whether more than `crowd` have come to one. */
template <int T, int V>
OPI_FUNCTION bool opi_fill_bins(opi_local<T, V> *s, uint32_t n, uint32_t *rank, uint32_t crowd)
{
    bool crowded = false;
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        if (OPI_SELF + u * T >= n) continue;
        const uint32_t before = atomicAdd(&s->bin[rank[u]], 1u);
        crowded |= before >= crowd;
        rank[u] |= before << 16;
    }
    return __syncthreads_or(crowded);
}

template <int T, int V> OPI_FUNCTION void opi_clear_bins(opi_local<T, V> *s)
{
    for (uint32_t i = OPI_SELF; i < (1u << OPI_LOG_BINS(T, V)) / 4; i += T)
        ((opi_vector *)s->bin)[i] = make_uint4(0, 0, 0, 0);
}

/* Divides each bin into as many as it has keys.  There are 9/8 times as many keys as bins at most. */
template <int T, int V>
OPI_FUNCTION void opi_divide_bins(opi_local<T, V> *s, const opi_key *above, uint32_t n, uint32_t lead, uint32_t *rank)
{
    const uint32_t bins = 1u << OPI_LOG_BINS(T, V);
    opi_add_bins<T, V>(s);
    __syncthreads();
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        const uint32_t bin = opi_stand_word(rank[u] & 0xffff); /* its own inverse */
        const uint32_t start = s->bin[opi_stand_word(bin)], end = bin + 1 < bins ? s->bin[opi_stand_word(bin + 1)] : n;
        const uint32_t place = start + __umulhi(opi_bits_behind(above[u], lead + OPI_LOG_BINS(T, V)), end - start);
        rank[u] = opi_stand_word(place * 58254 >> 16);
    }
    __syncthreads();
    opi_clear_bins<T, V>(s);
    __syncthreads();
    opi_fill_bins<T, V>(s, n, rank, OPI_ANY_CROWD);
}

/* Sorting networks over sixteen neighbours, and again eight further on; whether that was enough. */
OPI_FUNCTION bool opi_straighten(opi_key *key, uint32_t n)
{
    const uint32_t at = OPI_SELF * 16;
    opi_sixteen few;
    if (at < n) {
        opi_take_sixteen(&few, key, at);
        opi_network<0>(few.x);
        opi_put_sixteen(&few, key, at);
    }
    __syncthreads();
    if (at + 16 < n) {
        opi_take_sixteen(&few, key, at + 8);
        opi_network<3>(few.x);
        opi_put_sixteen(&few, key, at + 8);
    }
    __syncthreads();
    return !__syncthreads_or(at + 8 < n && key[opi_stand(at + 7)] > key[opi_stand(at + 8)]);
}

/* Brings the keys to their bins, and orders them there; false: not all are in order. */
template <int T, int V>
OPI_FUNCTION bool opi_order_bins(opi_local<T, V> *s, const opi_key *above, uint32_t n, opi_key base,
                                 const uint32_t *rank)
{
    opi_add_bins<T, V>(s);
    __syncthreads();
    OPI_UNROLL for (uint32_t u = 0; u < V; u++)
        if (OPI_SELF + u * T < n) s->key[opi_stand(s->bin[rank[u] & 0xffff] + (rank[u] >> 16))] = base + above[u];
    __syncthreads();
    return opi_straighten(s->key, n);
}

template <int T, int V> OPI_FUNCTION void opi_find_bins(const opi_key *above, uint32_t lead, uint32_t *rank)
{
    OPI_UNROLL for (uint32_t u = 0; u < V; u++)
        rank[u] = opi_stand_word(opi_bits_behind(above[u], lead) >> (32 - OPI_LOG_BINS(T, V)));
}

/* The same as opi_order_local with keys that are in s->key already, in any order, and whose bins are too few. */
template <int T, int V> OPI_CALLED void opi_order_again(uint32_t n, opi_key base, uint32_t lead)
{
    opi_local<T, V> *const s = opi_group_memory_as<opi_local<T, V>>();
    opi_key above[V];
    uint32_t rank[V];
    opi_clear_bins<T, V>(s);
    OPI_UNROLL for (uint32_t u = 0; u < V; u++)
        above[u] = OPI_SELF + u * T < n ? s->key[opi_stand(OPI_SELF + u * T)] - base : 0;
    __syncthreads();
    opi_find_bins<T, V>(above, lead, rank);
    opi_fill_bins<T, V>(s, n, rank, OPI_ANY_CROWD);
    opi_divide_bins<T, V>(s, above, n, lead, rank);
    if (!opi_order_bins<T, V>(s, above, n, base, rank)) opi_order_crowded<T, V>(n, base, lead);
}

/* Puts n keys in order to s->key[opi_stand(0 .. n - 1)].  Key t + u * T is base + above[u], and the first `lead` bits of
 * all above[u] are the same. */
template <int T, int V>
OPI_FUNCTION void opi_order_local(opi_local<T, V> *s, const opi_key *above, uint32_t n, opi_key base, uint32_t lead,
                                  uint32_t crowd)
{
    uint32_t rank[V];
    opi_find_bins<T, V>(above, lead, rank);
    if (!opi_fill_bins<T, V>(s, n, rank, crowd)) {
        if (opi_order_bins<T, V>(s, above, n, base, rank)) return;
    } else {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++)
            if (OPI_SELF + u * T < n) s->key[opi_stand(OPI_SELF + u * T)] = base + above[u];
        __syncthreads();
    }
    opi_order_again<T, V>(n, base, lead);
}

/* The least key of the group, and how many of their first bits all others are above it by 0. */
template <int T, int V>
OPI_FUNCTION uint32_t opi_find_least(opi_local<T, V> *s, const opi_key *own, uint32_t n, opi_key *base)
{
    opi_key least = OPI_LAST_KEY, most = 0;
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        if (OPI_SELF + u * T >= n) continue;
        least = own[u] < least ? own[u] : least;
        most = own[u] > most ? own[u] : most;
    }
    const opi_key not_most = opi_warp_min(~most);
    least = opi_warp_min(least);
    if (OPI_LANE == 0) {
        opi_atomic_min(&s->least, least);
        opi_atomic_min(&s->not_most, not_most);
    }
    __syncthreads();
    *base = s->least;
    return opi_leading_zeros(~s->not_most - s->least);
}

/* Sorts n > 0 keys in shared memory: key i of the result is s->key[opi_stand(i)].  known: all keys share so many of
 * their first bits; 0: the group finds out.  crowd: so many keys of a bin are not tried.  Returns whether it has found
 * that all keys are equal: then *one is one, and nothing is in shared memory. */
template <int T, int V, class FROM>
OPI_FUNCTION bool opi_sort_local(opi_local<T, V> *s, const FROM &from, uint32_t n, uint32_t known, uint32_t crowd,
                                 opi_key *one)
{
    const uint32_t t = OPI_SELF;
    opi_key own[V], base = 0;
    if (t == 0) s->least = s->not_most = OPI_LAST_KEY;
    opi_clear_bins<T, V>(s);
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) own[u] = t + u * T < n ? from.raw(t + u * T) : 0;
    if (t < (0 - n & 15)) s->key[opi_stand(n + t)] = OPI_LAST_KEY;
    __syncthreads();
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) own[u] = from.map(own[u]);
    if (known == 0) {
        known = opi_find_least<T, V>(s, own, n, &base);
        *one = base;
        if (known == OPI_KEY_BITS) return true;
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) own[u] -= base;
    }
    opi_order_local<T, V>(s, own, n, base, known, crowd);
    return false;
}

/* Where keys come from: as the caller has them, or mapped already. */
struct opi_raw_keys {
    const opi_key *at;
    opi_order order;
    __device__ opi_key raw(uint32_t i) const { return at[i]; }
    __device__ const opi_vector *vector(uint32_t i) const { return (const opi_vector *)at + i; }
    __device__ opi_key map(opi_key x) const { return opi_mapped(x, order); }
};
struct opi_mapped_keys {
    const opi_key *at;
    __device__ opi_key raw(uint32_t i) const { return at[i]; }
    __device__ const opi_vector *vector(uint32_t i) const { return (const opi_vector *)at + i; }
    __device__ opi_key map(opi_key x) const { return x; }
};

/* Sorts n keys from one place to another, or to the same; the result is unmapped.  A barrier must follow before the
 * memory is used again. */
template <int T, int V, class FROM>
OPI_FUNCTION void opi_sort_piece(opi_local<T, V> *s, const FROM &from, opi_key *to, uint32_t n, uint32_t known,
                                 uint32_t crowd, opi_order order)
{
    opi_key one = 0;
    const bool same = opi_sort_local<T, V>(s, from, n, known, crowd, &one);
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        const uint32_t i = OPI_SELF + u * T;
        if (i < n) to[i] = opi_unmapped(same ? one : s->key[opi_stand(i)], order);
    }
}
