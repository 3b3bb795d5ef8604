/* through shared memory, in order
 *
 * Changes: The work-group brings its tile into shared memory, neighbouring lanes neighbouring words, and takes the
 * results back the same way; items find their eight elements there, padded.
 *
 * Why: Every request of a warp is again one whole line of 128 bytes. Shared memory has no lines, only banks, and with
 * the padding no two lanes meet in one. (A core that runs work-items one after another reads eight neighbours from one
 * line anyway: look there at what the detour costs.) Still slow: the second kernel reads and writes every element once
 * more, four times through memory in all. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(uint, sums), const uint n)
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

    uint before = lane > 0 ? sum[self - 1] : 0;
    for (uint warp = 0; warp < self / WARP; warp++)
        before += total[warp];
    UNROLLED for (uint k = 0; k < EACH; k++)
        tile[PADDED(self * EACH + k)] = before + x[k];
    BARRIER();

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        if (i + k < n)
            out[i + k] = tile[PADDED(k + self)];
    if (self == ITEMS - 1)
        sums[GROUP] = before + x[EACH - 1];
}
