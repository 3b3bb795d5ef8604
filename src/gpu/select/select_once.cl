/* A select in one launch that reads each element once: each work-group does a tile, and looks back
 * (canon/look_back.cl). */
OPI_RESIDENT_KERNEL void opi_once(OPI_PARAM(in), OPI_PARAM(mask), OPI_OUTPUTS, const uint64_t n, OPI_PARAM(told),
                         const uint64_t places, OPI_PARAM(fault), const uint32_t flags, OPI_PARAM(result),
                         OPI_PARAM(param) OPI_INDEX_PARAM)
{
    OPI_AFTER_LAUNCHES();
    OPI_LANES(lane)
    OPI_ROOM(room)
    OPI_LOCAL_MEMORY opi_sight sight;
    OPI_FIND_OUTPUTS(to)
    const opi_look look = opi_look_begin(&sight, OPI_AT(unsigned char, told), OPI_AT(uint32_t, fault));
    const uint64_t first = (uint64_t)look.tile * OPI_TILE;
    const uint32_t count = OPI_COUNT_OF(first, n);
    const opi_elements from = OPI_AT(const opi_unit, in);
    const opi_mask mask = OPI_AT(const uint8_t, mask);
    OPI_READ_FN_P
    opi_lanes_up(lane, opi_count_own(from, mask, first, count, OPI_OF_ROOM(room) OPI_GIVE_FN), OPI_W);
    const bool goes_on = opi_look_back(&look, lane);
    if (goes_on) {
        if (OPI_SELF == 0) sight.before = look.tile > 0 ? OPI_CARRY : opi_make_node(0, 0);
        const opi_place place = opi_lanes_down(lane, 0);
        const opi_node before = sight.before;
        const bool ends = look.tile == look.tiles - 1;
        const uint32_t picked =
            opi_write(&to, from, mask, first, count, before, ends, &place, OPI_OF_ROOM(room) OPI_GIVE_FN);
        if (OPI_SELF == 0 && ends && OPI_GIVEN(result)) *OPI_AT(uint64_t, result) = OPI_PICKED(before) + picked;
    }
    opi_look_end(&look, places);
}
