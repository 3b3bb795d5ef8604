/* nobody waits for a prefix
 *
 * Changes: As many work-groups as run at the same time stay: of G of them, each takes every G-th tile. A tile publishes
 * its sum alone. What precedes it is what preceded the work-group's last tile, with that tile's own sum and the G - 1
 * sums published since; all items of the work-group fetch them.
 *
 * Why: A sum depends on nothing but its tile, so that nobody waits for somebody who waits: there is no chain, and no look
 * back has to find its end. What oplus does beyond this: loading, summing up, joining and writing are the work of different
 * warps, stages apart, so that memory never rests; nodes of 32 tiles are published too; and the operator need not commute. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(volatile ulong, states), ARRAY(uint, counter), const uint n,
            const uint launch, const uint first)
{
    SHARED uint tile[PADDED(TILE)], total[ITEMS / WARP], part[ITEMS / WARP];
    const uint self = ITEM;
    const uint lane = self % WARP;
    uint precedes = 0;

    for (uint mine = GROUP; mine * TILE < n; mine += GROUPS) {
        const uint i = mine * TILE + self;
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

        uint sum = 0, before = lane > 0 ? left : 0, fetched = 0;
        UNROLLED for (uint warp = 0; warp < ITEMS / WARP; warp++) {
            before += warp < self / WARP ? total[warp] : 0;
            sum += total[warp];
        }
        if (self == 0)
            states[mine] = (ulong)launch << 32 | sum;

        for (uint k = self + 1; k < GROUPS && k <= mine; k += ITEMS) {
            ulong state = 0;
            for (uint waited = 0; waited < PATIENCE && (state >> 32) != launch; waited++)
                state = states[mine - k];
            fetched += (uint)state;
        }
        UNROLLED for (uint by = WARP / 2; by > 0; by /= 2)
            fetched += SHUFFLE_DOWN(fetched, by);
        if (lane == 0)
            part[self / WARP] = fetched;
        BARRIER();

        UNROLLED for (uint warp = 0; warp < ITEMS / WARP; warp++)
            precedes += part[warp];
        UNROLLED for (uint k = 0; k < EACH; k++)
            tile[PADDED(self * EACH + k)] = precedes + before + x[k];
        precedes += sum;
        BARRIER();
        UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
            if (i + k < n)
                out[i + k] = tile[PADDED(k + self)];
        BARRIER();
    }
}
