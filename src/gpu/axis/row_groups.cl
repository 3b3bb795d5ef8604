/* Reduces of rows that keep a work-group busy, each by one: behind last.cl, whose strips a row is cut into.  CUDA alone.
 *
 * The nodes of the strips that the bits of their number name are found one after the other, each by all warps; warps share the nodes
 * of the elements behind the strips.  slots: there are as many rows; or, if they are dealt out (shares.cl), so many are this
 * accelerator's, of which some may be none. */
OPI_RESIDENT_KERNEL void opi_row_groups(OPI_PARAM(in), OPI_PARAM(out), const uint64_t n OPI_SHARES_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LOCAL_MEMORY opi_node of_warp[2][OPI_W / 32];
    OPI_LOCAL_MEMORY opi_node few[OPI_LOG_STRIP];
    const uint64_t row = OPI_SHARED_ITEM(OPI_GROUP);
#if OPI_DEALT
    if (row >= shares.items) return; /* of all work-items alike */
#endif
    OPI_SOURCE(row * n)
    const uint64_t strips = n >> OPI_LOG_STRIP;
    const uint32_t tail = (uint32_t)n & (OPI_STRIP - 1);
    uint64_t left = strips, begin = 0;
    uint32_t any = 0;
    opi_node all;
    opi_write_few(few, opi_behind(source, strips << OPI_LOG_STRIP), tail OPI_GIVE_P);
    if (strips == 0) OPI_BARRIER(); /* otherwise there are some below */
    while (left) {
        const uint32_t level = 63 - __clzll((long long)left);
        const opi_node node = opi_group_up(of_warp, opi_behind(source, begin << OPI_LOG_STRIP), level OPI_GIVE_P);
        all = any ? opi_join(all, node) : node;
        any = 1;
        begin += (uint64_t)1 << level;
        left ^= (uint64_t)1 << level;
        OPI_BARRIER(); /* the next one writes what warp 0 has read, and work-item 0 reads what warps have written */
    }
    if (OPI_SELF > 0) return;
    for (uint32_t i = 0; i < __popc(tail); i++) {
        all = any ? opi_join(all, few[i]) : few[i];
        any = 1;
    }
    OPI_AT(opi_t, out)[row] = opi_quiet(all);
}
