/* first add during load
 *
 * Changes: Every item reads two elements and adds them on the way: half as many work-groups.
 *
 * Why: Half of the items are left for the same elements: those that only loaded one are gone, and so is their round.
 * Still slow: in the loop half of the rest idles at once; and its last rounds are little more than a barrier and a turn
 * of the loop each. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS * 2 + self;

    sum[self] = (i < n ? in[i] : 0) + (i + ITEMS < n ? in[i + ITEMS] : 0);
    BARRIER();

    for (uint stride = ITEMS / 2; stride > 0; stride /= 2) {
        if (self < stride)
            sum[self] += sum[self + stride];
        BARRIER();
    }
    if (self == 0)
        out[GROUP] = sum[0];
}
