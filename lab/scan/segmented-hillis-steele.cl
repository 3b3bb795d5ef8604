/* Hillis-Steele on pairs
 *
 * Changes: Sums become pairs (a head was seen, the sum since the last head), additions the lifted operator; else it is
 * the block scan by rounds, in three steps: a pair of each block, their scan by the same kernels, the blocks.
 *
 * Why: The operator is associative, and that is all that a parallel scan asks for. Where a segment begins changes no
 * address and no branch: short and long segments take the same time. Still slow: the operator does not commute, so that
 * the reduction joins neighbours, left with right, and meets the bank conflicts of such strides; and every round ends
 * in a barrier. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(const uchar, heads), ARRAY(uint, sums), ARRAY(uchar, flags), const uint n)
{
    SHARED uint sum[ITEMS], flag[ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS + self;

    sum[self] = i < n ? in[i] : 0;
    flag[self] = i < n ? heads[i] : 0;
    BARRIER();

    for (uint stride = 1; stride < ITEMS; stride *= 2) {
        const uint left = 2 * stride * self;
        if (left < ITEMS) {
            const uint s = sum[left], t = sum[left + stride];
            const uint f = flag[left], g = flag[left + stride];
            sum[left] = g ? t : s + t;
            flag[left] = f | g;
        }
        BARRIER();
    }
    if (self == 0) {
        sums[GROUP] = sum[0];
        flags[GROUP] = (uchar)flag[0];
    }
}

KERNEL scan(ARRAY(const uint, in), ARRAY(const uchar, heads), ARRAY(const uint, sums), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[2][ITEMS], flag[2][ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS + self;
    uint now = 0;

    uint t = i < n ? in[i] : 0;
    uint g = i < n ? heads[i] : 0;
    sum[now][self] = t;
    flag[now][self] = g;
    BARRIER();

    for (uint by = 1; by < ITEMS; by *= 2) {
        if (self >= by) {
            const uint s = sum[now][self - by];
            t = g ? t : s + t;
            g |= flag[now][self - by];
        }
        now = 1 - now;
        sum[now][self] = t;
        flag[now][self] = g;
        BARRIER();
    }
    const uint before = GROUP > 0 ? sums[GROUP - 1] : 0;
    if (i < n)
        out[i] = g ? t : before + t;
}
