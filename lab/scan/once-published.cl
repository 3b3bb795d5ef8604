/* nobody waits for a prefix
 *
 * Changes: As many work-groups as run at the same time stay: of G of them, each takes every G-th tile. A tile publishes
 * its sum alone, before the tile before it is finished. What precedes a tile is what preceded the work-group's last one,
 * with that tile's own sum and the G - 1 sums of the tiles between; all items of the work-group fetch them.
 *
 * Why: A sum depends on nothing but its tile, so that nobody waits for somebody who waits: there is no chain, and no look
 * back has to find its end. By the time a sum is needed, it has been there for long. What oplus does beyond this: loading,
 * summing up, joining and writing are the work of different warps, so that memory never rests; sums of 32 tiles are
 * published too, so that fewer are fetched; and the operator need not commute. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(volatile ulong, states), ARRAY(uint, counter), const uint n,
            const uint launch, const uint first)
{
    SHARED uint tile[PADDED(TILE_ONCE)], total[ITEMS / WARP], part[ITEMS / WARP];
    const uint self = ITEM;
    const uint lane = self % WARP;
    const uint tiles = (n + TILE_ONCE - 1) / TILE_ONCE;
    uint x[EACH_ONCE], before = 0, sum = 0, precedes = 0;

    for (uint mine = GROUP; mine < tiles + GROUPS; mine += GROUPS) {
        uint next[EACH_ONCE], next_before = 0, next_sum = 0;
        if (mine < tiles) {
            const uint i = mine * TILE_ONCE + self;
            UNROLLED for (uint k = 0; k < TILE_ONCE; k += ITEMS)
                tile[PADDED(k + self)] = i + k < n ? in[i + k] : 0;
            BARRIER();
            uint own = 0;
            UNROLLED for (uint k = 0; k < EACH_ONCE; k++)
                next[k] = own += tile[PADDED(self * EACH_ONCE + k)];
            UNROLLED for (uint by = 1; by < WARP; by *= 2) {
                const uint left = SHUFFLE_UP(own, by);
                own += lane >= by ? left : 0;
            }
            const uint left = SHUFFLE_UP(own, 1);
            if (lane == WARP - 1)
                total[self / WARP] = own;
            BARRIER();
            next_before = lane > 0 ? left : 0;
            UNROLLED for (uint warp = 0; warp < ITEMS / WARP; warp++) {
                next_before += warp < self / WARP ? total[warp] : 0;
                next_sum += total[warp];
            }
            if (self == 0)
                states[mine] = (ulong)launch << 32 | next_sum;
        }

        if (mine >= GROUPS) {
            const uint last = mine - GROUPS, i = last * TILE_ONCE + self;
            uint fetched = 0;
            for (uint k = self + 1; k < GROUPS && k <= last; k += ITEMS) {
                ulong state = 0;
                for (uint waited = 0; waited < PATIENCE && (state >> 32) != launch; waited++)
                    state = states[last - k];
                fetched += (uint)state;
            }
            UNROLLED for (uint by = WARP / 2; by > 0; by /= 2)
                fetched += SHUFFLE_DOWN(fetched, by);
            if (lane == 0)
                part[self / WARP] = fetched;
            BARRIER();
            UNROLLED for (uint warp = 0; warp < ITEMS / WARP; warp++)
                precedes += part[warp];
            UNROLLED for (uint k = 0; k < EACH_ONCE; k++)
                tile[PADDED(self * EACH_ONCE + k)] = precedes + before + x[k];
            precedes += sum;
            BARRIER();
            UNROLLED for (uint k = 0; k < TILE_ONCE; k += ITEMS)
                if (i + k < n)
                    out[i + k] = tile[PADDED(k + self)];
        }
        UNROLLED for (uint k = 0; k < EACH_ONCE; k++)
            x[k] = next[k];
        before = next_before;
        sum = next_sum;
        BARRIER();
    }
}
