/* filter: the map before the scan, the scatter behind it
 *
 * Changes: keep says 1 of what is kept, here of the odd ones, and 0 of all others. The exclusive scan of that says
 * how many kept ones stand before each element: that is the address to which scatter writes it.
 *
 * Why: A loop appends to its output, which only one can do at a time. With the addresses known beforehand all write at
 * once, each to a place of its own, and the order is kept. Still slow: flags and addresses, which nobody asked for, are
 * written and read again. */
KERNEL keep(ARRAY(const uint, in), ARRAY(uint, kept), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n)
        kept[i] = in[i] & 1;
}

KERNEL scatter(ARRAY(const uint, in), ARRAY(const uint, kept), ARRAY(const uint, address), ARRAY(uint, out),
               const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n && kept[i])
        out[address[i]] = in[i];
}
