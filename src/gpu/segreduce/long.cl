/* Segments of a tile or more: a part of windows.cl.
 *
 * A run is OPI_OWN tiles, counted from the start of the segment.  The segment begins in some window; its run r begins in
 * the window r * OPI_OWN behind it.  The work-group of that window finds the run's node, and writes it to the place of
 * the window in nodes[].  OPI_W neighbouring nodes are a node of the next level: whoever comes last of those that add
 * them to memory joins them, and writes their node to the place of the last one.  Nodes that have no such neighbours are
 * joined at the end, with what is behind the last run, by who comes last of all.
 *
 * counts[], at the first of the windows that a node covers: how many of them have come.  Of each run's OPI_OWN places,
 * the first one counts what is joined at the end, and place k counts for nodes of level k. */

#define OPI_LOG_LONG (OPI_LOG_TILE + OPI_LOG_OWN)
#define OPI_OWN      (1u << OPI_LOG_OWN)
#define OPI_HALF     (OPI_GAPPED(OPI_TILE * OPI_SIZE / 4 + 1) + 1) /* words of a tile in the stage, which has two */

#if OPI_DEALT /* several accelerators tell nodes by the memory of one */
#define OPI_RUNS_FENCE()     __threadfence_system()
#define OPI_RUNS_COUNT(place) atomicAdd_system(place, 1u)
#else
#define OPI_RUNS_FENCE()     OPI_FENCE()
#define OPI_RUNS_COUNT(place) OPI_INCREMENT(place)
#endif

typedef struct opi_long {
    uint64_t s, at, n;  /* the segment, its offset and its length */
    uint64_t window;    /* the window in which it begins */
    uint64_t run, runs; /* the run, and how many there are; elements behind the last run are left to the end */
} opi_long;

/* The place of node i of a level. */
OPI_FUNCTION uint64_t opi_place_in_nodes(const opi_long *own, uint32_t level, uint64_t i)
{
    return own->window + ((((i + 1) << level * OPI_LOG_W) - 1) << OPI_LOG_OWN);
}

/* Finds the nodes of `tiles` tiles: stack[k] becomes the node of 2^k tiles for each bit k that is set in `tiles`. */
OPI_FUNCTION void opi_do_tiles(OPI_GLOBAL const opi_t *from, uint32_t tiles, opi_lanes lane, OPI_LOCAL uint32_t *stage,
                               OPI_LOCAL opi_node *stack OPI_TAKE_P)
{
    OPI_CLIMB(lane)
    opi_staged staged;
    if (tiles > 0) staged = opi_bring(stage, from, OPI_TILE);
    OPI_ROLLED for (uint32_t t = 0; t < tiles; t++) {
        opi_staged next = staged;
        if (t + 1 < tiles) { /* the next tile is under way while this one is joined */
            next = opi_bring(stage + ((t + 1) & 1) * OPI_HALF, from + (t + 1) * OPI_TILE, OPI_TILE);
            OPI_COPIES_WAIT(1);
        } else {
            OPI_COPIES_WAIT(0);
        }
        OPI_BARRIER();
        opi_node own = opi_node_of_run(&staged OPI_GIVE_P);
        opi_lanes_up(lane, own, OPI_W OPI_GIVE_P);
        if (OPI_SELF == 0) {
            uint32_t level = 0;
            own = OPI_TOTAL;
            for (; t >> level & 1; level++) own = opi_join(stack[level], own);
            stack[level] = own;
        }
        OPI_BARRIER();
        staged = next;
    }
}

/* Joins n < OPI_TILE staged elements to OPI_CARRY, which is there if has_carry. */
OPI_FUNCTION void opi_join_staged(const opi_staged *staged, uint32_t n, opi_lanes lane, uint32_t has_carry OPI_TAKE_P)
{
    const uint32_t whole = (OPI_SELF + 1) << OPI_LOG_E <= n;
    if (whole)
        opi_put(staged, staged->nodes + OPI_SELF, opi_node_of_unit(staged, OPI_SELF << OPI_LOG_E OPI_GIVE_P));
    OPI_BARRIER();
    if (whole && OPI_SELF % OPI_CHAPTER == OPI_CHAPTER - 1)
        opi_put(staged, staged->nodes + OPI_SELF,
                opi_node_of_4(staged, staged->nodes + OPI_SELF - (OPI_CHAPTER - 1), 1 OPI_GIVE_P));
    OPI_BARRIER();
    if (OPI_SELF == 0) {
        opi_node x = OPI_CARRY;
        OPI_CARRY = opi_finish(staged, 0, 0, n, has_carry, x OPI_GIVE_P);
    }
    OPI_BARRIER();
}

/* Counts up.  Returns to the whole work-group whether it is the last of `all`. */
OPI_FUNCTION uint32_t opi_comes_last(OPI_GLOBAL uint32_t *count, uint32_t all, OPI_LOCAL uint32_t *seen)
{
    if (OPI_SELF == 0) {
        OPI_RUNS_FENCE(); /* whoever sees the count sees what was written before */
        seen[0] = OPI_RUNS_COUNT(count) + 1 == all;
    }
    OPI_BARRIER_ALL();
    const uint32_t is_last = seen[0];
    OPI_BARRIER_ALL();
    if (is_last) OPI_RUNS_FENCE();
    return is_last;
}

/* Tells the node of the own run.  Returns whether all nodes that are joined at the end have been told. */
OPI_FUNCTION uint32_t opi_tell_run(const opi_long *own, opi_node x, opi_lanes lane, OPI_LOCAL uint32_t *seen,
                                   OPI_GLOBAL uint32_t *counts, OPI_GLOBAL opi_node *nodes OPI_TAKE_P)
{
    OPI_CLIMB(lane)
    uint64_t i = own->run, n = own->runs;
    uint32_t level = 0, left = 0;
    for (uint64_t all = n; all > 0; all >>= OPI_LOG_W) left += (uint32_t)all & (OPI_W - 1);
    for (;; level++) {
        const uint64_t first = i >> OPI_LOG_W << OPI_LOG_W; /* of OPI_W neighbours */
        if (OPI_SELF == 0) nodes[opi_place_in_nodes(own, level, i)] = x;
        if (first + OPI_W > n) return opi_comes_last(counts + own->window, left, seen);
        if (!opi_comes_last(counts + own->window + (first << level * OPI_LOG_W << OPI_LOG_OWN) + 1 + level, OPI_W, seen))
            return 0;
        opi_lanes_up(lane, nodes[opi_place_in_nodes(own, level, first + OPI_SELF)], OPI_W OPI_GIVE_P);
        x = OPI_TOTAL; /* of work-item 0 */
        OPI_BARRIER();
        i >>= OPI_LOG_W;
        n >>= OPI_LOG_W;
    }
}

/* Joins to OPI_CARRY what the stack has of `tiles` tiles, the largest first.  Returns whether there is a carry. */
OPI_FUNCTION uint32_t opi_join_tiles(uint32_t tiles, opi_lanes lane, OPI_LOCAL const opi_node *stack,
                                     uint32_t has_carry OPI_TAKE_P)
{
    if (OPI_SELF == 0)
        for (uint32_t k = OPI_LOG_OWN; k-- > 0;) {
            if (!(tiles >> k & 1)) continue;
            OPI_CARRY = has_carry ? opi_join(OPI_CARRY, stack[k]) : stack[k];
            has_carry = 1;
        }
    return has_carry || tiles > 0;
}

/* Joins all that the segment has: the nodes of runs, level by level; the tiles behind them, which are in the stack; and
 * the elements behind the tiles, which begin at `from`. */
OPI_FUNCTION void opi_join_all(const opi_long *own, OPI_GLOBAL const opi_t *from, uint32_t tiles, uint32_t rest,
                               opi_lanes lane, OPI_LOCAL uint32_t *stage, OPI_LOCAL const opi_node *stack,
                               OPI_GLOBAL const opi_node *nodes OPI_TAKE_P)
{
    uint32_t levels = 0, has_carry = 0;
    while (own->runs >> levels * OPI_LOG_W) levels++;
    OPI_ROLLED for (uint32_t above = levels + 1; above-- > 0;) { /* level + 1, or 0 for elements */
        opi_staged staged;
        uint32_t count = rest;
        if (above > 0) {
            const uint64_t n = own->runs >> (above - 1) * OPI_LOG_W;
            count = (uint32_t)n & (OPI_W - 1);
            staged.stage = stage;
            staged.skew = 0;
            staged.nodes = count;
            if (OPI_SELF < count)
                opi_put(&staged, OPI_SELF, nodes[opi_place_in_nodes(own, above - 1, n - count + OPI_SELF)]);
        } else {
            has_carry = opi_join_tiles(tiles, lane, stack, has_carry OPI_GIVE_P);
            staged = opi_bring(stage, from, rest);
            OPI_COPIES_WAIT(0);
        }
        OPI_BARRIER();
        if (count == 0) continue;
        opi_join_staged(&staged, count, lane, has_carry OPI_GIVE_P);
        has_carry = 1;
    }
}

/* Does the own run of a segment, and what is left at the end if all others have been told.  from: the segment's first
 * element. */
OPI_FUNCTION void opi_do_long(const opi_long *own, OPI_GLOBAL const opi_t *from, opi_lanes lane,
                              OPI_LOCAL uint32_t *stage, OPI_LOCAL opi_node *stack, OPI_LOCAL uint32_t *seen,
                              OPI_GLOBAL uint32_t *counts, OPI_GLOBAL opi_node *nodes, OPI_GLOBAL opi_t *out OPI_TAKE_P)
{
    OPI_GLOBAL const opi_t *const behind = from + (own->runs << OPI_LOG_LONG);
    const uint32_t left = (uint32_t)(own->n - (own->runs << OPI_LOG_LONG)), tiles = left >> OPI_LOG_TILE;
    OPI_ROLLED for (uint32_t step = own->runs > 0 ? 0 : 1; step < 2; step++) {
        opi_do_tiles(step == 0 ? from + (own->run << OPI_LOG_LONG) : behind, step == 0 ? OPI_OWN : tiles, lane, stage,
                     stack OPI_GIVE_P);
        if (step == 0 && !opi_tell_run(own, stack[OPI_LOG_OWN], lane, seen, counts, nodes OPI_GIVE_P)) return;
    }
    opi_join_all(own, behind + (tiles << OPI_LOG_TILE), tiles, left & (OPI_TILE - 1), lane, stage, stack,
                 nodes OPI_GIVE_P);
    if (OPI_SELF == 0) out[own->s] = opi_quiet(OPI_CARRY);
}
