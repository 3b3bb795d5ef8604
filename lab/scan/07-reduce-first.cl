/* reduce, then scan
 *
 * Changes: The sums of the tiles come first, from a kernel that only adds; they are scanned (by the same two kernels);
 * then each tile is scanned with what precedes it already known. There is no kernel that adds afterwards.
 *
 * Why: Elements are read, read and written: three times through memory where it was four. That is as few as it can be
 * while no work-group waits for another. (The sum here takes elements in any order; an operator that does not commute
 * needs them staged as in the scan.) Still slow: the items of a warp exchange their sums through shared memory, with
 * two waits a round. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, sums), const uint n)
{
    SHARED uint sum[ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * TILE + self;

    uint own = 0;
    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        own += i + k < n ? in[i + k] : 0;
    sum[self] = own;
    BARRIER();

    for (uint stride = ITEMS / 2; stride > 0; stride /= 2) {
        if (self < stride)
            sum[self] += sum[self + stride];
        BARRIER();
    }
    if (self == 0)
        sums[GROUP] = sum[0];
}

KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(const uint, sums), const uint n)
{
    SHARED uint tile[PADDED(TILE)], sum[ITEMS], total[ITEMS / WARP];
    const uint self = ITEM;
    const uint lane = self % WARP;
    const uint i = GROUP * TILE + self;
    uint x[EACH];

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        tile[PADDED(k + self)] = i + k < n ? in[i + k] : 0;
    BARRIER();

    uint own = 0;
    UNROLLED for (uint k = 0; k < EACH; k++)
        x[k] = own += tile[PADDED(self * EACH + k)];

    sum[self] = own;
    WARP_SYNC();
    for (uint by = 1; by < WARP; by *= 2) {
        const uint before = lane >= by ? sum[self - by] : 0;
        WARP_SYNC();
        sum[self] = own = own + before;
        WARP_SYNC();
    }
    if (lane == WARP - 1)
        total[self / WARP] = own;
    BARRIER();

    uint before = GROUP > 0 ? sums[GROUP - 1] : 0;
    before += lane > 0 ? sum[self - 1] : 0;
    for (uint warp = 0; warp < self / WARP; warp++)
        before += total[warp];
    UNROLLED for (uint k = 0; k < EACH; k++)
        tile[PADDED(self * EACH + k)] = before + x[k];
    BARRIER();

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        if (i + k < n)
            out[i + k] = tile[PADDED(k + self)];
}
