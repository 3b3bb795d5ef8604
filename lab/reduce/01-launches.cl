/* log n launches, pairwise, in global memory
 *
 * Changes: Nothing yet: this is the definition. Each launch adds neighbours in pairs and leaves half as many elements,
 * until one is left.
 *
 * Why: No addition of a round waits for another: log n rounds, where one loop takes n - 1 steps. Still slow: between
 * two launches everything goes out to memory and comes back, 2n elements read and n written in all, where n reads would
 * do. And the last launches hardly have work, but each costs its few microseconds. */
KERNEL pairs(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (2 * i + 1 < n)
        out[i] = in[2 * i] + in[2 * i + 1];
    else if (2 * i < n)
        out[i] = in[2 * i];
}
