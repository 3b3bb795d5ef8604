/* warp shuffles
 *
 * Changes: Lanes of a warp hand each other their registers; shared memory is left for one value a warp.
 *
 * Why: A shuffle is one instruction and synchronises the warp by itself, where a write, a wait and a read were three.
 * One barrier is left in the whole kernel. Still slow: a load asks for 4 bytes, and what is under way may be too little
 * for a memory that is far. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS / WARP];
    const uint self = ITEM;

    uint own = 0;
    for (uint i = GROUP * ITEMS + self; i < n; i += GROUPS * ITEMS)
        own += in[i];

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
