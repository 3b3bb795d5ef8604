/* The range of nodes that is carried from tile to tile: the maximal aligned nodes of [first, end), and for each node
 * its fold, which is the join of all nodes up to it.  See src/task/range.h; the host reads and writes a range as
 * src/gpu/scan/scan.c says. */

typedef struct opi_range {
    uint64_t end;
    uint32_t count;
    uint32_t began; /* whether anything precedes the tiles that are being applied */
    uint8_t level[OPI_IMAGE_NODES];
    uint8_t flag[OPI_IMAGE_NODES];
    uint8_t padding[32];
} opi_range; /* OPI_IMAGE_NODES nodes follow, then as many folds */

#define OPI_RANGE_NODE(range) ((OPI_GLOBAL opi_node *)((range) + 1))
#define OPI_RANGE_FOLD(range) (OPI_RANGE_NODE(range) + OPI_IMAGE_NODES)

/* Appends a node of level `level` at range->end. */
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

/* Returns the level of the largest aligned run that begins at `at` and has at most n > 0 items.  The level is at most
 * OPI_LOG_TILE. */
OPI_FUNCTION uint32_t opi_fit(uint64_t at, uint64_t n)
{
    uint32_t level = 0;
    while (level < OPI_LOG_TILE && !(at >> level & 1) && (uint64_t)2 << level <= n) level++;
    return level;
}

/* What all nodes of the range join to, for the caller, if a result is asked for (`to`). */
OPI_FUNCTION void opi_tell(OPI_GLOBAL opi_range *range, OPI_GLOBAL opi_answer *to)
{
    OPI_BARRIER_ALL();
    if (OPI_SELF == 0) *to = OPI_ANSWER(OPI_RANGE_FOLD(range)[range->count - 1]);
}

/* --- one work-group, tile after tile ------------------------------------------------------------------------------- */

/* One work-group goes over n items, run by run.  This is where it stands. */
typedef struct opi_walk {
    uint64_t at;        /* global index of the next item */
    uint64_t left;      /* items that are left */
    uint32_t has_carry; /* whether OPI_CARRY precedes the next item */
    uint32_t level;     /* level of the next run */
    uint32_t count;     /* items of the next run */
    uint32_t partial;   /* whether the next run is the last one and has fewer than 2^level items */
} opi_walk;

/* Finds the next run.  The last run may be no node, if nobody needs the nodes afterwards: its last result is then P,
 * which stands for the whole range. */
OPI_FUNCTION void opi_walk_next(opi_walk *walk, uint32_t flags)
{
    walk->level = opi_fit(walk->at, walk->left);
    walk->partial = !(flags & OPI_KEEP) && walk->left < OPI_TILE && (walk->at & (OPI_TILE - 1)) == 0;
    walk->count = walk->partial ? (uint32_t)walk->left : 1u << walk->level;
}

/* Each item has 2^base elements. */
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

/* Appends the run's node to the range.  After that, OPI_CARRY is what precedes the next run. */
OPI_FUNCTION void opi_walk_push(const opi_walk *walk, opi_lanes lane, OPI_GLOBAL opi_range *range,
                                uint32_t base OPI_TAKE_P)
{
    if (OPI_SELF == 0 && !walk->partial) {
        opi_push(range, walk->level + base, OPI_TOTAL OPI_GIVE_P);
        OPI_CARRY = OPI_RANGE_FOLD(range)[range->count - 1];
    }
    OPI_BARRIER_ALL();
}

/* Ends a partial run whose results are known: the last result stands for the whole range. */
OPI_FUNCTION void opi_walk_end(const opi_walk *walk, opi_item *item, OPI_GLOBAL opi_range *range, uint32_t base)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
    if (!walk->partial) return;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_N(item->n); j++) {
        if (first + j != walk->count - 1) continue;
        range->end += walk->left << base;
        range->count = 1;
        range->level[0] = OPI_INIT_LEVEL;
        OPI_RANGE_NODE(range)[0] = item->x[j];
        OPI_RANGE_FOLD(range)[0] = item->x[j];
    }
}
