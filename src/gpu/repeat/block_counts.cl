/* Counts of a repeat, in blocks of OPI_BLOCK.  OPI_BLOCK_ITEMS work-items read a block together: on CUDA they are a warp.
 * Work-groups have a multiple of these.
 *
 *   OPI_COUNT_BYTES  4 or 8 */
#define OPI_BLOCK_ITEMS 32u
#define OPI_COUNTS_EACH (OPI_BLOCK / OPI_BLOCK_ITEMS) /* 4: of a work-item */
#define OPI_BLOCK_SELF  (OPI_SELF % OPI_BLOCK_ITEMS)
#define OPI_W           (1u << OPI_LOG_W)

#if OPI_COUNT_BYTES == 8
typedef uint64_t opi_count;
#else
typedef uint32_t opi_count;
#endif

/* What work-items tell each other where there are no shuffles: each has a place. */
#ifdef OPI_SHUFFLE
#define OPI_PLACES (OPI_W / OPI_BLOCK_ITEMS)
#else
#define OPI_PLACES OPI_W
#endif
typedef OPI_LOCAL uint64_t *opi_places;

/* A scan's step of a block's work-items: what the one `by` before has; 0: there is none.  All work-items of the group call
 * this. */
OPI_FUNCTION uint64_t opi_from_left(opi_places place, uint64_t own, uint32_t by)
{
#ifdef OPI_SHUFFLE
    const uint64_t left = OPI_SHUFFLE(own, OPI_BLOCK_SELF - by);
#else
    OPI_BARRIER();
    place[OPI_SELF] = own;
    OPI_BARRIER();
    const uint64_t left = place[OPI_BLOCK_SELF >= by ? OPI_SELF - by : OPI_SELF];
#endif
    return OPI_BLOCK_SELF >= by ? left : 0;
}
