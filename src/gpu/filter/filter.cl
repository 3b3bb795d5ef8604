/* Filter: the elements that the predicate keeps, in their order.
 *
 * opi_aggregate -> opi_spine -> opi_apply over whole tiles; opi_one does everything in one work-group.  If out may
 * overlap elements that other work-groups have yet to read, opi_apply writes to separate memory, and opi_move copies
 * the elements to their places. */

/* Elements that do not fit into registers are copied unit by unit.  Compilers would turn an assignment into long
 * code. */
#define OPI_BY_UNITS (OPI_SIZE > 64)

/* Which elements of its run a work-item keeps. */
typedef struct opi_picked {
    uint32_t own;  /* how many */
    uint32_t mask; /* bit j: element j is kept */
#if OPI_LOG_W > 0 && !OPI_BY_UNITS
    opi_run run;
#endif
} opi_picked;

#define OPI_COPY_UNITS(to, from)                                                                                       \
    for (uint32_t k = 0; k < OPI_UNITS; k++) (to)[k] = (from)[k];

#if OPI_LOG_W == 0

/* --- a tile of one work-item: element by element ---------------------------------------------------------------- */

#define OPI_SHARED(shared)
#define OPI_OF_SHARED(shared) 0
typedef uint32_t opi_shared;

OPI_FUNCTION uint32_t opi_count(opi_source in, const opi_p p, uint64_t index)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < OPI_TILE; i++)
        if (OPI_KEEPS(opi_element(in, i), p, index + i)) kept++;
    return kept;
}

/* Nothing to do: opi_put counts while it writes. */
OPI_FUNCTION void opi_pick(opi_source in, uint32_t count, const opi_p p, uint64_t index, opi_picked *picked,
                           opi_shared shared)
{
    picked->own = 0;
}

OPI_FUNCTION uint32_t opi_put(const opi_picked *picked, const opi_place *place, opi_source in,
                              uint32_t count, OPI_GLOBAL opi_t *out, const opi_p p, uint64_t index, opi_lanes lane,
                              opi_shared shared)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
#if OPI_BY_UNITS && !OPI_INPUTS
        if (!OPI_KEEPS(in[i], p, index + i)) continue;
        OPI_COPY_UNITS((OPI_GLOBAL opi_unit *)(out + kept), (OPI_GLOBAL const opi_unit *)(in + i))
        kept++;
#else
        const opi_t x = opi_element(in, i);
        if (OPI_KEEPS(x, p, index + i)) out[kept++] = x;
#endif
    }
    return kept;
}

#else

/* --- a tile of a work-group: neighbours write neighbouring vectors ------------------------------------------------ */

/* First the elements of the tile, then the kept ones. */
typedef union opi_room {
    opi_vector v[OPI_STAGE];
    opi_vector kept[(OPI_TILE * OPI_SIZE + 15) / 16 + 1];
    opi_t x; /* for the alignment of an element */
} opi_room;
#define OPI_SHARED(shared)    OPI_LOCAL_MEMORY opi_room shared;
#define OPI_OF_SHARED(shared) &shared
typedef OPI_LOCAL opi_room *opi_shared;

/* To count, the work-items may read the elements in any order. */
OPI_FUNCTION uint32_t opi_count(opi_source in, const opi_p p, uint64_t index)
{
    uint32_t kept = 0;
#if OPI_BY_UNITS
    if (OPI_KEEPS(opi_element(in, OPI_SELF), p, index + OPI_SELF)) kept++;
#else
    opi_run run;
#if OPI_VECTORS && !OPI_INPUTS && !OPI_KEEP_INDEXED /* a vector has other elements than the loop below */
    if (OPI_ALIGNED(in)) {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_RUN_VECTORS; j++)
            run.v[j] = ((OPI_GLOBAL const opi_vector *)in)[(j << OPI_LOG_W) + OPI_SELF];
    } else
#endif
    {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) run.x[j] = opi_element(in, (j << OPI_LOG_W) + OPI_SELF);
    }
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        if (OPI_KEEPS(run.x[j], p, index + (j << OPI_LOG_W) + OPI_SELF)) kept++;
#endif
    return kept;
}

OPI_FUNCTION void opi_pick(opi_source in, uint32_t count, const opi_p p, uint64_t index, opi_picked *picked,
                           opi_shared shared)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
    picked->own = picked->mask = 0;
#if OPI_BY_UNITS
    if (first < count && OPI_KEEPS(opi_element(in, first), p, index + first)) picked->own = picked->mask = 1;
#else
    opi_load(in, count, OPI_LOG_E, &picked->run, shared->v);
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        if (first + j < count && OPI_KEEPS(picked->run.x[j], p, index + first + j)) {
            picked->mask |= 1u << j;
            picked->own++;
        }
#endif
}

/* Writes vectors from `to` on.  The kept elements begin `lead` units behind `to`, and end at unit `end`. */
OPI_FUNCTION void opi_pour(OPI_GLOBAL opi_unit *to, OPI_LOCAL const opi_vector *kept, uint32_t lead, uint32_t end)
{
    OPI_LOCAL const opi_unit *const units = (OPI_LOCAL const opi_unit *)kept;
    for (uint32_t v = OPI_SELF; v * OPI_PER_VECTOR < end; v += OPI_W) {
        const uint32_t from = v * OPI_PER_VECTOR, next = from + OPI_PER_VECTOR;
        if (from >= lead && next <= end)
            ((OPI_GLOBAL opi_vector *)to)[v] = kept[v];
        else
            for (uint32_t q = from < lead ? lead : from; q < (next < end ? next : end); q++) to[q] = units[q];
    }
}

/* Reads the whole tile before it writes, because out may begin at `in` or before it. */
OPI_FUNCTION uint32_t opi_put(const opi_picked *picked, const opi_place *place, opi_source in,
                              uint32_t count, OPI_GLOBAL opi_t *out, const opi_p p, uint64_t index, opi_lanes lane,
                              opi_shared shared)
{
    OPI_GLOBAL opi_unit *const to = (OPI_GLOBAL opi_unit *)out;
    const uint32_t lead = OPI_UNITS_BEYOND(to); /* kept elements are aligned as they will be in out */
    OPI_LOCAL opi_unit *at = (OPI_LOCAL opi_unit *)shared->kept + lead;
    if (place->has_before) at += (uint32_t)place->before * OPI_UNITS;
    if (OPI_SELF == OPI_W - 1) OPI_CARRY = place->after; /* all work-items read it */
#if OPI_BY_UNITS && OPI_INPUTS
    if (picked->mask) *(OPI_LOCAL opi_t *)at = opi_element(in, OPI_SELF);
#elif OPI_BY_UNITS
    if (picked->mask) OPI_COPY_UNITS(at, (OPI_GLOBAL const opi_unit *)(in + OPI_SELF))
#else
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        if (picked->mask >> j & 1) {
            *(OPI_LOCAL opi_t *)at = picked->run.x[j];
            at += OPI_UNITS;
        }
#endif
    OPI_BARRIER_ALL();
    const uint32_t kept = (uint32_t)OPI_CARRY;
    opi_pour(to - lead, shared->kept, lead, lead + kept * OPI_UNITS);
    OPI_BARRIER(); /* `lane` and `shared` are free again */
    return kept;
}

#endif

/* --- kernels ---------------------------------------------------------------------------------------------------- */

/* nodes[1 + b] becomes how many elements of tile b are kept. */
OPI_KERNEL void opi_aggregate(OPI_PARAM(in) OPI_MORE_PARAMS, OPI_PARAM(nodes), OPI_PARAM(param))
{
    OPI_LANES(lane)
    OPI_SOURCE(OPI_GROUP * OPI_TILE)
    opi_lanes_up(lane, opi_count(source, OPI_READ(param), OPI_INDEX(OPI_GROUP * OPI_TILE)), OPI_W);
    if (OPI_SELF == 0) OPI_AT(opi_node, nodes)[1 + OPI_GROUP] = OPI_TOTAL;
}

/* Returns how many elements are kept before the tiles of this launch. */
OPI_FUNCTION uint64_t opi_base(OPI_GLOBAL const opi_node *node, OPI_GLOBAL const opi_range *range)
{
    return range->began ? node[0] : 0;
}

OPI_KERNEL void opi_apply(OPI_PARAM(in) OPI_MORE_PARAMS, OPI_PARAM(out), OPI_PARAM(nodes), OPI_PARAM(range),
                          const uint32_t flags, OPI_PARAM(param))
{
    OPI_LANES(lane)
    OPI_SHARED(shared)
    OPI_GLOBAL const opi_node *const node = OPI_AT(const opi_node, nodes);
    const uint64_t base = opi_base(node, OPI_AT(const opi_range, range));
    const uint64_t before = (OPI_GROUP > 0 ? node[OPI_GROUP] : base) - (flags & OPI_APART ? base : 0);
    OPI_SOURCE(OPI_GROUP * OPI_TILE)
    opi_picked picked;
    opi_pick(source, OPI_TILE, OPI_READ(param), OPI_INDEX(OPI_GROUP * OPI_TILE), &picked, OPI_OF_SHARED(shared));
    opi_lanes_up(lane, picked.own, OPI_W);
    const opi_place place = opi_lanes_down(lane, 0);
    opi_put(&picked, &place, source, OPI_TILE, OPI_AT(opi_t, out) + before, OPI_READ(param),
            OPI_INDEX(OPI_GROUP * OPI_TILE), lane, OPI_OF_SHARED(shared));
}

/* Copies the elements that opi_apply has written to separate memory. */
OPI_KERNEL void opi_move(OPI_PARAM(apart), OPI_PARAM(out), OPI_PARAM(nodes), OPI_PARAM(range), OPI_PARAM(param))
{
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    const uint64_t base = opi_base(OPI_AT(const opi_node, nodes), range);
    const uint64_t units = (OPI_RANGE_FOLD(range)[range->count - 1] - base) * OPI_UNITS;
    const uint64_t first = OPI_GROUP * OPI_TILE * OPI_UNITS;
    OPI_GLOBAL const opi_unit *const from = OPI_AT(const opi_unit, apart);
    OPI_GLOBAL opi_unit *const to = (OPI_GLOBAL opi_unit *)(OPI_AT(opi_t, out) + base);
    const uint64_t own = (uint64_t)OPI_TILE * OPI_UNITS; /* it may take more than 32 bits */
    for (uint64_t j = OPI_SELF; j < own && first + j < units; j += OPI_W) to[first + j] = from[first + j];
}

OPI_KERNEL void opi_one(OPI_PARAM(in) OPI_MORE_PARAMS, OPI_PARAM(out), const uint64_t n, OPI_PARAM(range),
                        const uint64_t first, const uint32_t flags, OPI_PARAM(result), OPI_PARAM(param))
{
    OPI_LANES(lane)
    OPI_SHARED(shared)
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    OPI_SOURCE(0)
    OPI_GLOBAL opi_t *const to = OPI_AT(opi_t, out);
    const uint64_t begin = flags & OPI_FRESH ? first : range->end;
    uint64_t kept = flags & OPI_FRESH || range->count == 0 ? 0 : OPI_RANGE_FOLD(range)[range->count - 1];
    for (uint64_t done = 0; done < n; done += OPI_TILE) {
        const uint32_t count = n - done < OPI_TILE ? (uint32_t)(n - done) : OPI_TILE;
        opi_picked picked;
        opi_pick(opi_behind(source, done), count, OPI_READ(param), OPI_INDEX(done), &picked, OPI_OF_SHARED(shared));
        opi_lanes_up(lane, picked.own, OPI_W);
        const opi_place place = opi_lanes_down(lane, 0);
        kept += opi_put(&picked, &place, opi_behind(source, done), count, to + kept, OPI_READ(param),
                        OPI_INDEX(done), lane, OPI_OF_SHARED(shared));
    }
    OPI_BARRIER_ALL(); /* all have read the range */
    if (OPI_SELF > 0) return;
    range->end = begin + n;
    range->count = 1; /* for a count no other nodes are needed */
    range->level[0] = OPI_INIT_LEVEL;
    OPI_RANGE_NODE(range)[0] = kept;
    OPI_RANGE_FOLD(range)[0] = kept;
    if (OPI_GIVEN(result)) *OPI_AT(uint64_t, result) = kept;
}

OPI_KERNEL void opi_result(OPI_PARAM(range), OPI_PARAM(result))
{
    OPI_GLOBAL opi_range *const range = OPI_AT(opi_range, range);
    *OPI_AT(uint64_t, result) = range->count == 0 ? 0 : OPI_RANGE_FOLD(range)[range->count - 1];
}
