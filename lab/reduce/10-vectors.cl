/* 16-byte loads
 *
 * Changes: An item reads four neighbouring elements with one load.
 *
 * Why: A quarter of the loads, addresses and comparisons for the same bytes, and four times the bytes under way at any
 * moment: memory is far, and only what is under way hides how far. The few elements behind the last whole four are
 * added one by one. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n, ARRAY(const uint4, in4))
{
    SHARED uint sum[ITEMS / WARP];
    const uint self = ITEM;

    uint own = 0;
    for (uint i = GROUP * ITEMS + self; i < n / 4; i += GROUPS * ITEMS) {
        const uint4 four = in4[i];
        own += (four.x + four.y) + (four.z + four.w);
    }
    if (GROUP == 0 && self < n % 4)
        own += in[n / 4 * 4 + self];

    UNROLLED for (uint by = WARP / 2; by > 0; by /= 2)
        own += SHUFFLE_DOWN(own, by);
    if (self % WARP == 0)
        sum[self / WARP] = own;
    BARRIER();

    FIRST_WARP(self) {
        own = self < ITEMS / WARP ? sum[self] : 0;
        UNROLLED for (uint by = ITEMS / WARP / 2; by > 0; by /= 2)
            own += SHUFFLE_DOWN(own, by);
    }
    if (self == 0)
        out[GROUP] = own;
}
