/* scan, a round of Hillis and Steele
 *
 * Changes: One round of log n: every element adds the one that stands stride before it.
 *
 * Why: After the rounds 1, 2, 4, ... each element covers twice as many predecessors as before: log n rounds. (It writes
 * to another array, since a neighbour may still have to read the old value.) Still slow: each round adds nearly n
 * times, n log n additions where one loop needs n - 1; and each goes through all of memory. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), const uint n, const uint stride)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n)
        out[i] = i >= stride ? in[i - stride] + in[i] : in[i];
}
