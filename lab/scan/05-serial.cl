/* several elements an item
 *
 * Changes: An item scans eight elements one after another, in registers; only its last sum takes part in the scan of
 * the warp, and what comes back is added to all eight.
 *
 * Why: Addition after addition costs one step each and needs nobody else: the rounds, syncs and barriers are shared by
 * eight times the elements. Still slow: lanes now read words that are eight apart; each request of a warp touches eight
 * times the sectors, and lives on the cache until the others come for the rest. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(uint, sums), const uint n)
{
    SHARED uint sum[ITEMS], total[ITEMS / WARP];
    const uint self = ITEM;
    const uint lane = self % WARP;
    const uint first = GROUP * TILE + self * EACH;
    uint x[EACH];

    uint own = 0;
    UNROLLED for (uint k = 0; k < EACH; k++)
        x[k] = own += (first + k < n ? in[first + k] : 0);

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
        if (first + k < n)
            out[first + k] = before + x[k];
    if (self == ITEMS - 1)
        sums[GROUP] = before + x[EACH - 1];
}
