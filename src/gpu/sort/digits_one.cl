/* The way "digits" (digits.cl) of few elements: one work-group sorts them in its own memory. */

/* The digits in which a work-item's keys differ from the first one of all. */
template <int V> OPI_FUNCTION opi_key opi_differing(const opi_moving *m, const opi_key *own)
{
    const opi_key first = opi_mapped(m->keys[0], m->order);
    opi_key is = 0;
    OPI_UNROLL for (uint32_t u = 0; u < V; u++)
        if (opi_own_place(V) + u * 32 < m->n) is |= (opi_key)(own[u] ^ first);
    return is;
}

/* Brings the keys in order by one digit; `from` travels with them.  A barrier has come before. */
template <int V>
OPI_FUNCTION void opi_order_one(opi_digits_tile<V> *s, opi_key *own, uint32_t *from, uint32_t shift)
{
    const uint32_t place = opi_own_place(V), *const start = s->count[OPI_SELF / 32];
    uint32_t number[(V + 1) / 2];
    opi_number_by_votes<V, true>(own, shift, opi_clear_counter(s), number);
    __syncthreads();
    opi_place_warps<OPI_WARPS>(s->count[0], opi_sum_warps<OPI_WARPS>(s->count[0]), s->sum);
    __syncthreads();
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        const uint32_t to = start[opi_digit_at(own[u], shift)] + opi_kept(number, u);
        s->key[to] = own[u];
#if OPI_VALUE_SIZE
        s->from[to] = (uint16_t)opi_kept(from, u);
#endif
    }
    __syncthreads();
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        own[u] = s->key[place + u * 32];
#if OPI_VALUE_SIZE
        opi_keep(from, u, s->from[place + u * 32]);
#endif
    }
}

/* Sorts m->n elements.  Those that it reads may lie where it writes. */
template <int V> OPI_FUNCTION void opi_sort_few(opi_digits_tile<V> *s, const opi_moving *m)
{
    const uint32_t place = opi_own_place(V);
    uint32_t from[(V + 1) / 2];
    opi_key own[V];
#if OPI_VALUE_SIZE
    opi_bring_values<V>(s, m, 0, m->n);
#endif
    opi_bring_tile<V>(m, 0, own);
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) opi_keep(from, u, place + u * 32);
    const opi_key differing = opi_differing<V>(m, own);
    OPI_ROLLED for (uint32_t b = 0; b < opi_digits_of(m->bits); b++) {
        const uint32_t shift = opi_digit_begin(m->bits, b);
        if (__syncthreads_or(opi_digit_at(differing, shift) != 0)) opi_order_one<V>(s, own, from, shift);
    }
#if OPI_VALUE_SIZE
    OPI_COPIES_WAIT(0);
#endif
    __syncthreads();
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        if (place + u * 32 >= m->n) continue;
        m->to[place + u * 32] = opi_unmapped(own[u], m->back);
#if OPI_VALUE_SIZE
        m->to_values[place + u * 32] = s->value[opi_kept(from, u)];
#endif
    }
}

#define OPI_ONE_PARAMS                                                                                                 \
    OPI_PARAM(keys), OPI_PARAM(values), OPI_PARAM(to_keys), OPI_PARAM(to_values), const uint32_t n,                    \
        const uint64_t negative, const uint64_t flip, const uint32_t low, const uint32_t high

#define OPI_SORT_ONE(V)                                                                                                \
    extern __shared__ __align__(16) unsigned char opi_group_memory[];                                                  \
    OPI_AFTER_LAUNCHES();                                                                                              \
    opi_moving m;                                                                                                      \
    m.keys = OPI_AT(const opi_key, keys);                                                                              \
    m.values = OPI_GIVEN_VALUES;                                                                                       \
    m.to = OPI_AT(opi_key, to_keys);                                                                                   \
    m.to_values = OPI_AT(opi_value, to_values);                                                                        \
    m.n = n;                                                                                                           \
    m.bits.low = low;                                                                                                  \
    m.bits.high = high;                                                                                                \
    m.order = m.back = opi_order_of(negative, flip);                                                                   \
    opi_sort_few<V>((opi_digits_tile<V> *)opi_group_memory, &m);

/* Up to 4096 elements. */
OPI_KERNEL OPI_DIGITS_BOUNDS void opi_digits_one(OPI_ONE_PARAMS) { OPI_SORT_ONE(OPI_DIGITS_FEW_V) }

/* Up to 1024. */
OPI_KERNEL OPI_DIGITS_BOUNDS void opi_digits_one_small(OPI_ONE_PARAMS) { OPI_SORT_ONE(OPI_DIGITS_SMALL_V) }
