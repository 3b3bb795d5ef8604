/* sequential addressing
 *
 * Changes: An item adds what lies half of the rest away, not its neighbour: the loop runs backwards.
 *
 * Why: Lanes that are neighbours read neighbouring words: no two meet in a bank. (The order of the operands is another
 * now: this needs an operator that commutes.) Half of the items have nothing to do from the first round on. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS + self;

    sum[self] = i < n ? in[i] : 0;
    BARRIER();

    for (uint stride = ITEMS / 2; stride > 0; stride /= 2) {
        if (self < stride)
            sum[self] += sum[self + stride];
        BARRIER();
    }
    if (self == 0)
        out[GROUP] = sum[0];
}
