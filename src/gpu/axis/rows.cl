/* Scans of rows of neighbours that are longer than a work-item's share: a work-group goes over a row, tile after tile, and
 * then over another row.  ranges: a range of its own for each work-group, range_bytes apart. */
OPI_WHOLE_KERNEL void opi_rows_scan(OPI_PARAM(in), OPI_PARAM(out), const uint64_t rows, const uint64_t n,
                                    OPI_PARAM(ranges), const uint64_t range_bytes, const uint32_t flags OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY opi_vector stage[OPI_STAGE];
    OPI_GLOBAL opi_range *const range = (OPI_GLOBAL opi_range *)(OPI_AT(uint8_t, ranges) + OPI_GROUP * range_bytes);
    OPI_ROLLED for (uint64_t row = OPI_GROUP; row < rows; row += OPI_GROUPS)
    {
        OPI_SOURCE(row * n)
        OPI_SINK(row * n)
        opi_do_alone(lane, stage, source, (OPI_GLOBAL const uint8_t *)0, sink, true, n, range, 0, flags OPI_GIVE_P);
    }
}
