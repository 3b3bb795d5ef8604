/* A filter in one launch that reads each element once: each work-group does a tile, and looks back (canon/look_back.cl).
 * A tile is written when all tiles before it have been read, so that out may begin at `in` or before it. */
OPI_RESIDENT_KERNEL void opi_once(OPI_PARAM(in) OPI_MORE_PARAMS, OPI_PARAM(out), const uint64_t n, OPI_PARAM(range), OPI_PARAM(told),
                         const uint64_t places, OPI_PARAM(fault), const uint32_t flags, OPI_PARAM(result),
                         OPI_PARAM(param))
{
    OPI_AFTER_LAUNCHES();
    OPI_LANES(lane)
    OPI_SHARED(shared)
    OPI_LOCAL_MEMORY opi_sight sight;
    const opi_look look = opi_look_begin(&sight, OPI_AT(unsigned char, told), OPI_AT(uint32_t, fault));
    const uint64_t first = (uint64_t)look.tile * OPI_TILE;
    const uint32_t count = n - first < OPI_TILE ? (uint32_t)(n - first) : OPI_TILE;
    OPI_SOURCE(first)
    opi_picked picked;
    opi_pick(source, count, OPI_READ(param), OPI_INDEX(first), &picked, OPI_OF_SHARED(shared));
    if (flags & OPI_OVERLAPS) OPI_FENCE(); /* what the work-item has asked for is there before the node is told */
    opi_lanes_up(lane, picked.own, OPI_W);
    const bool goes_on = opi_look_back(&look, lane);
    if (goes_on) {
        if (flags & OPI_OVERLAPS) OPI_FENCE();
        if (OPI_SELF == 0) sight.before = look.tile > 0 ? OPI_CARRY : 0;
        const opi_place place = opi_lanes_down(lane, 0);
        const uint64_t before = sight.before;
        const uint32_t kept =
            opi_put(&picked, &place, source, count, OPI_AT(opi_t, out) + before, OPI_READ(param), OPI_INDEX(first), lane,
                    OPI_OF_SHARED(shared));
        if (OPI_SELF == 0 && look.tile == look.tiles - 1) {
            opi_range *const range_to = OPI_AT(opi_range, range);
            range_to->end = n;
            range_to->count = 1; /* for a count no other nodes are needed */
            range_to->level[0] = OPI_INIT_LEVEL;
            OPI_RANGE_NODE(range_to)[0] = OPI_RANGE_FOLD(range_to)[0] = before + kept;
            if (OPI_GIVEN(result)) *OPI_AT(uint64_t, result) = before + kept;
        }
    }
    opi_look_end(&look, places);
}
