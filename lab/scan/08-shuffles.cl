/* warp shuffles
 *
 * Changes: Lanes hand each other their registers: shared memory is left for the tile, and for one value a warp.
 *
 * Why: A shuffle exchanges and synchronises in one instruction, where there were a write, a read and two waits. How
 * much that is worth shows how much of the rung before was still not memory. Still slow: three times through memory;
 * twice takes work-groups that wait for each other. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, sums), const uint n)
{
    SHARED uint total[ITEMS / WARP];
    const uint self = ITEM;
    const uint i = GROUP * TILE + self;

    uint own = 0;
    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        own += i + k < n ? in[i + k] : 0;
    UNROLLED for (uint by = WARP / 2; by > 0; by /= 2)
        own += SHUFFLE_DOWN(own, by);
    if (self % WARP == 0)
        total[self / WARP] = own;
    BARRIER();

    if (self == 0) {
        for (uint warp = 1; warp < ITEMS / WARP; warp++)
            own += total[warp];
        sums[GROUP] = own;
    }
}

KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(const uint, sums), const uint n)
{
    SHARED uint tile[PADDED(TILE)], total[ITEMS / WARP];
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

    UNROLLED for (uint by = 1; by < WARP; by *= 2) {
        const uint before = SHUFFLE_UP(own, by);
        own += lane >= by ? before : 0;
    }
    const uint left = SHUFFLE_UP(own, 1);
    if (lane == WARP - 1)
        total[self / WARP] = own;
    BARRIER();

    uint before = GROUP > 0 ? sums[GROUP - 1] : 0;
    before += lane > 0 ? left : 0;
    for (uint warp = 0; warp < self / WARP; warp++)
        before += total[warp];
    UNROLLED for (uint k = 0; k < EACH; k++)
        tile[PADDED(self * EACH + k)] = before + x[k];
    BARRIER();

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        if (i + k < n)
            out[i + k] = tile[PADDED(k + self)];
}
