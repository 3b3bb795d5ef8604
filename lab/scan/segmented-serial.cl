/* several pairs an item
 *
 * Changes: What made the plain scan fast: an item takes eight elements one after another, warps scan the pairs of
 * items, and the tile goes through shared memory.
 *
 * Why: Eight times the elements share rounds, waits and barriers. The lifted operator costs a selection and an OR more
 * than the addition, in registers. Still slow: the flags add one byte to the four of an element, each time it is
 * read. */
KERNEL reduce(ARRAY(const uint, in), ARRAY(const uchar, heads), ARRAY(uint, sums), ARRAY(uchar, flags), const uint n)
{
    SHARED uint tile[PADDED(TILE)], sum[ITEMS], flag[ITEMS];
    SHARED uchar marks[TILE];
    const uint self = ITEM;
    const uint i = GROUP * TILE + self;

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS) {
        tile[PADDED(k + self)] = i + k < n ? in[i + k] : 0;
        marks[k + self] = i + k < n ? heads[i + k] : 0;
    }
    BARRIER();

    uint own = 0, seen = 0;
    UNROLLED for (uint k = 0; k < EACH; k++) {
        const uint t = tile[PADDED(self * EACH + k)];
        const uint g = marks[self * EACH + k];
        own = g ? t : own + t;
        seen |= g;
    }
    sum[self] = own;
    flag[self] = seen;
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
    SHARED uint tile[PADDED(TILE)], sum[ITEMS], flag[ITEMS], total[ITEMS / WARP], mark[ITEMS / WARP];
    SHARED uchar marks[TILE];
    const uint self = ITEM;
    const uint lane = self % WARP;
    const uint i = GROUP * TILE + self;
    uint x[EACH], open[EACH];

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS) {
        tile[PADDED(k + self)] = i + k < n ? in[i + k] : 0;
        marks[k + self] = i + k < n ? heads[i + k] : 0;
    }
    BARRIER();

    uint own = 0, seen = 0;
    UNROLLED for (uint k = 0; k < EACH; k++) {
        const uint t = tile[PADDED(self * EACH + k)];
        const uint g = marks[self * EACH + k];
        x[k] = own = g ? t : own + t;
        seen |= g;
        open[k] = !seen;
    }

    sum[self] = own;
    flag[self] = seen;
    WARP_SYNC();
    for (uint by = 1; by < WARP; by *= 2) {
        const uint s = lane >= by ? sum[self - by] : 0;
        const uint f = lane >= by ? flag[self - by] : 0;
        WARP_SYNC();
        sum[self] = own = seen ? own : s + own;
        flag[self] = seen = f | seen;
        WARP_SYNC();
    }
    if (lane == WARP - 1) {
        total[self / WARP] = own;
        mark[self / WARP] = seen;
    }
    BARRIER();

    uint before = GROUP > 0 ? sums[GROUP - 1] : 0;
    for (uint warp = 0; warp < self / WARP; warp++) {
        const uint t = total[warp];
        before = mark[warp] ? t : before + t;
    }
    const uint t = lane > 0 ? sum[self - 1] : 0;
    const uint g = lane > 0 ? flag[self - 1] : 0;
    before = g ? t : before + t;
    UNROLLED for (uint k = 0; k < EACH; k++)
        tile[PADDED(self * EACH + k)] = open[k] ? before + x[k] : x[k];
    BARRIER();

    UNROLLED for (uint k = 0; k < TILE; k += ITEMS)
        if (i + k < n)
            out[i + k] = tile[PADDED(k + self)];
}
