/* Hillis-Steele, sums scanned by the host
 *
 * Changes: Nothing yet. In round k every item adds what stands 2^k before it: after log n rounds that is everything.
 * Two copies in shared memory take turns, one read and one written. The host fetches the sums of the blocks, scans
 * them and sends them back; a second kernel adds them.
 *
 * Why: Log n rounds, where one loop takes n - 1 steps: no scan by pairs has fewer. Still slow: in each round nearly all
 * items add, n log n additions where n are enough. Every round ends in a barrier. While the host scans, the device
 * waits; and the second kernel moves every byte again. */
KERNEL scan(ARRAY(const uint, in), ARRAY(uint, out), ARRAY(uint, sums), const uint n)
{
    SHARED uint sum[2][ITEMS];
    const uint self = ITEM;
    const uint i = GROUP * ITEMS + self;
    uint now = 0;

    uint own = i < n ? in[i] : 0;
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
