/* one launch: a chain
 *
 * Changes: One launch. A work-group takes the next tile, sums it up while it has it, and waits for what precedes it:
 * the tile before publishes that together with its number of this launch, in one word of 8 bytes. Then it publishes what
 * precedes the next tile.
 *
 * Why: Elements are read once and written once: twice through memory, as a copy. Tiles are taken in order (a counter,
 * not the number of the work-group), so that the tile before is always taken by somebody who runs. Still slow: tiles
 * wait for one another in one long chain, and each of its links takes a write and a read through the L2 cache. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(volatile ulong, states), ARRAY(uint, counter), const uint n,
            const uint launch, const uint first)
{
    SHARED uint tile[PADDED(TILE)], total[ITEMS / WARP], taken, precedes;
    const uint self = ITEM;
    const uint lane = self % WARP;
    uint x[EACH];

    if (self == 0)
        taken = TAKE(counter) - first;
    BARRIER();
    const uint mine = taken;
    const uint i = mine * TILE + self;

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

    if (self == 0) {
        uint sum = 0;
        for (uint warp = 0; warp < ITEMS / WARP; warp++)
            sum += total[warp];
        ulong state = 0;
        for (uint waited = 0; mine > 0 && waited < PATIENCE && (state >> 32) != launch; waited++)
            state = states[mine - 1];
        precedes = (uint)state;
        states[mine] = (ulong)launch << 32 | (uint)(precedes + sum);
    }
    BARRIER();

    uint before = precedes;
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
