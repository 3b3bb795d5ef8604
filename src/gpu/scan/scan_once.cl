/* A scan in one launch that reads each element once: each work-group does a tile, and looks back (canon/look_back.cl).
 * Nothing precedes the first element.  places: of what is told, the head included. */
OPI_RESIDENT_KERNEL void opi_once(OPI_PARAM(in), OPI_PARAM(heads) OPI_MORE_PARAMS, OPI_PARAM(out), const uint64_t n, OPI_PARAM(told),
                         const uint64_t places, OPI_PARAM(fault), const uint32_t flags OPI_KERNEL_P)
{
    OPI_AFTER_LAUNCHES();
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    OPI_LOCAL_MEMORY opi_sight sight;
    const opi_look look = opi_look_begin(&sight, OPI_AT(unsigned char, told), OPI_AT(uint32_t, fault));
    const uint64_t first = (uint64_t)look.tile * OPI_TILE;
    const uint32_t count = n - first < OPI_TILE ? (uint32_t)(n - first) : OPI_TILE;
    const uint8_t *const own_heads = OPI_AT(const uint8_t, heads) + first;
    OPI_SOURCE(first)
    OPI_SINK(first)
    opi_item item;
    const opi_node own = opi_rise(&item, source, own_heads, count, stage OPI_GIVE_P);
    opi_lanes_up(lane, own, OPI_W OPI_GIVE_P);
    const bool goes_on = opi_look_back(&look, lane OPI_GIVE_P);
    if (goes_on) {
        const opi_place place = opi_lanes_down(lane, look.tile > 0 OPI_GIVE_P);
        opi_item_down(&item, &place OPI_GIVE_P);
        if (look.tiles > 1 && count == OPI_TILE) opi_item_close(&item, OPI_TILE, sight.after);
        opi_write(&item, &place, flags, own_heads, count, sink, stage OPI_GIVE_P);
    }
    opi_look_end(&look, places);
}
