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
 * No work-group waits for another.  opi_window_cuts finds where windows begin; then opi_segment_windows.
 *
 * OPI_DEALT: several accelerators share the work (gpu/deal.h).  Each finds all windows, lists those whose elements begin in its
 * own pages, and does these.  Nodes of runs are told by memory of accelerator 0, which has set the counts to 0. */

#if OPI_DEALT
#define OPI_LIST_PARAM  , OPI_PARAM(list)
#define OPI_SETS_COUNTS (pages.own == 0)

/* The windows of this accelerator, in any order. */
typedef struct opi_list {
    uint32_t count, none[3];
    uint32_t window[1]; /* as many as there are */
} opi_list;

OPI_WHOLE_KERNEL void opi_begin_list(OPI_PARAM(list))
{
    if (OPI_SELF == 0) OPI_AT(opi_list, list)->count = 0;
}

/* Lists window w, if it is `wanted`.  All work-items of a warp come here together. */
OPI_FUNCTION void opi_list_window(opi_list *list, uint64_t w, bool wanted)
{
    const uint32_t all = __ballot_sync(0xffffffffu, wanted), lane = OPI_SELF % 32;
    uint32_t first = 0;
    if (lane == 0 && all) first = atomicAdd(&list->count, (uint32_t)__popc(all));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (wanted) list->window[first + __popc(all & ((1u << lane) - 1))] = (uint32_t)w;
}
#else
#define OPI_LIST_PARAM
#define OPI_SETS_COUNTS 1
#endif

/* Where a window begins. */
typedef struct opi_cut {
    uint64_t s;      /* the first segment that begins in the window or later */
    uint64_t at;     /* its offset */
    uint64_t before; /* the offset of the segment before it, if there is one */
} opi_cut;

OPI_FUNCTION opi_cut opi_cut_at(OPI_GLOBAL const opi_offset *at, uint64_t base, uint64_t w, uint64_t segments,
                                uint64_t windows)
{
    const uint64_t place = w << OPI_LOG_TILE;
    uint64_t low = w >= windows ? segments : 0, high = place < segments ? place : segments;
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
    return cut;
}

/* A window: the short segments that begin in it, and a long one of which it has a run. */
typedef struct opi_window {
    uint64_t s, at;                     /* the first segment, and its offset */
    uint64_t long_s, long_at, long_n;   /* the long one, its offset and its length; 0: there is none */
    uint32_t segments;                  /* short segments; OPI_NONE: the window has a wrong offset */
    uint32_t elements;                  /* of them */
} opi_window;

/* Whether a window can be computed with memory that is there: where offsets are wrong, anything may be in the cuts. */
OPI_FUNCTION bool opi_window_of(opi_window *window, const opi_cut *from, const opi_cut *to, uint64_t base,
                                uint64_t largest)
{
    const uint64_t segments = to->s - from->s, last = segments > 0 ? to->before : from->at;
    if (to->s < from->s || segments > OPI_TILE) return false;
    if (from->before < base || from->at < from->before || last < from->at || to->at < last || to->at > largest)
        return false;
    const bool last_is_long = segments > 0 && to->at - last >= OPI_TILE;
    const uint64_t elements = (last_is_long ? last : to->at) - from->at;
    window->s = from->s;
    window->at = from->at;
    window->segments = (uint32_t)segments - last_is_long;
    window->elements = (uint32_t)elements;
    window->long_s = (last_is_long ? to->s : from->s) - 1;
    window->long_at = last_is_long ? to->before : from->before;
    window->long_n = (last_is_long ? to->at : from->at) - window->long_at;
    if (window->long_n < OPI_TILE || (!last_is_long && from->s == 0)) window->long_n = 0;
    return segments == 0 || elements + window->segments <= 2 * OPI_TILE;
}

/* Reports that the offset of segment s or the next one is wrong. */
OPI_FUNCTION void opi_report(OPI_GLOBAL volatile uint64_t *fault, uint64_t s)
{
    if (fault) *fault = s + 1;
}

/* Finds all windows.  A work-group has a cut more than it has windows: that of the window behind them. */
OPI_WHOLE_KERNEL void opi_window_cuts(OPI_PARAM(offsets), const uint64_t segments, const uint64_t largest,
                                      const uint64_t windows, OPI_PARAM(found), OPI_PARAM(counts),
                                      OPI_PARAM(fault) OPI_PAGES_PARAM OPI_LIST_PARAM)
{
    OPI_LOCAL_MEMORY opi_cut cut[OPI_W];
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    const uint64_t w = OPI_GROUP * (OPI_W - 1) + OPI_SELF, base = at[0];
    if (w <= windows) cut[OPI_SELF] = opi_cut_at(at, base, w, segments, windows);
    OPI_BARRIER();
    bool is_any = OPI_SELF < OPI_W - 1 && w < windows;
#if OPI_DEALT
    if (is_any && OPI_SETS_COUNTS) OPI_AT(uint32_t, counts)[w] = 0;
    /* before the window's place are cut.s segments; the other places are elements */
    is_any = is_any && opi_is_in_own_page(&pages, (w << OPI_LOG_TILE) - cut[OPI_SELF].s);
    opi_list_window(OPI_AT(opi_list, list), w, is_any);
#endif
    if (!is_any) return;
    opi_window window;
    const opi_cut from = cut[OPI_SELF], to = cut[OPI_SELF + 1];
    if (!opi_window_of(&window, &from, &to, base, largest)) {
        window.segments = OPI_NONE;
        opi_report(OPI_AT(volatile uint64_t, fault), from.s);
    }
    OPI_AT(opi_window, found)[w] = window;
    if (!OPI_DEALT) OPI_AT(uint32_t, counts)[w] = 0;
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

/* How many elements segment i has if one work-item has to reduce it, else 0.  Empty segments are written here; what is wrong,
 * or has units, is told by the board. */
OPI_FUNCTION uint32_t opi_direct_count(const opi_window *window, uint32_t i, OPI_LOCAL const uint32_t *begin,
                                uint32_t empty_allowed, OPI_LOCAL opi_board *board, OPI_GLOBAL opi_t *to,
                                OPI_GLOBAL volatile uint64_t *fault OPI_TAKE_P)
{
    const uint32_t elements = window->elements, from = begin[i], count = begin[i + 1] - from;
    if (from > elements || count > elements - from || (count == 0 && !empty_allowed)) {
        opi_report(fault, window->s + i);
        board->is_wrong = 1;
        return 0;
    }
    if (count >= OPI_DIRECT) board->has_units = 1;
    if (count == 0) to[i] = opi_quiet(opi_identity());
    return count < OPI_DIRECT ? count : 0;
}

/* Segments of a few units, each by one work-item.  If OPI_SPARSE is set, a warp looks at OPI_WARP neighbours at once; and if few of
 * them have elements, these wait in a queue until there is one for each work-item. */
OPI_FUNCTION void opi_do_direct(const opi_window *window, const opi_staged *staged, OPI_LOCAL const uint32_t *begin,
                                uint32_t empty_allowed, OPI_LOCAL opi_board *board, OPI_GLOBAL opi_t *to,
                                OPI_GLOBAL volatile uint64_t *fault OPI_TAKE_P)
{
    const uint32_t n = window->segments;
#if !OPI_SPARSE
    for (uint32_t i = OPI_SELF; i < n; i += OPI_W) {
        const uint32_t count = opi_direct_count(window, i, begin, empty_allowed, board, to, fault OPI_GIVE_P);
        if (count > 0) to[i] = opi_quiet(opi_finish_direct(staged, begin[i], count OPI_GIVE_P));
    }
#else
    const uint32_t lane = OPI_SELF % OPI_WARP;
    OPI_LOCAL uint16_t *const queue = board->queue[OPI_SELF / OPI_WARP];
    uint32_t held = 0; /* in the queue */
    OPI_ROLLED for (uint32_t first = OPI_SELF - lane; first < n || held > 0; first += OPI_W) {
        uint32_t i = first + lane;
        const uint32_t count =
            i < n ? opi_direct_count(window, i, begin, empty_allowed, board, to, fault OPI_GIVE_P) : 0;
        bool mine = count > 0;
        const uint32_t direct = __ballot_sync(0xffffffffu, mine), more = __popc(direct);
        const bool is_dense = more >= OPI_DENSE;
        if (is_dense && __all_sync(0xffffffffu, count <= OPI_FEW)) {
            if (mine) to[i] = opi_quiet(opi_finish_few(staged, begin[i], count OPI_GIVE_P));
            continue;
        }
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

/* A window without elements: all its segments are empty. */
OPI_FUNCTION void opi_do_empty(const opi_window *window, OPI_GLOBAL const opi_offset *own, uint32_t empty_allowed,
                               OPI_GLOBAL opi_t *to, OPI_GLOBAL volatile uint64_t *fault OPI_TAKE_P)
{
    _Pragma("unroll 4") for (uint32_t i = OPI_SELF; i < window->segments; i += OPI_W)
    {
        if (own[i] != window->at || !empty_allowed)
            opi_report(fault, window->s + i);
        else
            to[i] = opi_quiet(opi_identity());
    }
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
    if (elements == 0) {
        opi_do_empty(window, own, empty_allowed, to, fault OPI_GIVE_P);
        return;
    }
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

/* The run of a long segment that begins in window w, if the window has one. */
OPI_FUNCTION bool opi_long_of(opi_long *own, const opi_window *window, uint64_t w, uint64_t base)
{
    if (window->long_n == 0) return false;
    own->s = window->long_s;
    own->at = window->long_at;
    own->n = window->long_n;
    own->window = (own->s + (own->at - base)) >> OPI_LOG_TILE;
    own->run = (w - own->window) >> OPI_LOG_OWN;
    own->runs = own->n >> OPI_LOG_LONG;
    return !((w - own->window) & (OPI_OWN - 1)) && (own->run == 0 || own->run < own->runs);
}

OPI_RESIDENT_KERNEL void opi_segment_windows(OPI_PARAM(in), OPI_PARAM(offsets), const uint64_t origin,
                                          const uint32_t empty_allowed, OPI_PARAM(found), OPI_PARAM(counts),
                                          OPI_PARAM(nodes), OPI_PARAM(out), OPI_PARAM(fault) OPI_PAGES_PARAM OPI_LIST_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LANES(lane)
    OPI_LOCAL_MEMORY uint32_t stage[OPI_STAGE_WORDS];
    OPI_LOCAL_MEMORY opi_node stack[OPI_LOG_OWN + 1];
    OPI_LOCAL_MEMORY opi_board board;
    OPI_GLOBAL const opi_offset *const at = OPI_AT(const opi_offset, offsets);
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) - origin;
#if OPI_DEALT
    const opi_list *const own_windows = OPI_AT(const opi_list, list);
    OPI_ROLLED for (uint64_t k = OPI_GROUP; k < own_windows->count; k += OPI_GROUPS) {
        const uint64_t w = own_windows->window[k];
        OPI_BARRIER(); /* local memory is free again */
#else
    const uint64_t w = OPI_GROUP;
    do {
#endif
        const opi_window window = OPI_AT(const opi_window, found)[w];
        opi_long own;
        if (window.segments == OPI_NONE) continue;
        if (window.segments > 0) {
            opi_do_short(&window, at, from, empty_allowed, stage, &board, OPI_AT(opi_t, out),
                         OPI_AT(volatile uint64_t, fault) OPI_GIVE_P);
            OPI_BARRIER();
        }
        if (opi_long_of(&own, &window, w, at[0]))
            opi_do_long(&own, from + own.at, lane, stage, stack, &board.is_last, OPI_AT(uint32_t, counts),
                        OPI_AT(opi_node, nodes), OPI_AT(opi_t, out) OPI_GIVE_P);
#if OPI_DEALT
    }
#else
    } while (false);
#endif
}
