/* padding against bank conflicts
 *
 * Changes: Element i stands at PADDED(i), i + i / 32: one word is left free after every 32.
 *
 * Why: Words whose distance is a power of two seldom fall into the same bank. It costs a few words, and a division by a
 * power of two for each access, which is a shift. Still slow: the rounds are as many as before, with a barrier each,
 * and most items idle in most of them. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(uint, sums), const uint n)
{
    SHARED uint sum[PADDED(2 * ITEMS)];
    const uint self = ITEM;
    const uint i = GROUP * 2 * ITEMS + self;

    sum[PADDED(self)] = i < n ? in[i] : 0;
    sum[PADDED(self + ITEMS)] = i + ITEMS < n ? in[i + ITEMS] : 0;
    BARRIER();

    for (uint stride = 1; stride <= ITEMS; stride *= 2) {
        const uint right = 2 * stride * (self + 1) - 1;
        if (right < 2 * ITEMS)
            sum[PADDED(right)] += sum[PADDED(right - stride)];
        BARRIER();
    }
    for (uint stride = ITEMS / 2; stride > 0; stride /= 2) {
        const uint left = 2 * stride * (self + 1) - 1;
        if (left + stride < 2 * ITEMS)
            sum[PADDED(left + stride)] += sum[PADDED(left)];
        BARRIER();
    }
    if (i < n)
        out[i] = sum[PADDED(self)];
    if (i + ITEMS < n)
        out[i + ITEMS] = sum[PADDED(self + ITEMS)];
    if (self == ITEMS - 1)
        sums[GROUP] = sum[PADDED(2 * ITEMS - 1)];
}
