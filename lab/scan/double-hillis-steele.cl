/* Hillis-Steele on doubles, sums by the host
 *
 * Changes: The first rung above with elements of 8 bytes.
 *
 * Why: Twice the bytes an element leave more time for barriers and additions. Still slow: shared memory serves 4 bytes
 * a bank, so that a warp of doubles is served in two halves; and a GPU may have few units for double precision. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

KERNEL scan(ARRAY(const double, in), ARRAY(double, out), ARRAY(double, sums), const uint n)
{
    SHARED double sum[2][ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS + self;
    uint now = 0;

    double own = i < n ? in[i] : 0;
    sum[now][self] = own;
    BARRIER();

    for (uint by = 1; by < ITEMS; by *= 2) {
        if (self >= by)
            own += sum[now][self - by];
        now = 1 - now;
        sum[now][self] = own;
        BARRIER();
    }
    if (i < n)
        out[i] = own;
    if (self == ITEMS - 1)
        sums[GROUP] = own;
}

KERNEL add(ARRAY(double, out), ARRAY(const double, sums), const uint n, const uint block)
{
    const uint first = (GROUP + 1) * block;
    const double before = sums[GROUP];

    for (uint k = ITEM; k < block; k += ITEMS)
        if (first + k < n)
            out[first + k] += before;
}
