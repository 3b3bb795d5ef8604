/* The canonical tree (docs/tree-v1.md) inside a tile, and the range of nodes that is carried from tile to tile.
 *
 * A tile is 2^OPI_LOG_TILE items: OPI_W work-items have 2^OPI_LOG_E consecutive ones each.  A primitive defines, before
 * this text: opi_node, what is combined, and opi_join(earlier, later). */

#define OPI_E    (1u << OPI_LOG_E)
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

#if OPI_BOUND /* with what every function that joins takes, see bound.cl */
#define opi_join(a, b) opi_join(a, b, bound)
#endif

/* Loops over several elements of a work-item have constant bounds in a GPU's shape, and what they index is to stay in
 * registers. */
#if OPI_LOG_W == 0 || OPI_LOG_E == 0
#define OPI_UNROLL OPI_ROLLED
#else
#define OPI_UNROLL _Pragma("unroll")
#endif

/* --- a run of nodes -------------------------------------------------------------------------------------------------
 * X(i) is the place of node i, i < 2^log_n, and the run is aligned.  On the way up X(m-1), 2^k being the lowest bit set
 * in m, becomes N(k, (m - 2^k) >> k); on the way down it becomes P(m) = P(q) (+) N(k, q >> k), q = m - 2^k.  It is Brent
 * and Kung's network, and the definition word for word. */

#define OPI_UP_LEVEL(X, log_n, k)                                                                                      \
    OPI_UNROLL for (uint32_t i = 0; i < (1u << (log_n)) >> ((k) + 1); i++)                                             \
        X(((2 * i + 2) << (k)) - 1) = opi_join(X(((2 * i + 1) << (k)) - 1), X(((2 * i + 2) << (k)) - 1));

#define OPI_DOWN_LEVEL(X, log_n, k)                                                                                    \
    OPI_UNROLL for (uint32_t i = 1; (2 * i + 1) << (k) < 1u << (log_n); i++)                                           \
        X(((2 * i + 1) << (k)) - 1) = opi_join(X(((2 * i) << (k)) - 1), X(((2 * i + 1) << (k)) - 1));

/* Level by level, so that each loop has constant bounds; 5 levels are the most. */
#define OPI_UP(X, log_n)                                                                                               \
    OPI_UP_LEVEL(X, log_n, 0)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 1)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 2)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 3)                                                                                          \
    OPI_UP_LEVEL(X, log_n, 4)
#define OPI_DOWN(X, log_n)                                                                                             \
    OPI_DOWN_LEVEL(X, log_n, 3)                                                                                        \
    OPI_DOWN_LEVEL(X, log_n, 2)                                                                                        \
    OPI_DOWN_LEVEL(X, log_n, 1)                                                                                        \
    OPI_DOWN_LEVEL(X, log_n, 0)

/* What precedes the run stands before the nodes whose q is 0; `most` is how many of those there are. */
#define OPI_FRONT(X, most, before)                                                                                     \
    OPI_UNROLL for (uint32_t k = 0; k < (most); k++) X((1u << k) - 1) = opi_join(before, X((1u << k) - 1));

/* --- the work-items of a work-group ---------------------------------------------------------------------------------
 * lane[] has a place for each, and two for all to see.  One work-item alone keeps them to itself. */

#define OPI_TOTAL lane[OPI_W]     /* the node of the first `used` work-items, a power of two; the first one sees it */
#define OPI_CARRY lane[OPI_W + 1] /* what precedes the tile, if anything does */

/* What a work-item learns of its neighbours. */
typedef struct opi_place {
    uint32_t has_before; /* whether anything precedes its run, */
    opi_node before;     /* which is this */
    opi_node after;      /* and what precedes the next run */
} opi_place;

#if OPI_LOG_W == 0

#define OPI_LANES(lane) opi_node lane[3];
typedef opi_node *opi_lanes;

OPI_FUNCTION void opi_lanes_up(opi_lanes lane, opi_node own, uint32_t used OPI_TAKE_P) { OPI_TOTAL = own; }

OPI_FUNCTION opi_place opi_lanes_down(opi_lanes lane, uint32_t has_carry OPI_TAKE_P)
{
    opi_place place;
    place.has_before = has_carry;
    place.before = OPI_TOTAL;
    place.after = OPI_TOTAL;
    if (has_carry) {
        place.before = OPI_CARRY;
        place.after = opi_join(OPI_CARRY, OPI_TOTAL);
    }
    return place;
}

#elif OPI_WARP == 32 && OPI_LOG_W >= 5 && OPI_SIZE <= 16

/* A butterfly in each warp: at step k neighbours of 2^k work-items exchange their nodes, and who is on the right keeps
 * what he got for the way down.  The warps, of which there are few, are joined by the first work-item. */
#define OPI_LANES(lane)                                                                                                \
    OPI_LOCAL_MEMORY opi_node lane[OPI_W + 2];                                                                         \
    opi_climb lane##_climb;
typedef OPI_LOCAL opi_node *opi_lanes;
typedef struct opi_climb {
    opi_node left[5];
} opi_climb;

#define OPI_LOG_WARPS  (OPI_LOG_W - 5)
#define OPI_OF_WARP(i) lane[i]

/* Another work-item's node, word by word. */
typedef union opi_words {
    opi_node node;
    uint32_t word[(sizeof(opi_node) + 3) / 4];
} opi_words;

OPI_FUNCTION opi_node opi_neighbour(opi_node node, uint32_t mask)
{
    opi_words x;
    x.word[sizeof x / 4 - 1] = 0;
    x.node = node;
    OPI_UNROLL for (uint32_t i = 0; i < sizeof x / 4; i++) x.word[i] = OPI_SHUFFLE_XOR(x.word[i], mask);
    return x.node;
}

OPI_FUNCTION opi_node opi_next(opi_node node)
{
    opi_words x;
    x.word[sizeof x / 4 - 1] = 0;
    x.node = node;
    OPI_UNROLL for (uint32_t i = 0; i < sizeof x / 4; i++) x.word[i] = OPI_SHUFFLE_DOWN(x.word[i], 1);
    return x.node;
}

#define opi_lanes_up(lane, own, used)      opi_warps_up(lane, &lane##_climb, own, used)
#define opi_lanes_down(lane, has_carry)    opi_warps_down(lane, &lane##_climb, has_carry)

OPI_FUNCTION void opi_warps_up(opi_lanes lane, opi_climb *climb, opi_node own, uint32_t used OPI_TAKE_P)
{
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) {
        if (OPI_SELF == 0 && used == 1u << k) OPI_TOTAL = own;
        climb->left[k] = opi_neighbour(own, 1u << k);
        own = OPI_SELF >> k & 1 ? opi_join(climb->left[k], own) : opi_join(own, climb->left[k]);
    }
    if ((OPI_SELF & 31) == 31) OPI_OF_WARP(OPI_SELF >> 5) = own;
    OPI_BARRIER();
    if (OPI_SELF == 0) {
        OPI_UP(OPI_OF_WARP, OPI_LOG_WARPS)
        if (used >= 32) OPI_TOTAL = OPI_OF_WARP((used >> 5) - 1);
    }
}

OPI_FUNCTION opi_place opi_warps_down(opi_lanes lane, const opi_climb *climb, uint32_t has_carry OPI_TAKE_P)
{
    const uint32_t warp = OPI_SELF >> 5;
    opi_place place;
    if (OPI_SELF == 0) {
        if (has_carry) {
            const opi_node carry = OPI_CARRY;
            OPI_FRONT(OPI_OF_WARP, OPI_LOG_WARPS + 1, carry)
        }
        OPI_DOWN(OPI_OF_WARP, OPI_LOG_WARPS)
    }
    OPI_BARRIER();
    place.has_before = warp > 0 || has_carry;
    place.before = climb->left[0];
    if (place.has_before) place.before = warp > 0 ? OPI_OF_WARP(warp - 1) : OPI_CARRY;
    OPI_UNROLL for (uint32_t up = 0; up < 5; up++) {
        const uint32_t k = 4 - up;
        if (!(OPI_SELF >> k & 1)) continue;
        place.before = place.has_before ? opi_join(place.before, climb->left[k]) : climb->left[k];
        place.has_before = 1;
    }
    place.after = opi_next(place.before);
    if ((OPI_SELF & 31) == 31) place.after = OPI_OF_WARP(warp);
    OPI_BARRIER(); /* what was read here may change now */
    return place;
}

#else

#define OPI_LANES(lane) OPI_LOCAL_MEMORY opi_node lane[OPI_W + 2];
typedef OPI_LOCAL opi_node *opi_lanes;

/* Runs of work-items, each combined by one of them, so that there are few barriers. */
#define OPI_LOG_RUN   (OPI_LOG_W < 4 ? OPI_LOG_W : 4)
#define OPI_LOG_RUNS  (OPI_LOG_W - OPI_LOG_RUN)
#define OPI_IN_RUN(i) lane[(OPI_SELF << OPI_LOG_RUN) + (i)]
#define OPI_OF_RUN(i) lane[(((i) + 1) << OPI_LOG_RUN) - 1]

/* Up from each work-item's node. */
OPI_FUNCTION void opi_lanes_up(opi_lanes lane, opi_node own, uint32_t used OPI_TAKE_P)
{
    lane[OPI_SELF] = own;
    OPI_BARRIER();
    if (OPI_SELF < 1u << OPI_LOG_RUNS) {
        OPI_UP(OPI_IN_RUN, OPI_LOG_RUN)
    }
    OPI_BARRIER();
    if (OPI_SELF == 0) {
        OPI_UP(OPI_OF_RUN, OPI_LOG_RUNS)
        OPI_TOTAL = lane[used - 1];
    }
}

/* Down again. */
OPI_FUNCTION opi_place opi_lanes_down(opi_lanes lane, uint32_t has_carry OPI_TAKE_P)
{
    opi_place place;
    if (OPI_SELF == 0) {
        if (has_carry) {
            const opi_node carry = OPI_CARRY;
            OPI_FRONT(OPI_OF_RUN, OPI_LOG_RUNS + 1, carry)
        }
        OPI_DOWN(OPI_OF_RUN, OPI_LOG_RUNS)
    }
    OPI_BARRIER();
    if (OPI_SELF < 1u << OPI_LOG_RUNS) {
        if (OPI_SELF > 0) {
            const opi_node before = lane[(OPI_SELF << OPI_LOG_RUN) - 1];
            OPI_FRONT(OPI_IN_RUN, OPI_LOG_RUN, before)
        } else if (has_carry) {
            const opi_node before = OPI_CARRY;
            OPI_FRONT(OPI_IN_RUN, OPI_LOG_RUN, before)
        }
        OPI_DOWN(OPI_IN_RUN, OPI_LOG_RUN)
    }
    OPI_BARRIER();
    place.has_before = OPI_SELF > 0 || has_carry;
    place.after = lane[OPI_SELF];
    place.before = place.after;
    if (OPI_SELF > 0)
        place.before = lane[OPI_SELF - 1];
    else if (has_carry)
        place.before = OPI_CARRY;
    return place;
}

#endif

/* --- a work-item's run ---------------------------------------------------------------------------------------------- */

#if OPI_LOG_W == 0

/* A whole tile.  The levels of its tree stand one behind the other, and each is made of its neighbour in a loop over
 * consecutive nodes, which compilers make vectors of: N(k, i) on the way up, P((i + 1) 2^k) on the way down. */
#define OPI_N(size)  (size)
#define OPI_LEVEL(k) (2 * OPI_E - (2 * OPI_E >> (k)))
typedef struct opi_item {
    opi_node x[2 * OPI_E];
    uint32_t n; /* nodes of level 0: OPI_E, or as many as `count` needs, a power of two; a loop that writes to x has a
                   copy of it, because it might be written there, for all that a compiler knows */
} opi_item;

OPI_FUNCTION uint32_t opi_run_size(uint32_t count)
{
    uint32_t n = 1;
    while (n < count) n *= 2;
    return n;
}

OPI_FUNCTION void opi_level_up(const opi_node *OPI_RESTRICT level, opi_node *OPI_RESTRICT above, uint32_t n OPI_TAKE_P)
{
    for (uint32_t i = 0; i < n / 2; i++) above[i] = opi_join(level[2 * i], level[2 * i + 1]);
}

/* What ends node i above ends its right half, and precedes the left half of node i + 1. */
OPI_FUNCTION void opi_level_down(opi_node *OPI_RESTRICT level, const opi_node *OPI_RESTRICT above,
                                 uint32_t n OPI_TAKE_P)
{
    for (uint32_t i = 0; i < n / 2 - 1; i++) {
        const opi_node end = above[i], left = level[2 * i + 2];
        level[2 * i + 1] = end;
        level[2 * i + 2] = opi_join(end, left);
    }
    level[n - 1] = above[n / 2 - 1];
}

/* The node of the run; of its first `count` elements where those are fewer (a power of two then). */
OPI_FUNCTION opi_node opi_item_up(opi_item *item, uint32_t count OPI_TAKE_P)
{
    uint32_t k = 0;
    for (uint32_t n = item->n; n > 1; n /= 2, k++)
        opi_level_up(item->x + OPI_LEVEL(k), item->x + OPI_LEVEL(k + 1), n OPI_GIVE_P);
    for (k = 0; 2u << k <= count;) k++;
    return item->x[OPI_LEVEL(k)];
}

OPI_FUNCTION void opi_item_down(opi_item *item, const opi_place *place OPI_TAKE_P)
{
    uint32_t k = 0;
    while (1u << k < item->n) k++;
    item->x[OPI_LEVEL(k)] = place->after;
    for (uint32_t n = 2; k-- > 0; n *= 2) {
        opi_node *const level = item->x + OPI_LEVEL(k);
        if (place->has_before) level[0] = opi_join(place->before, level[0]);
        opi_level_down(level, item->x + OPI_LEVEL(k + 1), n OPI_GIVE_P);
    }
}

/* The last of `count` results may close a node that is larger than the tile: then it comes from elsewhere. */
OPI_FUNCTION void opi_item_close(opi_item *item, uint32_t count, opi_node last) { item->x[count - 1] = last; }

#else

/* In registers, which constant bounds see to. */
#define OPI_N(size) OPI_E
#define OPI_X(i)    item->x[i]
typedef struct opi_item {
    opi_node x[OPI_E];
    uint32_t n;
} opi_item;

OPI_FUNCTION uint32_t opi_run_size(uint32_t count) { return OPI_E; }

OPI_FUNCTION opi_node opi_item_up(opi_item *item, uint32_t count OPI_TAKE_P)
{
    OPI_UP(OPI_X, OPI_LOG_E)
    opi_node own = item->x[OPI_E - 1];
    if (count < OPI_E)
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
            if (j == count - 1) own = item->x[j];
    return own;
}

OPI_FUNCTION void opi_item_down(opi_item *item, const opi_place *place OPI_TAKE_P)
{
    if (place->has_before) {
        OPI_FRONT(OPI_X, OPI_LOG_E, place->before)
    }
    OPI_DOWN(OPI_X, OPI_LOG_E)
    item->x[OPI_E - 1] = place->after;
}

OPI_FUNCTION void opi_item_close(opi_item *item, uint32_t count, opi_node last)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        if (first + j == count - 1) item->x[j] = last;
}

#endif

/* How many work-items the first `count` elements of a tile keep busy. */
OPI_FUNCTION uint32_t opi_used(uint32_t count) { return count >> OPI_LOG_E ? count >> OPI_LOG_E : 1; }

/* --- the range ------------------------------------------------------------------------------------------------------
 * The maximal aligned nodes of [first, end), with the left fold of each with those before it.  See src/task/range.h; the
 * host reads and writes it as src/gpu/scan/scan.c says. */

typedef struct opi_range {
    uint64_t end;
    uint32_t count;
    uint32_t began; /* whether anything precedes the tiles that are being applied */
    uint8_t level[OPI_IMAGE_NODES];
    uint8_t flag[OPI_IMAGE_NODES];
    uint8_t padding[32];
} opi_range; /* then OPI_IMAGE_NODES nodes, then as many folds */

#define OPI_RANGE_NODE(range) ((OPI_GLOBAL opi_node *)((range) + 1))
#define OPI_RANGE_FOLD(range) (OPI_RANGE_NODE(range) + OPI_IMAGE_NODES)

/* Appends the node of level `level` at range->end. */
OPI_FUNCTION void opi_push(OPI_GLOBAL opi_range *range, uint32_t level, opi_node node OPI_TAKE_P)
{
    const uint64_t start = range->end;
    uint32_t count = range->count;
    range->end = start + ((uint64_t)1 << level);
    while (count > 0 && range->level[count - 1] == level && (start >> level & 1)) {
        count--;
        level++;
        node = opi_join(OPI_RANGE_NODE(range)[count], node);
    }
    range->level[count] = (uint8_t)level;
    OPI_RANGE_NODE(range)[count] = node;
    if (count > 0) node = opi_join(OPI_RANGE_FOLD(range)[count - 1], node);
    OPI_RANGE_FOLD(range)[count] = node;
    range->count = count + 1;
}

/* Level of the largest aligned run that begins at `at` and has at most n > 0 items, OPI_LOG_TILE at most. */
OPI_FUNCTION uint32_t opi_fit(uint64_t at, uint64_t n)
{
    uint32_t level = 0;
    while (level < OPI_LOG_TILE && !(at >> level & 1) && (uint64_t)2 << level <= n) level++;
    return level;
}

/* --- one work-group, tile after tile ------------------------------------------------------------------- */

/* Where a work-group stands that goes over n items from tile to tile. */
typedef struct opi_walk {
    uint64_t at;        /* global index, in items */
    uint64_t left;      /* items */
    uint32_t has_carry; /* whether OPI_CARRY precedes it */
    uint32_t level;     /* of the next run of items, */
    uint32_t count;     /* which are so many, */
    uint32_t partial;   /* or fewer than 2^level at the very end */
} opi_walk;

/* The run that comes next.  At the end, and if nobody asks for the nodes, one that is no node: what it ends in is P. */
OPI_FUNCTION void opi_walk_next(opi_walk *walk, uint32_t flags)
{
    walk->level = opi_fit(walk->at, walk->left);
    walk->partial = !(flags & OPI_KEEP) && walk->left < OPI_TILE && (walk->at & (OPI_TILE - 1)) == 0;
    walk->count = walk->partial ? (uint32_t)walk->left : 1u << walk->level;
}

/* items: each of 2^base elements. */
OPI_FUNCTION void opi_walk_begin(opi_walk *walk, opi_lanes lane, OPI_GLOBAL opi_range *range, uint64_t first, uint64_t n,
                                 uint32_t base, uint32_t flags)
{
    walk->left = n;
    walk->at = (flags & OPI_FRESH ? first : range->end) >> base;
    walk->has_carry = !(flags & OPI_FRESH) && range->count > 0;
    OPI_BARRIER_ALL();
    if (OPI_SELF == 0) {
        if (flags & OPI_FRESH) {
            range->end = first;
            range->count = 0;
        }
        if (walk->has_carry) OPI_CARRY = OPI_RANGE_FOLD(range)[range->count - 1];
        if (!(flags & OPI_LATER)) range->began = walk->has_carry;
    }
}

/* Puts the run's node into the range; OPI_CARRY is then what precedes the next one. */
OPI_FUNCTION void opi_walk_push(const opi_walk *walk, opi_lanes lane, OPI_GLOBAL opi_range *range,
                                uint32_t base OPI_TAKE_P)
{
    if (OPI_SELF == 0 && !walk->partial) {
        opi_push(range, walk->level + base, OPI_TOTAL OPI_GIVE_P);
        OPI_CARRY = OPI_RANGE_FOLD(range)[range->count - 1];
    }
    OPI_BARRIER_ALL();
}

/* After the results of a partial run are known: what it ends in stands for the range. */
OPI_FUNCTION void opi_walk_end(const opi_walk *walk, opi_item *item, OPI_GLOBAL opi_range *range, uint32_t base)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
    if (!walk->partial) return;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_N(item->n); j++) {
        if (first + j != walk->count - 1) continue;
        range->end += walk->left << base;
        range->count = 1;
        range->level[0] = 255;
        OPI_RANGE_NODE(range)[0] = item->x[j];
        OPI_RANGE_FOLD(range)[0] = item->x[j];
    }
}
