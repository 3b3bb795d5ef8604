/* map
 *
 * Changes: Every element becomes a function of itself: here its square, modulo 2^32.
 *
 * Why: No work-item needs another's result: the one pattern that has no order, no rounds and no log n. Memory alone
 * sets its time. */
KERNEL square(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n)
        out[i] = in[i] * in[i];
}
