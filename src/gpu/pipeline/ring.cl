/* The ring of a pipeline: stages of shared memory that bulk copies fill, or a role (make.cl), and the barriers of its roles.  CUDA, compute
 * capability 9.0.
 *
 * Each barrier counts phases.  Whoever waits knows a phase only by its parity, so that it must wait for every phase in
 * turn: the number of stages is a multiple of the number of warps of each role. */

#undef OPI_UNROLL
#define OPI_UNROLL _Pragma("unroll")

#define OPI_PARTS       (1u << OPI_LOG_PARTS)
#define OPI_TEAM        (OPI_PARTS < OPI_TEAM_WARPS ? OPI_PARTS : OPI_TEAM_WARPS)
#define OPI_WRITE_WARPS (OPI_TEAMS * OPI_TEAM)
#define OPI_TURNS       (OPI_PARTS / OPI_TEAM) /* parts of a tile that a warp of a team has, one after the other */
#define OPI_LINES       (1u << OPI_LOG_LINES)  /* a work-item has so many runs of a part */
#define OPI_RUN_BYTES   (OPI_E * OPI_SIZE)     /* whole vectors, and few of them */
#define OPI_RUN_VECTORS (OPI_RUN_BYTES / 16)
#define OPI_LINE_BYTES  (32 * OPI_RUN_BYTES)
#define OPI_LOG_ALL     (OPI_LOG_PARTS + OPI_LOG_LINES)
#define OPI_ALL_LINES   (1u << OPI_LOG_ALL) /* of a tile; at most 32 */
#ifndef OPI_LOG_ROUND
#define OPI_LOG_ROUND   3
#endif
#define OPI_ROUND       (1u << OPI_LOG_ROUND) /* lines that a warp sums up at once */
#define OPI_PART_BYTES  (OPI_LINES * OPI_LINE_BYTES)
#define OPI_TILE_BYTES  (OPI_PARTS * OPI_PART_BYTES)
#if OPI_LIFTED /* the heads of a tile lie behind its elements */
#define OPI_HEADS_AT    (OPI_TILE_BYTES + OPI_STAGE_SPARE)
#define OPI_STAGE_BYTES (OPI_HEADS_AT + OPI_TILE + OPI_STAGE_SPARE)
#else
#define OPI_STAGE_BYTES (OPI_TILE_BYTES + OPI_STAGE_SPARE)
#endif
#ifndef OPI_STAGE_LEAD
#define OPI_STAGE_LEAD  0 /* 16: each stage has the bytes before its tile, too, if it is not the first one */
#endif
#define OPI_BITS        (5 * OPI_PIPE_LEVELS)
#if OPI_MAKES
#define OPI_FILLERS     OPI_MAKE_TEAM /* warps that fill a stage together */
#else
#define OPI_FILLERS     1
#endif

typedef struct opi_ring {
    uint64_t full[OPI_STAGES];                    /* the tile is in the stage */
    uint64_t empty[OPI_STAGES];                   /* all who read the stage have read it */
    uint64_t summed[OPI_STAGES];                  /* part[] is set */
    uint64_t carried[OPI_STAGES];                 /* before[] is set, and part[] is free */
    uint64_t used[OPI_STAGES];                    /* before[] is free */
    opi_words part[OPI_STAGES][OPI_PARTS];        /* node of each part of the tile */
    opi_words before[OPI_STAGES][OPI_PARTS + 1];  /* what precedes each part, and the next tile */
    opi_words bit[OPI_CARRY_WARPS][OPI_BITS];     /* a carry warp's nodes: see carry.cl */
    opi_words old[OPI_BITS];                      /* nodes of the range that precedes the launch, by their level */
    uint32_t gave_up;                             /* a role of this group waited in vain */
    uint32_t epoch, is_last;
#if OPI_DEALT
    opi_dealt dealt;
#endif
} opi_ring;

/* What every role knows. */
typedef struct opi_pipe {
    opi_ring *ring;
    unsigned char *stages;
    const unsigned char *in; /* the launch's first element */
    unsigned char *out;
    uint32_t skew;           /* bytes of `in` beyond a multiple of 16 */
#if OPI_LIFTED
    const unsigned char *heads;
    uint32_t heads_skew;
#endif
    uint64_t bytes;          /* of the launch's elements */
    uint32_t begin, tiles;   /* index of the first tile, number of tiles; the last one may be a part of a tile */
    uint32_t epoch;
    uint64_t *state;         /* what is published: see states.cl */
    uint32_t *fault;         /* in memory of the host */
    uint32_t lane;           /* of the warp */
} opi_pipe;

/* Index of tile k of this group. */
OPI_FUNCTION uint32_t opi_tile_at(const opi_pipe *pipe, uint32_t k)
{
    const uint32_t own = (uint32_t)OPI_GROUP + k * (uint32_t)OPI_GROUPS;
#if OPI_DEALT
    return (uint32_t)opi_dealt_item(&pipe->ring->dealt, own);
#else
    return own;
#endif
}

OPI_FUNCTION uint32_t opi_shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

/* --- barriers ----------------------------------------------------------------------------------------------------- */

OPI_FUNCTION void opi_barrier_begin(uint64_t *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(opi_shared(barrier)), "r"(arrivals));
}

/* Arrives for the whole warp, whose work-items have all done what the barrier stands for. */
OPI_FUNCTION void opi_arrive(const opi_pipe *pipe, uint64_t *barrier)
{
    __syncwarp();
    if (pipe->lane == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(opi_shared(barrier)) : "memory");
}

OPI_FUNCTION uint32_t opi_is_over(uint64_t *barrier, uint32_t parity)
{
    uint32_t over;
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(over)
                 : "r"(opi_shared(barrier)), "r"(parity)
                 : "memory");
    return over;
}

/* Whether a warp that has waited since `since` must give up.  All roles of the group, and the host, learn of it. */
OPI_FUNCTION uint32_t opi_gives_up(const opi_pipe *pipe, uint64_t since)
{
    volatile uint32_t *const gave_up = &pipe->ring->gave_up;
    if (!*gave_up && (uint64_t)clock64() - since < OPI_PATIENCE) return 0;
    *gave_up = 1;
    *(volatile uint32_t *)pipe->fault = 1;
    return 1;
}

/* Waits until phase `phase` of a barrier is over.  Returns false, in all work-items of the warp, if one gave up. */
OPI_FUNCTION bool opi_wait(const opi_pipe *pipe, uint64_t *barrier, uint32_t phase)
{
    uint32_t over = opi_is_over(barrier, phase & 1);
    if (!over) {
        const uint64_t since = (uint64_t)clock64();
        do over = opi_is_over(barrier, phase & 1);
        while (!over && !opi_gives_up(pipe, since));
    }
    return __all_sync(0xffffffffu, over);
}

/* As opi_wait, for the phase before `phase`; before the first phase there is none. */
OPI_FUNCTION bool opi_wait_before(const opi_pipe *pipe, uint64_t *barrier, uint32_t phase)
{
    return phase == 0 || opi_wait(pipe, barrier, phase - 1);
}

/* Waits until the copies into the ring, of which `fed` were begun, have landed: a group must not end before, also if it
 * gives up.  Copies land whatever other groups do, so that this bound is a device's that fails. */
OPI_FUNCTION void opi_land(const opi_pipe *pipe, uint32_t fed)
{
    const uint64_t since = (uint64_t)clock64();
    for (uint32_t k = fed < OPI_STAGES ? 0 : fed - OPI_STAGES; k < fed; k++)
        while (!opi_is_over(&pipe->ring->full[k % OPI_STAGES], k / OPI_STAGES & 1))
            if ((uint64_t)clock64() - since > OPI_PATIENCE) __trap();
}

OPI_FUNCTION void opi_ring_begin(opi_ring *ring)
{
    for (uint32_t s = 0; s < OPI_STAGES; s++) {
        opi_barrier_begin(&ring->full[s], OPI_FILLERS);
        opi_barrier_begin(&ring->empty[s], OPI_TEAM + 1);
        opi_barrier_begin(&ring->summed[s], 1);
        opi_barrier_begin(&ring->carried[s], 1);
        opi_barrier_begin(&ring->used[s], OPI_TEAM);
    }
    ring->gave_up = 0;
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}

/* --- stages ------------------------------------------------------------------------------------------------------- */

/* How many bytes tile i of the launch has. */
OPI_FUNCTION uint32_t opi_length(const opi_pipe *pipe, uint32_t i)
{
    const uint64_t left = pipe->bytes - (uint64_t)i * OPI_TILE_BYTES;
    return left < OPI_TILE_BYTES ? (uint32_t)left : OPI_TILE_BYTES;
}

/* What bulk copies move of an array into a stage: bytes first .. last from `from` and from the beginning of the stage on.
 * All three are multiples of 16. */
typedef struct opi_span {
    const unsigned char *from;
    uint32_t first, last;
} opi_span;

/* Tile i of an array has up to `most` bytes, which begin `skew` bytes behind `from`; there the array has `left` bytes.
 * Bulk copies move units of 16 bytes.  Where the first unit or the last one goes beyond the array, the warp copies the
 * tile's part of it.  The last tile may be so short that it lies in the last unit of the tile before. */
OPI_FUNCTION opi_span opi_copy_ends(const opi_pipe *pipe, uint32_t i, unsigned char *stage, const unsigned char *from,
                                    uint32_t skew, uint32_t most, uint64_t left)
{
    const uint32_t end = skew + (left < most ? (uint32_t)left : most);
    opi_span span;
    span.from = from;
    span.first = 0;
    span.last = (end + 15) & ~15u;
    if (i == 0 && skew > 0) {
        span.first = 16;
        if (pipe->lane >= skew && pipe->lane < 16) stage[pipe->lane] = from[pipe->lane];
    }
    if (span.last > skew + left) {
        span.last -= 16;
        if (span.last + pipe->lane < end) stage[span.last + pipe->lane] = from[span.last + pipe->lane];
    }
    return span;
}

/* Says how many bytes will be copied into a stage; one work-item calls this. */
OPI_FUNCTION void opi_expect(uint64_t *full, uint32_t bytes)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* after what was read there */
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(opi_shared(full)), "r"(bytes)
                 : "memory");
}

OPI_FUNCTION void opi_fill(unsigned char *stage, const opi_span *span, uint64_t *full)
{
    if (span->first == span->last) return;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     opi_shared(stage + span->first)),
                 "l"(span->from + span->first), "r"(span->last - span->first), "r"(opi_shared(full))
                 : "memory");
}

/* Begins to copy tile i into stage s.  Behind a tile that is not whole there are copies of one of its elements, for
 * which operators are defined. */
OPI_FUNCTION void opi_bring(const opi_pipe *pipe, uint32_t i, uint32_t s)
{
    unsigned char *const stage = pipe->stages + s * OPI_STAGE_BYTES;
    const unsigned char *const from = pipe->in - pipe->skew + (uint64_t)i * OPI_TILE_BYTES;
    const uint32_t length = opi_length(pipe, i);
    const uint64_t left = pipe->bytes - (uint64_t)i * OPI_TILE_BYTES;
    const uint32_t lead = i > 0 ? OPI_STAGE_LEAD : 0;
    opi_span span = opi_copy_ends(pipe, i, stage, from, pipe->skew, OPI_TILE_BYTES, left);
    span.from -= lead;
    span.last += lead;
    uint32_t bytes = span.last - span.first;
    if (length < OPI_TILE_BYTES)
        for (uint32_t at = length + pipe->lane * OPI_SIZE; at < OPI_TILE_BYTES; at += 32 * OPI_SIZE)
            *(opi_t *)(stage + pipe->skew + at) = *(const opi_t *)(from + pipe->skew);
#if OPI_LIFTED
    const unsigned char *const heads = pipe->heads - pipe->heads_skew + (uint64_t)i * OPI_TILE;
    const opi_span flags =
        opi_copy_ends(pipe, i, stage + OPI_HEADS_AT, heads, pipe->heads_skew, OPI_TILE, left / OPI_SIZE);
    bytes += flags.last - flags.first;
#endif
    __syncwarp(); /* what the warp has written itself is there before the stage is full */
    if (pipe->lane > 0) return;
    opi_expect(&pipe->ring->full[s], bytes);
    opi_fill(stage - lead, &span, &pipe->ring->full[s]);
#if OPI_LIFTED
    opi_fill(stage + OPI_HEADS_AT, &flags, &pipe->ring->full[s]);
#endif
}

/* One of the warps copies tile after tile into the ring, some stages ahead. */
OPI_FUNCTION void opi_feed(const opi_pipe *pipe)
{
    uint32_t k = 0;
    for (uint32_t i; (i = opi_tile_at(pipe, k)) < pipe->tiles; k++) {
        const uint32_t s = k % OPI_STAGES;
        if (!opi_wait_before(pipe, &pipe->ring->empty[s], k / OPI_STAGES)) break;
        opi_bring(pipe, i, s);
    }
    opi_land(pipe, k);
}

/* A run of elements. */
typedef union opi_line {
    opi_vector v[OPI_RUN_VECTORS];
    opi_t x[OPI_E];
} opi_line;

/* Reads the run that begins `at` bytes behind the first element of the tile in stage s.  aligned: skew is 0; callers
 * give a constant, so that each of their loops has the loads of one case only. */
OPI_FUNCTION opi_line opi_line_at(const opi_pipe *pipe, uint32_t s, uint32_t at, bool aligned)
{
    const unsigned char *const from = pipe->stages + s * OPI_STAGE_BYTES + pipe->skew + at;
    opi_line line;
    if (aligned)
        OPI_UNROLL for (uint32_t k = 0; k < OPI_RUN_VECTORS; k++) line.v[k] = ((const opi_vector *)from)[k];
    else
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) line.x[j] = ((const opi_t *)from)[j];
    return line;
}

/* The flags of a line's elements: any but 0 marks a head. */
#if OPI_LOG_E == 4
typedef opi_vector opi_flags;
#elif OPI_LOG_E == 3
typedef uint64_t opi_flags;
#elif OPI_LOG_E == 2
typedef uint32_t opi_flags;
#elif OPI_LOG_E == 1
typedef uint16_t opi_flags;
#else
typedef uint8_t opi_flags;
#endif
typedef union opi_heads {
    opi_flags all;
    uint8_t of[OPI_E];
} opi_heads;

/* Reads the flags of the run that begins at byte `at` of the tile in stage s; without heads they mean nothing. */
OPI_FUNCTION opi_heads opi_heads_at(const opi_pipe *pipe, uint32_t s, uint32_t at)
{
    opi_heads heads;
#if OPI_LIFTED
    const unsigned char *const from =
        pipe->stages + s * OPI_STAGE_BYTES + OPI_HEADS_AT + pipe->heads_skew + at / OPI_SIZE;
    if ((pipe->heads_skew & (OPI_E - 1)) == 0)
        heads.all = *(const opi_flags *)from;
    else
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) heads.of[j] = from[j];
#endif
    return heads;
}

/* Writes the run that begins `at` bytes behind the first element of a tile of `length` bytes.  whole: the tile is whole
 * and aligned; it is the same for all runs, so that compilers ask once for all of them. */
OPI_FUNCTION void opi_write_line(unsigned char *tile, uint32_t at, uint32_t length, bool whole, const opi_line *line)
{
    unsigned char *const to = tile + at;
    if (whole)
        OPI_UNROLL for (uint32_t k = 0; k < OPI_RUN_VECTORS; k++) __stcs((opi_vector *)to + k, line->v[k]);
    else
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
            if (at + j * OPI_SIZE < length) ((opi_t *)to)[j] = line->x[j];
}

/* The same for all runs of a line of a whole tile, which is in stage s and needed there no longer: the warp puts them
 * there, and writes vectors that are neighbours. */
OPI_FUNCTION void opi_write_through(const opi_pipe *pipe, uint32_t s, unsigned char *tile, uint32_t at,
                                    const opi_line *line)
{
    unsigned char *const stage = pipe->stages + s * OPI_STAGE_BYTES;
    const uint32_t begin = at - pipe->lane * OPI_RUN_BYTES + pipe->lane * 16;
    OPI_UNROLL for (uint32_t k = 0; k < OPI_RUN_VECTORS; k++) ((opi_vector *)(stage + at))[k] = line->v[k];
    __syncwarp();
    OPI_UNROLL for (uint32_t k = 0; k < OPI_RUN_VECTORS; k++)
        __stcs((opi_vector *)(tile + begin) + k * 32, ((const opi_vector *)(stage + begin))[k * 32]);
}
