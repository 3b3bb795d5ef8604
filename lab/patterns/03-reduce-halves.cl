/* reduce, a round of halves
 *
 * Changes: One round of log n: element i of the first half and element i of the second are added.
 *
 * Why: Work-items side by side read elements side by side, from two places. But the second half comes in between the
 * elements of the first: (a c)(b d), and an operator that does not commute gives another result. Still slow: the way to
 * memory and back, as with neighbours. */
KERNEL halves(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint middle = n / 2 + n % 2;
    const uint i = GROUP * ITEMS + ITEM;

    if (i + middle < n)
        out[i] = in[i] + in[i + middle];
    else if (i < middle)
        out[i] = in[i];
}
