/* One pass of the way "digits" (digits.cl): a work-group moves a tile (digits_tile.cl). */

/* --- looking back -------------------------------------------------------------------------------------------------- */

/* A test of giving up defines this: the tile that tells nothing. */
#ifdef OPI_SILENT_GROUP
#define OPI_IS_SILENT(tile) ((tile) == OPI_SILENT_GROUP)
#else
#define OPI_IS_SILENT(tile) false
#endif

OPI_FUNCTION void opi_tell(uint32_t *state, uint32_t tile, uint32_t what)
{
    if (!OPI_IS_SILENT(tile)) *(volatile uint32_t *)&state[(uint64_t)tile * OPI_DIGITS + OPI_SELF] = what;
}

#define OPI_AT_ONCE 4 /* states of tiles that are read together */

/* How many keys of digit OPI_SELF the tiles before have; sets *gave_up after waiting in vain. */
OPI_FUNCTION uint32_t opi_look_back(const opi_moving *m, uint32_t tile, uint32_t total, uint32_t *gave_up)
{
    const volatile uint32_t *const state = m->state + OPI_SELF;
    const uint64_t since = (uint64_t)clock64();
    uint32_t before = 0, at = tile; /* the tiles from `at` on are in `before` */
    bool is_done = tile == 0, in_vain = false;
    while (!is_done && !in_vain) {
        uint32_t seen[OPI_AT_ONCE];
        const uint32_t from = at;
        OPI_UNROLL for (uint32_t j = 0; j < OPI_AT_ONCE; j++)
            seen[j] = state[(uint64_t)(from > j ? from - 1 - j : 0) * OPI_DIGITS];
        OPI_UNROLL for (uint32_t j = 0; j < OPI_AT_ONCE; j++) {
            if (is_done || in_vain || at != from - j || seen[j] < OPI_OWN) continue; /* or it has told nothing so far */
            in_vain = seen[j] >= OPI_GAVE_UP;
            is_done = !in_vain && seen[j] >= OPI_UP_TO;
            before += seen[j] & (OPI_OWN - 1);
            at--;
        }
        if (at == from && (uint64_t)clock64() - since > OPI_PATIENCE) {
            *(volatile uint32_t *)m->fault = 1;
            *(volatile uint32_t *)&m->work->gave_up = 1;
            in_vain = true;
        }
    }
    if (in_vain) *(volatile uint32_t *)gave_up = 1;
    opi_tell(m->state, tile, in_vain ? OPI_GAVE_UP : OPI_UP_TO | (before + total));
    return before;
}

/* --- writing ------------------------------------------------------------------------------------------------------- */

/* Writes the elements in order, `count` of them. */
template <int V> OPI_FUNCTION void opi_write_tile(const opi_digits_tile<V> *s, const opi_moving *m, uint32_t count)
{
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        const uint32_t i = u * OPI_DIGITS_W + OPI_SELF;
        if (i >= count) break;
        opi_key x = s->key[i];
        const opi_index to = s->base[opi_digit_at(x, m->shift)] + i;
        if (!opi_is_identity(m->back)) x = opi_unmapped(x, m->back);
        m->to[to] = x;
#if OPI_VALUE_SIZE
        m->to_values[to] = s->value[s->from[i]];
#endif
    }
}

/* --- the kernels --------------------------------------------------------------------------------------------------- */

/* Where the portion's keys of digit OPI_SELF begin in the result. */
OPI_FUNCTION opi_index opi_portion_start(const opi_moving *m)
{
#if OPI_WIDE
    if (m->portion > 0) return m->work->start[m->portion & 1][OPI_SELF];
#endif
    return m->work->count[m->digit][OPI_SELF];
}

/* Clears the states of the next launch, which may have more tiles than the last portion. */
OPI_FUNCTION void opi_clear_next(const opi_moving *m, uint32_t tile)
{
#if OPI_WIDE
    for (uint64_t t = tile; t < m->tiles; t += OPI_GROUPS) m->next[t * OPI_DIGITS + OPI_SELF] = 0;
#else
    m->next[(uint64_t)tile * OPI_DIGITS + OPI_SELF] = 0;
#endif
}

/* Where the tile's keys of digit OPI_SELF begin in the result, of which it has `total`.  The last tile tells the next portion
 * where its keys begin. */
OPI_FUNCTION opi_index opi_tile_start(const opi_moving *m, uint32_t tile, uint32_t total, uint32_t *gave_up)
{
    const opi_index start = opi_portion_start(m) + opi_look_back(m, tile, total, gave_up);
#if OPI_WIDE
    if (tile == (uint32_t)OPI_GROUPS - 1) m->work->start[(m->portion + 1) & 1][OPI_SELF] = start + total;
#endif
    return start;
}

template <int V> OPI_FUNCTION void opi_move_tile(opi_digits_tile<V> *s, const opi_moving *m)
{
    const uint32_t tile = s->tile;
    const opi_index begin = ((opi_index)m->portion * m->tiles + tile) * (OPI_DIGITS_W * V), left = m->n - begin;
    const uint32_t count = left < OPI_DIGITS_W * V ? (uint32_t)left : OPI_DIGITS_W * V;
    opi_key own[V];
    uint32_t number[(V + 1) / 2];
    for (uint32_t round = 0; round < 2; round++) {
        opi_bring_tile<V>(m, begin, own);
#if OPI_VALUE_SIZE
        if (round == 0) opi_bring_values<V>(s, m, begin, count);
#endif
        opi_number<V>(s, own, m->shift, round > 0 || count < OPI_DIGITS_W * V, number);
        __syncthreads();
        const uint32_t total = opi_sum_warps<OPI_WARPS>(s->count[0]);
        if (round == 0 && OPI_SELF < OPI_DIGITS) {
            opi_tell(m->state, tile, (tile == 0 ? OPI_UP_TO : OPI_OWN) | total);
            opi_clear_next(m, tile);
        }
        const uint32_t start = opi_place_warps<OPI_WARPS>(s->count[0], total, s->sum);
        __syncthreads();
        opi_stage_keys<V>(s, own, m->shift, number);
        if (round == 0 && OPI_SELF < OPI_DIGITS)
            s->base[OPI_SELF] = opi_tile_start(m, tile, total, &s->gave_up) - start;
#if OPI_VALUE_SIZE
        OPI_COPIES_WAIT(0);
#endif
        __syncthreads();
        if (round > 0 || !__syncthreads_or(opi_is_wrong<V>(s, m->shift))) break;
    }
    if (s->gave_up) return;
    opi_write_tile<V>(s, m, count);
}

#define OPI_PASS_PARAMS                                                                                                \
    OPI_PARAM(keys), OPI_PARAM(values), OPI_PARAM(other_keys), OPI_PARAM(other_values), OPI_PARAM(to_keys),            \
        OPI_PARAM(to_values), OPI_PARAM(works), OPI_PARAM(fault), const opi_index n, const uint32_t tiles,             \
        OPI_PORTION_PARAMS const uint32_t pass, const uint64_t negative, const uint64_t flip

/* A pass of tiles of V keys a work-item; the elements go to and fro between two memories. */
#define OPI_PASS(V)                                                                                                    \
    extern __shared__ __align__(16) unsigned char opi_group_memory[];                                                  \
    opi_digits_tile<V> *const s = (opi_digits_tile<V> *)opi_group_memory;                                              \
    opi_digits_work *const work = OPI_AT(opi_digits_work, works);                                                      \
    OPI_AFTER_LAUNCHES();                                                                                              \
    if (pass >= work->passes) return;                                                                                  \
    if (OPI_SELF == 0) {                                                                                               \
        s->tile = atomicAdd(&work->ticket[pass], 1u) - OPI_PORTION * tiles;                                            \
        s->gave_up = *(const volatile uint32_t *)&work->gave_up;                                                       \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    if (s->gave_up) return;                                                                                            \
    opi_moving m;                                                                                                      \
    m.keys = pass == 0  ? OPI_AT(const opi_key, keys)                                                                  \
             : pass & 1 ? OPI_AT(opi_key, other_keys)                                                                  \
                        : OPI_AT(opi_key, to_keys);                                                                    \
    m.to = pass & 1 ? OPI_AT(opi_key, to_keys) : OPI_AT(opi_key, other_keys);                                          \
    m.values = pass == 0 ? OPI_GIVEN_VALUES                                                                            \
               : pass & 1 ? OPI_AT(opi_value, other_values)                                                            \
                          : OPI_AT(opi_value, to_values);                                                              \
    m.to_values = pass & 1 ? OPI_AT(opi_value, to_values) : OPI_AT(opi_value, other_values);                           \
    m.work = work;                                                                                                     \
    m.state = opi_states(work, pass * OPI_PORTIONS + OPI_PORTION, tiles);                                              \
    m.next = opi_states(work, pass * OPI_PORTIONS + OPI_PORTION + 1, tiles);                                           \
    m.fault = OPI_AT(uint32_t, fault);                                                                                 \
    m.tiles = tiles;                                                                                                   \
    m.portion = OPI_PORTION;                                                                                           \
    m.n = n;                                                                                                           \
    m.digit = work->digit[pass];                                                                                       \
    m.shift = work->shift[pass];                                                                                       \
    m.order = opi_order_if(pass == 0, negative, flip);                                                                 \
    m.back = opi_order_if(pass + 1 == work->passes, negative, flip);                                                   \
    opi_move_tile<V>(s, &m);

OPI_KERNEL OPI_DIGITS_BOUNDS void opi_digits_pass(OPI_PASS_PARAMS) { OPI_PASS(OPI_DIGITS_V) }

/* Of few keys: smaller tiles, so that all multiprocessors have some. */
OPI_KERNEL OPI_DIGITS_BOUNDS void opi_digits_pass_few(OPI_PASS_PARAMS) { OPI_PASS(OPI_DIGITS_FEW_V) }

template <class T> OPI_FUNCTION void opi_copy_all(T *to, const T *from, uint32_t n)
{
    const uint64_t self = OPI_GROUP * blockDim.x + OPI_SELF, all = OPI_GROUPS * blockDim.x;
    uint64_t done = 0;
    if (OPI_ALIGNED(to) && OPI_ALIGNED(from)) {
        const uint64_t vectors = n * sizeof(T) / sizeof(opi_vector);
        for (uint64_t i = self; i < vectors; i += all) ((opi_vector *)to)[i] = ((const opi_vector *)from)[i];
        done = vectors * sizeof(opi_vector) / sizeof(T); /* a vector may end in an element, which is copied again */
    }
    for (uint64_t i = done + self; i < n; i += all) to[i] = from[i];
}

/* After an odd number of passes the result lies in the other memory. */
OPI_KERNEL void opi_digits_end(OPI_PARAM(other_keys), OPI_PARAM(other_values), OPI_PARAM(to_keys), OPI_PARAM(to_values),
                               OPI_PARAM(works), const opi_index n)
{
    const opi_digits_work *const work = OPI_AT(const opi_digits_work, works);
    OPI_AFTER_LAUNCHES();
    if (work->passes % 2 == 0 || work->gave_up) return;
    opi_copy_all(OPI_AT(opi_key, to_keys), OPI_AT(const opi_key, other_keys), n);
#if OPI_VALUE_SIZE
    opi_copy_all(OPI_AT(opi_value, to_values), OPI_AT(const opi_value, other_values), n);
#endif
}
