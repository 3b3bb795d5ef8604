/* The role make, in place of feed: what goes into the ring is in no array as it is.  A function makes it of elements of several
 * arrays, or it comes from the end of an array (canon/elements.cl).
 *
 *   OPI_MAKE_TEAMS  teams of warps take tiles in turn,
 *   OPI_MAKE_TEAM   warps are a team
 *   OPI_MADE        elements of a work-item are read at once
 *
 * A work-item reads its first elements before the stage is empty, so that as many loads are under way as bulk copies
 * would be. */

#if OPI_MAKES

#define OPI_MAKERS (OPI_MAKE_TEAM * 32) /* work-items of a team */

/* Reads elements first, first + OPI_MAKERS, ... of a tile that has `count`; behind them there are copies of the last one, for
 * which operators are defined. */
OPI_FUNCTION void opi_make_some(opi_source tile, uint32_t first, uint32_t count, opi_t *made)
{
    if (count == OPI_TILE) {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_MADE; j++) made[j] = opi_element(tile, first + j * OPI_MAKERS);
        return;
    }
    OPI_UNROLL for (uint32_t j = 0; j < OPI_MADE; j++) {
        const uint32_t at = first + j * OPI_MAKERS;
        made[j] = opi_element(tile, at < count ? at : count - 1);
    }
}

/* A warp of a team. */
OPI_FUNCTION void opi_make(const opi_pipe *pipe, opi_source source, uint32_t team, uint32_t warp)
{
    const uint32_t own = warp * 32 + pipe->lane;
    for (uint32_t k = team, i; (i = opi_tile_at(pipe, k)) < pipe->tiles; k += OPI_MAKE_TEAMS) {
        const uint32_t s = k % OPI_STAGES, count = opi_length(pipe, i) / OPI_SIZE;
        opi_t *const to = (opi_t *)(pipe->stages + s * OPI_STAGE_BYTES);
        const opi_source tile = opi_behind(source, (uint64_t)i * OPI_TILE);
        OPI_ROLLED for (uint32_t first = own; first < OPI_TILE; first += OPI_MAKERS * OPI_MADE) {
            opi_t made[OPI_MADE];
            opi_make_some(tile, first, count, made);
            if (first == own && !opi_wait_before(pipe, &pipe->ring->empty[s], k / OPI_STAGES)) return;
            OPI_UNROLL for (uint32_t j = 0; j < OPI_MADE; j++) to[first + j * OPI_MAKERS] = made[j];
        }
        opi_arrive(pipe, &pipe->ring->full[s]);
    }
}

#define OPI_FILL(pipe, source, warp) opi_make(pipe, source, (warp) / OPI_MAKE_TEAM, (warp) % OPI_MAKE_TEAM)
#else
#define OPI_FILL(pipe, source, warp) opi_feed(pipe)
#endif

#ifndef OPI_SOURCE /* of a task whose elements are those of one array, always */
#define OPI_MORE_PARAMS
#define OPI_SOURCE(from)
#endif
