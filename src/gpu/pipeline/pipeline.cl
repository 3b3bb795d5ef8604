/* A scan in one pass, segmented or not: each element is read once and written once.
 *
 * One group on each multiprocessor stays until all is done, and goes from tile to tile: group g has tiles g, g + G, ...
 * of G groups.  Its warps have roles, and meet in the ring (ring.cl):
 *
 *     feed    copies tiles into the ring, some stages ahead (ring.cl); or, if OPI_MAKES, the role make (make.cl)
 *     reduce  sums a tile up and publishes its node (reduce.cl)
 *     carry   finds what precedes each part of a tile (carry.cl)
 *     scan    OPI_PARTS warps, one for each part: nodes up, prefixes down, results out; OPI_TEAMS such teams take tiles
 *             in turn, so that one's latencies are hidden by the others' work
 *
 * If the tiles are dealt out to several accelerators (gpu/deal.h), each has the tiles of pages of its own, in the same order.
 *
 * If OPI_GIVES, results are not written as they are: a function makes of each what is written, or they go to the end of an
 * array first (canon/elements.cl).
 *
 * All groups must be resident, because they wait for each other.  Every wait gives up after OPI_PATIENCE cycles. */

/* --- the role scan ------------------------------------------------------------------------------------------------ */

/* A warp's part of a tile: each line is 32 runs, one of each work-item. */
typedef struct opi_part {
    opi_line line[OPI_LINES];
    opi_heads heads[OPI_LINES];
    opi_node left[OPI_LINES][5]; /* what each step of the way up got from the left, for the way down */
    opi_node node[OPI_LINES];    /* of each line, and of neighbouring lines: as OPI_UP leaves them */
} opi_part;

#define OPI_OF_LINE(j) part->node[j]

/* Where a tile is written. */
typedef struct opi_target {
    unsigned char *to;
    uint32_t stage, at; /* the tile is in this stage; a part's runs of this work-item begin there */
    uint32_t length;
    bool whole;         /* a whole tile, which begins at a multiple of 16 bytes */
    bool aligned;       /* so it does in its stage */
#if OPI_GIVES
    opi_sink sink;      /* of the tile's results */
#endif
} opi_target;

/* Whether results go through the stage, so that neighbours write neighbours: nobody else may fill the stage before. */
#define OPI_GOES_THROUGH (OPI_RUN_VECTORS > 1 || OPI_GIVES)

/* In step k aligned blocks of 2^k work-items become pairs.  The last work-item of a block has its node: those of a right
 * block get that of the left one, so that the last of them has the node of the pair.  What others join is not used. */
OPI_FUNCTION void opi_scan_up(const opi_pipe *pipe, opi_part *part OPI_TAKE_P)
{
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        opi_node own = opi_line_up(&part->line[j], &part->heads[j] OPI_GIVE_P);
        OPI_UNROLL for (uint32_t k = 0; k < 5; k++) {
            const uint32_t last = (pipe->lane & ~((2u << k) - 1)) | ((1u << k) - 1);
            const opi_node got = part->left[j][k] = opi_node_of(own, last);
            own = opi_join(got, own);
        }
        part->node[j] = opi_node_of(own, 31);
    }
    OPI_UP(OPI_OF_LINE, OPI_LOG_LINES)
}

/* Makes of the nodes of lines what precedes the line behind each. */
OPI_FUNCTION void opi_scan_down(opi_part *part, const opi_before *before, opi_node after OPI_TAKE_P)
{
    if (before->any) {
        OPI_FRONT(OPI_OF_LINE, OPI_LOG_LINES, before->node)
    }
    OPI_DOWN(OPI_OF_LINE, OPI_LOG_LINES)
    part->node[OPI_LINES - 1] = after;
}

/* Finds what precedes this work-item's run of a line. */
OPI_FUNCTION opi_place opi_place_in(const opi_pipe *pipe, opi_before before, const opi_node left[5],
                                    opi_node after OPI_TAKE_P)
{
    opi_place place;
    if (before.any) { /* as good as always, and the same for the whole warp */
        OPI_UNROLL for (uint32_t up = 0; up < 5; up++)
            if (pipe->lane >> (4 - up) & 1) before.node = opi_join(before.node, left[4 - up]);
    } else {
        OPI_UNROLL for (uint32_t up = 0; up < 5; up++)
            if (pipe->lane >> (4 - up) & 1) opi_append(&before, left[4 - up] OPI_GIVE_P);
    }
    place.has_before = before.any;
    place.before = before.node;
    place.after = opi_node_behind(before.node, 1);
    if (pipe->lane == 31) place.after = after;
    return place;
}

/* Makes of a run its results. */
OPI_FUNCTION opi_line opi_line_down(const opi_line *line, const opi_heads *heads, const opi_place *place,
                                    uint32_t flags OPI_TAKE_P)
{
    opi_line result;
    opi_item item;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) item.x[j] = OPI_MAKE(line->x[j], heads->of[j]);
    opi_item_up(&item, OPI_TILE OPI_GIVE_P);
    opi_item_down(&item, place OPI_GIVE_P);
    if (flags & OPI_EXCLUSIVE) {
        OPI_UNROLL for (uint32_t j = OPI_E - 1; j > 0; j--) result.x[j] = opi_quiet(OPI_VALUE(item.x[j - 1]));
        result.x[0] = opi_quiet(place->has_before ? OPI_VALUE(place->before) : opi_identity());
#if OPI_LIFTED
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
            if (heads->of[j]) result.x[j] = opi_quiet(opi_identity());
#endif
    } else {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) result.x[j] = opi_quiet(OPI_VALUE(item.x[j]));
    }
    return result;
}

#if OPI_GIVES
/* Gives the results of a line away, whose work-item has a run at byte `at` of the tile. */
OPI_FUNCTION void opi_give_line(const opi_pipe *pipe, const opi_target *target, uint32_t at, const opi_line *line)
{
    opi_t *const stage = (opi_t *)(pipe->stages + target->stage * OPI_STAGE_BYTES + pipe->skew);
    const uint32_t run = at / OPI_SIZE, first = run - pipe->lane * OPI_E + pipe->lane;
    const uint32_t count = target->length / OPI_SIZE;
    if (OPI_MAKES) /* runs begin at multiples of 16 bytes */
        OPI_UNROLL for (uint32_t k = 0; k < OPI_RUN_VECTORS; k++) ((opi_vector *)(stage + run))[k] = line->v[k];
    else
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) stage[run + j] = line->x[j];
    __syncwarp();
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        if (first + j * 32 < count) opi_set(target->sink, first + j * 32, stage[first + j * 32]);
}
#endif

/* Writes a part: its results. */
OPI_FUNCTION void opi_scan_out(const opi_pipe *pipe, const opi_target *target, const opi_part *part, opi_before before,
                               uint32_t flags OPI_TAKE_P)
{
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        const uint32_t at = target->at + j * OPI_LINE_BYTES;
        const opi_place place = opi_place_in(pipe, before, part->left[j], part->node[j] OPI_GIVE_P);
        const opi_line result = opi_line_down(&part->line[j], &part->heads[j], &place, flags OPI_GIVE_P);
#if OPI_GIVES
        opi_give_line(pipe, target, at, &result);
#else
        if (OPI_RUN_VECTORS > 1 && target->whole && target->aligned)
            opi_write_through(pipe, target->stage, target->to, at, &result);
        else
            opi_write_line(target->to, at, target->length, target->whole, &result);
#endif
        before.any = 1;
        before.node = part->node[j];
    }
}

/* A warp of a team: it has parts `warp`, warp + OPI_TEAM, ... of each of the team's tiles. */
OPI_FUNCTION void opi_scan(const opi_pipe *pipe, uint32_t team, uint32_t warp, uint32_t flags, bool aligned,
                           opi_sink sink OPI_TAKE_P)
{
    opi_ring *const ring = pipe->ring;
    for (uint32_t k = team, i; (i = opi_tile_at(pipe, k)) < pipe->tiles; k += OPI_TEAMS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES;
        opi_target target;
        target.stage = s;
        target.to = pipe->out + (uint64_t)i * OPI_TILE_BYTES;
        target.length = opi_length(pipe, i);
        target.whole = target.length == OPI_TILE_BYTES && OPI_ALIGNED(pipe->out);
        target.aligned = aligned;
#if OPI_GIVES
        target.sink = opi_sink_behind(sink, (uint64_t)i * OPI_TILE);
#endif
        if (!opi_wait(pipe, &ring->full[s], phase)) return;
        OPI_ROLLED for (uint32_t turn = 0; turn < OPI_TURNS; turn++) {
            const uint32_t which = turn * OPI_TEAM + warp;
            opi_part part;
            opi_before before;
            target.at = which * OPI_PART_BYTES + pipe->lane * OPI_RUN_BYTES;
            OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
                part.line[j] = opi_line_at(pipe, s, target.at + j * OPI_LINE_BYTES, aligned);
                part.heads[j] = opi_heads_at(pipe, s, target.at + j * OPI_LINE_BYTES);
            }
            if (!OPI_GOES_THROUGH && turn == OPI_TURNS - 1) opi_arrive(pipe, &ring->empty[s]);
            opi_scan_up(pipe, &part OPI_GIVE_P);

            if (turn == 0 && !opi_wait(pipe, &ring->carried[s], phase)) return;
            before.any = which > 0 || pipe->begin + i > 0;
            before.node = ring->before[s][which].node;
            const opi_node after = ring->before[s][which + 1].node;
            if (turn == OPI_TURNS - 1) opi_arrive(pipe, &ring->used[s]);
            opi_scan_down(&part, &before, after OPI_GIVE_P);
            opi_scan_out(pipe, &target, &part, before, flags OPI_GIVE_P);
        }
        if (OPI_GOES_THROUGH) opi_arrive(pipe, &ring->empty[s]);
    }
}

/* Scans `bytes` bytes from tile `begin` on.  If they end inside a tile, nobody needs the range afterwards.  places: of
 * the states, the head included. */
OPI_PIPE_KERNEL void opi_pipeline(OPI_PARAM(in), OPI_PARAM(heads) OPI_MORE_PARAMS, OPI_PARAM(out), OPI_PARAM(range),
                                  OPI_PARAM(states), OPI_PARAM(fault), const uint64_t places OPI_DEALT_PARAM, const uint64_t bytes,
                                  const uint32_t begin, const uint32_t flags OPI_KERNEL_P)
{
    OPI_READ_P
    extern __shared__ __align__(128) unsigned char opi_stages[];
    OPI_LOCAL_MEMORY opi_ring ring;
    const uint32_t warp = OPI_SELF / 32;
    OPI_SOURCE(0)
    OPI_SINK(0)
    opi_pipe pipe = opi_pipe_of(&ring, opi_stages, OPI_AT(const unsigned char, in), bytes, OPI_AT(unsigned char, out),
                                OPI_AT(uint64_t, states), OPI_AT(uint32_t, fault));
    pipe.begin = begin;
#if OPI_LIFTED
    pipe.heads = OPI_AT(const unsigned char, heads);
    pipe.heads_skew = (uint32_t)(unsigned long)pipe.heads & 15;
#endif
    OPI_TAKE_DEALT(&pipe)
    opi_take_range(&ring, OPI_AT(const opi_range, range), begin);
    opi_meet(&pipe);

    const bool aligned = !OPI_SKEWED;
    if (warp < OPI_WRITE_WARPS)
        opi_scan(&pipe, warp / OPI_TEAM, warp % OPI_TEAM, flags, aligned, sink OPI_GIVE_P);
    else if (warp < OPI_WRITE_WARPS + OPI_REDUCE_WARPS)
        opi_reduce(&pipe, warp - OPI_WRITE_WARPS, aligned OPI_GIVE_P);
    else if (warp < OPI_WRITE_WARPS + OPI_REDUCE_WARPS + OPI_CARRY_WARPS)
        opi_carry(&pipe, warp - OPI_WRITE_WARPS - OPI_REDUCE_WARPS, OPI_AT(opi_range, range) OPI_GIVE_P);
    else
        OPI_FILL(&pipe, source, warp - OPI_WRITE_WARPS - OPI_REDUCE_WARPS - OPI_CARRY_WARPS);
    opi_finish(&pipe, places);
}
