/* shared memory, interleaved, by modulo
 *
 * Changes: A work-group brings ITEMS elements into shared memory and adds them there; only its sum goes back.
 *
 * Why: Global memory is read once, and hardly written: the rounds are in shared memory. Still slow: in every round the
 * items that work lie scattered over all warps, and a warp with one working lane takes as long as a full one; its
 * branch diverges; and the remainder of a division is slow. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint sum[ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS + self;

    sum[self] = i < n ? in[i] : 0;
    BARRIER();

    for (uint stride = 1; stride < ITEMS; stride *= 2) {
        if (self % (2 * stride) == 0)
            sum[self] += sum[self + stride];
        BARRIER();
    }
    if (self == 0)
        out[GROUP] = sum[0];
}
