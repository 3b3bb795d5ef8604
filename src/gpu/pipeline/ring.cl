/* The ring of a pipeline: stages of shared memory that bulk copies fill, and the barriers of its roles.  CUDA, compute
 * capability 9.0.
 *
 * Each barrier counts phases.  Whoever waits knows a phase only by its parity, so that it must wait for every phase in
 * turn: the number of stages is a multiple of the number of warps of each role. */

#undef OPI_UNROLL
#define OPI_UNROLL _Pragma("unroll")
#undef OPI_ALIGNED

#define OPI_PARTS       (1u << OPI_LOG_PARTS)
#define OPI_LINES       (1u << OPI_LOG_LINES) /* a work-item has so many vectors of a tile */
#define OPI_PART_BYTES  (OPI_LINES * 32 * 16)
#define OPI_TILE_BYTES  (OPI_PARTS * OPI_PART_BYTES)
#define OPI_STAGE_BYTES (OPI_TILE_BYTES + OPI_STAGE_SPARE)
#define OPI_WORDS       (sizeof(opi_words) / 4)
#define OPI_BITS        (5 * OPI_PIPE_LEVELS)

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
} opi_ring;

/* What every role knows. */
typedef struct opi_pipe {
    opi_ring *ring;
    unsigned char *stages;
    const unsigned char *in; /* the launch's first element */
    unsigned char *out;
    uint32_t skew;           /* bytes of `in` beyond a multiple of 16 */
    uint64_t bytes;          /* of the launch's elements */
    uint32_t begin, tiles;   /* index of the first tile, number of tiles; the last one may be a part of a tile */
    uint32_t epoch;
    uint64_t *state;         /* what is published: see states.cl */
    uint32_t *fault;         /* in memory of the host */
    uint32_t lane;           /* of the warp */
} opi_pipe;

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
        opi_barrier_begin(&ring->full[s], 1);
        opi_barrier_begin(&ring->empty[s], OPI_PARTS + 1);
        opi_barrier_begin(&ring->summed[s], 1);
        opi_barrier_begin(&ring->carried[s], 1);
        opi_barrier_begin(&ring->used[s], OPI_PARTS);
    }
    ring->gave_up = 0;
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}

/* --- stages ------------------------------------------------------------------------------------------------------- */

/* Begins to copy `bytes` bytes, both addresses and the number being multiples of 16, into a stage.  What the warp has
 * written there itself is in the stage when the copy is. */
OPI_FUNCTION void opi_fill(const opi_pipe *pipe, unsigned char *stage, const unsigned char *from, uint32_t bytes,
                           uint64_t *full)
{
    __syncwarp();
    if (pipe->lane > 0) return;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* after what was read there */
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(opi_shared(full)), "r"(bytes)
                 : "memory");
    if (bytes == 0) return;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     opi_shared(stage)),
                 "l"(from), "r"(bytes), "r"(opi_shared(full))
                 : "memory");
}

/* How many bytes tile i of the launch has. */
OPI_FUNCTION uint32_t opi_length(const opi_pipe *pipe, uint32_t i)
{
    const uint64_t left = pipe->bytes - (uint64_t)i * OPI_TILE_BYTES;
    return left < OPI_TILE_BYTES ? (uint32_t)left : OPI_TILE_BYTES;
}

/* Begins to copy tile i into stage s.  Bulk copies move units of 16 bytes.  Where the first unit or the last one goes
 * beyond the array, the warp copies the array's part of it.  Behind a tile that is not whole there are copies of one
 * of its elements, for which operators are defined. */
OPI_FUNCTION void opi_bring(const opi_pipe *pipe, uint32_t i, uint32_t s)
{
    unsigned char *const stage = pipe->stages + s * OPI_STAGE_BYTES;
    const unsigned char *const from = pipe->in - pipe->skew + (uint64_t)i * OPI_TILE_BYTES;
    const uint32_t end = pipe->skew + opi_length(pipe, i); /* all are bytes from the beginning of the stage on */
    uint32_t first = 0, last = (end + 15) & ~15u;
    if (i == 0 && pipe->skew > 0) {
        first = 16;
        if (pipe->lane >= pipe->skew && pipe->lane < 16) stage[pipe->lane] = from[pipe->lane];
    }
    if (i == pipe->tiles - 1) {
        if (end < last) last -= 16;
        if (last + pipe->lane < end) stage[last + pipe->lane] = from[last + pipe->lane];
        for (uint32_t at = end + pipe->lane * OPI_SIZE; at < pipe->skew + OPI_TILE_BYTES; at += 32 * OPI_SIZE)
            *(opi_t *)(stage + at) = *(const opi_t *)(from + pipe->skew);
    }
    opi_fill(pipe, stage + first, from + first, last - first, &pipe->ring->full[s]);
}

/* One of the warps copies tile after tile into the ring, some stages ahead. */
OPI_FUNCTION void opi_feed(const opi_pipe *pipe)
{
    uint32_t k = 0;
    for (uint32_t i; (i = (uint32_t)OPI_GROUP + k * (uint32_t)OPI_GROUPS) < pipe->tiles; k++) {
        const uint32_t s = k % OPI_STAGES;
        if (!opi_wait_before(pipe, &pipe->ring->empty[s], k / OPI_STAGES)) break;
        opi_bring(pipe, i, s);
    }
    opi_land(pipe, k);
}

/* One vector of elements. */
typedef union opi_line {
    opi_vector v;
    opi_t x[OPI_E];
} opi_line;

/* Reads the vector that begins `at` bytes behind the first element of the tile in stage s. */
OPI_FUNCTION opi_line opi_line_at(const opi_pipe *pipe, uint32_t s, uint32_t at)
{
    const unsigned char *const from = pipe->stages + s * OPI_STAGE_BYTES + pipe->skew + at;
    opi_line line;
    if (pipe->skew == 0)
        line.v = *(const opi_vector *)from;
    else
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) line.x[j] = ((const opi_t *)from)[j];
    return line;
}

/* Writes the vector that begins `at` bytes behind the first element of a tile of `length` bytes. */
OPI_FUNCTION void opi_write_line(unsigned char *tile, uint32_t at, uint32_t length, const opi_line *line)
{
    unsigned char *const to = tile + at;
    if (((unsigned long)to & 15) == 0 && at + 16 <= length)
        __stcs((opi_vector *)to, line->v);
    else
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
            if (at + j * OPI_SIZE < length) ((opi_t *)to)[j] = line->x[j];
}
