/* many elements per item
 *
 * Changes: There are n / log n items, not n / 2: each adds about log n elements on its own before they meet.
 *
 * Why: That is cost-optimal: p processors times the time grow no faster than n additions (see the experiment cost). The
 * tree, in which most items idle, is climbed by few, and everything before it is plain addition. All items of the grid
 * go through the array side by side, so that a warp reads one whole line at a time. Still slow: a round of the last
 * warp is a write, a wait and a read of shared memory. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS + WARP];
    const uint self = ITEM;

    uint own = 0;
    for (uint i = GROUP * ITEMS + self; i < n; i += GROUPS * ITEMS)
        own += in[i];
    sum[self] = own;
    BARRIER();

#if ITEMS >= 1024
    if (self < 512) sum[self] = own = own + sum[self + 512];
    BARRIER();
#endif
#if ITEMS >= 512
    if (self < 256) sum[self] = own = own + sum[self + 256];
    BARRIER();
#endif
#if ITEMS >= 256
    if (self < 128) sum[self] = own = own + sum[self + 128];
    BARRIER();
#endif
#if ITEMS >= 128
    if (self < 64) sum[self] = own = own + sum[self + 64];
    BARRIER();
#endif
    FIRST_WARP(self) {
        own += sum[self + 32]; WARP_SYNC(); sum[self] = own; WARP_SYNC();
        own += sum[self + 16]; WARP_SYNC(); sum[self] = own; WARP_SYNC();
        own += sum[self + 8];  WARP_SYNC(); sum[self] = own; WARP_SYNC();
        own += sum[self + 4];  WARP_SYNC(); sum[self] = own; WARP_SYNC();
        own += sum[self + 2];  WARP_SYNC(); sum[self] = own; WARP_SYNC();
        own += sum[self + 1];
    }
    if (self == 0)
        out[GROUP] = own;
}
