/* reduce, a round of neighbours
 *
 * Changes: One round of log n: elements 2i and 2i + 1 are added, and half as many are left.
 *
 * Why: What is earlier stands left of the operator in every round, so that the operator need not commute: (a b)(c d).
 * Still slow: between two rounds what is left goes out to memory and comes back. */
KERNEL neighbours(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (2 * i + 1 < n)
        out[i] = in[2 * i] + in[2 * i + 1];
    else if (2 * i < n)
        out[i] = in[2 * i];
}
