/* per warp, then per work-group
 *
 * Changes: Each warp scans its own 32 elements, by Hillis-Steele; its last lane leaves the warp's sum; after one
 * barrier each item adds the sums of the warps before its own.
 *
 * Why: A warp waits only for itself: five rounds, and one barrier of the work-group in place of eighteen. (OpenCL 1.2
 * knows no warps: there each wait is the work-group's, and that part of the gain is missing.) That Hillis-Steele adds
 * more often costs nothing here: the lanes of a warp go together, whether they add or not. Still slow: all these rounds
 * and waits are for one element an item. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(uint, sums), const uint n)
{
    SHARED uint sum[ITEMS], total[ITEMS / WARP];
    const uint self = ITEM;
    const uint lane = self % WARP;
    const uint i = GROUP * ITEMS + self;

    uint own = i < n ? in[i] : 0;
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

    for (uint warp = 0; warp < self / WARP; warp++)
        own += total[warp];
    if (i < n)
        out[i] = own;
    if (self == ITEMS - 1)
        sums[GROUP] = own;
}
