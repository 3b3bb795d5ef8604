/* strided index
 *
 * Changes: The first items work on, as many as there are pairs: item i adds the i-th pair. There is no
 * remainder any more.
 *
 * Why: Whole warps fall idle: none diverges until fewer than 32 pairs are left. Still slow: neighbouring lanes are 2 *
 * stride words apart, and meet in the same banks of shared memory: their accesses are served one after another. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS + self;

    sum[self] = i < n ? in[i] : 0;
    BARRIER();

    for (uint stride = 1; stride < ITEMS; stride *= 2) {
        const uint left = 2 * stride * self;
        if (left < ITEMS)
            sum[left] += sum[left + stride];
        BARRIER();
    }
    if (self == 0)
        out[GROUP] = sum[0];
}
