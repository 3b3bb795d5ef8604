/* loads under way
 *
 * Changes: Each work-item asks for AHEAD vectors of 16 bytes (1, 2, 4 or 8) before it uses the first; and there are few
 * work-groups or many, which share the array.
 *
 * Why: Bandwidth is bytes under way over latency (Little's law). It does not matter whether many warps have one load
 * under way each, or few warps have several: what counts is their product. */
#ifndef AHEAD
#define AHEAD 1
#endif

KERNEL flight(ARRAY(const uint4, in), ARRAY(uint, out), const uint n)
{
    const uint all = GROUPS * ITEMS, self = GROUP * ITEMS + ITEM;
    uint sum = 0;

#pragma unroll 1
    for (uint i = self; i < n; i += AHEAD * all) {
        const uint4 a = in[i];
#if AHEAD >= 2
        const uint4 b = in[i + all];
#endif
#if AHEAD >= 4
        const uint4 c = in[i + 2 * all], d = in[i + 3 * all];
#endif
#if AHEAD >= 8
        const uint4 e = in[i + 4 * all], f = in[i + 5 * all], g = in[i + 6 * all], h = in[i + 7 * all];
#endif
        sum += a.x + a.y + a.z + a.w;
#if AHEAD >= 2
        sum += b.x + b.y + b.z + b.w;
#endif
#if AHEAD >= 4
        sum += c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
#endif
#if AHEAD >= 8
        sum += e.x + e.y + e.z + e.w + f.x + f.y + f.z + f.w;
        sum += g.x + g.y + g.z + g.w + h.x + h.y + h.z + h.w;
#endif
    }
    out[self] = sum;
}
