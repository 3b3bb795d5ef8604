#include "cores/scan.h"

#include "cores/scan_back.h"
#include "task/combine.h"
#include "task/late.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_BYTES = 256 << 10, /* in and out of a block stay in a second-level cache between its two readings */
    /* Results on their way to non-temporal stores: so few that a processor can store them while it computes the next
     * ones (one thread, structs of 8, 16 and 24 bytes: 1.15, 1.35 and 1.7 times as fast as with 16 KiB; 2026-11-23,
     * Zen 4). */
    STAGE_BYTES = 4 << 10
};

static size_t stage_elements(const opi_loops *loops) { return opi_loops_block(loops, loops->level, STAGE_BYTES); }

/* --- pieces of scratch: a value, a node, those of a run, the loops' own, the stage, a piece of made elements, and what
 * a scan of it from the end needs */

typedef struct workspace {
    char *value, *node, *nodes, *loops, *stage, *made, *back;
} workspace;

static size_t value_bytes(const opi_loops *loops) { return opi_round_up(loops->size, OPI_CACHE_LINE); }

static size_t nodes_bytes(const opi_loops *loops)
{
    return opi_round_up((OPLUS_RUN_LEVEL + 1) * loops->size, OPI_CACHE_LINE);
}

/* Whether it goes piece by piece, as elements or results have to be made. */
static bool is_fused(const opi_scan_sweep *plan) { return opi_lens_makes(&plan->lens) || plan->after; }

/* Elements of a piece of a scan: of what is written past the caches, or of what is made. */
static size_t piece_elements(const opi_scan_sweep *plan)
{
    return opi_lens_makes(&plan->lens) ? plan->lens.piece : stage_elements(&plan->loops);
}

static size_t stage_bytes(const opi_scan_sweep *plan)
{
    return plan->streaming ? opi_round_up(piece_elements(plan) * plan->out_size, OPI_CACHE_LINE) : 0;
}

/* Room for a piece of elements that are scanned in place, before a function makes results of them. */
static size_t made_bytes(const opi_scan_sweep *plan)
{
    return is_fused(plan) ? opi_round_up(piece_elements(plan) * plan->loops.size, OPI_CACHE_LINE) : 0;
}

static size_t back_bytes(const opi_scan_sweep *plan)
{
    return plan->exchanges ? opi_back_scratch(&plan->plain, plan->lens.piece) : 0;
}

static workspace workspace_in(const opi_scan_sweep *plan, char *scratch)
{
    workspace w;
    w.value = scratch;
    w.node = w.value + value_bytes(&plan->loops);
    w.nodes = w.node + value_bytes(&plan->loops);
    w.loops = w.nodes + nodes_bytes(&plan->loops);
    w.stage = w.loops + opi_loops_scratch(&plan->loops);
    w.made = w.stage + stage_bytes(plan);
    w.back = w.made + made_bytes(plan);
    return w;
}

static size_t workspace_bytes(const opi_scan_sweep *plan)
{
    return 2 * value_bytes(&plan->loops) + nodes_bytes(&plan->loops) + opi_loops_scratch(&plan->loops) +
           stage_bytes(plan) + made_bytes(plan) + back_bytes(plan);
}

/* --- scan of a run of elements that begins at range->end, which it extends */

/* The very first element of all: nothing precedes it. */
static void scan_first(const opi_scan_sweep *plan, const char *x, char *out, opi_range *range, const workspace *w)
{
    const size_t size = plan->loops.size;
    memcpy(w->node, x, size); /* out may be x */
    opi_range_push(range, 0, w->node, 1);
    memcpy(out, plan->exclusive ? plan->loops.op->identity : w->node, size);
}

/* Where nothing precedes, the scan starts from the identity: vectors are then loaded from where the arrays begin. */
static void scan_exact(const opi_scan_sweep *plan, const char *x, const uint8_t *heads, size_t n, char *out, bool far,
                       opi_range *range, const workspace *w)
{
    const opi_loops *loops = &plan->loops;
    const bool bare = range->count == 0;
    memcpy(w->node, x, loops->size); /* out may be x */
    memcpy(w->value, bare ? loops->op->identity : opi_range_fold(range), loops->size);
    if (heads)
        (far ? loops->exact->segscan_far : loops->exact->segscan)(x, heads, n, plan->exclusive, w->value, out);
    else
        (far ? loops->exact->scan_far : loops->exact->scan)(x, n, plan->exclusive, w->value, out);
    if (bare) {
        opi_scan_put_first(loops, w->node, heads, n, plan->exclusive, out);
        if (n == 1) memcpy(w->value, w->node, loops->size);
    }
    opi_range_set_exact(range, range->end + n, w->value, 1);
}

/* Makes NaNs canonical in the results just before `end`. */
static void make_quiet(const opi_loops *loops, char *end, size_t *results)
{
    opi_quiet_run(&loops->quiet, end - *results * loops->size, *results);
    *results = 0;
}

/* Scans a run of `count` elements. */
static void scan_few(const opi_scan_sweep *plan, const char *x, const uint8_t *heads, size_t count, char *out,
                     opi_range *range, const workspace *w)
{
    const opi_loops *loops = &plan->loops;
    const void *const before = opi_range_fold(range);
    uint8_t flags[OPLUS_RUN_LEVEL + 1] = {0};
    if (heads)
        opi_loops_segrun(loops, x, heads, count, plan->exclusive, before, out, w->nodes, flags);
    else
        opi_loops_run(loops, x, count, plan->exclusive, before, out, w->nodes, w->loops);
    size_t rest = count;
    for (size_t j = 0; rest > 0; j++) {
        const unsigned level = 63 - (unsigned)__builtin_clzll(rest);
        opi_range_push(range, level, w->nodes + j * loops->size, flags[j]);
        rest -= (size_t)1 << level;
    }
    /* The last inclusive result closes a node that may be larger than the run. */
    if (!plan->exclusive && !(count & (count - 1)))
        memcpy(out + (count - 1) * loops->size, opi_range_fold(range), loops->size);
}

/* Scans a whole largest block past the caches.  What is left of an inclusive one is its last cache line, with the last
 * result, which closes a node that may be larger than the block. */
static void scan_block_far(const opi_scan_sweep *plan, const char *x, char *out, opi_range *range, const workspace *w)
{
    const opi_loops *loops = &plan->loops;
    _Alignas(OPI_CACHE_LINE) char tail[OPI_CACHE_LINE];
    loops->builtin->block_far(x, loops->level, plan->exclusive, opi_range_fold(range), out, w->node, tail);
    opi_range_push(range, loops->level, w->node, 0);
    if (plan->exclusive) return;
    memcpy(tail + sizeof tail - loops->size, opi_range_fold(range), loops->size);
    opi_quiet_run(&loops->quiet, tail + sizeof tail - loops->size, 1);
    loops->isa->stream(out + (loops->size << loops->level) - sizeof tail, tail, sizeof tail, NULL);
}

/* Scans a block, or several largest ones, that something precedes. */
static void scan_block(const opi_scan_sweep *plan, const char *x, const uint8_t *heads, unsigned level, char *out,
                       opi_range *range, const workspace *w)
{
    const opi_loops *loops = &plan->loops;
    const void *const before = opi_range_fold(range);
    uint8_t head = 0;
    if (heads)
        opi_loops_segscan(loops, x, heads, level, plan->exclusive, before, out, w->node, &head, w->loops);
    else if (level > loops->level)
        loops->builtin->scan_blocks(x, level, plan->exclusive, before, out, w->node);
    else
        opi_loops_scan(loops, x, level, plan->exclusive, before, out, w->node, w->loops);
    opi_range_push(range, level, w->node, head);
    if (!plan->exclusive) memcpy(out + ((loops->size << level) - loops->size), opi_range_fold(range), loops->size);
}

static void scan_tree(const opi_scan_sweep *plan, const char *x, const uint8_t *heads, size_t n, char *out, bool far,
                      opi_range *range, const workspace *w)
{
    const opi_loops *loops = &plan->loops;
    const bool by_blocks = !far && !heads && loops->builtin && loops->builtin->scan_blocks;
    const unsigned largest = loops->level + (by_blocks ? OPI_BLOCKS_LEVEL : 0);
    size_t loud = 0; /* results just before `out` that have not been looked over for NaNs */
    while (n > 0) {
        const unsigned level = opi_loops_fit(largest, range->end, n);
        const bool alone = n == 1 && range->count == 0;
        const size_t run = alone ? 0 : opi_loops_run_fit(loops, heads != NULL, range->end, n);
        const bool past_caches = !run && far && level == loops->level, several = !run && level > loops->level;
        size_t count = run;
        if (past_caches || several) make_quiet(loops, out, &loud);
        if (run) {
            scan_few(plan, x, heads, count, out, range, w);
        } else if (range->count == 0) {
            scan_first(plan, x, out, range, w);
            count = 1;
        } else {
            if (!past_caches && !several) opi_loops_prefetch(loops, x, level, n);
            if (past_caches)
                scan_block_far(plan, x, out, range, w);
            else
                scan_block(plan, x, heads, level, out, range, w);
            count = (size_t)1 << level;
        }
        x += count * loops->size;
        out += count * loops->size;
        if (heads) heads += count;
        n -= count;
        if (!past_caches) loud += several ? 1 : count; /* of several blocks the last result, which is written here */
        /* Small blocks are looked over together. */
        if (run || level >= loops->level || n == 0) make_quiet(loops, out, &loud);
    }
}

/* far: out is in memory and the loops write past the caches (see writes_far). */
static void scan_run(const opi_scan_sweep *plan, const char *x, const uint8_t *heads, size_t n, char *out, bool far,
                     opi_range *range, const workspace *w)
{
    if (plan->loops.exact) {
        scan_exact(plan, x, heads, n, out, far, range, w);
        if (!far) opi_quiet_run(&plan->loops.quiet, out, n);
    } else {
        scan_tree(plan, x, heads, n, out, far, range, w);
    }
}

/* --- the summary of a block with heads */

/* Index of the last head in [begin, end), or end if there is none. */
static size_t last_head(const uint8_t *heads, size_t begin, size_t end)
{
    size_t i = end;
    for (uint64_t eight; i - begin >= 8; i -= 8) {
        memcpy(&eight, heads + i - 8, 8);
        if (eight) break;
    }
    while (i > begin)
        if (heads[--i]) return i;
    return end;
}

/* The lifted node of a block of 2^level elements whose last head lies at `head`: what stands before the head drops out
 * of (f,s) (+) (g,t) = (f|g, g ? t : s (+) t), so that going up the tree only right siblings are joined. */
static void node_from_head(const opi_scan_sweep *plan, const char *x, unsigned level, size_t head, const workspace *w)
{
    const opi_loops *loops = &plan->loops;
    memcpy(w->node, x + head * loops->size, loops->size);
    for (unsigned k = 0; k < level; k++) {
        const size_t i = head >> k;
        if (i & 1) continue;
        opi_loops_node(loops, x + ((i + 1) << k) * loops->size, k, w->value, w->loops);
        opi_combine(loops->op, w->node, w->node, w->value);
    }
}

/* Appends [begin, end).  Nodes before that of the last head never reach a result: any value may stand for them, and
 * their elements are not read. */
static void append_lifted(const opi_scan_sweep *plan, size_t begin, size_t end, opi_range *range, const workspace *w)
{
    const opi_loops *loops = &plan->loops;
    const char *const in = plan->lens.in[0]; /* segmented scans are not fused */
    const size_t head = last_head(plan->heads, begin, end);
    if (head == end) {
        opi_reduce_append(loops, in + begin * loops->size, end - begin, range, w->value);
        return;
    }
    const char *const at_head = in + head * loops->size;
    if (loops->exact) {
        memcpy(w->node, at_head, loops->size);
        loops->exact->reduce(at_head + loops->size, end - head - 1, w->node);
        opi_range_push_exact(range, end - begin, w->node, 1);
        return;
    }
    for (size_t i = begin; i < end;) {
        const unsigned level = opi_loops_fit(loops->level, range->end, end - i);
        const size_t next = i + ((size_t)1 << level);
        const char *const x = in + i * loops->size;
        if (next <= head) {
            opi_range_push(range, level, at_head, 0);
        } else if (i <= head) {
            node_from_head(plan, x, level, head - i, w);
            opi_range_push(range, level, w->node, 1);
        } else {
            opi_loops_node(loops, x, level, w->node, w->loops);
            opi_range_push(range, level, w->node, 0);
        }
        i = next;
    }
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    const opi_scan_sweep *plan = (const opi_scan_sweep *)sweep;
    opi_range_start(carry, plan->loops.op, plan->first + at, plan->lifted);
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_scan_sweep *plan = (const opi_scan_sweep *)sweep;
    if (plan->exchanges)
        opi_back_append(&plan->plain, &plan->lens, begin, end, carry, scratch);
    else
        opi_reduce_seen(&plan->loops, &plan->lens, begin, end, plan->first + begin, carry, scratch);
}

static void aggregate_lifted(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_scan_sweep *plan = (const opi_scan_sweep *)sweep;
    const workspace w = workspace_in(plan, scratch);
    append_lifted(plan, begin, end, carry, &w);
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    opi_range_join(left, right);
}

static void copy(const opi_sweep *sweep, void *to, const void *from)
{
    (void)sweep;
    opi_range_copy(to, from);
}

/* Whether the loops can write past the caches themselves: whole lines, and no NaN to be put right afterwards.  An exact
 * operator's begin at once; the others' at the first of the largest blocks, as the tree that they are of may begin
 * anywhere. */
static bool writes_far(const opi_scan_sweep *plan, size_t begin)
{
    const opi_loops *loops = &plan->loops;
    const size_t block = (size_t)1 << loops->level, into = (size_t)((plan->first + begin) % block);
    const size_t aligned = loops->exact || into == 0 ? begin : begin + block - into;
    if (!plan->streaming || is_fused(plan) || ((uintptr_t)plan->out + aligned * loops->size) % OPI_CACHE_LINE)
        return false;
    if (loops->exact) return loops->exact->streams && loops->quiet.mode == OPI_QUIET_NOTHING;
    return !plan->heads && loops->builtin && loops->builtin->block_far;
}

/* Makes of n results what is written. */
static void finish_piece(const opi_scan_sweep *plan, const char *results, size_t n, char *out)
{
    const void *const in[] = {results};
    plan->after_leaf(in, plan->after->param, n, out);
    opi_quiet_run(&plan->after_quiet, out, n);
}

/* Scans the piece [i, i + n), whose results go to `to`. */
static void scan_piece(const opi_scan_sweep *plan, size_t i, size_t n, char *to, opi_range *range, const workspace *w)
{
    if (plan->exchanges && n == plan->lens.piece && range->count > 0) {
        const char *const own = plan->lens.in[0] + (plan->sweep.n - i - n) * plan->loops.size;
        opi_back_scan(&plan->plain, own, n, plan->exclusive, to, range, w->back);
        return;
    }
    const char *const x = opi_lens_see(&plan->lens, i, n, w->made);
    char *const results = plan->after || plan->lens.backward ? w->made : to;
    scan_run(plan, x, plan->heads ? plan->heads + i : NULL, n, results, false, range, w);
    if (plan->after) finish_piece(plan, results, n, to);
    if (plan->lens.backward) plan->loops.isa->reverse(results, n, plan->loops.size, to);
}

/* Where the results [i, i + n) belong. */
static char *place_of(const opi_scan_sweep *plan, size_t i, size_t n)
{
    return plan->out + (plan->lens.backward ? plan->sweep.n - i - n : i) * plan->out_size;
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_scan_sweep *plan = (const opi_scan_sweep *)sweep;
    const size_t size = plan->loops.size;
    const workspace w = workspace_in(plan, scratch);
    const bool by_pieces = plan->streaming || is_fused(plan);
    const size_t piece = by_pieces ? piece_elements(plan) : end - begin;
    (void)total;
    if (writes_far(plan, begin)) {
        scan_run(plan, plan->lens.in[0] + begin * size, plan->heads ? plan->heads + begin : NULL, end - begin,
                 plan->out + begin * size, true, carry, &w);
        plan->loops.isa->fence();
        return;
    }
    for (size_t i = begin; i < end;) {
        /* Pieces end at multiples of their length, so that their blocks are whole. */
        const size_t room = by_pieces ? piece - (size_t)((plan->first + i) % piece) : piece;
        const size_t n = room < end - i ? room : end - i;
        char *const out = place_of(plan, i, n), *const to = plan->streaming ? w.stage : out;
        scan_piece(plan, i, n, to, carry, &w);
        /* A block that has been aggregated is in a cache already. */
        const char *const next = aggregated || end - i < 2 * piece ? NULL : opi_lens_ahead(&plan->lens, i + n);
        if (plan->streaming) plan->loops.isa->stream(out, to, n * plan->out_size, next);
        i += n;
    }
    if (plan->streaming) plan->loops.isa->fence();
}

/* Plans the loops.  A scan from the end meets the later operand first, which matters unless the operator claims that it
 * does not. */
static void plan_loops(opi_scan_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const size_t bytes = task->n * task->op->type->size;
    plan->exchanges = task->what == OPI_SCAN_REVERSE && !(task->op->flags & OPLUS_COMMUTATIVE);
    if (plan->exchanges) {
        opi_exchange(&plan->exchanged, &task->op);
        opi_loops_plan(&plan->plain, task->op, isa, bytes);
    }
    opi_loops_plan(&plan->loops, plan->exchanges ? &plan->exchanged : task->op, isa, bytes);
}

void opi_scan_plan(opi_scan_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const size_t size = task->op->type->size, n = task->n;
    opi_sweep_clear(&plan->sweep);
    plan_loops(plan, isa, task);
    opi_lens_plan(&plan->lens, isa, task, size);
    plan->heads = task->array[OPI_HEADS].mem;
    plan->lifted = task->lifted;
    plan->out = (char *)opi_task_written(task)->mem;
    plan->exclusive = task->exclusive;
    plan->first = task->first;
    plan->after = task->after;
    if (plan->after) {
        plan->after_leaf = opi_leaf_of(plan->after);
        opi_quiet_plan(&plan->after_quiet, isa, plan->after->result);
    }
    plan->out_size = opi_task_written(task)->size;
    plan->sweep.replaces = opi_lens_sees(&plan->lens, plan->out);
    plan->streaming = !plan->sweep.replaces && n * plan->out_size >= OPI_STREAMING_BYTES;

    const size_t block = opi_loops_block(&plan->loops, plan->loops.level, BLOCK_BYTES);
    plan->sweep.n = n;
    plan->sweep.block = block;
    plan->sweep.skew = (size_t)(task->first % block);
    plan->sweep.bytes = n * (2 * size + task->lifted);
    plan->sweep.carry_bytes = opi_range_bytes(task->op);
    plan->sweep.scratch_bytes = workspace_bytes(plan);
    plan->sweep.start = start;
    plan->sweep.aggregate = plan->heads ? aggregate_lifted : aggregate;
    plan->sweep.join = join;
    plan->sweep.copy = copy;
    if (task->what == OPI_SCAN || task->what == OPI_SCAN_REVERSE) plan->sweep.apply = apply;
}
