/* Segmented reduce by windows: work is divided by segments and elements together, whatever the segments are.
 *
 * Segment s stands at D(s) = s + offsets[s] - offsets[0]: before it are s segments, and their elements.  Window w has the
 * places [w, w + 1) * OPI_TILE, and one work-group.  The work-group reduces
 *
 *   - each segment that begins in its window and has less than OPI_TILE elements: they are copied into local memory
 *     together, and then divided in the same manner among the work-items (staged.cl);
 *   - of a longer segment, each run of OPI_LONG elements (counted from the segment's start) that begins in its window:
 *     at most one run does.  Nodes of runs are told by device memory, and who comes last joins them (long.cl).
 *
 * No work-group waits for another.  opi_window_cuts finds where windows begin; then opi_segment_windows. */

/* Where a window begins. */
typedef struct opi_cut {
    uint64_t s;      /* the first segment that begins in the window or later */
    uint64_t at;     /* its offset */
    uint64_t before; /* the offset of the segment before it, if there is one */
} opi_cut;

/* There are windows + 1 cuts. */
OPI_WHOLE_KERNEL void opi_window_cuts(OPI_PARAM(offsets), const uint64_t segments, const uint64_t windows,
                                      OPI_PARAM(cuts), OPI_PARAM(counts))
{
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const uint64_t w = OPI_GROUP * OPI_W + OPI_SELF, place = w << OPI_LOG_TILE, base = at[0];
    if (w > windows) return;
    uint64_t low = w == windows ? segments : 0, high = place < segments ? place : segments;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle + (at[middle] - base) < place)
            low = middle + 1;
        else
            high = middle;
    }
    opi_cut cut;
    cut.s = low;
    cut.at = at[low];
    cut.before = low > 0 ? at[low - 1] : base;
    OPI_AT(opi_cut, cuts)[w] = cut;
    OPI_AT(uint32_t, counts)[w] = 0;
}

/* A window, and the short segments that begin in it. */
typedef struct opi_window {
    uint64_t s, at;      /* the first segment, and its offset */
    uint32_t segments;   /* short segments */
    uint32_t elements;   /* of them */
    uint32_t last_is_long; /* whether a long segment begins behind them */
} opi_window;

/* Whether a window can be computed with memory that is there: where offsets are wrong, anything may be in the cuts. */
OPI_FUNCTION bool opi_window_of(opi_window *window, const opi_cut *from, const opi_cut *to, uint64_t base,
                                uint64_t largest)
{
    const uint64_t segments = to->s - from->s, last = segments > 0 ? to->before : from->at;
    if (to->s < from->s || segments > OPI_TILE) return false;
    if (from->before < base || from->at < from->before || last < from->at || to->at < last || to->at > largest)
        return false;
    window->s = from->s;
    window->at = from->at;
    window->last_is_long = segments > 0 && to->at - last >= OPI_TILE;
    const uint64_t elements = (window->last_is_long ? last : to->at) - from->at;
    window->segments = (uint32_t)segments - window->last_is_long;
    window->elements = (uint32_t)elements;
    return segments == 0 || elements + window->segments <= 2 * OPI_TILE;
}

/* Reports that the offset of segment s or the next one is wrong. */
OPI_FUNCTION void opi_report(OPI_GLOBAL volatile uint64_t *fault, uint64_t s)
{
    if (fault) *fault = s + 1;
}

#define OPI_WARP 32u
#define OPI_DENSE (OPI_WARP / 2)

/* What the work-items of a group tell each other. */
typedef struct opi_board {
    uint32_t is_wrong, has_units, is_last;
    uint32_t ends[OPI_ENDS];
#if OPI_SPARSE
    uint16_t queue[OPI_W / OPI_WARP][2 * OPI_WARP]; /* of each warp: segments that wait for a work-item */
#endif
} opi_board;

/* Whether segment i has to be reduced by one work-item.  Empty segments are written here; what is wrong, or has units, is
 * told by the board. */
OPI_FUNCTION bool opi_is_direct(const opi_window *window, uint32_t i, OPI_LOCAL const uint32_t *begin,
                                uint32_t empty_allowed, OPI_LOCAL opi_board *board, OPI_GLOBAL opi_t *to,
                                OPI_GLOBAL volatile uint64_t *fault OPI_TAKE_P)
{
    const uint32_t elements = window->elements, from = begin[i], count = begin[i + 1] - from;
    if (from > elements || count > elements - from || (count == 0 && !empty_allowed)) {
        opi_report(fault, window->s + i);
        board->is_wrong = 1;
        return false;
    }
    if (count >= OPI_DIRECT) board->has_units = 1;
    if (count == 0) to[i] = opi_quiet(opi_identity());
    return count > 0 && count < OPI_DIRECT;
}

/* Segments of a few units, each by one work-item.  If OPI_SPARSE is set, a warp looks at OPI_WARP neighbours at once; and if few of
 * them have elements, these wait in a queue until there is one for each work-item. */
OPI_FUNCTION void opi_do_direct(const opi_window *window, const opi_staged *staged, OPI_LOCAL const uint32_t *begin,
                                uint32_t empty_allowed, OPI_LOCAL opi_board *board, OPI_GLOBAL opi_t *to,
                                OPI_GLOBAL volatile uint64_t *fault OPI_TAKE_P)
{
    const uint32_t n = window->segments;
#if !OPI_SPARSE
    for (uint32_t i = OPI_SELF; i < n; i += OPI_W)
        if (opi_is_direct(window, i, begin, empty_allowed, board, to, fault OPI_GIVE_P))
            to[i] = opi_quiet(opi_finish_direct(staged, begin[i], begin[i + 1] - begin[i] OPI_GIVE_P));
#else
    const uint32_t lane = OPI_SELF % OPI_WARP;
    OPI_LOCAL uint16_t *const queue = board->queue[OPI_SELF / OPI_WARP];
    uint32_t held = 0; /* in the queue */
    OPI_ROLLED for (uint32_t first = OPI_SELF - lane; first < n || held > 0; first += OPI_W) {
        uint32_t i = first + lane;
        bool mine = i < n && opi_is_direct(window, i, begin, empty_allowed, board, to, fault OPI_GIVE_P);
        const uint32_t direct = __ballot_sync(0xffffffffu, mine), more = __popc(direct);
        const bool is_dense = more >= OPI_DENSE;
        uint32_t taken = 0; /* from the queue */
        if (!is_dense) {
            if (mine) queue[held + __popc(direct & ((1u << lane) - 1))] = (uint16_t)i;
            __syncwarp();
            held += more;
            if (held >= OPI_WARP || first + OPI_W >= n) taken = held < OPI_WARP ? held : OPI_WARP;
            mine = lane < taken;
            if (mine) i = queue[lane];
        }
        if (mine) to[i] = opi_quiet(opi_finish_direct(staged, begin[i], begin[i + 1] - begin[i] OPI_GIVE_P));
        if (taken == 0) continue;
        held -= taken;
        __syncwarp();
        if (lane < held) queue[lane] = queue[OPI_WARP + lane];
        __syncwarp();
    }
#endif
}

/* The short segments of a window.  First those of a few units, each by one work-item; then the others, if there are
 * any, from the nodes of units. */
OPI_FUNCTION void opi_do_short(const opi_window *window, OPI_GLOBAL const opi_offset *at, OPI_GLOBAL const opi_t *in,
                               uint32_t empty_allowed, OPI_LOCAL uint32_t *stage, OPI_LOCAL opi_board *board,
                               OPI_GLOBAL opi_t *out, OPI_GLOBAL volatile uint64_t *fault OPI_TAKE_P)
{
    const uint32_t n = window->segments, elements = window->elements;
    OPI_LOCAL uint32_t *const begin = OPI_BEGINS(stage, n);
    OPI_GLOBAL const opi_offset *const own = at + window->s;
    OPI_GLOBAL opi_t *const to = out + window->s;
    const opi_staged staged = opi_bring(stage, in + window->at, elements);
    if (OPI_SELF == 0) {
        board->is_wrong = board->has_units = 0;
        begin[n] = elements;
    }
    if (OPI_SELF < OPI_ENDS) board->ends[OPI_SELF] = OPI_NONE;
    _Pragma("unroll 4") for (uint32_t i = OPI_SELF; i < n; i += OPI_W) {
        const uint64_t from = own[i] - window->at;
        begin[i] = from <= elements ? (uint32_t)from : OPI_NONE;
    }
    OPI_COPIES_WAIT(0);
    OPI_BARRIER();
    opi_do_direct(window, &staged, begin, empty_allowed, board, to, fault OPI_GIVE_P);
    OPI_BARRIER();
    if (board->is_wrong || !board->has_units) return;
    opi_find_units(&staged, begin, n, board->ends OPI_GIVE_P);
    for (uint32_t i = OPI_SELF; i < n; i += OPI_W) {
        const uint32_t from = begin[i], count = begin[i + 1] - from;
        if (count < OPI_DIRECT) continue;
        const opi_t none = opi_get(&staged, from);
        to[i] = opi_quiet(opi_finish(&staged, from, (i + from) >> OPI_LOG_E, count, 0, none OPI_GIVE_P));
    }
}

OPI_RESIDENT_KERNEL void opi_segment_windows(OPI_PARAM(in), OPI_PARAM(offsets), const uint64_t origin,
                                          const uint64_t largest, const uint32_t empty_allowed, OPI_PARAM(cuts),
                                          OPI_PARAM(counts), OPI_PARAM(nodes), OPI_PARAM(out),
                                          OPI_PARAM(fault) OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY uint32_t stage[OPI_STAGE_WORDS];
    OPI_LOCAL_MEMORY opi_node stack[OPI_LOG_OWN + 1];
    OPI_LOCAL_MEMORY opi_board board;
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) - origin;
    const opi_cut first = OPI_AT(const opi_cut, cuts)[OPI_GROUP], end = OPI_AT(const opi_cut, cuts)[OPI_GROUP + 1];
    const uint64_t base = at[0];
    opi_window window;
    if (!opi_window_of(&window, &first, &end, base, largest)) {
        if (OPI_SELF == 0) opi_report(OPI_AT(volatile uint64_t, fault), first.s);
        return;
    }
    if (window.segments > 0) {
        opi_do_short(&window, at, from, empty_allowed, stage, &board, OPI_AT(opi_t, out),
                     OPI_AT(volatile uint64_t, fault) OPI_GIVE_P);
        OPI_BARRIER();
    }

    opi_long own;
    own.s = window.last_is_long ? end.s - 1 : first.s - 1;
    own.at = window.last_is_long ? end.before : first.before;
    own.n = (window.last_is_long ? end.at : first.at) - own.at;
    own.window = window.last_is_long ? OPI_GROUP : (own.s + (own.at - base)) >> OPI_LOG_TILE;
    own.run = (OPI_GROUP - own.window) >> OPI_LOG_OWN;
    own.runs = own.n >> OPI_LOG_LONG;
    if (!window.last_is_long && first.s == 0) return;
    if (own.n < OPI_TILE || ((OPI_GROUP - own.window) & (OPI_OWN - 1))) return;
    if (own.run > 0 && own.run >= own.runs) return;
    opi_do_long(&own, from + own.at, lane, stage, stack, &board.is_last, OPI_AT(uint32_t, counts), OPI_AT(opi_node, nodes),
                OPI_AT(opi_t, out) OPI_GIVE_P);
}
