/* What work-groups tell each other: nodes of tiles (level 0), of 32 tiles (level 1), of 32^2 (level 2), ...
 *
 * The words of a node are those of published.cl.  Where nodes are wide (OPI_WIDE), of more than 16 bytes, the last word is
 * written behind a fence, and readers wait for it alone.
 *
 * A launch begins at any tile.  The nodes that precede it (pipe->ring->old) stand in for what nobody publishes. */

typedef struct opi_states_head {
    uint32_t epoch;    /* of the last launch */
    uint32_t finished; /* groups of this launch that are done */
} opi_states_head;

OPI_FUNCTION void opi_fence(void) { asm volatile("fence.acq_rel." OPI_SCOPE ";" ::: "memory"); }

/* Before words are read of whose nodes only the last one was seen. */
OPI_FUNCTION void opi_after_look(void)
{
    if (OPI_WIDE) opi_fence();
}

/* Loops over nodes that need not be in registers: code is short where a node is wide. */
#if OPI_WIDE
#define OPI_UNROLL_NODES OPI_ROLLED
#else
#define OPI_UNROLL_NODES OPI_UNROLL
#endif

/* Index of the first node of a level that has a place. */
OPI_FUNCTION uint32_t opi_level_begin(const opi_pipe *pipe, uint32_t level) { return pipe->begin >> 5 * level & ~31u; }

/* The place of word 0 of node i of a level; word w is 32 * w further. */
OPI_FUNCTION uint64_t *opi_state_of(const opi_pipe *pipe, uint32_t level, uint32_t i)
{
    uint64_t *p = pipe->state + OPI_FIRST_PUBLISHED;
    OPI_UNROLL for (uint32_t k = 0; k < OPI_PIPE_LEVELS; k++) {
        const uint32_t last = (pipe->begin + pipe->tiles - 1) >> 5 * k;
        if (k < level) p += (uint64_t)(((last - opi_level_begin(pipe, k)) | 31) + 1) * OPI_WORDS;
    }
    const uint32_t own = i - opi_level_begin(pipe, level);
    return p + (uint64_t)(own & ~31u) * OPI_WORDS + (own & 31);
}

/* A test of giving up defines this: the tile whose node nobody ever publishes. */
#ifdef OPI_SILENT_TILE
#define OPI_IS_SILENT(tile) ((tile) == OPI_SILENT_TILE)
#else
#define OPI_IS_SILENT(tile) false
#endif

OPI_FUNCTION void opi_publish_at(const opi_pipe *pipe, uint64_t *p, const opi_words *x)
{
    OPI_UNROLL for (uint32_t w = 0; w < OPI_WORDS; w++) {
        if (OPI_WIDE && w == OPI_WORDS - 1) opi_fence(); /* whoever sees the last word sees all */
        opi_publish_word(p + 32 * w, pipe->epoch, x->word[w]);
    }
}

/* Publishes a node; one work-item calls this.  Each accelerator has a copy of its own, so that looks stay at home. */
OPI_FUNCTION void opi_publish(const opi_pipe *pipe, uint32_t level, uint32_t i, opi_node node)
{
    uint64_t *const p = opi_state_of(pipe, level, i);
    const opi_words x = opi_words_of(node);
#if OPI_DEALT
    OPI_ROLLED for (uint32_t to = 0; to < pipe->ring->dealt.workers; to++)
        opi_publish_at(pipe, (uint64_t *)pipe->ring->dealt.state[to] + (p - pipe->state), &x);
#else
    opi_publish_at(pipe, p, &x);
#endif
}

/* A warp's look at 32 neighbours of one level.  Registers hold few wide nodes: of those it is only the last word. */
#define OPI_SEEN_FROM  (OPI_WIDE ? OPI_WORDS - 1 : 0)
#define OPI_SEEN_WORDS (OPI_WORDS - OPI_SEEN_FROM)
typedef struct opi_look {
    uint64_t word[OPI_SEEN_WORDS];
} opi_look;

/* Whether node i of a level is published, if it is a whole one. */
OPI_FUNCTION uint32_t opi_is_published(const opi_pipe *pipe, uint32_t level, uint32_t i)
{
    return i >= pipe->begin >> 5 * level;
}

/* Reads the state of this work-item's one among the 32 neighbours of node i, of which the first `most` are wanted. */
OPI_FUNCTION void opi_look_at(const opi_pipe *pipe, uint32_t level, uint32_t i, uint32_t most, opi_look *look)
{
    const uint32_t own = (i & ~31u) + pipe->lane;
    const bool wanted = pipe->lane < most && opi_is_published(pipe, level, own);
    const uint64_t *const p = opi_state_of(pipe, level, own);
    OPI_UNROLL for (uint32_t w = 0; w < OPI_SEEN_WORDS; w++)
        look->word[w] = wanted ? opi_read_published(p + 32 * (OPI_SEEN_FROM + w)) : (uint64_t)pipe->epoch << 32;
}

OPI_FUNCTION bool opi_is_there(const opi_pipe *pipe, const opi_look *look)
{
    bool there = true;
    OPI_UNROLL for (uint32_t w = 0; w < OPI_SEEN_WORDS; w++) there = there && look->word[w] >> 32 == pipe->epoch;
    return there;
}

/* The node that was seen; `other` in place of what was not wanted, because the operator is defined for it. */
OPI_FUNCTION opi_node opi_seen(const opi_pipe *pipe, uint32_t level, uint32_t i, uint32_t most, const opi_look *look,
                               opi_node other)
{
    const uint32_t own = (i & ~31u) + pipe->lane;
    opi_words x;
    if (pipe->lane >= most || !opi_is_published(pipe, level, own)) return other;
#if OPI_WIDE
    const uint64_t *const p = opi_state_of(pipe, level, own);
    OPI_UNROLL for (uint32_t w = 0; w < OPI_WORDS; w++) x.word[w] = (uint32_t)opi_read_published(p + 32 * w);
#else
    OPI_UNROLL for (uint32_t w = 0; w < OPI_WORDS; w++) x.word[w] = (uint32_t)look->word[w];
#endif
    return x.node;
}

/* --- 32 neighbours ------------------------------------------------------------------------------------------------ */

/* Each work-item has a node of `level`, 32 neighbours of which one is i.  Work-item 0 returns the node of all 32.  For
 * each bit k set in `wanted`, which is smaller than 32, bit[k] becomes the node of 2^k neighbours that the bit stands
 * for. */
OPI_FUNCTION opi_node opi_join_neighbours(const opi_pipe *pipe, uint32_t level, uint32_t i, opi_node node,
                                          uint32_t wanted, opi_words *bit OPI_TAKE_P)
{
    const uint32_t begin = pipe->begin >> 5 * level;
    const bool has_old = (begin & ~31u) == (i & ~31u);
    OPI_UNROLL_NODES for (uint32_t k = 0; k < 5; k++) {
        if (has_old && begin >> k & 1 && (begin & 31) >> (k + 1) << (k + 1) == pipe->lane)
            node = pipe->ring->old[5 * level + k].node;
        if (wanted >> k & 1 && pipe->lane == wanted >> (k + 1) << (k + 1)) bit[k] = opi_words_of(node);
        node = opi_join(node, opi_node_behind(node, 1u << k));
    }
    return node;
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

/* Waits for the published nodes that precede a tile on all levels.  All are asked for before the first is looked at. */
OPI_FUNCTION bool opi_listen(const opi_pipe *pipe, uint32_t tile, opi_look look[OPI_PIPE_LEVELS])
{
    const uint64_t since = (uint64_t)clock64();
    for (bool there = false; !there;) {
        there = true;
        OPI_UNROLL for (uint32_t level = 0; level < OPI_PIPE_LEVELS; level++)
            opi_look_at(pipe, level, tile >> 5 * level, tile >> 5 * level & 31, &look[level]);
        OPI_UNROLL for (uint32_t level = 0; level < OPI_PIPE_LEVELS; level++)
            there = opi_is_there(pipe, &look[level]) && there;
        there = __all_sync(0xffffffffu, there);
        if (there) opi_after_look();
        if (there) break;
        if (__any_sync(0xffffffffu, opi_gives_up(pipe, since))) return false;
        __nanosleep(OPI_POLL_PAUSE);
    }
    return true;
}

/* Publishes the nodes that end with a tile: of 32 tiles, of 32^2, ...  All that they consist of is published before,
 * or will be without waiting for this tile. */
OPI_FUNCTION bool opi_close(const opi_pipe *pipe, uint32_t tile, opi_node own OPI_TAKE_P)
{
    for (uint32_t level = 0; level + 1 < OPI_PIPE_LEVELS && (tile & 31) == 31; level++, tile >>= 5) {
        const uint64_t since = (uint64_t)clock64();
        opi_look look;
        do opi_look_at(pipe, level, tile, 32, &look);
        while (__any_sync(0xffffffffu, !opi_is_there(pipe, &look)) &&
               !__any_sync(0xffffffffu, opi_gives_up(pipe, since)));
        if (__any_sync(0xffffffffu, !opi_is_there(pipe, &look))) return false;
        opi_after_look();
        own = opi_join_neighbours(pipe, level, tile, opi_seen(pipe, level, tile, 32, &look, own), 0, 0 OPI_GIVE_P);
        if (pipe->lane == 0) opi_publish(pipe, level + 1, tile >> 5, own);
    }
    return true;
}
