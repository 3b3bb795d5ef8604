/* Stable merge sort in the order of a function: the three sweeps. */
#include "cores/sort_by.h"

#include <oplus/leaf.h>

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum {
    ROWS = OPI_SORT_BY_ROWS,
    LANES = 32,
    HEADS_BYTES = 32 << 10,  /* of the elements that lanes compare: fewer lanes have large ones */
    BLOCK_BYTES = 256 << 10, /* a block and the one that it is merged into fit a second-level cache */
    FAR_BYTES = 1024,        /* of a pair: lanes that are so far apart */
    FAR_LANES = 3,           /* ... are several of one pair, */
    LEAST_PIECE = 16,        /* elements that are worth a lane of their own */
    FEW_STEPS = 4            /* fewer are not worth a look at the ends of all runs */
};

typedef opi_sort_by sorting;
typedef opi_sort_by_place place;

/* --- the scratch of a worker -------------------------------------------------------------------------------------- */

/* A lane: what is left to merge of two runs, and where it goes. */
typedef struct lane {
    size_t at[2], end[2], to;
} lane;

/* Where a lane begins: `cut` elements of its pair's first run, and t - cut of the second one, are before it. */
typedef struct boundary {
    size_t a, b;      /* where the runs begin, */
    size_t a_n, b_n;  /* ... and how many elements they have */
    size_t t, to;     /* how many elements of the pair are before it; where the next one goes */
    size_t low, high; /* the cut is in [low, high] */
} boundary;

typedef struct scratch {
    unsigned char *head[2]; /* for each lane what is compared: of the first run and of the second one */
    unsigned char *rows;    /* of columns: elements, and behind them indices */
    uint8_t *second;        /* for each lane 1 if that of the second run comes first */
    lane *lane;
    boundary *boundary;
    uint32_t *waiting; /* boundaries that are still looked for */
} scratch;

/* Where the parts of a scratch begin, in bytes. */
typedef struct layout {
    size_t head[2], rows, second, lane, boundary, waiting, bytes;
} layout;

/* Makes room for `items` items behind what there is, and returns where they begin. */
static size_t add_room(layout *l, size_t items, size_t size)
{
    const size_t at = l->bytes;
    l->bytes += opi_round_up(items * size, OPI_CACHE_LINE);
    return at;
}

static layout layout_of(const sorting *s)
{
    layout l = {.bytes = 0};
    for (int run = 0; run < 2; run++) l.head[run] = add_room(&l, s->lanes, s->size);
    l.rows = add_room(&l, s->lanes * ROWS, s->size + s->index);
    l.second = add_room(&l, s->lanes, 1);
    l.lane = add_room(&l, s->lanes, sizeof(lane));
    l.boundary = add_room(&l, s->lanes, sizeof(boundary));
    l.waiting = add_room(&l, s->lanes, sizeof(uint32_t));
    return l;
}

static scratch scratch_at(const sorting *s, unsigned char *mem)
{
    const layout l = layout_of(s);
    return (scratch){.head = {mem + l.head[0], mem + l.head[1]},
                     .rows = mem + l.rows,
                     .second = mem + l.second,
                     .lane = (lane *)(void *)(mem + l.lane),
                     .boundary = (boundary *)(void *)(mem + l.boundary),
                     .waiting = (uint32_t *)(void *)(mem + l.waiting)};
}

/* less[i] becomes whether a[i] comes before b[i], 1 or 0. */
static void compare(const sorting *s, const void *a, const void *b, size_t n, uint8_t *less)
{
    s->less((const void *const[]){a, b}, s->param, n, less);
    for (size_t i = 0; i < n; i++) less[i] = less[i] != 0;
}

/* --- loops for one size of elements: `size`, `index` and `ends` are constants where these are called -------------------- */

OPLUS_INLINE_ void exchange_as(size_t size, unsigned char *a, unsigned char *b, size_t n, const uint8_t *second)
{
    for (size_t i = 0; i < n; i++) {
        if (size == 4 || size == 8 || size == 16) { /* without a branch: nobody can predict it */
            const uint64_t mask = (uint64_t)0 - second[i];
            for (size_t k = 0; k < size; k += size == 4 ? 4 : 8) {
                uint64_t x = 0, y = 0;
                memcpy(&x, a + i * size + k, size == 4 ? 4 : 8);
                memcpy(&y, b + i * size + k, size == 4 ? 4 : 8);
                const uint64_t both = (x ^ y) & mask;
                x ^= both;
                y ^= both;
                memcpy(a + i * size + k, &x, size == 4 ? 4 : 8);
                memcpy(b + i * size + k, &y, size == 4 ? 4 : 8);
            }
        } else if (second[i]) {
            for (size_t k = 0; k < size; k++) {
                const unsigned char byte = a[i * size + k];
                a[i * size + k] = b[i * size + k];
                b[i * size + k] = byte;
            }
        }
    }
}

/* One element of each lane goes where the lane's k-th step puts it, and the next one of its run becomes a head.  `ends`: a
 * run may have ended, or end by this step; such a run keeps its last element as a head, which is compared in vain. */
OPLUS_INLINE_ void step_as(size_t size, size_t index, bool ends, const scratch *x, size_t lanes, size_t k, place from,
                           place to)
{
    for (size_t i = 0; i < lanes; i++) {
        lane *const l = &x->lane[i];
        size_t run = x->second[i] != 0;
        if (ends) run = (run | (size_t)(l->at[0] == l->end[0])) & (size_t)(l->at[1] < l->end[1]);
        unsigned char *const head = x->head[run] + i * size;
        const size_t at = l->at[run], next = at + 1;
        l->at[run] = next;
        memcpy(to.elements + (l->to + k) * size, head, size);
        memcpy(head, from.elements + (ends && next == l->end[run] ? at : next) * size, size);
        if (index) memcpy(to.indices + (l->to + k) * index, from.indices + at * index, index);
    }
}

#define FOR_SIZE(call)                                                                                                 \
    switch (s->size) {                                                                                                 \
    case 4:                                                                                                            \
        call(4);                                                                                                       \
        break;                                                                                                         \
    case 8:                                                                                                            \
        call(8);                                                                                                       \
        break;                                                                                                         \
    case 12:                                                                                                           \
        call(12);                                                                                                      \
        break;                                                                                                         \
    case 16:                                                                                                           \
        call(16);                                                                                                      \
        break;                                                                                                         \
    case 24:                                                                                                           \
        call(24);                                                                                                      \
        break;                                                                                                         \
    case 32:                                                                                                           \
        call(32);                                                                                                      \
        break;                                                                                                         \
    default:                                                                                                           \
        call((s->size));                                                                                               \
    }

/* Exchanges a[i] and b[i], and their indices, where second[i] is 1. */
static void exchange(const sorting *s, unsigned char *a, unsigned char *b, size_t n, const uint8_t *second)
{
#define EXCHANGE(N) exchange_as(N, a, b, n, second)
    FOR_SIZE(EXCHANGE)
#undef EXCHANGE
}

/* Steps k to k_end of the lanes. */
static void take_steps(const sorting *s, const scratch *x, size_t lanes, size_t k, size_t k_end, bool ends, place from,
                       place to)
{
    const void *const heads[] = {x->head[1], x->head[0]};
#define STEPS_OF(N, index, ends)                                                                                       \
    for (; k < k_end; k++) {                                                                                           \
        s->less(heads, s->param, lanes, x->second);                                                                    \
        step_as(N, index, ends, x, lanes, k, from, to);                                                                \
    }
#define STEPS(N)                                                                                                       \
    if (s->index == sizeof(uint32_t)) {                                                                                \
        STEPS_OF(N, sizeof(uint32_t), true)                                                                            \
    } else if (s->index == sizeof(uint64_t)) {                                                                         \
        STEPS_OF(N, sizeof(uint64_t), true)                                                                            \
    } else if (ends) {                                                                                                 \
        STEPS_OF(N, 0, true)                                                                                           \
    } else {                                                                                                           \
        STEPS_OF(N, 0, false)                                                                                          \
    }
    FOR_SIZE(STEPS)
#undef STEPS
#undef STEPS_OF
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

/* Writes the indices of columns whose elements begin at `begin`. */
static void write_indices(const sorting *s, size_t begin, size_t rows, size_t columns, unsigned char *index)
{
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++) {
            const uint64_t wide = begin + c * rows + r;
            const uint32_t narrow = (uint32_t)wide;
            unsigned char *const to = index + (r * s->lanes + c) * s->index;
            if (s->index == sizeof narrow)
                memcpy(to, &narrow, sizeof narrow);
            else
                memcpy(to, &wide, sizeof wide);
        }
}

static void exchange_indices(const sorting *s, unsigned char *a, unsigned char *b, size_t n, const uint8_t *second)
{
    if (s->index == sizeof(uint32_t)) exchange_as(4, a, b, n, second);
    if (s->index == sizeof(uint64_t)) exchange_as(8, a, b, n, second);
}

/* Copies elements from columns to rows, of `row` bytes, or back. */
OPLUS_INLINE_ void turn_as(size_t size, bool back, unsigned char *column, size_t rows, size_t columns,
                           unsigned char *element, size_t row)
{
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 0; r < rows; r++) {
            unsigned char *const there = element + r * row + c * size, *const here = column + (c * rows + r) * size;
            memcpy(back ? here : there, back ? there : here, size);
        }
}

static void turn(const sorting *s, const unsigned char *column, size_t rows, size_t columns, unsigned char *element)
{
#define TURN(N) turn_as(N, false, (unsigned char *)column, rows, columns, element, s->lanes * s->size)
    FOR_SIZE(TURN)
#undef TURN
}

static void turn_back(const sorting *s, unsigned char *column, size_t rows, size_t columns, unsigned char *element)
{
#define TURN_BACK(N) turn_as(N, true, column, rows, columns, element, s->lanes * s->size)
    FOR_SIZE(TURN_BACK)
#undef TURN_BACK
}

/* Sorts columns of so many rows, each of them neighbours from `begin` on.  Only neighbours are exchanged, so that equal ones
 * stay in order. */
static void sort_columns(const sorting *s, const scratch *x, size_t begin, size_t rows, size_t columns, place to)
{
    const size_t row = s->lanes * s->size, index_row = s->lanes * s->index;
    unsigned char *const index = x->rows + ROWS * row;
    turn(s, s->source + begin * s->size, rows, columns, x->rows);
    if (s->index) write_indices(s, begin, rows, columns, index);
    for (size_t round = 0; round < rows; round++)
        for (size_t r = round & 1; r + 1 < rows; r += 2) {
            unsigned char *const upper = x->rows + r * row, *const upper_index = index + r * index_row;
            compare(s, upper + row, upper, columns, x->second);
            exchange(s, upper, upper + row, columns, x->second);
            exchange_indices(s, upper_index, upper_index + index_row, columns, x->second);
        }
    turn_back(s, to.elements + begin * s->size, rows, columns, x->rows);
    if (s->index == sizeof(uint32_t)) turn_as(4, true, to.indices + begin * 4, rows, columns, index, index_row);
    if (s->index == sizeof(uint64_t)) turn_as(8, true, to.indices + begin * 8, rows, columns, index, index_row);
}

/* Makes runs of ROWS elements. */
static void make_runs(const sorting *s, const scratch *x, size_t begin, size_t end, place to)
{
    while (end - begin >= ROWS) {
        const size_t columns = opi_smaller((end - begin) / ROWS, s->lanes);
        sort_columns(s, x, begin, ROWS, columns, to);
        begin += columns * ROWS;
    }
    if (begin < end) sort_columns(s, x, begin, end - begin, 1, to);
}

/* --- cuts --------------------------------------------------------------------------------------------------------- */

/* Element i becomes a head of lane `to`. */
static void copy_head(const sorting *s, const scratch *x, int run, size_t to, place from, size_t i)
{
#define COPY(N) memcpy(x->head[run] + to * N, from.elements + i * N, N)
    FOR_SIZE(COPY)
#undef COPY
}

static void begin_search(boundary *b)
{
    b->low = b->t > b->b_n ? b->t - b->b_n : 0;
    b->high = opi_smaller(b->t, b->a_n);
}

static size_t halfway(const boundary *b) { return b->low + (b->high - b->low) / 2; }

/* Finds the cuts of boundaries [0, count), at most as many as there are lanes: `low` of each.  All halve together what
 * they look at, until there is nothing left to look at. */
static void find_cuts(const sorting *s, const scratch *x, place from, size_t count)
{
    size_t waiting = 0;
    for (size_t i = 0; i < count; i++) {
        begin_search(&x->boundary[i]);
        if (x->boundary[i].low < x->boundary[i].high) x->waiting[waiting++] = (uint32_t)i;
    }
    while (waiting > 0) {
        for (size_t k = 0; k < waiting; k++) {
            const boundary *const b = &x->boundary[x->waiting[k]];
            const size_t middle = halfway(b);
            copy_head(s, x, 0, k, from, b->a + middle);
            copy_head(s, x, 1, k, from, b->b + b->t - 1 - middle);
        }
        compare(s, x->head[1], x->head[0], waiting, x->second);
        size_t left = 0;
        for (size_t k = 0; k < waiting; k++) {
            boundary *const b = &x->boundary[x->waiting[k]];
            const size_t middle = halfway(b);
            if (x->second[k])
                b->high = middle;
            else
                b->low = middle + 1;
            if (b->low < b->high) x->waiting[left++] = x->waiting[k];
        }
        waiting = left;
    }
}

/* A cut at t that is consistent with the one before it in the same pair. */
static size_t mended(size_t cut, size_t t, size_t cut_before, size_t t_before)
{
    const size_t most = cut_before + (t - t_before);
    return cut < cut_before ? cut_before : opi_smaller(cut, most);
}

/* --- merges ------------------------------------------------------------------------------------------------------- */

static size_t left_of(const lane *l) { return l->end[0] - l->at[0] + l->end[1] - l->at[1]; }

/* The lane with the least left to do. */
static size_t shortest(const scratch *x, size_t lanes)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < lanes; i++) least = opi_smaller(least, left_of(&x->lane[i]));
    return least;
}

/* So many steps are taken by all lanes before the last element of a run is a head. */
static size_t steps_inside(const scratch *x, size_t lanes)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < lanes; i++)
        for (int run = 0; run < 2; run++) least = opi_smaller(least, x->lane[i].end[run] - x->lane[i].at[run]);
    return least > 0 ? least - 1 : 0;
}

/* Lanes that have ended make room for others; returns how many are left. */
static size_t leave_unended(const sorting *s, const scratch *x, size_t lanes)
{
    size_t left = 0;
    for (size_t i = 0; i < lanes; i++) {
        if (left_of(&x->lane[i]) == 0) continue;
        if (left < i) {
            x->lane[left] = x->lane[i];
            for (int run = 0; run < 2; run++)
                memcpy(x->head[run] + left * s->size, x->head[run] + i * s->size, s->size);
        }
        left++;
    }
    return left;
}

static void merge_lanes(const sorting *s, const scratch *x, size_t lanes, place from, place to)
{
    for (size_t i = 0; i < lanes; i++) { /* of an empty run the head is any element */
        const lane *const l = &x->lane[i];
        copy_head(s, x, 0, i, from, l->at[l->at[0] == l->end[0]]);
        copy_head(s, x, 1, i, from, l->at[l->at[1] < l->end[1]]);
    }
    for (size_t k = 0; lanes > 0; lanes = leave_unended(s, x, lanes)) {
        const size_t k_end = k + shortest(x, lanes);
        for (size_t inside; (inside = opi_smaller(steps_inside(x, lanes), k_end - k)) >= FEW_STEPS; k += inside)
            take_steps(s, x, lanes, k, k + inside, false, from, to);
        take_steps(s, x, lanes, k, k_end, true, from, to);
        k = k_end;
    }
}

/* Merges pairs of runs, which are cut at so many boundaries, one for each lane. */
static void merge_pieces(const sorting *s, const scratch *x, size_t lanes, place from, place to)
{
    if (lanes == 0) return;
    find_cuts(s, x, from, lanes);
    for (size_t i = 0; i < lanes; i++) {
        const boundary *const own = &x->boundary[i];
        boundary *const next = own + 1 < x->boundary + lanes && own[1].t > 0 ? &x->boundary[i + 1] : NULL;
        if (next) next->low = mended(next->low, next->t, own->low, own->t);
        const size_t cut = own->low, end = next ? next->low : own->a_n, b_end = next ? next->t - next->low : own->b_n;
        x->lane[i] = (lane){{own->a + cut, own->b + own->t - cut}, {own->a + end, own->b + b_end}, own->to};
    }
    merge_lanes(s, x, lanes, from, to);
}

/* Adds a lane for each `piece` elements of a pair of runs; returns how many lanes there are then. */
static size_t add_pair(const scratch *x, size_t lanes, boundary pair, size_t piece)
{
    const size_t n = pair.a_n + pair.b_n, to = pair.to;
    for (; pair.t < n; pair.t += piece) {
        pair.to = to + pair.t;
        x->boundary[lanes++] = pair;
    }
    return lanes;
}

/* How many elements of a pair of so many go to one lane, of some pairs that are merged at the same time.  An odd number:
 * lanes that are a power of two apart would meet in the same few lines of a cache. */
static size_t piece_of(const sorting *s, size_t pairs, size_t elements)
{
    assert(s->lanes > 0 && pairs > 0);
    const bool far_apart = elements * s->size >= FAR_BYTES;
    const size_t lanes = opi_larger(s->lanes / pairs, far_apart ? FAR_LANES : 1);
    const size_t pieces = opi_smaller(opi_smaller(lanes, s->lanes), opi_larger(elements / LEAST_PIECE, 1));
    return ((elements - 1) / pieces + 1) | 1;
}

/* The pair of runs of `run` elements that begins at `begin`; none of it is behind `end`. */
static boundary pair_at(size_t begin, size_t end, size_t run)
{
    const size_t a_n = opi_smaller(run, end - begin), b = begin + a_n;
    return (boundary){.a = begin, .b = b, .a_n = a_n, .b_n = opi_smaller(run, end - b), .to = begin};
}

/* Merges runs of `run` elements in pairs. */
static void merge_runs(const sorting *s, const scratch *x, size_t begin, size_t end, size_t run, place from, place to)
{
    const size_t piece = piece_of(s, (end - begin - 1) / (2 * run) + 1, 2 * run), pieces = (2 * run - 1) / piece + 1;
    size_t lanes = 0;
    for (size_t at = begin; at < end; at += opi_smaller(2 * run, end - at)) {
        if (lanes + pieces > s->lanes) {
            merge_pieces(s, x, lanes, from, to);
            lanes = 0;
        }
        lanes = add_pair(x, lanes, pair_at(at, end, run), piece);
    }
    merge_pieces(s, x, lanes, from, to);
}

/* --- the sweeps --------------------------------------------------------------------------------------------------- */

static void sort_block(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *mem)
{
    const sorting *const s = (const sorting *)sweep;
    const scratch x = scratch_at(s, mem);
    unsigned at = s->from;
    (void)carry, (void)total, (void)aggregated;
    for (size_t run = ROWS; run < s->block; run *= 2) at ^= 1;
    make_runs(s, &x, begin, end, s->place[at]);
    for (size_t run = ROWS; run < s->block; run *= 2, at ^= 1)
        merge_runs(s, &x, begin, end, run, s->place[at], s->place[at ^ 1]);
}

/* The pair of runs of this pass to which a block belongs, and where in it the block begins. */
static boundary pair_of_block(const sorting *s, size_t block)
{
    const size_t at = block * s->block, begin = at - at % (2 * s->run);
    boundary pair = pair_at(begin, s->n, s->run);
    pair.t = at - begin;
    return pair;
}

static void find_block_cuts(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                            bool aggregated, void *mem)
{
    const sorting *const s = (const sorting *)sweep;
    const scratch x = scratch_at(s, mem);
    (void)carry, (void)total, (void)aggregated;
    for (size_t k = begin; k < end; k++) x.boundary[k - begin] = pair_of_block(s, k);
    find_cuts(s, &x, s->place[s->from], end - begin);
    for (size_t k = begin; k < end; k++) s->cuts[k] = x.boundary[k - begin].low;
}

static size_t blocks_of(const sorting *s) { return (s->n - 1) / s->block + 1; }

void opi_sort_by_mend(opi_sort_by *s)
{
    for (size_t k = 1; k < blocks_of(s); k++) {
        const size_t t = pair_of_block(s, k).t;
        if (t > 0) s->cuts[k] = mended(s->cuts[k], t, s->cuts[k - 1], t - s->block);
    }
}

static void merge_block(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                        bool aggregated, void *mem)
{
    const sorting *const s = (const sorting *)sweep;
    const scratch x = scratch_at(s, mem);
    const size_t k = begin / s->block, cut = s->cuts[k];
    boundary pair = pair_of_block(s, k);
    const size_t t_end = pair.t + (end - begin);
    const size_t cut_end = t_end < pair.a_n + pair.b_n ? s->cuts[k + 1] : pair.a_n;
    const boundary part = {.a = pair.a + cut,
                           .b = pair.b + pair.t - cut,
                           .a_n = cut_end - cut,
                           .b_n = t_end - cut_end - (pair.t - cut),
                           .to = begin};
    (void)carry, (void)total, (void)aggregated;
    assert(end - begin <= s->block);
    const size_t lanes = add_pair(&x, 0, part, piece_of(s, 1, s->block));
    merge_pieces(s, &x, lanes, s->place[s->from], s->place[s->from ^ 1]);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

void opi_sort_by_plan(opi_sort_by *s, const opi_task *task)
{
    opi_sweep_clear(&s->sweep);
    s->less = opi_leaf_of(task->fn);
    s->param = task->fn->param;
    s->size = task->array[OPI_KEYS].size;
    s->index = task->array[OPI_VALUES].size;
    s->n = task->n;
    s->source = task->array[OPI_KEYS].mem;
    s->lanes = opi_smaller(opi_elements_in(HEADS_BYTES, s->size), LANES);
    s->block = ROWS;
    while (2 * s->block * (s->size + s->index) <= BLOCK_BYTES && s->block < s->n) s->block *= 2;
}

unsigned opi_sort_by_passes(const opi_sort_by *s)
{
    unsigned passes = 0;
    for (size_t blocks = blocks_of(s); blocks > 1; blocks = (blocks + 1) / 2) passes++;
    return passes;
}

static void make_sweep(opi_sort_by *s, size_t n, size_t block, size_t bytes)
{
    opi_sweep_clear(&s->sweep);
    s->sweep.n = n;
    s->sweep.block = block;
    s->sweep.bytes = bytes;
    s->sweep.scratch_bytes = layout_of(s).bytes;
}

static size_t moved(const opi_sort_by *s) { return 2 * s->n * (s->size + s->index); }

void opi_sort_by_blocks(opi_sort_by *s)
{
    const size_t levels = (size_t)__builtin_ctzll(s->block);
    make_sweep(s, s->n, s->block, moved(s) * levels);
    s->sweep.apply = sort_block;
}

void opi_sort_by_cuts(opi_sort_by *s)
{
    make_sweep(s, blocks_of(s), s->lanes, blocks_of(s) * 8 * sizeof(uint64_t) * (size_t)__builtin_ctzll(s->run));
    s->sweep.apply = find_block_cuts;
}

void opi_sort_by_merges(opi_sort_by *s)
{
    make_sweep(s, s->n, s->block, moved(s));
    s->sweep.apply = merge_block;
}
