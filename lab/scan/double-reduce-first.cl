/* reduce, then scan, on doubles
 *
 * Changes: All that the ladder above has found: several elements an item, warps, staging (padded after every 16th, for
 * a double takes two banks), sums before scans.
 *
 * Why: Little is left to do besides moving bytes: see whether it hides behind them in this precision too. For sums
 * that round, the order of additions is another than in the rung before, and so would be the last bits. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

KERNEL reduce(ARRAY(const double, in), ARRAY(double, sums), const uint n)
{
    SHARED double sum[ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * TILE + self;

    double own = 0;
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

KERNEL scan(ARRAY(const double, in), ARRAY(double, out), ARRAY(const double, sums), const uint n)
{
    SHARED double tile[PADDED_DOUBLES(TILE)], sum[ITEMS], total[ITEMS / WARP];
    const uint self = ITEM;
    const uint lane = self % WARP;
    const uint i = GROUP * TILE + self;
    double x[EACH];

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        tile[PADDED_DOUBLES(k + self)] = i + k < n ? in[i + k] : 0;
    BARRIER();

    double own = 0;
    UNROLLED for (uint k = 0; k < EACH; k++)
        x[k] = own += tile[PADDED_DOUBLES(self * EACH + k)];

    sum[self] = own;
    WARP_SYNC();
    for (uint by = 1; by < WARP; by *= 2) {
        const double before = lane >= by ? sum[self - by] : 0;
        WARP_SYNC();
        sum[self] = own = own + before;
        WARP_SYNC();
    }
    if (lane == WARP - 1)
        total[self / WARP] = own;
    BARRIER();

    double before = GROUP > 0 ? sums[GROUP - 1] : 0;
    before += lane > 0 ? sum[self - 1] : 0;
    for (uint warp = 0; warp < self / WARP; warp++)
        before += total[warp];
    UNROLLED for (uint k = 0; k < EACH; k++)
        tile[PADDED_DOUBLES(self * EACH + k)] = before + x[k];
    BARRIER();

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        if (i + k < n)
            out[i + k] = tile[PADDED_DOUBLES(k + self)];
}
