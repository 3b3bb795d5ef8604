/* A tile of the way "digits" (digits.cl): its memory, and how a group numbers its keys and brings them in order. */

template <int V> struct opi_digits_tile {
    __align__(16) opi_key key[OPI_DIGITS_W * V]; /* in order */
#if OPI_VALUE_SIZE
    __align__(16) opi_value value[OPI_DIGITS_W * V]; /* as they were */
    uint16_t from[OPI_DIGITS_W * V];                 /* where in the tile a key was */
#endif
    uint32_t count[OPI_WARPS][OPI_DIGITS]; /* of each warp: keys of each digit, then where the first one goes */
    opi_index base[OPI_DIGITS];            /* where key i of the tile goes to, less i */
    uint32_t sum[32], tile, gave_up;
};

static_assert(sizeof(opi_digits_tile<OPI_DIGITS_V>) <= OPI_DIGITS_LOCAL, "the host gives less");
static_assert(sizeof(opi_digits_tile<OPI_DIGITS_FEW_V>) <= OPI_DIGITS_FEW_LOCAL, "the host gives less");

/* What a pass moves, and where to. */
typedef struct opi_moving {
    const opi_key *keys;
    const opi_value *values;
    opi_key *to;
    opi_value *to_values;
    opi_digits_work *work;
    uint32_t *state, *next; /* of this launch, and of the next one */
    uint32_t *fault;        /* in memory of the host */
    opi_index n;
    uint32_t digit, shift;   /* of the digit: its number, and where it begins */
    uint32_t tiles, portion; /* of each portion, and the number of this one */
    opi_bits bits;
    opi_order order; /* from now on */
    opi_order back;  /* of the result */
} opi_moving;

/* --- numbering ----------------------------------------------------------------------------------------------------- */

/* A test of numbering again defines this: the first half of a warp comes after the second one. */
#ifdef OPI_HALVES_LATE
OPI_FUNCTION uint32_t opi_add_one(uint32_t *counter)
{
    uint32_t before = 0;
    if (OPI_LANE >= 16) before = atomicAdd(counter, 1u);
    __syncwarp();
    if (OPI_LANE < 16) before = atomicAdd(counter, 1u);
    __syncwarp();
    return before;
}
#else
OPI_FUNCTION uint32_t opi_add_one(uint32_t *counter) { return atomicAdd(counter, 1u); }
#endif

template <int V>
OPI_FUNCTION void opi_number_by_additions(const opi_key *own, uint32_t shift, uint32_t *counter, uint32_t *number)
{
    OPI_UNROLL for (uint32_t u = 0; u < V; u++)
        opi_keep(number, u, opi_add_one(&counter[opi_digit_at(own[u], shift)]));
}

/* Additions to one counter are done one after the other: votes are faster where many keys of a warp have one digit. */
template <int V> OPI_FUNCTION bool opi_is_crowded(const opi_key *own, uint32_t shift)
{
    const uint32_t some = (uint32_t)__popc(opi_peers(opi_digit_at(own[V / 2], shift)));
    return __reduce_max_sync(OPI_ALL, some) > OPI_CROWD;
}

/* Clears the counters of this warp. */
template <int V> OPI_FUNCTION uint32_t *opi_clear_counter(opi_digits_tile<V> *s)
{
    uint32_t *const counter = s->count[OPI_SELF / 32];
    for (uint32_t i = OPI_LANE; i < OPI_DIGITS; i += 32) counter[i] = 0;
    __syncwarp();
    return counter;
}

/* Numbers the keys of each warp by digit; surely: nothing may depend on what is not promised. */
template <int V>
OPI_FUNCTION void opi_number(opi_digits_tile<V> *s, const opi_key *own, uint32_t shift, bool surely, uint32_t *number)
{
    uint32_t *const counter = opi_clear_counter(s);
    if (surely || (OPI_LIMITED && OPI_VALUE_SIZE == 0))
        opi_number_by_votes<V, true>(own, shift, counter, number);
    else if (opi_is_crowded<V>(own, shift))
        opi_number_by_votes<V, false>(own, shift, counter, number);
    else
        opi_number_by_additions<V>(own, shift, counter, number);
}

/* Whether neighbours in the tile are in the wrong order: keys whose digits are equal must be as they were.  Where there
 * are keys alone, nobody can tell: it is enough that they are in order by all digits so far. */
template <int V> OPI_FUNCTION bool opi_is_wrong(const opi_digits_tile<V> *s, uint32_t shift)
{
    bool is = false;
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        const uint32_t i = u * OPI_DIGITS_W + OPI_SELF, left = i > 0 ? i - 1 : 0;
#if OPI_VALUE_SIZE
        const uint32_t own = opi_digit_at(s->key[i], shift) << 16 | s->from[i];
        is |= own < (opi_digit_at(s->key[left], shift) << 16 | s->from[left]);
#elif !OPI_LIMITED
        const opi_key so_far = (opi_key)(OPI_LAST_KEY >> (OPI_KEY_BITS - OPI_DIGIT_BITS - shift));
        is |= (s->key[i] & so_far) < (s->key[left] & so_far);
#else
        (void)left; /* they were numbered by votes */
#endif
    }
    return is;
}

/* --- a tile -------------------------------------------------------------------------------------------------------- */

/* Brings the keys from `begin` on.  Behind the last one are keys that come last in every order; others may be like
 * them, so that such a tile is numbered by votes at once. */
template <int V> OPI_FUNCTION void opi_bring_tile(const opi_moving *m, opi_index begin, opi_key *own)
{
    const uint32_t place = opi_own_place(V);
    const opi_index count = m->n - begin;
    const opi_key *const from = m->keys + begin + place;
    if (count >= OPI_DIGITS_W * V) {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) own[u] = from[u * 32];
    } else {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) own[u] = place + u * 32 < count ? from[u * 32] : (opi_key)0;
    }
    if (!opi_is_identity(m->order)) {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++) own[u] = opi_mapped(own[u], m->order);
    }
    if (count < OPI_DIGITS_W * V) {
        OPI_UNROLL for (uint32_t u = 0; u < V; u++)
            if (place + u * 32 >= count) own[u] = OPI_LAST_KEY;
    }
}

#if OPI_VALUE_SIZE
/* Brings the values, `count` from `begin` on; whole words are under way until OPI_COPIES_WAIT(0). */
template <int V>
OPI_FUNCTION void opi_bring_values(opi_digits_tile<V> *s, const opi_moving *m, opi_index begin, uint32_t count)
{
    if (OPI_VALUE_UNIT % 4 == 0 && m->values) {
        const uint32_t *const from = (const uint32_t *)(m->values + begin);
        for (uint32_t i = OPI_SELF; i < count * (OPI_VALUE_SIZE / 4); i += OPI_DIGITS_W)
            OPI_COPY_WORD((uint32_t *)s->value + i, from + i);
        OPI_COPIES_END();
    } else {
        for (uint32_t i = OPI_SELF; i < count; i += OPI_DIGITS_W) s->value[i] = opi_value_at(m->values, begin + i);
    }
}
#endif

/* Puts the keys in order. */
template <int V>
OPI_FUNCTION void opi_stage_keys(opi_digits_tile<V> *s, const opi_key *own, uint32_t shift, const uint32_t *number)
{
    const uint32_t *const start = s->count[OPI_SELF / 32];
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        const uint32_t to = start[opi_digit_at(own[u], shift)] + opi_kept(number, u);
        s->key[to] = own[u];
#if OPI_VALUE_SIZE
        s->from[to] = (uint16_t)(opi_own_place(V) + u * 32);
#endif
    }
}
