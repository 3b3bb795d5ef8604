/* sequential addressing
 *
 * Changes: In every round the first half of what is left adds the second: item i adds element i + stride.
 *
 * Why: Lanes that are neighbours read neighbouring words: no two meet in a bank. (The order of the operands is another
 * now: this needs an operator that commutes.) Still slow: half of the items only load an element, and have nothing to
 * do from the first round on. */
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
