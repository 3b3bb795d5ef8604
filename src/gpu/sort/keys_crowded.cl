/* How a group sorts keys in its own memory (keys_local.cl) that bins do not bring near their places: keys of 4 bytes by up
 * to four digits, longer ones, which would have up to eight, by merging. */

#if OPI_KEY_SIZE == 4

/* Digit by digit, from the lowest, each step stable.  Places behind the last key come last. */
template <int T, int V> OPI_CALLED void opi_order_crowded(uint32_t n, opi_key base, uint32_t lead)
{
    opi_local<T, V> *const s = opi_group_memory_as<opi_local<T, V>>();
    static_assert(T / 32 * OPI_DIGITS <= 1u << OPI_LOG_BINS(T, V), "counters of warps stand where bins do");
    const uint32_t place = opi_own_place(V);
    uint32_t *const counter = s->bin + OPI_SELF / 32 * OPI_DIGITS, number[(V + 1) / 2];
    opi_key own[V];
    OPI_UNROLL for (uint32_t u = 0; u < V; u++)
        own[u] = place + u * 32 < n ? (opi_key)(s->key[opi_stand(place + u * 32)] - base) : OPI_LAST_KEY;
    OPI_ROLLED for (uint32_t shift = 0; shift < OPI_KEY_BITS - lead; shift += OPI_DIGIT_BITS) {
        __syncthreads();
        for (uint32_t i = OPI_LANE; i < OPI_DIGITS; i += 32) counter[i] = 0;
        __syncwarp();
        opi_number_by_votes<V, true>(own, shift, counter, number);
        __syncthreads();
        opi_place_warps<T / 32>(s->bin, opi_sum_warps<T / 32>(s->bin), s->sum);
        __syncthreads();
        OPI_UNROLL for (uint32_t u = 0; u < V; u++)
            s->key[opi_stand(counter[opi_digit_at(own[u], shift)] + opi_kept(number, u))] = own[u];
        __syncthreads();
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) own[u] = s->key[opi_stand(place + u * 32)];
    }
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) s->key[opi_stand(place + u * 32)] = own[u] + base;
    __syncthreads();
}

#else

/* One round of a merge sort: this work-item finds sixteen keys of two sorted runs of `run`. */
template <int T, int V>
OPI_FUNCTION void opi_merge_sixteen(const opi_local<T, V> *s, uint32_t run, opi_sixteen *own)
{
    const uint32_t at = OPI_SELF * 16, most = T * V, a = at / (2 * run) * (2 * run);
    const uint32_t b = a + run < most ? a + run : most, end = a + 2 * run < most ? a + 2 * run : most, into = at - a;
    uint32_t lo = into > end - b ? into - (end - b) : 0, hi = into < b - a ? into : b - a;
    while (lo < hi) {
        const uint32_t middle = (lo + hi) / 2;
        if (s->key[opi_stand(a + middle)] <= s->key[opi_stand(b + into - 1 - middle)])
            lo = middle + 1;
        else
            hi = middle;
    }
    uint32_t x = a + lo, y = b + into - lo;
    OPI_UNROLL for (int j = 0; j < 16; j++) {
        const bool first = y >= end || (x < b && s->key[opi_stand(x)] <= s->key[opi_stand(y)]);
        own->x[j] = s->key[opi_stand(first ? x : y)];
        x += first;
        y += !first;
    }
}

template <int T, int V> OPI_CALLED void opi_order_crowded(uint32_t n, opi_key, uint32_t)
{
    opi_local<T, V> *const s = opi_group_memory_as<opi_local<T, V>>();
    const uint32_t t = OPI_SELF, most = T * V;
    const bool owns = t < most / 16;
    opi_sixteen own;
    for (uint32_t i = (n + 15) / 16 * 16 + t; i < most; i += T) s->key[opi_stand(i)] = OPI_LAST_KEY;
    __syncthreads();
    if (owns) {
        opi_take_sixteen(&own, s->key, t * 16);
        opi_network<0>(own.x);
        opi_put_sixteen(&own, s->key, t * 16);
    }
    OPI_ROLLED for (uint32_t run = 16; run < most; run *= 2) {
        __syncthreads();
        if (owns) opi_merge_sixteen<T, V>(s, run, &own);
        __syncthreads();
        if (owns) opi_put_sixteen(&own, s->key, t * 16);
    }
    __syncthreads();
}

#endif
