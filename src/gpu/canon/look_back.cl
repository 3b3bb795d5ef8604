/* Work-groups that look back: each does one tile, tells the others its node, and joins the nodes of all tiles before it.
 * CUDA alone; a work-group has OPI_W = 2^OPI_LOG_W = 256 work-items.
 *
 * What is told: nodes of tiles (level 0), of 256 tiles (level 1), of 256^2 (level 2).  Nodes wait for nothing but nodes,
 * so that there is no chain: tile i needs at most 255 nodes of each level, which the work-items look at together.
 *
 * Tiles are dealt in turn (opi_look_begin), so that all tiles before a work-group's own have been begun. */

#define OPI_LOG_HIGH (OPI_LOG_W - 5) /* a work-group has so many bits of a tile's number beside those of a warp */
#define OPI_LOOK_BITS (OPI_LOG_W * OPI_LOOK_LEVELS)
#define OPI_LAST_EPOCH 0xffffffffu

/* The head of what is told. */
typedef struct opi_told {
    uint64_t next;  /* the number of the next work-group; above it, times 2^32, the epoch of the last launch */
    uint32_t lost;  /* the epoch of a launch that has given up */
    uint32_t ended; /* in the last epoch: work-groups that have ended */
} opi_told;

/* What a work-group shares while it looks back. */
typedef struct opi_sight {
    opi_node bit[OPI_LOOK_BITS];                        /* the node of each bit of the tile's number */
    opi_node warp[OPI_LOOK_LEVELS][1u << OPI_LOG_HIGH]; /* nodes of 32 neighbours */
    opi_node before, after;                             /* of a filter: what precedes the tile; and the next tile */
    uint32_t tile, epoch, gave_up, is_last;
} opi_sight;

typedef struct opi_look {
    opi_told *head;
    uint32_t *fault; /* in memory of the host */
    opi_sight *sight;
    uint32_t tile, tiles, epoch;
} opi_look;

/* The words of a node as one work-item sees them. */
typedef struct opi_seen {
    uint64_t word[OPI_WORDS];
} opi_seen;

/* --- begin and end ------------------------------------------------------------------------------------------------ */

/* Finds the work-group's tile, and the epoch; a launch of one tile needs none. */
OPI_FUNCTION opi_look opi_look_begin(opi_sight *sight, unsigned char *told, uint32_t *fault)
{
    opi_look look;
    look.head = (opi_told *)told;
    look.fault = fault;
    look.sight = sight;
    look.tiles = (uint32_t)OPI_GROUPS;
    look.tile = look.epoch = 0;
    if (look.tiles == 1) return look;
    if (OPI_SELF == 0) {
        const uint64_t turn = atomicAdd((unsigned long long *)&look.head->next, 1ull);
        sight->gave_up = 0;
        sight->tile = (uint32_t)turn;
        sight->epoch = (uint32_t)(turn >> 32) + 1;
        /* All have had their turn: nobody else looks at this word during the launch. */
        if ((uint32_t)turn == look.tiles - 1) look.head->next = (uint64_t)sight->epoch << 32;
    }
    OPI_BARRIER();
    look.tile = sight->tile;
    look.epoch = sight->epoch;
    return look;
}

/* The work-group that ends last in the last epoch makes all ready for epoch 1.  `places`: of 8 bytes, the head included. */
OPI_FUNCTION void opi_look_end(const opi_look *look, uint64_t places)
{
    uint64_t *const place = (uint64_t *)look->head;
    if (look->tiles == 1 || look->epoch != OPI_LAST_EPOCH) return;
    __syncthreads();
    if (OPI_SELF == 0) look->sight->is_last = atomicAdd(&look->head->ended, 1u) == look->tiles - 1;
    __syncthreads();
    if (!look->sight->is_last) return;
    for (uint64_t k = OPI_SELF; k < places; k += OPI_W) place[k] = 0;
}

/* --- nodes -------------------------------------------------------------------------------------------------------- */

/* The place of word 0 of node i of a level; word w is 32 * w further. */
OPI_FUNCTION uint64_t *opi_told_of(const opi_look *look, uint32_t level, uint32_t i)
{
    uint64_t *p = (uint64_t *)look->head + OPI_FIRST_PUBLISHED;
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOOK_LEVELS; k++)
        if (k < level) p += (uint64_t)((look->tiles - 1 >> OPI_LOG_W * k | 31) + 1) * OPI_WORDS;
    return p + (uint64_t)(i & ~31u) * OPI_WORDS + (i & 31);
}

/* A test of giving up defines this: the tile whose node nobody ever tells. */
#ifdef OPI_SILENT_TILE
#define OPI_IS_SILENT(level, i) ((level) == 0 && (i) == OPI_SILENT_TILE)
#else
#define OPI_IS_SILENT(level, i) false
#endif

/* Tells node i of a level; one work-item calls this. */
OPI_FUNCTION void opi_tell_node(const opi_look *look, uint32_t level, uint32_t i, opi_node node)
{
    uint64_t *const p = opi_told_of(look, level, i);
    const opi_words x = opi_words_of(node);
    if (OPI_IS_SILENT(level, i)) return;
    OPI_UNROLL for (uint32_t w = 0; w < OPI_WORDS; w++)
        opi_publish_word(p + 32 * w, look->epoch, x.word[w]);
}

/* Looks at this work-item's one of the `most` neighbours that precede node i of a level. */
OPI_FUNCTION opi_seen opi_see(const opi_look *look, uint32_t level)
{
    const uint32_t i = look->tile >> OPI_LOG_W * level, own = (i & ~(OPI_W - 1)) + OPI_SELF;
    const uint64_t *const p = opi_told_of(look, level, own);
    opi_seen seen;
    OPI_UNROLL for (uint32_t w = 0; w < OPI_WORDS; w++)
        seen.word[w] = own < i ? opi_read_published(p + 32 * w) : (uint64_t)look->epoch << 32;
    return seen;
}

OPI_FUNCTION bool opi_is_told(const opi_look *look, const opi_seen *seen)
{
    bool told = true;
    OPI_UNROLL for (uint32_t w = 0; w < OPI_WORDS; w++) told = told && seen->word[w] >> 32 == look->epoch;
    return told;
}

/* Whether a warp that has waited since `since` must give up.  The whole launch, and the host, learn of it. */
OPI_FUNCTION bool opi_gives_up(const opi_look *look, uint64_t since)
{
    volatile uint32_t *const lost = &look->head->lost, *const gave_up = &look->sight->gave_up;
    if ((uint64_t)clock64() - since < OPI_PATIENCE && !*gave_up && *lost != look->epoch) return false;
    *gave_up = 1;
    *lost = look->epoch;
    *(volatile uint32_t *)look->fault = 1;
    return true;
}

/* Waits until a warp's nodes of a level are told.  After it has given up, they mean nothing. */
OPI_FUNCTION void opi_wait_for(const opi_look *look, uint32_t level, opi_seen *seen)
{
    if (__all_sync(0xffffffffu, opi_is_told(look, seen))) return;
    const uint64_t since = (uint64_t)clock64();
    for (uint32_t turn = 1;; turn++) {
        *seen = opi_see(look, level);
        if (__all_sync(0xffffffffu, opi_is_told(look, seen))) return;
        if (turn % 64 == 0 && __any_sync(0xffffffffu, opi_gives_up(look, since))) return;
        __nanosleep(OPI_POLL_PAUSE);
    }
}

/* --- the nodes of the bits of a tile's number ---------------------------------------------------------------------- */

/* Each warp joins its 32 neighbours of a level; `other`: in place of what it has not seen, because the operator is
 * defined for it. */
OPI_FUNCTION void opi_join_seen(const opi_look *look, uint32_t level, const opi_seen *seen, opi_node other OPI_TAKE_P)
{
    const uint32_t most = look->tile >> OPI_LOG_W * level & (OPI_W - 1), high = most >> 5, low = most & 31;
    const uint32_t warp = OPI_SELF >> 5, self = OPI_SELF & 31;
    opi_words x = opi_words_of(other);
    if (warp > high) return;
    if (OPI_SELF < most)
        OPI_UNROLL for (uint32_t w = 0; w < OPI_WORDS; w++) x.word[w] = (uint32_t)seen->word[w];
    opi_node node = x.node;
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) {
        if (warp == high && low >> k & 1 && self == low >> (k + 1) << (k + 1))
            look->sight->bit[OPI_LOG_W * level + k] = node;
        node = opi_join(node, opi_node_behind(node, 1u << k));
    }
    if (warp < high && self == 0) look->sight->warp[level][warp] = node;
}

/* The nodes of those bits of a level that are set.  All loads are begun before the first join. */
OPI_FUNCTION void opi_bits_of(const opi_look *look, uint32_t level, opi_node bit[OPI_LOG_W] OPI_TAKE_P)
{
    const uint32_t high = look->tile >> (OPI_LOG_W * level + 5) & 7;
    const opi_node *const warp = look->sight->warp[level];
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) bit[k] = look->sight->bit[OPI_LOG_W * level + k];
    if (high & 1) bit[5] = warp[high & 6];
    if (high & 2) bit[6] = opi_join(warp[high & 4], warp[(high & 4) + 1]);
    if (high & 4) bit[7] = opi_join(opi_join(warp[0], warp[1]), opi_join(warp[2], warp[3]));
}

/* The node of the 2^bits tiles that end with this one, of which `own` is the node.  All these bits of its number are
 * set. */
OPI_FUNCTION opi_node opi_ending(const opi_look *look, uint32_t bits, opi_node own OPI_TAKE_P)
{
    OPI_ROLLED for (uint32_t level = 0; OPI_LOG_W * level < bits; level++) {
        opi_node bit[OPI_LOG_W];
        opi_bits_of(look, level, bit OPI_GIVE_P);
        OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_W; k++)
            if (OPI_LOG_W * level + k < bits) own = opi_join(bit[k], own);
    }
    return own;
}

/* P(tile) is the join of the nodes of its bits, the highest first (docs/tree-v1.md).  This is the join of those from bit
 * `least` on, and `last` then; without_last: of those alone, of which there is one. */
OPI_FUNCTION opi_node opi_fold(const opi_look *look, uint32_t least, opi_node last, bool without_last OPI_TAKE_P)
{
    opi_node before = last;
    bool any = false;
    OPI_ROLLED for (uint32_t level = OPI_LOOK_LEVELS; level-- > 0;) {
        opi_node bit[OPI_LOG_W];
        if (look->tile >> OPI_LOG_W * level == 0) continue;
        opi_bits_of(look, level, bit OPI_GIVE_P);
        OPI_UNROLL for (uint32_t up = 0; up < OPI_LOG_W; up++) {
            const uint32_t own = OPI_LOG_W - 1 - up, k = OPI_LOG_W * level + own;
            if (k < least || !(look->tile >> k & 1)) continue;
            before = any ? opi_join(before, bit[own]) : bit[own];
            any = true;
        }
    }
    return any && !without_last ? opi_join(before, last) : before;
}

/* --- looking back ------------------------------------------------------------------------------------------------- */

/* Tells the node of this tile, OPI_TOTAL, and makes OPI_CARRY what precedes the tile, if any does.  Returns false, to all
 * work-items, if the launch has given up. */
OPI_FUNCTION bool opi_look_back(const opi_look *look, opi_lanes lane OPI_TAKE_P)
{
    opi_sight *const sight = look->sight;
    opi_seen seen[OPI_LOOK_LEVELS];
    if (look->tiles == 1) return true;
    if (OPI_SELF == 0) opi_tell_node(look, 0, look->tile, OPI_TOTAL);
    OPI_BARRIER();
    const opi_node own = OPI_TOTAL;
    OPI_UNROLL for (uint32_t level = 0; level < OPI_LOOK_LEVELS; level++) seen[level] = opi_see(look, level);
    OPI_UNROLL for (uint32_t level = 0; level < OPI_LOOK_LEVELS; level++) {
        const uint32_t all = (1u << OPI_LOG_W * (level + 1)) - 1;
        if (look->tile >> OPI_LOG_W * level == 0) continue;
        opi_wait_for(look, level, &seen[level]);
        opi_join_seen(look, level, &seen[level], own OPI_GIVE_P);
        if (level + 1 == OPI_LOOK_LEVELS || (look->tile & all) != all) continue;
        OPI_BARRIER();
        if (OPI_SELF > 0 || sight->gave_up) continue;
        opi_tell_node(look, level + 1, look->tile >> OPI_LOG_W * (level + 1),
                      opi_ending(look, OPI_LOG_W * (level + 1), own OPI_GIVE_P));
    }
    OPI_BARRIER();
    if (sight->gave_up) return false;
    if (OPI_SELF == 0 && look->tile > 0) OPI_CARRY = opi_fold(look, 0, own, true OPI_GIVE_P);
    if (OPI_SELF == 32) { /* another warp, at the same time: what precedes the next tile */
        const uint32_t ones = __ffs(~look->tile) - 1;
        sight->after = opi_fold(look, ones, opi_ending(look, ones, own OPI_GIVE_P), false OPI_GIVE_P);
    }
    return true;
}
