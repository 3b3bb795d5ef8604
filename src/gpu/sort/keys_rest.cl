/* Buckets that do not fit a group's memory: keys that the sample has not shown.
 *
 * Level by level, all groups together deal each such segment by up to eight of its bits that vary, from one memory to
 * the other, until every piece fits or has equal keys alone.  All groups must be resident, because they wait for each
 * other between the steps; every wait gives up after OPI_PATIENCE cycles. */

#define OPI_REST_BOUNDS __launch_bounds__(OPI_SORT_W, OPI_REST_GROUPS)

typedef opi_dealing<OPI_SORT_W, OPI_SORT_V, 256> opi_rest_dealing;

/* What all work-items of a group know: it is in shared memory, because registers are few. */
typedef struct opi_rest {
    union {
        opi_sort_memory local;
        opi_rest_dealing deal;
    };
    uint32_t count[256], start[257], sum[32], gave_up;
    opi_work *work;
    opi_lists lists;
    opi_key *other, *to; /* scratch memory, and where the result will be */
    opi_order order;
    uint32_t *fault;  /* in memory of the host */
    uint32_t meeting; /* arrivals that the next barrier waits for */
    /* --- of a level --- */
    const opi_segment *segment;
    uint32_t segments, tiles;
} opi_rest;
static_assert(sizeof(opi_rest) <= OPI_REST_LOCAL, "memory");

OPI_FUNCTION uint32_t opi_look_again(const uint32_t *p) { return *(const volatile uint32_t *)p; }

/* A test of giving up defines this: the group that comes to no meeting. */
#ifdef OPI_SILENT_GROUP
#define OPI_IS_ABSENT (OPI_GROUP == OPI_SILENT_GROUP)
#else
#define OPI_IS_ABSENT false
#endif

/* Waits until all groups have come here; false: in vain. */
OPI_FUNCTION bool opi_meet(opi_rest *r)
{
    if (OPI_IS_ABSENT) return false;
    __syncthreads();
    if (OPI_SELF == 0) {
        const uint32_t meeting = r->meeting += (uint32_t)OPI_GROUPS;
        const uint64_t since = (uint64_t)clock64();
        __threadfence();
        atomicAdd(&r->work->waiting, 1u);
        while (opi_look_again(&r->work->waiting) < meeting)
            if ((uint64_t)clock64() - since > OPI_PATIENCE) {
                *(volatile uint32_t *)r->fault = 1;
                r->gave_up = 1;
                break;
            }
        __threadfence();
    }
    __syncthreads();
    return !r->gave_up;
}

/* --- the tiles of a level ------------------------------------------------------------------------------------------ */

/* A tile of a segment.  Each group has neighbouring tiles. */
typedef struct opi_rest_tile {
    uint32_t segment, begin, count; /* begin: of its keys in the array */
    const opi_key *keys;
    bool is_last; /* of the group's tiles in this segment */
} opi_rest_tile;

OPI_FUNCTION uint32_t opi_rest_from(const opi_rest *r, uint64_t group)
{
    return (uint32_t)(r->tiles * group / OPI_GROUPS);
}

OPI_FUNCTION uint32_t opi_segment_of(const opi_rest *r, uint32_t tile)
{
    uint32_t lo = 0, hi = r->segments - 1;
    while (lo < hi) {
        const uint32_t middle = (lo + hi + 1) / 2;
        if (r->segment[middle].tile <= tile)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

/* Sets *x to tile `tile`; x->segment is that of a tile before, or the right one. */
OPI_FUNCTION void opi_find_tile(const opi_rest *r, uint32_t tile, uint32_t end, opi_rest_tile *x)
{
    while (x->segment + 1 < r->segments && r->segment[x->segment + 1].tile <= tile) x->segment++;
    const opi_segment *const own = &r->segment[x->segment];
    const uint32_t into = (tile - own->tile) * OPI_SORT_MOST, left = own->count - into;
    x->begin = own->start + into;
    x->count = left < OPI_SORT_MOST ? left : OPI_SORT_MOST;
    x->keys = (own->in_other ? r->other : r->to) + x->begin;
    x->is_last = tile + 1 == end || (x->segment + 1 < r->segments && r->segment[x->segment + 1].tile == tile + 1);
}

#define OPI_EACH_TILE(r, tile, x)                                                                                      \
    const uint32_t end_ = opi_rest_from(r, OPI_GROUP + 1);                                                             \
    opi_rest_tile x;                                                                                                   \
    x.segment = opi_segment_of(r, opi_rest_from(r, OPI_GROUP));                                                        \
    for (uint32_t tile = opi_rest_from(r, OPI_GROUP); tile < end_ && (opi_find_tile(r, tile, end_, &x), true); tile++)

/* Whether its keys differ, and then its digit. */
OPI_FUNCTION bool opi_digit_of_segment(const opi_segment *segment, opi_bits_digit *digit)
{
    digit->lead = opi_leading_zeros(segment->seen.set & segment->seen.clear);
    digit->right = 32 - 8;
    return digit->lead < OPI_KEY_BITS;
}

/* --- the steps of a level ----------------------------------------------------------------------------------------- */

OPI_CALLED void opi_rest_pieces(void)
{
    opi_rest *const r = opi_group_memory_as<opi_rest>();
    const uint32_t pieces = opi_look_again(&r->work->pieces);
    for (uint32_t i = (uint32_t)OPI_GROUP; i < pieces; i += (uint32_t)OPI_GROUPS) {
        const opi_piece own = r->lists.piece[i];
        opi_mapped_keys from;
        from.at = (own.in_other ? r->other : r->to) + own.start;
        opi_sort_piece<OPI_SORT_W, OPI_SORT_V>(&r->local, from, r->to + own.start, own.count, 0, OPI_ANY_CROWD,
                                               r->order);
        __syncthreads();
    }
}

/* Which bits of each segment vary. */
OPI_CALLED void opi_rest_see(uint32_t level)
{
    const opi_rest *const r = opi_group_memory_as<opi_rest>();
    opi_seen seen = {0, 0};
    for (uint64_t i = OPI_GROUP * OPI_SORT_W + OPI_SELF; i < r->segments * 256ul; i += OPI_GROUPS * OPI_SORT_W)
        r->lists.count[i] = 0;
    OPI_EACH_TILE(r, tile, x)
    {
        opi_key own[OPI_SORT_V]; /* all are under way before the first is looked at */
        OPI_UNROLL for (uint32_t u = 0; u < OPI_SORT_V; u++) {
            const uint32_t i = u * OPI_SORT_W + OPI_SELF;
            own[u] = x.keys[i < x.count ? i : 0];
        }
        OPI_UNROLL for (uint32_t u = 0; u < OPI_SORT_V; u++) opi_see(&seen, own[u]);
        if (!x.is_last) continue;
        opi_tell_seen(&r->lists.segment[level & 1][x.segment].seen, seen);
        seen.set = seen.clear = 0;
    }
}

OPI_CALLED void opi_rest_count(void)
{
    opi_rest *const r = opi_group_memory_as<opi_rest>();
    uint32_t *const count = r->count;
    for (uint32_t d = OPI_SELF; d < 256; d += OPI_SORT_W) count[d] = 0;
    __syncthreads();
    OPI_EACH_TILE(r, tile, x)
    {
        opi_bits_digit digit;
        if (!opi_digit_of_segment(&r->segment[x.segment], &digit)) continue;
        opi_key own[OPI_SORT_V];
        OPI_UNROLL for (uint32_t u = 0; u < OPI_SORT_V; u++) {
            const uint32_t i = u * OPI_SORT_W + OPI_SELF;
            own[u] = x.keys[i < x.count ? i : 0];
        }
        OPI_UNROLL for (uint32_t u = 0; u < OPI_SORT_V; u++) {
            const uint32_t d = digit.of(own[u]), left = __shfl_sync(OPI_ALL, d, 0);
            const bool real = u * OPI_SORT_W + OPI_SELF < x.count;
            if (__all_sync(OPI_ALL, real && d == left)) {
                if (OPI_LANE == 0) atomicAdd(&count[d], 32u);
            } else if (real) {
                atomicAdd(&count[d], 1u);
            }
        }
        if (!x.is_last) continue;
        __syncthreads();
        for (uint32_t i = OPI_SELF; i < 256; i += OPI_SORT_W) {
            if (count[i]) atomicAdd(&r->lists.count[x.segment * 256ul + i], count[i]);
            count[i] = 0;
        }
        __syncthreads();
    }
}

/* Small parts become one piece with their neighbours: those that begin in the same run of OPI_SMALL keys. */
#define OPI_SMALL (OPI_SORT_MOST / 2)
OPI_FUNCTION bool opi_is_small(const opi_rest *r, uint32_t part)
{
    return r->start[part + 1] - r->start[part] <= OPI_SMALL;
}

OPI_FUNCTION bool opi_is_joined(const opi_rest *r, uint32_t part)
{
    return part > 0 && part < 256 && opi_is_small(r, part) && opi_is_small(r, part - 1) &&
           (r->start[part] - r->start[0]) / OPI_SMALL == (r->start[part - 1] - r->start[0]) / OPI_SMALL;
}

/* Lists part OPI_SELF and those that join it: as a piece, or as a segment of the next level. */
OPI_FUNCTION void opi_list_part(const opi_rest *r, uint32_t level, uint32_t in_other)
{
    if (opi_is_joined(r, OPI_SELF)) return;
    uint32_t end = OPI_SELF + 1;
    while (opi_is_joined(r, end)) end++;
    const uint32_t start = r->start[OPI_SELF], count = r->start[end] - start;
    if (count > OPI_SORT_MOST) {
        opi_add_segment(r->work, &r->lists, level + 1, start, count, in_other);
    } else if (count > 0) {
        opi_piece *const piece = &r->lists.piece[atomicAdd(&r->work->pieces, 1u)];
        piece->start = start;
        piece->count = count;
        piece->in_other = in_other;
    }
}

/* Where the parts of each segment begin. */
OPI_CALLED void opi_rest_places(uint32_t level)
{
    opi_rest *const r = opi_group_memory_as<opi_rest>();
    for (uint32_t i = (uint32_t)OPI_GROUP; i < r->segments; i += (uint32_t)OPI_GROUPS) {
        const opi_segment *const own = &r->segment[i];
        opi_bits_digit digit;
        if (!opi_digit_of_segment(own, &digit)) continue;
        uint32_t *const cursor = r->lists.count + i * 256ul + OPI_SELF, all;
        const uint32_t count = OPI_SELF < 256 ? *cursor : 0;
        const uint32_t start = own->start + opi_sum_before(count, r->sum, &all);
        if (OPI_SELF < 256) r->start[OPI_SELF] = *cursor = start;
        if (OPI_SELF == 255) r->start[256] = start + count;
        __syncthreads();
        if (OPI_SELF < 256) opi_list_part(r, level, !own->in_other);
        __syncthreads();
    }
}

OPI_CALLED void opi_rest_deal(void)
{
    opi_rest *const r = opi_group_memory_as<opi_rest>();
    OPI_EACH_TILE(r, tile, x)
    {
        const opi_segment *const own = &r->segment[x.segment];
        opi_bits_digit digit;
        if (opi_digit_of_segment(own, &digit)) {
            opi_mapped_keys from;
            from.at = x.keys;
            opi_deal_tile<OPI_SORT_W, OPI_SORT_V, 256, 4>(&r->deal, from, 0, x.count, digit,
                                                          r->lists.count + x.segment * 256ul, 1,
                                                          own->in_other ? r->to : r->other);
            __syncthreads();
        } else if (own->in_other || !opi_is_identity(r->order)) { /* else they lie there already */
            const opi_key key = opi_unmapped(own->seen.set, r->order);
            for (uint32_t i = OPI_SELF; i < x.count; i += OPI_SORT_W) r->to[x.begin + i] = key;
        }
    }
}

/* Takes up the segments of a level; false: there are none. */
OPI_FUNCTION bool opi_rest_begin(opi_rest *r, uint32_t level)
{
    __syncthreads();
    if (OPI_SELF == 0) {
        const uint64_t todo = *(const volatile uint64_t *)&r->work->todo[level & 1];
        r->segment = r->lists.segment[level & 1];
        r->segments = (uint32_t)(todo >> 32);
        r->tiles = (uint32_t)todo;
    }
    __syncthreads();
    return r->segments > 0;
}

/* Segments that are known to have equal keys only lie where they should, but mapped, or in the other memory. */
OPI_CALLED void opi_rest_pure(void)
{
    const opi_rest *const r = opi_group_memory_as<opi_rest>();
    OPI_EACH_TILE(r, tile, x)
    {
        if (!r->segment[x.segment].in_other && opi_is_identity(r->order)) continue;
        OPI_UNROLL for (uint32_t u = 0; u < OPI_SORT_V; u++) {
            const uint32_t i = u * OPI_SORT_W + OPI_SELF;
            if (i < x.count) r->to[x.begin + i] = opi_unmapped(x.keys[i], r->order);
        }
    }
}

/* One level; false: all is done, or a wait was in vain. */
OPI_FUNCTION bool opi_rest_level(opi_rest *r, uint32_t level)
{
    opi_rest_pieces();
    if (!opi_rest_begin(r, level)) return false;
    opi_rest_see(level);
    if (!opi_meet(r)) return false;
    if (OPI_GROUP == 0 && OPI_SELF == 0) {
        r->work->pieces = 0;
        r->work->todo[(level + 1) & 1] = 0;
    }
    opi_rest_count();
    if (!opi_meet(r)) return false;
    opi_rest_places(level);
    if (!opi_meet(r)) return false;
    opi_rest_deal();
    return opi_meet(r);
}

OPI_KERNEL OPI_REST_BOUNDS void opi_keys_rest(OPI_PARAM(other), OPI_PARAM(to), OPI_PARAM(works), OPI_PARAM(fault),
                                   const uint64_t most, const uint64_t negative, const uint64_t flip)
{
    extern __shared__ __align__(16) unsigned char opi_group_memory[];
    opi_rest *const r = (opi_rest *)opi_group_memory;
    opi_work *const work = OPI_AT(opi_work, works);
    if (work->todo[0] >> 32 == 0 && work->todo[1] >> 32 == 0) return;
    if (OPI_SELF == 0) {
        r->work = work;
        r->lists = opi_lists_of(work, most);
        r->other = OPI_AT(opi_key, other);
        r->to = OPI_AT(opi_key, to);
        r->order = opi_order_of(negative, flip);
        r->fault = OPI_AT(uint32_t, fault);
        r->meeting = r->gave_up = 0;
    }
    if (opi_rest_begin(r, 1)) opi_rest_pure();
    OPI_ROLLED for (uint32_t level = 0; level <= OPI_KEY_BITS && opi_rest_level(r, level); level++) {}
}
