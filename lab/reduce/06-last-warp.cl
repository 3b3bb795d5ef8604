/* last warp unrolled
 *
 * Changes: When one warp is left, its rounds stand one below the other: no loop, and no barrier for the work-group,
 * only the warp's own.
 *
 * Why: The last six rounds were mostly barriers and loop. Lanes of a warp do not stay in step by themselves (since
 * Volta each has its own program counter): WARP_SYNC stands between every write and the read of it, and between every
 * read and the write over it. (OpenCL 1.2 knows no warps: there all items take part, and each wait is the
 * work-group's.) Still slow: the rounds before are a loop, which counts, compares and jumps. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS + WARP]; /* the last WARP words are read, and never used, where OpenCL lets all items in */
    const uint self = ITEM;
    const uint i = GROUP * ITEMS * 2 + self;

    uint own = (i < n ? in[i] : 0) + (i + ITEMS < n ? in[i + ITEMS] : 0);
    sum[self] = own;
    BARRIER();

    for (uint stride = ITEMS / 2; stride > WARP; stride /= 2) {
        if (self < stride)
            sum[self] = own = own + sum[self + stride];
        BARRIER();
    }
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
