/* the historic last warp, without any synchronisation
 *
 * Changes: As it was taught before 2017: the lanes of one warp were believed to stay in step, so that nothing stands
 * between the rounds; volatile only keeps the compiler from holding sums in registers.
 *
 * Why: Nothing is faster than no synchronisation, and as long as lanes did stay in step it was right. It is wrong since
 * Volta: a lane may run ahead of another and read what that has not written yet; the order below is one that such a
 * processor may choose. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED volatile uint sum[ITEMS + WARP];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS * 2 + self;

    sum[self] = (i < n ? in[i] : 0) + (i + ITEMS < n ? in[i + ITEMS] : 0);
    BARRIER();

    for (uint stride = ITEMS / 2; stride > WARP; stride /= 2) {
        if (self < stride)
            sum[self] += sum[self + stride];
        BARRIER();
    }
    if (self < WARP) {
        sum[self] += sum[self + 32];
        sum[self] += sum[self + 16];
        sum[self] += sum[self + 8];
        sum[self] += sum[self + 4];
        sum[self] += sum[self + 2];
        sum[self] += sum[self + 1];
    }
    if (self == 0)
        out[GROUP] = sum[0];
}
