/* A filter in one pass: each element is read once, and each kept one written once.
 *
 * Groups stay and go from tile to tile, as in a scan (pipeline.cl).  What they tell each other of a tile is how many of
 * its elements are kept.  The roles of a group's warps:
 *
 *     feed    copies tiles into the ring, some stages ahead (ring.cl)
 *     count   counts a tile's kept elements, and publishes their number
 *     carry   finds how many are kept before each part of a tile
 *     sieve   OPI_PARTS warps, one for each part: puts its kept elements side by side, then out; OPI_TEAMS such teams
 *             take tiles in turn
 *
 * A tile is written when the numbers of all tiles before it are known, which are in the rings of their groups by then.
 * So out may begin at `in` or before it: what is written over has been read. */

#define OPI_HEAP_BYTES (OPI_PART_BYTES + 16) /* a part's kept elements, which begin as far beyond 16 bytes as in out */

/* The sum of a warp's numbers, in every work-item. */
OPI_FUNCTION uint64_t opi_sum(uint64_t own)
{
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) own += opi_node_across(own, 1u << k);
    return own;
}

/* Which elements of a line are kept, as bits.  The line begins at byte `at` of a tile of `length` bytes. */
OPI_FUNCTION uint32_t opi_kept_of(const opi_line *line, uint32_t at, uint32_t length, const opi_p p)
{
    uint32_t mask = 0;
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
        if (OPI_KEEPS(line->x[e], p, 0)) mask |= 1u << e;
    if (at + OPI_RUN_BYTES > length) mask &= at < length ? (1u << (length - at) / OPI_SIZE) - 1 : 0;
    return mask;
}

/* --- the role count ------------------------------------------------------------------------------------------------ */

/* How many elements of a part are kept, in every work-item.  The tile has `length` bytes. */
OPI_FUNCTION uint32_t opi_count_part(const opi_pipe *pipe, uint32_t s, uint32_t part, uint32_t length, const opi_p p)
{
    uint32_t kept = 0;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        const uint32_t at = part * OPI_PART_BYTES + j * OPI_LINE_BYTES + pipe->lane * OPI_RUN_BYTES;
        const opi_line line = opi_line_at(pipe, s, at, pipe->skew == 0);
        kept += __popc(opi_kept_of(&line, at, length, p));
    }
    return __reduce_add_sync(0xffffffffu, kept);
}

/* One of OPI_REDUCE_WARPS warps. */
OPI_FUNCTION void opi_count(const opi_pipe *pipe, uint32_t warp, const opi_p p)
{
    opi_ring *const ring = pipe->ring;
    for (uint32_t k = warp, i; (i = opi_tile_at(pipe, k)) < pipe->tiles;
         k += OPI_REDUCE_WARPS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES, length = opi_length(pipe, i);
        uint32_t own = 0;
        if (!opi_wait(pipe, &ring->full[s], phase)) return;
        if (!opi_wait_before(pipe, &ring->carried[s], phase)) return;
        _Pragma("unroll 2") for (uint32_t part = 0; part < OPI_PARTS; part++) {
            const uint32_t kept = opi_count_part(pipe, s, part, length, p);
            if (pipe->lane == part) own = kept;
        }
        if (pipe->lane < OPI_PARTS) ring->part[s][pipe->lane] = opi_words_of(own);
        const opi_node sum = __reduce_add_sync(0xffffffffu, own);
        if (pipe->lane == 0 && !OPI_IS_SILENT(i)) opi_publish(pipe, 0, i, sum);
        opi_arrive(pipe, &ring->empty[s]);
        opi_arrive(pipe, &ring->summed[s]);
        if (!opi_close(pipe, i, sum)) return;
    }
}

/* --- the role carry ------------------------------------------------------------------------------------------------ */

/* How many elements are kept before tile i.  Numbers are added in any order. */
OPI_FUNCTION bool opi_kept_before(const opi_pipe *pipe, uint32_t i, uint64_t *before)
{
    opi_look look[OPI_PIPE_LEVELS];
    uint64_t own = 0;
    if (!opi_listen(pipe, i, look)) return false;
    OPI_UNROLL for (uint32_t level = 0; level < OPI_PIPE_LEVELS; level++)
        own += opi_seen(pipe, level, i >> 5 * level, i >> 5 * level & 31, &look[level], 0);
    *before = pipe->ring->old[0].node + opi_sum(own);
    return true;
}

OPI_FUNCTION void opi_write_count(opi_range *range, uint64_t end, uint64_t kept)
{
    range->end = end;
    range->count = 1; /* for a count no other nodes are needed */
    range->level[0] = OPI_INIT_LEVEL;
    OPI_RANGE_NODE(range)[0] = kept;
    OPI_RANGE_FOLD(range)[0] = kept;
}

#define OPI_LAST_LANE (OPI_PARTS < 32 ? OPI_PARTS : 31) /* of those that have parts, or the one behind them */

/* One of OPI_CARRY_WARPS warps.  end: index of the item behind the launch. */
OPI_FUNCTION void opi_carry(const opi_pipe *pipe, uint32_t warp, opi_range *range, uint64_t end)
{
    opi_ring *const ring = pipe->ring;
    for (uint32_t k = warp, i; (i = opi_tile_at(pipe, k)) < pipe->tiles;
         k += OPI_CARRY_WARPS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES;
        uint64_t before;
        if (!opi_kept_before(pipe, i, &before)) return;
        if (!opi_wait(pipe, &ring->summed[s], phase)) return;
        const uint32_t part = pipe->lane < OPI_PARTS ? (uint32_t)ring->part[s][pipe->lane].node : 0;
        uint32_t up_to = part;
        OPI_UNROLL for (uint32_t by = 1; by <= OPI_PARTS; by *= 2) {
            const uint32_t left = __shfl_up_sync(0xffffffffu, up_to, by);
            if (pipe->lane >= by) up_to += left;
        }
        if (!opi_wait_before(pipe, &ring->used[s], phase)) return;
        if (pipe->lane <= OPI_LAST_LANE) ring->before[s][pipe->lane] = opi_words_of(before + up_to - part);
        opi_arrive(pipe, &ring->carried[s]);
        if (i == pipe->tiles - 1 && pipe->lane == OPI_LAST_LANE) opi_write_count(range, end, before + up_to);
    }
}

/* --- the role sieve ------------------------------------------------------------------------------------------------ */

/* A warp's part of a tile: each line is 32 runs, one of each work-item. */
typedef struct opi_part {
    opi_line line[OPI_LINES];
    uint32_t mask[OPI_LINES];  /* the kept elements of the line */
    uint32_t place[OPI_LINES]; /* how many of the part are kept before them */
    uint32_t kept;             /* of the part */
} opi_part;

/* Counts of two lines are added at once: each is less than 2^16. */
OPI_FUNCTION void opi_find_places(const opi_pipe *pipe, opi_part *part)
{
    part->kept = 0;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j += 2) {
        uint32_t own = __popc(part->mask[j]);
        if (j + 1 < OPI_LINES) own |= __popc(part->mask[j + 1]) << 16;
        uint32_t up_to = own;
        OPI_UNROLL for (uint32_t by = 1; by < 32; by *= 2) {
            const uint32_t left = __shfl_up_sync(0xffffffffu, up_to, by);
            if (pipe->lane >= by) up_to += left;
        }
        const uint32_t all = __shfl_sync(0xffffffffu, up_to, 31);
        part->place[j] = part->kept + (up_to - own & 0xffff);
        if (j + 1 < OPI_LINES) part->place[j + 1] = part->kept + (all & 0xffff) + (up_to - own >> 16);
        part->kept += (all & 0xffff) + (all >> 16);
    }
}

/* Puts the kept elements side by side. */
OPI_FUNCTION void opi_heap_up(const opi_part *part, opi_t *heap)
{
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        opi_t *to = heap + part->place[j];
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
            if (part->mask[j] >> e & 1) *to++ = part->line[j].x[e];
    }
}

/* Writes what is in the heap from unit `lead` to unit `end`; unit 0 belongs at `to`, a multiple of 16 bytes.  Whole
 * vectors are from `first` to `last`. */
OPI_FUNCTION void opi_pour(const opi_pipe *pipe, opi_unit *to, const unsigned char *heap, uint32_t lead, uint32_t end)
{
    const opi_unit *const units = (const opi_unit *)heap;
    const uint32_t first = lead > 0 ? OPI_PER_VECTOR : 0, last = end / OPI_PER_VECTOR * OPI_PER_VECTOR;
    const uint32_t head = lead + pipe->lane, tail = last + pipe->lane;
    opi_vector v[OPI_LINES * OPI_RUN_VECTORS];
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES * OPI_RUN_VECTORS; j++) {
        const uint32_t q = first + (j * 32 + pipe->lane) * OPI_PER_VECTOR;
        if (q < last) v[j] = *(const opi_vector *)(units + q);
    }
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES * OPI_RUN_VECTORS; j++) {
        const uint32_t q = first + (j * 32 + pipe->lane) * OPI_PER_VECTOR;
        if (q < last) __stcs((opi_vector *)(to + q), v[j]);
    }
    if (head < first && head < end) to[head] = units[head];
    if (last >= first && tail < end) to[tail] = units[tail];
}

/* A warp of a team: it has parts `warp`, warp + OPI_TEAM, ... of each of the team's tiles. */
OPI_FUNCTION void opi_sieve_tiles(const opi_pipe *pipe, uint32_t team, uint32_t warp, const opi_p p)
{
    opi_ring *const ring = pipe->ring;
    unsigned char *const heap = pipe->stages + OPI_STAGES * OPI_STAGE_BYTES + (team * OPI_TEAM + warp) * OPI_HEAP_BYTES;
    for (uint32_t k = team, i; (i = opi_tile_at(pipe, k)) < pipe->tiles; k += OPI_TEAMS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES, length = opi_length(pipe, i);
        if (!opi_wait(pipe, &ring->full[s], phase)) return;
        OPI_ROLLED for (uint32_t turn = 0; turn < OPI_TURNS; turn++) {
            const uint32_t which = turn * OPI_TEAM + warp;
            const uint32_t at = which * OPI_PART_BYTES + pipe->lane * OPI_RUN_BYTES;
            opi_part part;
            OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++)
                part.line[j] = opi_line_at(pipe, s, at + j * OPI_LINE_BYTES, pipe->skew == 0);
            if (turn == OPI_TURNS - 1) opi_arrive(pipe, &ring->empty[s]);
            OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++)
                part.mask[j] = opi_kept_of(&part.line[j], at + j * OPI_LINE_BYTES, length, p);
            opi_find_places(pipe, &part);

            if (turn == 0 && !opi_wait(pipe, &ring->carried[s], phase)) return;
            opi_unit *const to = (opi_unit *)((opi_t *)pipe->out + ring->before[s][which].node);
            const uint32_t lead = OPI_UNITS_BEYOND(to);
            if (turn == OPI_TURNS - 1) opi_arrive(pipe, &ring->used[s]);
            opi_heap_up(&part, (opi_t *)((opi_unit *)heap + lead));
            __syncwarp();
            opi_pour(pipe, to - lead, heap, lead, lead + part.kept * OPI_UNITS);
            __syncwarp(); /* the heap is free again */
        }
    }
}

/* --- the kernel ---------------------------------------------------------------------------------------------------- */

/* Filters `bytes` bytes; out: where the first kept element of all launches belongs. */
OPI_PIPE_KERNEL void opi_sieve(OPI_PARAM(in), OPI_PARAM(out), OPI_PARAM(range), OPI_PARAM(states), OPI_PARAM(fault),
                               const uint64_t places OPI_DEALT_PARAM, const uint64_t bytes, const uint64_t first,
                               const uint32_t flags, OPI_PARAM(param))
{
    extern __shared__ __align__(128) unsigned char opi_stages[];
    OPI_LOCAL_MEMORY opi_ring ring;
    const uint32_t warp = OPI_SELF / 32;
    opi_range *const carried = OPI_AT(opi_range, range);
    opi_pipe pipe = opi_pipe_of(&ring, opi_stages, OPI_AT(const unsigned char, in), bytes, OPI_AT(unsigned char, out),
                                OPI_AT(uint64_t, states), OPI_AT(uint32_t, fault));
    const uint64_t end = (flags & OPI_FRESH ? first : carried->end) + bytes / OPI_SIZE;
    OPI_TAKE_DEALT(&pipe)
    if (OPI_SELF == 0) /* the one node that precedes the launch */
        ring.old[0] = opi_words_of(flags & OPI_FRESH || carried->count == 0 ? 0
                                                                            : OPI_RANGE_FOLD(carried)[carried->count - 1]);
    opi_meet(&pipe);

    if (warp < OPI_WRITE_WARPS)
        opi_sieve_tiles(&pipe, warp / OPI_TEAM, warp % OPI_TEAM, OPI_READ(param));
    else if (warp < OPI_WRITE_WARPS + OPI_REDUCE_WARPS)
        opi_count(&pipe, warp - OPI_WRITE_WARPS, OPI_READ(param));
    else if (warp < OPI_WRITE_WARPS + OPI_REDUCE_WARPS + OPI_CARRY_WARPS)
        opi_carry(&pipe, warp - OPI_WRITE_WARPS - OPI_REDUCE_WARPS, carried, end);
    else
        opi_feed(&pipe);
    opi_finish(&pipe, places);
}
