/* segmented scan, a round of the lifted operator
 *
 * Changes: Elements are pairs of a head and a value, joined by (f, s) + (g, t) = (f | g, g ? t : s + t).
 *
 * Why: The lifted operator is associative, as the one below it is: so any scan is a segmented scan, and a segment may
 * be of any length. Still slow: the rounds are those of the scan, and each reads and writes the flags too. */
KERNEL segscan(ARRAY(const uchar, in_heads), ARRAY(const uint, in), ARRAY(uchar, out_heads), ARRAY(uint, out),
               const uint n, const uint stride)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n) {
        const uchar head = in_heads[i];
        out[i] = i >= stride && !head ? in[i - stride] + in[i] : in[i];
        out_heads[i] = i >= stride ? in_heads[i - stride] | head : head;
    }
}
