/* A filter in one pass, or a select: each element is read once, and each kept one written once, or its index, or the
 * length of the run that begins with it, or several of these.
 *
 *   OPI_SELECTS      1: a select, whose kernel has further outputs: indices, lengths, and the number of kept elements
 *   OPI_HEADS        1: elements with which runs begin are kept (heads.cl); 0: those that a predicate keeps (kept.cl)
 *   OPI_PICKED       1: kept elements are written
 *   OPI_INDEX_BYTES  bytes of an index or of a length; 0: neither is written
 *   OPI_INDICES      1: indices are written
 *   OPI_LENGTHS      1: lengths of runs are written
 *
 * Groups stay and go from tile to tile, as in a scan (pipeline.cl).  What they tell each other of a tile is how many of
 * its elements are kept, and, if lengths are written, which is the last of these (ends.cl).  The roles of a group's
 * warps:
 *
 *     feed    copies tiles into the ring, some stages ahead (ring.cl); or, if OPI_MAKES, the role make (make.cl)
 *     count   counts a tile's kept elements, and publishes their number
 *     carry   finds how many are kept before each part of a tile
 *     sieve   OPI_PARTS warps, one for each part: puts its kept elements side by side, then out; OPI_TEAMS such teams
 *             take tiles in turn
 *
 * A tile is written when the numbers of all tiles before it are known, which are in the rings of their groups by then.
 * So out may begin at `in` or before it: what is written over has been read.
 *
 * The length of a run is known where the next run begins.  Who finds that element writes the length, however many tiles
 * lie between; the last run ends with the last tile. */

#define OPI_PART_ITEMS   (OPI_PART_BYTES / OPI_SIZE)
#define OPI_PART_INDICES (OPI_PART_ITEMS * OPI_INDEX_BYTES) /* bytes */
/* Room for what is written of a part, side by side; it begins as far beyond 16 bytes as in the array of the result.
 * Before it there are 16 bytes more, with one index, if lengths are made of indices. */
#define OPI_HEAP_BYTES   ((OPI_PART_INDICES > OPI_PART_BYTES ? OPI_PART_INDICES : OPI_PART_BYTES) + 32)

#if OPI_INDEX_BYTES == 8
typedef uint64_t opi_index;
#else
typedef uint32_t opi_index;
#endif

/* --- nodes --------------------------------------------------------------------------------------------------------- */

/* What a warp finds of a part or a tile: how many are kept, and, if lengths are written, the place of the last of them. */
typedef struct opi_tally {
    uint32_t kept;
#if OPI_LENGTHS
    uint32_t last; /* in the tile; 0: perhaps none is kept */
#endif
} opi_tally;

#if OPI_LENGTHS
#define OPI_KEPT(node) ((node).kept)

/* first: the index of the tile's first element. */
OPI_FUNCTION opi_node opi_make_node(opi_tally tally, uint64_t first)
{
    opi_node node;
    node.kept = tally.kept;
    node.last = tally.kept > 0 ? (opi_end)(first + tally.last) : 0;
    return node;
}

OPI_FUNCTION opi_node opi_none(void)
{
    opi_node node;
    node.kept = node.last = 0;
    return node;
}

OPI_FUNCTION opi_tally opi_tally_of_all(opi_tally own)
{
    own.kept = __reduce_add_sync(0xffffffffu, own.kept);
    own.last = __reduce_max_sync(0xffffffffu, own.last);
    return own;
}

/* Joins the nodes of work-items 0 .. lane, if they are those of parts of one tile. */
OPI_FUNCTION opi_node opi_join_up_to(const opi_pipe *pipe, opi_node own)
{
    OPI_UNROLL for (uint32_t by = 1; by <= OPI_PARTS; by *= 2) {
        opi_node left;
        left.kept = __shfl_up_sync(0xffffffffu, own.kept, by);
        left.last = __shfl_up_sync(0xffffffffu, own.last, by);
        if (pipe->lane >= by) own = opi_join(left, own);
    }
    return own;
}

/* Makes of what opi_join_up_to gives what precedes this work-item's node. */
OPI_FUNCTION opi_node opi_before_own(const opi_pipe *pipe, opi_node up_to, opi_node own)
{
    const opi_end left = __shfl_up_sync(0xffffffffu, up_to.last, 1);
    up_to.kept -= own.kept;
    up_to.last = pipe->lane > 0 ? left : 0;
    return up_to;
}
#else
#define OPI_KEPT(node) (node)

OPI_FUNCTION opi_node opi_make_node(opi_tally tally, uint64_t first) { return tally.kept; }
OPI_FUNCTION opi_node opi_none(void) { return 0; }

OPI_FUNCTION opi_tally opi_tally_of_all(opi_tally own)
{
    own.kept = __reduce_add_sync(0xffffffffu, own.kept);
    return own;
}

OPI_FUNCTION opi_node opi_join_up_to(const opi_pipe *pipe, opi_node node)
{
    uint32_t own = (uint32_t)node;
    OPI_UNROLL for (uint32_t by = 1; by <= OPI_PARTS; by *= 2) {
        const uint32_t left = __shfl_up_sync(0xffffffffu, own, by);
        if (pipe->lane >= by) own += left;
    }
    return own;
}

OPI_FUNCTION opi_node opi_before_own(const opi_pipe *pipe, opi_node up_to, opi_node own) { return up_to - own; }
#endif

/* Joins a warp's nodes, in every work-item. */
OPI_FUNCTION opi_node opi_join_all(opi_node own)
{
#if OPI_LENGTHS && OPI_INDEX_BYTES == 4
    own.kept = __reduce_add_sync(0xffffffffu, own.kept);
    own.last = __reduce_max_sync(0xffffffffu, own.last);
#else
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) own = opi_join(own, opi_node_across(own, 1u << k));
#endif
    return own;
}

/* --- elements ------------------------------------------------------------------------------------------------------ */

/* The warp's runs of a line, and the element before them. */
typedef struct opi_lines_part {
    opi_line run;
#if OPI_HEADS
    opi_t before;
#endif
} opi_lines_part;

/* Reads the run that begins at byte `at` of the tile in stage s.  aligned: as opi_line_at has it. */
OPI_FUNCTION opi_lines_part opi_lines_part_at(const opi_pipe *pipe, uint32_t s, uint32_t at, bool aligned)
{
    opi_lines_part own;
    own.run = opi_line_at(pipe, s, at, aligned);
#if OPI_HEADS
    own.before = *(const opi_t *)(pipe->stages + s * OPI_STAGE_BYTES + pipe->skew + at - pipe->lane * OPI_RUN_BYTES - OPI_SIZE);
#endif
    return own;
}

#if OPI_HEADS
/* The last bytes of a run, as words that go from lane to lane. */
typedef union opi_tail {
    uint32_t word[2];
    opi_t x[8 / OPI_SIZE];
} opi_tail;

/* The element before the work-item's run. */
OPI_FUNCTION opi_t opi_left_of(const opi_pipe *pipe, const opi_lines_part *own)
{
    opi_tail tail;
    OPI_UNROLL for (uint32_t k = 0; k < 8 / OPI_SIZE; k++) tail.x[k] = own->run.x[OPI_E - 8 / OPI_SIZE + k];
    OPI_UNROLL for (uint32_t k = OPI_SIZE == 8 ? 0 : 1; k < 2; k++)
        tail.word[k] = __shfl_up_sync(0xffffffffu, tail.word[k], 1);
    return pipe->lane == 0 ? own->before : tail.x[8 / OPI_SIZE - 1];
}

/* Which elements of the work-item's run are kept, as bits, if the run is whole. */
OPI_FUNCTION uint32_t opi_kept_of_whole(const opi_pipe *pipe, const opi_lines_part *own, const opi_p p)
{
    uint32_t mask = 0;
    opi_t left = opi_left_of(pipe, own);
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) {
        if (opi_differ(left, own->run.x[e], p)) mask |= 1u << e;
        left = own->run.x[e];
    }
    return mask;
}
#else
OPI_FUNCTION uint32_t opi_kept_of_whole(const opi_pipe *pipe, const opi_lines_part *own, const opi_p p)
{
    uint32_t mask = 0;
    OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
        if (OPI_KEEPS(own->run.x[e], p, 0)) mask |= 1u << e;
    return mask;
}
#endif

/* The same of any run, which begins at byte `at` of tile i, of `length` bytes.  plain: no run of the tile is special. */
OPI_FUNCTION uint32_t opi_kept_of(const opi_pipe *pipe, const opi_lines_part *own, uint32_t i, uint32_t at,
                                  uint32_t length, bool plain, const opi_p p)
{
    uint32_t mask = opi_kept_of_whole(pipe, own, p);
    if (plain) return mask;
    if (OPI_HEADS && i == 0 && at == 0) mask |= 1;
    if (at + OPI_RUN_BYTES > length) mask &= at < length ? (1u << (length - at) / OPI_SIZE) - 1 : 0;
    return mask;
}

/* Whether all runs of a tile are whole, lie at multiples of 16 bytes, and follow others.  Loops over its runs are written for
 * such a tile, and for any: what each run needs not ask is much of its work. */
OPI_FUNCTION bool opi_is_plain(const opi_pipe *pipe, uint32_t i, uint32_t length)
{
    return pipe->skew == 0 && length == OPI_TILE_BYTES && !(OPI_HEADS && i == 0);
}

/* --- the role count ------------------------------------------------------------------------------------------------ */

/* What is kept of a part of tile i, in every work-item.  The tile has `length` bytes.  plain is a constant. */
OPI_FUNCTION opi_tally opi_count_part(const opi_pipe *pipe, uint32_t s, uint32_t i, uint32_t part, uint32_t length,
                                      bool plain, const opi_p p)
{
    opi_tally all = {0};
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        const uint32_t at = part * OPI_PART_BYTES + j * OPI_LINE_BYTES + pipe->lane * OPI_RUN_BYTES;
        const opi_lines_part own = opi_lines_part_at(pipe, s, at, plain || pipe->skew == 0);
        const uint32_t mask = opi_kept_of(pipe, &own, i, at, length, plain, p);
        all.kept += __popc(mask);
#if OPI_LENGTHS
        if (mask) all.last = at / OPI_SIZE + 31 - __clz(mask);
#endif
    }
    return opi_tally_of_all(all);
}

/* The same of part k, in work-item k. */
OPI_FUNCTION opi_tally opi_count_parts(const opi_pipe *pipe, uint32_t s, uint32_t i, uint32_t length, bool plain,
                                       const opi_p p)
{
    opi_tally own = {0};
    _Pragma("unroll 2") for (uint32_t part = 0; part < OPI_PARTS; part++) {
        const opi_tally all = opi_count_part(pipe, s, i, part, length, plain, p);
        if (pipe->lane == part) own = all;
    }
    return own;
}

/* One of OPI_REDUCE_WARPS warps. */
OPI_FUNCTION void opi_count(const opi_pipe *pipe, uint32_t warp, const opi_p p)
{
    opi_ring *const ring = pipe->ring;
    for (uint32_t k = warp, i; (i = opi_tile_at(pipe, k)) < pipe->tiles;
         k += OPI_REDUCE_WARPS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES, length = opi_length(pipe, i);
        if (!opi_wait(pipe, &ring->full[s], phase)) return;
        if (!opi_wait_before(pipe, &ring->carried[s], phase)) return;
        const opi_tally own = opi_is_plain(pipe, i, length) ? opi_count_parts(pipe, s, i, length, true, p)
                                                            : opi_count_parts(pipe, s, i, length, false, p);
        const uint64_t first = (uint64_t)i * OPI_TILE;
        if (pipe->lane < OPI_PARTS) ring->part[s][pipe->lane] = opi_words_of(opi_make_node(own, first));
        const opi_node sum = opi_make_node(opi_tally_of_all(own), first);
        if (pipe->lane == 0 && !OPI_IS_SILENT(i)) opi_publish(pipe, 0, i, sum);
        opi_arrive(pipe, &ring->empty[s]);
        opi_arrive(pipe, &ring->summed[s]);
        if (!opi_close(pipe, i, sum)) return;
    }
}

/* --- the role carry ------------------------------------------------------------------------------------------------ */

/* What is kept before tile i.  Nodes are joined in any order. */
OPI_FUNCTION bool opi_kept_before(const opi_pipe *pipe, uint32_t i, opi_node *before)
{
    opi_look look[OPI_PIPE_LEVELS];
    opi_node own = opi_none();
    if (!opi_listen(pipe, i, look)) return false;
    OPI_UNROLL for (uint32_t level = 0; level < OPI_PIPE_LEVELS; level++)
        own = opi_join(own, opi_seen(pipe, level, i >> 5 * level, i >> 5 * level & 31, &look[level], opi_none()));
    *before = opi_join(pipe->ring->old[0].node, opi_join_all(own));
    return true;
}

OPI_FUNCTION void opi_write_count(opi_range *range, uint64_t end, opi_node kept)
{
    range->end = end;
    range->count = 1; /* for a count no other nodes are needed */
    range->level[0] = OPI_INIT_LEVEL;
    OPI_RANGE_NODE(range)[0] = kept;
    OPI_RANGE_FOLD(range)[0] = kept;
}

#define OPI_LAST_LANE (OPI_PARTS < 32 ? OPI_PARTS : 31) /* of those that have parts, or the one behind them */

/* What a select writes beside elements. */
typedef struct opi_outputs {
    uint64_t *result; /* where the number of all kept elements is wanted, too, or NULL */
    opi_index *indices, *lengths;
} opi_outputs;

/* Writes what is known when the last tile is.  end: index of the item behind the launch; all: all that is kept. */
OPI_FUNCTION void opi_write_end(opi_range *range, uint64_t end, opi_node all, const opi_outputs *outputs)
{
    opi_write_count(range, end, all);
    if (outputs->result) *outputs->result = OPI_KEPT(all);
#if OPI_LENGTHS
    outputs->lengths[(uint64_t)all.kept - 1] = (opi_index)end - all.last;
#endif
}

/* One of OPI_CARRY_WARPS warps. */
OPI_FUNCTION void opi_carry(const opi_pipe *pipe, uint32_t warp, opi_range *range, uint64_t end,
                            const opi_outputs *outputs)
{
    opi_ring *const ring = pipe->ring;
    for (uint32_t k = warp, i; (i = opi_tile_at(pipe, k)) < pipe->tiles;
         k += OPI_CARRY_WARPS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES;
        opi_node before;
        if (!opi_kept_before(pipe, i, &before)) return;
        if (!opi_wait(pipe, &ring->summed[s], phase)) return;
        const opi_node part = pipe->lane < OPI_PARTS ? ring->part[s][pipe->lane].node : opi_none();
        const opi_node up_to = opi_join_up_to(pipe, part), own = opi_before_own(pipe, up_to, part);
        if (!opi_wait_before(pipe, &ring->used[s], phase)) return;
        if (pipe->lane <= OPI_LAST_LANE) ring->before[s][pipe->lane] = opi_words_of(opi_join(before, own));
        opi_arrive(pipe, &ring->carried[s]);
        if (i == pipe->tiles - 1 && pipe->lane == OPI_LAST_LANE)
            opi_write_end(range, end, opi_join(before, up_to), outputs);
    }
}

/* --- the role sieve ------------------------------------------------------------------------------------------------ */

/* A warp's part of a tile: each line is 32 runs, one of each work-item. */
typedef struct opi_part {
    opi_lines_part line[OPI_LINES];
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
            if (part->mask[j] >> e & 1) *to++ = part->line[j].run.x[e];
    }
}

#if OPI_INDEX_BYTES > 0
/* The same with their indices; the part begins with element `first`. */
OPI_FUNCTION void opi_heap_up_indices(const opi_pipe *pipe, const opi_part *part, uint64_t first, opi_index *heap)
{
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        opi_index *to = heap + part->place[j], own = (opi_index)(first + (j * 32 + pipe->lane) * OPI_E);
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++)
            if (part->mask[j] >> e & 1) *to++ = own + e;
    }
}
#endif

/* Copies `unit` bytes, a power of two up to 16. */
OPI_FUNCTION void opi_copy_unit(unsigned char *to, const unsigned char *from, uint32_t unit)
{
    if (unit == 1) *to = *from;
    if (unit == 2) *(uint16_t *)to = *(const uint16_t *)from;
    if (unit == 4) *(uint32_t *)to = *(const uint32_t *)from;
    if (unit == 8) *(uint64_t *)to = *(const uint64_t *)from;
    if (unit == 16) *(opi_vector *)to = *(const opi_vector *)from;
}

#define OPI_ROUND_VECTORS (OPI_LINES * OPI_RUN_VECTORS) /* that a work-item moves at once */

/* Writes what is in the heap from byte `lead` to byte `end`; byte 0 belongs at `to`, a multiple of 16 bytes.  Whole vectors are
 * from `first` to `last`.  unit: bytes of which items consist; rounds: so many are enough; both are constants. */
OPI_FUNCTION void opi_pour(const opi_pipe *pipe, unsigned char *to, const unsigned char *heap, uint32_t lead, uint32_t end,
                           uint32_t unit, uint32_t rounds)
{
    const uint32_t first = lead > 0 ? 16 : 0, last = end & ~15u;
    const uint32_t head = lead + pipe->lane * unit, tail = last + pipe->lane * unit;
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t begin = first + round * OPI_ROUND_VECTORS * 512 + pipe->lane * 16;
        opi_vector v[OPI_ROUND_VECTORS];
        OPI_UNROLL for (uint32_t j = 0; j < OPI_ROUND_VECTORS; j++)
            if (begin + j * 512 < last) v[j] = *(const opi_vector *)(heap + begin + j * 512);
        OPI_UNROLL for (uint32_t j = 0; j < OPI_ROUND_VECTORS; j++)
            if (begin + j * 512 < last) __stcs((opi_vector *)(to + begin + j * 512), v[j]);
    }
    if (head < first && head < end) opi_copy_unit(to + head, heap + head, unit);
    if (last >= first && tail < end) opi_copy_unit(to + tail, heap + tail, unit);
}

/* Bytes from a multiple of 16 to p. */
OPI_FUNCTION uint32_t opi_beyond(const void *p) { return (uint32_t)(unsigned long)p & 15; }

OPI_FUNCTION void opi_write_kept(const opi_pipe *pipe, const opi_part *part, uint64_t before, unsigned char *heap)
{
    unsigned char *const to = pipe->out + before * OPI_SIZE;
    const uint32_t lead = opi_beyond(to);
    opi_heap_up(part, (opi_t *)(heap + lead));
    __syncwarp();
    opi_pour(pipe, to - lead, heap, lead, lead + part->kept * OPI_SIZE, OPI_UNIT, 1);
    __syncwarp(); /* the heap is free again */
}

#if OPI_INDICES
OPI_FUNCTION void opi_write_indices(const opi_pipe *pipe, const opi_part *part, uint64_t first, opi_index *to,
                                    unsigned char *heap)
{
    const uint32_t lead = opi_beyond(to), most = OPI_ROUND_VECTORS * 512;
    opi_heap_up_indices(pipe, part, first, (opi_index *)(heap + lead));
    __syncwarp();
    opi_pour(pipe, (unsigned char *)to - lead, heap, lead, lead + part->kept * OPI_INDEX_BYTES, OPI_INDEX_BYTES,
             (OPI_PART_INDICES + most - 1) / most);
    __syncwarp();
}
#endif

#if OPI_LENGTHS
#define OPI_VECTOR_INDICES (16 / OPI_INDEX_BYTES)
typedef union opi_indices {
    opi_vector v;
    opi_index x[OPI_VECTOR_INDICES];
} opi_indices;

/* The index at byte `at` of the heap less the one before it. */
OPI_FUNCTION opi_index opi_length_at(const unsigned char *heap, uint32_t at)
{
    const opi_index *const own = (const opi_index *)(heap + at);
    return own[0] - own[-1];
}

/* As opi_pour, of each index less the one before it. */
OPI_FUNCTION void opi_pour_lengths(const opi_pipe *pipe, unsigned char *to, const unsigned char *heap, uint32_t lead,
                                   uint32_t end)
{
    const uint32_t first = lead > 0 ? 16 : 0, last = end & ~15u;
    const uint32_t head = lead + pipe->lane * OPI_INDEX_BYTES, tail = last + pipe->lane * OPI_INDEX_BYTES;
    for (uint32_t begin = first + pipe->lane * 16; begin < last; begin += OPI_ROUND_VECTORS * 512) {
        opi_indices own[OPI_ROUND_VECTORS];
        opi_index left[OPI_ROUND_VECTORS];
        OPI_UNROLL for (uint32_t j = 0; j < OPI_ROUND_VECTORS; j++) {
            if (begin + j * 512 >= last) continue;
            own[j].v = *(const opi_vector *)(heap + begin + j * 512);
            left[j] = *(const opi_index *)(heap + begin + j * 512 - OPI_INDEX_BYTES);
        }
        OPI_UNROLL for (uint32_t j = 0; j < OPI_ROUND_VECTORS; j++) {
            if (begin + j * 512 >= last) continue;
            OPI_UNROLL for (uint32_t k = OPI_VECTOR_INDICES - 1; k > 0; k--) own[j].x[k] -= own[j].x[k - 1];
            own[j].x[0] -= left[j];
            __stcs((opi_vector *)(to + begin + j * 512), own[j].v);
        }
    }
    if (head < first && head < end) *(opi_index *)(to + head) = opi_length_at(heap, head);
    if (last >= first && tail < end) *(opi_index *)(to + tail) = opi_length_at(heap, tail);
}

/* Writes the lengths of the runs that end where those of the part begin: one place before these.  Nothing ends before the
 * very first run. */
OPI_FUNCTION void opi_write_lengths(const opi_pipe *pipe, const opi_part *part, uint64_t first, opi_node before,
                                    opi_index *lengths, unsigned char *heap)
{
    opi_index *const to = lengths - 1 + before.kept;
    const uint32_t lead = opi_beyond(to), begin = before.kept > 0 ? lead : lead + OPI_INDEX_BYTES;
    opi_index *const indices = (opi_index *)(heap + lead);
    opi_heap_up_indices(pipe, part, first, indices);
    if (pipe->lane == 0) indices[-1] = before.last;
    __syncwarp();
    opi_pour_lengths(pipe, (unsigned char *)to - lead, heap, begin, lead + part->kept * OPI_INDEX_BYTES);
    __syncwarp();
}
#endif

#if OPI_LENGTHS
/* The index of the kept element before those of this work-item's run of line j, in a part that begins with element
 * `first`.  last: the same of the whole line; it becomes that of the next one. */
OPI_FUNCTION opi_index opi_last_before(const opi_pipe *pipe, const opi_part *part, uint32_t j, uint64_t first, opi_index *last)
{
    const uint32_t keep = __ballot_sync(0xffffffffu, part->mask[j] != 0), below = keep & (1u << pipe->lane) - 1;
    const opi_index own = (opi_index)(first + (j * 32 + pipe->lane) * OPI_E) + 31 - __clz(part->mask[j]);
    const opi_index left = __shfl_sync(0xffffffffu, own, 31 - __clz(below)), before = below ? left : *last;
    const opi_index next = __shfl_sync(0xffffffffu, own, 31 - __clz(keep));
    if (keep) *last = next;
    return before;
}
#endif

/* Where few elements are kept, each work-item writes its own ones. */
#define OPI_FEW_KEPT (OPI_PART_ITEMS / 16)
OPI_FUNCTION void opi_write_few(const opi_pipe *pipe, const opi_part *part, opi_node before, uint64_t first,
                                const opi_outputs *outputs)
{
#if OPI_LENGTHS
    opi_index last = before.last;
#endif
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) {
        uint64_t to = OPI_KEPT(before) + part->place[j];
        const opi_index own = (opi_index)(first + (j * 32 + pipe->lane) * OPI_E);
#if OPI_LENGTHS
        opi_index left = opi_last_before(pipe, part, j, first, &last);
#endif
        if (part->mask[j] == 0) continue;
        OPI_UNROLL for (uint32_t e = 0; e < OPI_E; e++) {
            if (!(part->mask[j] >> e & 1)) continue;
            if (OPI_PICKED) ((opi_t *)pipe->out)[to] = part->line[j].run.x[e];
            if (OPI_INDICES) outputs->indices[to] = own + e;
#if OPI_LENGTHS
            if (to > 0) outputs->lengths[to - 1] = own + e - left;
            left = own + e;
#endif
            to++;
        }
    }
}

/* A warp of a team: it has parts `warp`, warp + OPI_TEAM, ... of each of the team's tiles. */
OPI_FUNCTION void opi_sieve_tiles(const opi_pipe *pipe, uint32_t team, uint32_t warp, const opi_outputs *outputs,
                                  const opi_p p)
{
    opi_ring *const ring = pipe->ring;
    unsigned char *const heap = pipe->stages + OPI_STAGES * OPI_STAGE_BYTES + (team * OPI_TEAM + warp) * OPI_HEAP_BYTES + 16;
    for (uint32_t k = team, i; (i = opi_tile_at(pipe, k)) < pipe->tiles; k += OPI_TEAMS) {
        const uint32_t s = k % OPI_STAGES, phase = k / OPI_STAGES, length = opi_length(pipe, i);
        const bool plain = opi_is_plain(pipe, i, length);
        if (!opi_wait(pipe, &ring->full[s], phase)) return;
        OPI_ROLLED for (uint32_t turn = 0; turn < OPI_TURNS; turn++) {
            const uint32_t which = turn * OPI_TEAM + warp;
            const uint32_t at = which * OPI_PART_BYTES + pipe->lane * OPI_RUN_BYTES;
            opi_part part;
            if (plain)
                OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++)
                    part.line[j] = opi_lines_part_at(pipe, s, at + j * OPI_LINE_BYTES, true);
            else
                OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++)
                    part.line[j] = opi_lines_part_at(pipe, s, at + j * OPI_LINE_BYTES, pipe->skew == 0);
            if (turn == OPI_TURNS - 1) opi_arrive(pipe, &ring->empty[s]);
            OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++)
                part.mask[j] = opi_kept_of(pipe, &part.line[j], i, at + j * OPI_LINE_BYTES, length, plain, p);
            opi_find_places(pipe, &part);

            if (turn == 0 && !opi_wait(pipe, &ring->carried[s], phase)) return;
            const opi_node before = ring->before[s][which].node;
            if (turn == OPI_TURNS - 1) opi_arrive(pipe, &ring->used[s]);
            const uint64_t first = (uint64_t)i * OPI_TILE + which * OPI_PART_ITEMS;
            if (part.kept <= OPI_FEW_KEPT) {
                opi_write_few(pipe, &part, before, first, outputs);
                continue;
            }
            if (OPI_PICKED) opi_write_kept(pipe, &part, OPI_KEPT(before), heap);
#if OPI_INDICES
            opi_write_indices(pipe, &part, first, outputs->indices + OPI_KEPT(before), heap);
#endif
#if OPI_LENGTHS
            opi_write_lengths(pipe, &part, first, before, outputs->lengths, heap);
#endif
        }
    }
}

/* --- the kernel ---------------------------------------------------------------------------------------------------- */

#if OPI_SELECTS
#define OPI_SELECT_PARAMS , OPI_PARAM(index), OPI_PARAM(length), OPI_PARAM(result)
#define OPI_SELECT_OUTPUTS(to)                                                                                         \
    (to).result = OPI_GIVEN(result) ? OPI_AT(uint64_t, result) : 0;                                                    \
    (to).indices = OPI_AT(opi_index, index);                                                                           \
    (to).lengths = OPI_AT(opi_index, length);
#else
#define OPI_SELECT_PARAMS
#define OPI_SELECT_OUTPUTS(to) (to).result = 0;
#endif

/* Filters `bytes` bytes; out: where the first kept element of all launches belongs. */
OPI_PIPE_KERNEL void opi_sieve(OPI_PARAM(in) OPI_MORE_PARAMS, OPI_PARAM(out), OPI_PARAM(range), OPI_PARAM(states), OPI_PARAM(fault),
                               const uint64_t places OPI_DEALT_PARAM, const uint64_t bytes, const uint64_t first,
                               const uint32_t flags, OPI_PARAM(param) OPI_SELECT_PARAMS)
{
    extern __shared__ __align__(128) unsigned char opi_stages[];
    OPI_LOCAL_MEMORY opi_ring ring;
    const uint32_t warp = OPI_SELF / 32;
    opi_range *const carried = OPI_AT(opi_range, range);
    OPI_SOURCE(0)
    opi_pipe pipe = opi_pipe_of(&ring, opi_stages + OPI_STAGE_LEAD, OPI_AT(const unsigned char, in), bytes, OPI_AT(unsigned char, out),
                                OPI_AT(uint64_t, states), OPI_AT(uint32_t, fault));
    const uint64_t end = (flags & OPI_FRESH ? first : carried->end) + bytes / OPI_SIZE;
    opi_outputs outputs;
    OPI_SELECT_OUTPUTS(outputs)
    OPI_TAKE_DEALT(&pipe)
    if (OPI_SELF == 0) /* the one node that precedes the launch */
        ring.old[0] = opi_words_of(flags & OPI_FRESH || carried->count == 0
                                       ? opi_none()
                                       : OPI_RANGE_FOLD(carried)[carried->count - 1]);
    opi_meet(&pipe);

    if (warp < OPI_WRITE_WARPS)
        opi_sieve_tiles(&pipe, warp / OPI_TEAM, warp % OPI_TEAM, &outputs, OPI_READ(param));
    else if (warp < OPI_WRITE_WARPS + OPI_REDUCE_WARPS)
        opi_count(&pipe, warp - OPI_WRITE_WARPS, OPI_READ(param));
    else if (warp < OPI_WRITE_WARPS + OPI_REDUCE_WARPS + OPI_CARRY_WARPS)
        opi_carry(&pipe, warp - OPI_WRITE_WARPS - OPI_REDUCE_WARPS, carried, end, &outputs);
    else
        OPI_FILL(&pipe, source, warp - OPI_WRITE_WARPS - OPI_REDUCE_WARPS - OPI_CARRY_WARPS);
    opi_finish(&pipe, places);
}
