/* Scans of rows of neighbours that are longer than a work-item's share: a work-group goes over a row, tile after tile, and
 * then over another row.  ranges: a range of its own for each work-group, range_bytes apart.  slots: there are as many rows; or, if
 * they are dealt out (shares.cl), so many are this accelerator's, of which some may be none. */
OPI_WHOLE_KERNEL void opi_rows_scan(OPI_PARAM(in), OPI_PARAM(out), const uint64_t slots, const uint64_t n,
                                    OPI_PARAM(ranges), const uint64_t range_bytes,
                                    const uint32_t flags OPI_SHARES_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    OPI_GLOBAL opi_range *const range = (OPI_GLOBAL opi_range *)(OPI_AT(uint8_t, ranges) + OPI_GROUP * range_bytes);
    OPI_ROLLED for (uint64_t slot = OPI_GROUP; slot < slots; slot += OPI_GROUPS)
    {
        const uint64_t row = OPI_SHARED_ITEM(slot);
#if OPI_DEALT
        if (row >= shares.items) continue; /* of all work-items alike */
#endif
        OPI_SOURCE(row * n)
        OPI_SINK(row * n)
        opi_do_alone(lane, stage, source, (OPI_GLOBAL const uint8_t *)0, sink, true, n, range, 0, flags OPI_GIVE_P);
    }
}
