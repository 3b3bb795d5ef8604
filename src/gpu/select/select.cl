/* Select: what a predicate, a mask or the beginnings of runs pick.
 *
 * opi_mark over tiles, if only flags are wanted.  Else
 * opi_count -> an exclusive scan of the counts -> opi_deal over tiles; the last tile may be a part of one.  A work-group
 * notes the places of what it picks, and of what it does not, in local memory; then neighbours write neighbouring items.
 * The elements are read again where they lie, as they are in a cache.
 *
 *   OPI_PICKS    0: a predicate, 1: bytes, 2: bits, 3: the beginnings of runs
 *   OPI_COMPARES 1: a function decides (opi_fn), or compares neighbours; 0: a mask decides, or the elements' bits
 *   OPI_LENGTHS  1: the lengths of runs are written, too
 *   opi_index    the type of an index */
#define OPI_AT_ELEMENT(p, i) ((p) + (uint64_t)(i) * OPI_UNITS)

typedef OPI_GLOBAL const opi_unit *opi_elements;
typedef OPI_GLOBAL const uint8_t *opi_mask;

/* Whether element i is picked. */
OPI_FUNCTION uint32_t opi_picks(opi_elements in, opi_mask mask, uint64_t i OPI_TAKE_FN)
{
#if OPI_PICKS == 0
    return opi_fn(((OPI_GLOBAL const opi_a *)in)[i] OPI_GIVE_FN_P OPI_FN_INDEX(i)) ? 1u : 0u;
#elif OPI_PICKS == 1
    return mask[i] != 0 ? 1u : 0u;
#elif OPI_PICKS == 2
    return mask[i / 8] >> (uint32_t)(i % 8) & 1u;
#else
    if (i == 0) return 1;
#if OPI_COMPARES
    OPI_GLOBAL const opi_a *const x = (OPI_GLOBAL const opi_a *)in;
    return opi_fn(x[i - 1], x[i] OPI_GIVE_FN_P) ? 0u : 1u;
#else
    return opi_differ(OPI_AT_ELEMENT(in, i - 1), OPI_AT_ELEMENT(in, i)) ? 1u : 0u;
#endif
#endif
}

/* What the kernels write; a pointer is only followed if its array is given. */
typedef struct opi_outputs {
    OPI_GLOBAL opi_unit *picked, *rest;
    OPI_GLOBAL opi_index *index, *run, *length;
    OPI_GLOBAL uint8_t *head;
    bool has_picked, has_rest, has_index, has_run, has_head;
} opi_outputs;

OPI_FUNCTION void opi_copy(OPI_GLOBAL opi_unit *to, uint64_t at, opi_elements in, uint64_t i)
{
    for (uint32_t k = 0; k < OPI_UNITS; k++) OPI_AT_ELEMENT(to, at)[k] = OPI_AT_ELEMENT(in, i)[k];
}

#if OPI_LOG_W == 0

/* --- a tile of one work-item: element by element ---------------------------------------------------------------- */

#define OPI_ROOM(room)
#define OPI_OF_ROOM(room) 0
typedef uint32_t opi_rooms;

OPI_FUNCTION opi_node opi_count_own(opi_elements in, opi_mask mask, uint64_t first, uint32_t count,
                                    opi_rooms room OPI_TAKE_FN)
{
    uint32_t own = 0, last = 0;
    for (uint32_t j = 0; j < count; j++) {
        if (!opi_picks(in, mask, first + j OPI_GIVE_FN)) continue;
        last = j;
        own++;
    }
    return opi_make_node(own, first + last);
}

OPI_FUNCTION uint32_t opi_write(const opi_outputs *to, opi_elements in, opi_mask mask, uint64_t first, uint32_t count,
                                opi_node before, bool ends, const opi_place *place, opi_rooms room OPI_TAKE_FN)
{
    uint64_t at = OPI_PICKED(before);
#if OPI_LENGTHS
    uint64_t last = before.last;
#endif
    for (uint32_t j = 0; j < count; j++) {
        const uint64_t i = first + j;
        const uint32_t picked = opi_picks(in, mask, i OPI_GIVE_FN);
        if (picked) {
            if (to->has_picked) opi_copy(to->picked, at, in, i);
            if (to->has_index) to->index[at] = (opi_index)i;
#if OPI_LENGTHS
            if (at > 0) to->length[at - 1] = (opi_index)(i - last);
            last = i;
#endif
            at++;
        } else if (to->has_rest) {
            opi_copy(to->rest, i - at, in, i);
        }
        if (to->has_run) to->run[i] = (opi_index)(at - 1);
        if (to->has_head) to->head[i] = (uint8_t)picked;
    }
#if OPI_LENGTHS
    if (ends && at > 0) to->length[at - 1] = (opi_index)(first + count - last);
#endif
    return (uint32_t)(at - OPI_PICKED(before));
}

#else

/* --- a tile of a work-group ---------------------------------------------------------------------------------------- */

typedef struct opi_room {
    uint16_t place[OPI_TILE]; /* places in the tile: of picked elements, then of all others; then numbers of runs */
    uint8_t flag[OPI_TILE];
    uint32_t picked;
} opi_room;
#define OPI_ROOM(room)    OPI_LOCAL_MEMORY opi_room room;
#define OPI_OF_ROOM(room) &room
typedef OPI_LOCAL opi_room *opi_rooms;

/* Finds the flags of the tile, in the order in which memory is read best, and counts those of the work-item's run. */
OPI_FUNCTION opi_node opi_count_own(opi_elements in, opi_mask mask, uint64_t first, uint32_t count,
                                    opi_rooms room OPI_TAKE_FN)
{
    const uint32_t begin = OPI_SELF << OPI_LOG_E;
    uint32_t own = 0, last = 0;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
        const uint32_t i = (j << OPI_LOG_W) + OPI_SELF;
        room->flag[i] = i < count ? (uint8_t)opi_picks(in, mask, first + i OPI_GIVE_FN) : 0;
    }
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
        const uint32_t flag = room->flag[begin + j];
        own += flag;
        if (flag) last = j;
    }
    return opi_make_node(own, first + begin + last);
}

OPI_FUNCTION void opi_write_picked(const opi_outputs *to, opi_elements in, uint64_t first, uint32_t count,
                                   uint64_t before, opi_rooms room)
{
    const uint32_t picked = room->picked;
    for (uint32_t k = OPI_SELF; k < picked; k += OPI_W) {
        const uint64_t i = first + room->place[k];
        if (to->has_picked) opi_copy(to->picked, before + k, in, i);
        if (to->has_index) to->index[before + k] = (opi_index)i;
    }
    if (!to->has_rest) return;
    for (uint32_t k = OPI_SELF; k < count - picked; k += OPI_W)
        opi_copy(to->rest, first - before + k, in, first + room->place[picked + k]);
}

#if OPI_LENGTHS
/* Writes the lengths of the runs that end in the tile: where an element is picked, and, if the tile is the last one
 * (`ends`), behind it. */
OPI_FUNCTION void opi_write_lengths(const opi_outputs *to, uint64_t first, uint32_t count, opi_node before, bool ends,
                                    opi_rooms room)
{
    const uint32_t picked = room->picked, run_ends = ends ? picked + 1 : picked;
    for (uint32_t k = OPI_SELF; k < run_ends; k += OPI_W) {
        const uint64_t end = first + (k < picked ? room->place[k] : count);
        const uint64_t begin = k > 0 ? first + room->place[k - 1] : (uint64_t)before.last;
        if (before.picked + k > 0) to->length[before.picked + k - 1] = (opi_index)(end - begin);
    }
}
#endif

/* before: what precedes the tile; place: what precedes the work-item's run in the tile; ends: whether no tile follows.
 * Returns how many the tile picks, to all. */
OPI_FUNCTION uint32_t opi_write(const opi_outputs *to, opi_elements in, opi_mask mask, uint64_t first, uint32_t count,
                                opi_node before, bool ends, const opi_place *place, opi_rooms room OPI_TAKE_FN)
{
    const uint32_t begin = OPI_SELF << OPI_LOG_E, earlier = place->has_before ? (uint32_t)OPI_PICKED(place->before) : 0;
    uint32_t at = earlier;
    if (OPI_SELF == OPI_W - 1) room->picked = (uint32_t)OPI_PICKED(place->after);
    OPI_BARRIER();
    const uint32_t picked = room->picked;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
        const uint32_t i = begin + j;
        const bool own = room->flag[i] != 0;
        if (own || i < count) room->place[own ? at : picked + i - at] = (uint16_t)i;
        if (own) at++;
    }
    OPI_BARRIER();
    opi_write_picked(to, in, first, count, OPI_PICKED(before), room);
#if OPI_LENGTHS
    opi_write_lengths(to, first, count, before, ends, room);
#endif
    if (to->has_head)
        for (uint32_t i = OPI_SELF; i < count; i += OPI_W) to->head[first + i] = room->flag[i];
    OPI_BARRIER(); /* the places are free again */
    if (to->has_run) {
        at = earlier;
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            at += room->flag[begin + j];
            room->place[begin + j] = (uint16_t)at;
        }
    }
    OPI_BARRIER();
    if (to->has_run)
        for (uint32_t i = OPI_SELF; i < count; i += OPI_W) 
            to->run[first + i] = (opi_index)(OPI_PICKED(before) + room->place[i] - 1);
    return picked;
}

#endif

/* --- kernels ---------------------------------------------------------------------------------------------------- */

#define OPI_OUTPUTS                                                                                                    \
    OPI_PARAM(picked), OPI_PARAM(index), OPI_PARAM(rest), OPI_PARAM(run), OPI_PARAM(head), OPI_PARAM(length)

#define OPI_FIND_OUTPUTS(to)                                                                                           \
    opi_outputs to;                                                                                                    \
    to.has_picked = OPI_GIVEN(picked);                                                                                 \
    to.has_index = OPI_GIVEN(index);                                                                                   \
    to.has_rest = OPI_GIVEN(rest);                                                                                     \
    to.has_run = OPI_GIVEN(run);                                                                                       \
    to.has_head = OPI_GIVEN(head);                                                                                     \
    to.picked = OPI_AT(opi_unit, picked);                                                                              \
    to.index = OPI_AT(opi_index, index);                                                                               \
    to.rest = OPI_AT(opi_unit, rest);                                                                                  \
    to.run = OPI_AT(opi_index, run);                                                                                   \
    to.head = OPI_AT(uint8_t, head);                                                                                   \
    to.length = OPI_AT(opi_index, length);

#define OPI_COUNT_OF(first, n) ((n) - (first) < OPI_TILE ? (uint32_t)((n) - (first)) : OPI_TILE)

/* Writes for each element whether it is picked: a work-item has four neighbours, whose flags are one word. */
OPI_KERNEL void opi_mark(OPI_PARAM(in), OPI_PARAM(mask), OPI_PARAM(head), const uint64_t n, OPI_PARAM(param) OPI_INDEX_PARAM)
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    const uint32_t count = OPI_COUNT_OF(first, n);
    const opi_elements from = OPI_AT(const opi_unit, in);
    const opi_mask mask = OPI_AT(const uint8_t, mask);
    OPI_GLOBAL uint8_t *const to = OPI_AT(uint8_t, head) + first;
    const bool aligned = ((ulong)to & 3) == 0;
    OPI_READ_FN_P
    for (uint32_t i = 4 * OPI_SELF; i < count; i += 4 << OPI_LOG_W) {
        const bool whole = count - i >= 4;
        uint32_t flags = 0;
        OPI_UNROLL for (uint32_t e = 0; e < 4; e++)
            if (whole || i + e < count) flags |= opi_picks(from, mask, first + i + e OPI_GIVE_FN) << 8 * e;
        if (whole && aligned)
            *(OPI_GLOBAL uint32_t *)(to + i) = flags;
        else
            for (uint32_t e = 0; e < 4 && i + e < count; e++) to[i + e] = (uint8_t)(flags >> 8 * e);
    }
}

/* nodes[b] becomes the node of tile b. */
OPI_KERNEL void opi_count(OPI_PARAM(in), OPI_PARAM(mask), const uint64_t n, OPI_PARAM(nodes), OPI_PARAM(param) OPI_INDEX_PARAM)
{
    OPI_LANES(lane)
    OPI_ROOM(room)
    const uint64_t first = OPI_GROUP * OPI_TILE;
    OPI_READ_FN_P
    opi_lanes_up(lane,
                 opi_count_own(OPI_AT(const opi_unit, in), OPI_AT(const uint8_t, mask), first, OPI_COUNT_OF(first, n),
                               OPI_OF_ROOM(room) OPI_GIVE_FN),
                 OPI_W);
    if (OPI_SELF == 0) OPI_AT(opi_node, nodes)[OPI_GROUP] = OPI_TOTAL;
}

/* nodes[b] is what precedes tile b.  alone: there is one tile, and no node. */
OPI_KERNEL void opi_deal(OPI_PARAM(in), OPI_PARAM(mask), OPI_OUTPUTS, const uint64_t n, OPI_PARAM(nodes),
                         const uint32_t alone, OPI_PARAM(result), OPI_PARAM(param) OPI_INDEX_PARAM)
{
    OPI_LANES(lane)
    OPI_ROOM(room)
    OPI_FIND_OUTPUTS(to)
    const uint64_t first = OPI_GROUP * OPI_TILE;
    const uint32_t count = OPI_COUNT_OF(first, n);
    const bool ends = OPI_GROUP + 1 == OPI_GROUPS;
    opi_node before = opi_make_node(0, 0);
    const opi_elements from = OPI_AT(const opi_unit, in);
    const opi_mask mask = OPI_AT(const uint8_t, mask);
    OPI_READ_FN_P
    opi_lanes_up(lane, opi_count_own(from, mask, first, count, OPI_OF_ROOM(room) OPI_GIVE_FN), OPI_W);
    const opi_place place = opi_lanes_down(lane, 0);
    if (!alone) before = OPI_AT(const opi_node, nodes)[OPI_GROUP];
    const uint32_t picked =
        opi_write(&to, from, mask, first, count, before, ends, &place, OPI_OF_ROOM(room) OPI_GIVE_FN);
    if (OPI_SELF == 0 && OPI_GIVEN(result) && ends) *OPI_AT(uint64_t, result) = OPI_PICKED(before) + picked;
}
