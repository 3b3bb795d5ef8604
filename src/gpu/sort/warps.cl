/* What the ways "digits" and "partition" of a sort share: words of CUDA, and sums over a work-group.  This text comes behind
 * sort.cl. */

#undef OPI_UNROLL
#define OPI_UNROLL   _Pragma("unroll")
#define OPI_ALL      0xffffffffu /* the work-items of a warp */
#define OPI_LANE     (OPI_SELF & 31)

/* The sum of the values of its warp up to this work-item's.  sum[w] becomes that of warp w. */
OPI_FUNCTION uint32_t opi_sum_of_warp(uint32_t own, uint32_t *sum)
{
    uint32_t up_to = own;
    OPI_UNROLL for (uint32_t by = 1; by < 32; by *= 2) {
        const uint32_t left = __shfl_up_sync(OPI_ALL, up_to, by);
        if (OPI_LANE >= by) up_to += left;
    }
    if (OPI_LANE == 31) sum[OPI_SELF / 32] = up_to;
    return up_to;
}

/* The sum of the values before this work-item's; *all: of all.  The group has at most 1024 work-items, and `sum` has 32
 * words, which nobody uses before a barrier that follows. */
OPI_FUNCTION uint32_t opi_sum_before(uint32_t own, uint32_t *sum, uint32_t *all)
{
    const uint32_t lane = OPI_LANE, warp = OPI_SELF / 32, warps = blockDim.x / 32;
    const uint32_t up_to = opi_sum_of_warp(own, sum);
    __syncthreads();
    const uint32_t other = lane < warps ? sum[lane] : 0;
    *all = __reduce_add_sync(OPI_ALL, other);
    return up_to - own + __reduce_add_sync(OPI_ALL, lane < warp ? other : 0);
}

OPI_FUNCTION uint32_t opi_sum_before(uint32_t own, uint32_t *sum)
{
    const uint32_t up_to = opi_sum_of_warp(own, sum);
    __syncthreads();
    return up_to - own + __reduce_add_sync(OPI_ALL, OPI_LANE < OPI_SELF / 32 ? sum[OPI_LANE] : 0);
}
