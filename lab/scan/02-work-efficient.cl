/* work-efficient: up and down a tree
 *
 * Changes: The additions of a tree. On the way up, pairs of pairs are added in place, as in a reduction; on the way
 * down, each sum that is finished goes to the middle of what follows it. An item has two elements. (Blelloch's form
 * puts a zero at the root and gives the exclusive scan; this one gives the inclusive.)
 *
 * Why: Less than 2n additions instead of n log n. Still slow: there are twice as many rounds, in most of them nearly
 * all items idle, and those that work are 2, 4, 8, ... words apart: their lanes meet in the same banks of shared
 * memory. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(uint, sums), const uint n)
{
    SHARED uint sum[2 * ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * 2 * ITEMS + self;

    sum[self] = i < n ? in[i] : 0;
    sum[self + ITEMS] = i + ITEMS < n ? in[i + ITEMS] : 0;
    BARRIER();

    for (uint stride = 1; stride <= ITEMS; stride *= 2) {
        const uint right = 2 * stride * (self + 1) - 1;
        if (right < 2 * ITEMS)
            sum[right] += sum[right - stride];
        BARRIER();
    }
    for (uint stride = ITEMS / 2; stride > 0; stride /= 2) {
        const uint left = 2 * stride * (self + 1) - 1;
        if (left + stride < 2 * ITEMS)
            sum[left + stride] += sum[left];
        BARRIER();
    }
    if (i < n)
        out[i] = sum[self];
    if (i + ITEMS < n)
        out[i + ITEMS] = sum[self + ITEMS];
    if (self == ITEMS - 1)
        sums[GROUP] = sum[2 * ITEMS - 1];
}
