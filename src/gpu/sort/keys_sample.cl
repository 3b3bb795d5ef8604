/* The sample, and the map that is made of it. */

/* The sample in a group's memory, in order: key[opi_stand(i)]. */
typedef struct opi_sample {
    opi_key *key;
    uint32_t *bin, *sum;
    uint32_t size; /* a multiple of OPI_SORT_W, at most OPI_SORT_MOST */
} opi_sample;

#define OPI_SAMPLE_BOUNDS __launch_bounds__(OPI_SORT_W, 1)
#define OPI_OUTSIDE 8  /* keys of the sample at either end that do not count */
#define OPI_PART    96 /* keys of each part of the sample, which is even if none has half as much again as it should */
#define OPI_TAIL    10 /* one in ten is left out at either end if the others share many bits: more than places have */
#define OPI_SHARED  24 /* so many bits more */
#define OPI_FREQUENT 16 /* keys of the sample that are equal */
#define OPI_ASTRIDE 8  /* bits that two keys on both sides of a high bit differ in less than it says */
#define OPI_CELLS_EACH ((OPI_CELLS + OPI_SORT_W - 1) / OPI_SORT_W)

struct opi_sampled_keys {
    opi_source source;
    uint64_t step;
    opi_order order;
    __device__ opi_key raw(uint32_t i) const { return *source.key(i * step); }
    __device__ opi_key map(opi_key x) const { return opi_mapped(x, order); }
};

/* Where the bits begin that vary between two keys; or, where these lie close together on both sides of a high bit, as
 * small integers of both signs do, the bits of how far a key is from one that is somewhat below them. */
OPI_FUNCTION opi_map opi_map_between(opi_key first, opi_key last)
{
    const opi_key span = last - first;
    opi_map map;
    map.lead = opi_leading_zeros(first ^ last);
    map.right = map.buckets = map.scaled = 0;
    if (opi_leading_zeros(span) > map.lead + OPI_ASTRIDE) {
        map.least = first - span / 2;
        map.most = last + span / 2;
        map.lead = opi_leading_zeros(map.most - map.least);
    } else {
        const opi_key behind = map.lead == OPI_KEY_BITS ? 0 : OPI_LAST_KEY >> map.lead;
        map.least = first & ~behind;
        map.most = first | behind;
    }
    return map;
}

OPI_FUNCTION uint32_t opi_sampled_place(const opi_sample *s, uint32_t i, const opi_map *map)
{
    return opi_place_of(s->key[opi_stand(i)], map);
}

/* s->bin[i] becomes the number of the sample's keys whose place has the highest bits i.  The sample is in order: what
 * is added is where such keys end, less where they begin. */
OPI_FUNCTION void opi_count_sample(const opi_sample *s, const opi_map *map, uint32_t bits)
{
    __syncthreads();
    for (uint32_t i = OPI_SELF; i < 1u << bits; i += OPI_SORT_W) s->bin[i] = 0;
    __syncthreads();
    for (uint32_t i = OPI_SELF; i <= s->size; i += OPI_SORT_W) {
        const uint32_t left = i > 0 ? opi_sampled_place(s, i - 1, map) >> (32 - bits) : OPI_ALL;
        const uint32_t right = i < s->size ? opi_sampled_place(s, i, map) >> (32 - bits) : OPI_ALL;
        if (left == right) continue;
        if (i > 0) atomicAdd(&s->bin[left], i);
        if (i < s->size) atomicSub(&s->bin[right], i);
    }
    __syncthreads();
}

OPI_FUNCTION bool opi_is_even(const opi_sample *s, const opi_map *map)
{
    const uint32_t bits = 31 - (uint32_t)__clz((int)(s->size / OPI_PART));
    opi_count_sample(s, map, bits);
    const bool crowded = OPI_SELF < 1u << bits && (s->bin[OPI_SELF] << bits) * 2 > s->size * 3;
    return !__syncthreads_or(crowded);
}

/* How many keys of the sample the fullest cell has. */
OPI_FUNCTION uint32_t opi_crowd(const opi_sample *s, const opi_map *map)
{
    uint32_t most = 0;
    opi_count_sample(s, map, OPI_LOG_CELLS);
    if (OPI_SELF == 0) s->sum[0] = 0;
    for (uint32_t i = OPI_SELF; i < OPI_CELLS; i += OPI_SORT_W) most = s->bin[i] > most ? s->bin[i] : most;
    __syncthreads();
    atomicMax(&s->sum[0], most);
    __syncthreads();
    return s->sum[0];
}

/* Whether some key is so frequent that it should have a bucket of its own. */
OPI_FUNCTION bool opi_has_frequent(const opi_sample *s)
{
    bool is = false;
    for (uint32_t i = OPI_SELF; i + OPI_FREQUENT < s->size; i += OPI_SORT_W)
        is |= s->key[opi_stand(i)] == s->key[opi_stand(i + OPI_FREQUENT)];
    return __syncthreads_or(is);
}

/* The map of a sample that is not even: the one that crowds less. */
OPI_FUNCTION opi_map opi_choose_map(const opi_sample *s, opi_map map)
{
    if (OPI_KEY_SIZE == 4 && opi_has_frequent(s)) map = opi_map_between(0, OPI_LAST_KEY);
    opi_map scaled = opi_map_between(0, OPI_LAST_KEY);
    scaled.scaled = 1;
    const uint32_t tail = s->size / OPI_TAIL;
    const opi_map inner = opi_map_between(s->key[opi_stand(tail)], s->key[opi_stand(s->size - 1 - tail)]);
    if (inner.lead >= map.lead + OPI_SHARED && inner.lead < OPI_KEY_BITS) return inner;
    const uint32_t crowd = opi_crowd(s, &map);
    return opi_crowd(s, &scaled) * 2 < crowd ? scaled : map;
}

/* Of a cell: how many buckets it has of its own, and how wide they are. */
typedef struct opi_plan {
    uint32_t low, used, shift;
    uint32_t pures;   /* buckets that have one key each; there is one bucket before them and one behind them */
    uint32_t skipped; /* buckets of others before this cell's own: 1 if the one before them has no place in the cell */
    bool shares;          /* it is so light that it shares a bucket */
} opi_plan;

/* Whether a place is one key, whatever the keys that the sample has not shown. */
OPI_FUNCTION bool opi_is_exact(const opi_map *map) { return OPI_KEY_SIZE == 4 && map->lead == 0 && !map->scaled; }

/* `count` of the sample's keys, from `first` on, are the cell's; the sample has `wanted` buckets, at most 2^16, so that
 * products with numbers of its keys have 32 bits. */
OPI_FUNCTION opi_plan opi_plan_cell(const opi_sample *s, const opi_map *map, uint32_t first, uint32_t count,
                                    uint32_t wanted)
{
    opi_plan plan;
    plan.low = plan.used = plan.shift = plan.pures = plan.skipped = 0;
    plan.shares = count * wanted < s->size;
    if (plan.shares) return plan;
    const uint32_t outside = count / 64, least = count * wanted * 7 / (10 * s->size);
    const uint32_t begin = opi_sampled_place(s, first, map) & ~OPI_LAST_PLACE_IN_CELL;
    const uint32_t end = begin | OPI_LAST_PLACE_IN_CELL;
    uint32_t last = opi_sampled_place(s, first + count - 1 - outside, map);
    plan.low = opi_sampled_place(s, first + outside, map);
    const uint32_t wider = (last - plan.low) / 48 + (last - plan.low) / count; /* if the others lie as close */
    plan.low = plan.low - begin > wider ? plan.low - wider : begin;
    last = end - last > wider ? last + wider : end;
    const uint32_t width = last - plan.low;
    const uint32_t bits = 32 - __clz((int)width);
    if (least <= 1) { /* one bucket */
        plan.shift = bits < 31 ? bits : 31;
    } else if (width >= least) { /* as wide as they can be, and still `least` buckets */
        plan.shift = bits - (32 - __clz((int)(least - 1)));
        if (width >> plan.shift < least - 1) plan.shift--;
    }
    plan.used = (width >> plan.shift) + 1;
    if (opi_is_exact(map) && least >= 3 && width < least) { /* a bucket for each, one below, one above */
        plan.pures = plan.used;
        plan.skipped = (plan.low & OPI_LAST_PLACE_IN_CELL) == 0; /* the one below is that of cells before this one */
        plan.low -= !plan.skipped;
        plan.used += 2;
    }
    return plan;
}

/* Writes the cells, and which buckets have one key; returns the number of buckets. */
OPI_FUNCTION uint32_t opi_make_cells(const opi_sample *s, const opi_map *map, uint32_t wanted, opi_cell *to,
                                     uint32_t *pure)
{
    const uint32_t from = OPI_SELF * OPI_CELLS_EACH;
    uint32_t count[OPI_CELLS_EACH], own = 0, buckets = 0, light = 0, all;
    opi_plan plan[OPI_CELLS_EACH];
    for (uint32_t i = OPI_SELF; i < OPI_BUCKETS / 32; i += OPI_SORT_W) pure[i] = 0;
    opi_count_sample(s, map, OPI_LOG_CELLS);
    OPI_UNROLL for (uint32_t j = 0; j < OPI_CELLS_EACH; j++) {
        count[j] = from + j < OPI_CELLS ? s->bin[from + j] : 0;
        own += count[j];
    }
    uint32_t at = opi_sum_before(own, s->sum, &all);
    __syncthreads();
    OPI_UNROLL for (uint32_t j = 0; j < OPI_CELLS_EACH; j++) {
        plan[j] = opi_plan_cell(s, map, at, count[j], wanted);
        at += count[j];
        buckets += plan[j].used;
        if (plan[j].shares) light += count[j];
    }
    uint32_t lights, before = opi_sum_before(buckets, s->sum, &all);
    __syncthreads();
    light = opi_sum_before(light, s->sum, &lights);
    OPI_UNROLL for (uint32_t j = 0; j < OPI_CELLS_EACH; j++) {
        if (from + j >= OPI_CELLS) continue;
        const uint32_t first = before + light * wanted / s->size;
        to[from + j] = opi_make_cell(plan[j].low, plan[j].shares ? 0 : plan[j].used - 1 - plan[j].skipped,
                                     first + plan[j].skipped, plan[j].shift);
        for (uint32_t i = 0; i < plan[j].pures; i++) {
            const uint32_t bucket = first + 1 + i;
            atomicOr(&pure[bucket / 32], 1u << bucket % 32);
        }
        before += plan[j].used;
        if (plan[j].shares) light += count[j];
    }
    return all + lights * wanted / s->size + 1;
}

/* Sorts the sample, and finds the bits that vary in it. */
OPI_FUNCTION opi_map opi_map_of_sample(const opi_sample *s, opi_sort_memory *memory, const opi_sampled_keys &from)
{
    opi_key one;
    if (opi_sort_local<OPI_SORT_W, OPI_SORT_V>(memory, from, s->size, 0, OPI_CROWD, &one)) {
        for (uint32_t i = OPI_SELF; i < s->size; i += OPI_SORT_W) s->key[i] = one;
        __syncthreads();
        return opi_map_between(0, OPI_LAST_KEY);
    }
    return opi_map_between(s->key[opi_stand(OPI_OUTSIDE)], s->key[opi_stand(s->size - 1 - OPI_OUTSIDE)]);
}

/* The first group makes the map; the others make the memory of the launches that follow ready.  size: of the sample;
 * bits: of a bucket's number if it is even; wanted: buckets that cells share else. */
OPI_KERNEL OPI_SAMPLE_BOUNDS void opi_keys_sample(OPI_PARAM(keys), OPI_PARAM(works), const uint64_t n,
                                                  const uint32_t size, const uint32_t bits, const uint32_t wanted,
                                                  const uint64_t negative, const uint64_t flip OPI_DEALT_PARAM)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_sort_memory *const memory = (opi_sort_memory *)opi_group_memory;
    opi_work *const work = OPI_AT(opi_work, works);
    if (OPI_GROUP > 0) {
        const uint32_t step = ((uint32_t)OPI_GROUPS - 1) * OPI_SORT_W;
        for (uint32_t i = ((uint32_t)OPI_GROUP - 1) * OPI_SORT_W + OPI_SELF; i < OPI_BUCKETS / 2; i += step)
            work->counts[i] = 0;
        return;
    }
    if (OPI_SELF == 0) {
        work->finished = work->waiting = work->larges = work->pieces = 0;
        work->todo[0] = work->todo[1] = 0;
    }
    OPI_SOURCE(source, keys)
    opi_sampled_keys from;
    from.source = source;
    from.step = n / size;
    from.order = opi_order_of(negative, flip);
    opi_sample sample;
    sample.key = memory->key;
    sample.bin = memory->bin;
    sample.sum = memory->sum;
    sample.size = size;
    opi_map map = opi_map_of_sample(&sample, memory, from);
    if (opi_is_even(&sample, &map)) {
        map.right = 32 - bits;
        map.buckets = 1u << bits;
    } else {
        map = opi_choose_map(&sample, map);
        map.buckets = opi_make_cells(&sample, &map, wanted, work->cell, work->pure);
    }
    if (OPI_SELF == 0) work->map = map;
}
