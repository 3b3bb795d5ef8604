/* fully unrolled
 *
 * Changes: The size of the work-group is known when the kernel is compiled, so that the remaining rounds are written
 * out too: what does not apply is not even compiled.
 *
 * Why: No loop is left: no counter, no comparison, no jump. Still slow: an item reads two elements, and then most items
 * idle while a few climb the tree. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS + WARP];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS * 2 + self;

    uint own = (i < n ? in[i] : 0) + (i + ITEMS < n ? in[i + ITEMS] : 0);
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
