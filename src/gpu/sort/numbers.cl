/* How a work-group numbers keys by a digit: each warp has counters of its own, and a work-item has every 32nd key of its
 * warp's part. */

#ifndef OPI_DIGIT_MASK
#define OPI_DIGIT_MASK (OPI_DIGITS - 1)
#endif

OPI_FUNCTION uint32_t opi_digit_at(opi_key x, uint32_t shift) { return (uint32_t)(x >> shift) & OPI_DIGIT_MASK; }

/* The place of a work-item's first key, if each has `each` of them. */
OPI_FUNCTION uint32_t opi_own_place(uint32_t each) { return OPI_SELF / 32 * 32 * each + OPI_LANE; }

/* Two numbers of 16 bits in a word; they are kept in order. */
OPI_FUNCTION void opi_keep(uint32_t *list, uint32_t u, uint32_t x)
{
    list[u / 2] = u & 1 ? list[u / 2] | x << 16 : x;
}
OPI_FUNCTION uint32_t opi_kept(const uint32_t *list, uint32_t u)
{
    return u & 1 ? list[u / 2] >> 16 : list[u / 2] & 0xffff;
}

/* Which work-items of the warp have the same digit. */
OPI_FUNCTION uint32_t opi_peers(uint32_t digit)
{
    uint32_t peers = OPI_ALL;
    OPI_UNROLL for (uint32_t b = 0; b < OPI_DIGIT_BITS; b++) {
        const bool is_set = digit >> b & 1;
        const uint32_t these = __ballot_sync(OPI_ALL, is_set);
        peers &= is_set ? these : ~these;
    }
    return peers;
}

/* SURE: each addition is done before the next one, by a rule of the language; else only the shuffle makes it so. */
template <int V, bool SURE>
OPI_FUNCTION void opi_number_by_votes(const opi_key *own, uint32_t shift, uint32_t *counter, uint32_t *number)
{
    const uint32_t below = (1u << OPI_LANE) - 1;
    OPI_UNROLL for (uint32_t u = 0; u < V; u++) {
        const uint32_t digit = opi_digit_at(own[u], shift), peers = opi_peers(digit);
        const uint32_t last = 31 - (uint32_t)__clz((int)peers);
        uint32_t before = 0;
        if (OPI_LANE == last) before = atomicAdd(&counter[digit], (uint32_t)__popc(peers));
        before = __shfl_sync(OPI_ALL, before, last);
        if (SURE) __syncwarp();
        opi_keep(number, u, before + __popc(peers & below));
    }
}

/* Of each warp's counts makes how many keys of a digit the warps before have; work-item d has digit d: returns the
 * number of its keys. */
template <int WARPS> OPI_FUNCTION uint32_t opi_sum_warps(uint32_t *count)
{
    uint32_t total = 0;
    if (OPI_SELF < OPI_DIGITS) {
        OPI_UNROLL for (uint32_t w = 0; w < WARPS; w++) {
            const uint32_t own = count[w * OPI_DIGITS + OPI_SELF];
            count[w * OPI_DIGITS + OPI_SELF] = total;
            total += own;
        }
    }
    return total;
}

/* Of that, where they go in the tile; returns where the first one of the digit goes. */
template <int WARPS> OPI_FUNCTION uint32_t opi_place_warps(uint32_t *count, uint32_t total, uint32_t *sum)
{
    const uint32_t start = opi_sum_before(total, sum);
    if (OPI_SELF < OPI_DIGITS) {
        OPI_UNROLL for (uint32_t w = 0; w < WARPS; w++) count[w * OPI_DIGITS + OPI_SELF] += start;
    }
    return start;
}
