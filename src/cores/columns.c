#include "cores/columns.h"

#include <assert.h>
#include <string.h>

enum {
    PIECE_BYTES = 4 << 10,  /* of a row of a piece: those that are joined stay in a first-level cache */
    LEAST_BYTES = 256,      /* narrower pieces would read parts of cache lines */
    BLOCK_BYTES = 128 << 10 /* what a thread claims at a time, if pieces are small */
};

/* A walk over some rows of one piece. */
typedef struct walk {
    const opi_columns_sweep *plan;
    size_t width, bytes; /* of a row of the piece */
    size_t slot;         /* bytes from one node to the next */
    char *nodes;         /* the node of 2^k elements is node k, */
    char *prefixes;      /* ... and prefix k is P(m), if 2^k is the lowest bit of m */
} walk;

static size_t levels_of(size_t rows) { return rows ? 64 - (size_t)__builtin_clzll(rows) : 1; }

static size_t row_bytes(const opi_columns_sweep *plan) { return plan->axis.inner * plan->loops.size; }

static size_t scratch_bytes(size_t bytes, size_t rows)
{
    return 2 * (levels_of(rows) + 1) * opi_round_up(bytes, OPI_CACHE_LINE);
}

static walk walk_in(const opi_columns_sweep *plan, size_t width, size_t rows, void *scratch)
{
    walk w = {.plan = plan, .width = width, .bytes = width * plan->loops.size};
    w.slot = opi_round_up(w.bytes, OPI_CACHE_LINE);
    w.nodes = scratch;
    w.prefixes = w.nodes + (levels_of(rows) + 1) * w.slot;
    return w;
}

static bool is_exact(const walk *w) { return w->plan->loops.op->flags & OPLUS_EXACT; }

static char *node_of(const walk *w, unsigned k) { return w->nodes + k * w->slot; }

static char *prefix_of(const walk *w, size_t m) { return w->prefixes + (size_t)__builtin_ctzll(m) * w->slot; }

static void join(const walk *w, const char *a, const char *b, char *out)
{
    opi_loops_zip(&w->plan->loops, a, b, w->width, out);
}

/* --- reduce ------------------------------------------------------------------------------------------------------- */

/* Walks over `rows` rows from x on: at[k] becomes the place of the last node of 2^k elements, for each bit k of rows.
 * An exact operator needs one node, at[0]. */
static void climb(const walk *w, const char *x, size_t rows, const char *at[64])
{
    const size_t stride = row_bytes(w->plan);
    at[0] = x;
    for (size_t i = 1; i < rows; i++) {
        x += stride;
        const unsigned k = is_exact(w) ? 1 : (unsigned)__builtin_ctzll(i + 1);
        if (k == 0) {
            at[0] = x;
            continue;
        }
        char *const node = node_of(w, is_exact(w) ? 0 : k);
        join(w, at[0], x, node);
        for (unsigned j = 1; j < k; j++) join(w, at[j], node, node);
        at[is_exact(w) ? 0 : k] = node;
    }
}

/* The reduce of rows > 0 rows. */
static void reduce(const walk *w, const char *x, size_t rows, char *out)
{
    const char *at[64] = {NULL}, *left = NULL;
    climb(w, x, rows, at);
    for (unsigned k = is_exact(w) ? 1 : (unsigned)levels_of(rows); k-- > 0;) {
        if (!is_exact(w) && !(rows >> k & 1)) continue;
        if (left)
            join(w, left, at[k], out);
        else
            memcpy(out, at[k], w->bytes);
        left = out;
    }
    opi_quiet_run(&w->plan->loops.quiet, out, w->width);
}

static void put_identity(const walk *w, char *out)
{
    const opi_loops *const loops = &w->plan->loops;
    for (size_t c = 0; c < w->width; c++) memcpy(out + c * loops->size, loops->op->identity, loops->size);
    opi_quiet_run(&loops->quiet, out, w->width);
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

/* Writes a row of results; NULL: nothing precedes it. */
static void put(const walk *w, const char *row, char *out)
{
    if (!row) {
        put_identity(w, out);
        return;
    }
    memcpy(out, row, w->bytes);
    opi_quiet_run(&w->plan->loops.quiet, out, w->width);
}

/* Scans row i by a plain loop: every association of an exact operator gives the same bits. */
static const char *step_exact(const walk *w, const char *x, size_t i, const char *before)
{
    char *const own = w->prefixes + (i & 1) * w->slot;
    assert(w->prefixes);
    if (before)
        join(w, before, x, own);
    else
        memcpy(own, x, w->bytes);
    return own;
}

/* P(i + 1), and the node that ends there; before: what precedes row 0, or NULL. */
static const char *step(const walk *w, const char *x, size_t i, const char *before)
{
    const size_t m = i + 1, q = m & i;
    const unsigned k = (unsigned)__builtin_ctzll(m);
    char *const node = node_of(w, k), *const own = prefix_of(w, m);
    if (k == 0)
        memcpy(node, x, w->bytes);
    else
        join(w, node_of(w, 0), x, node);
    for (unsigned j = 1; j < k; j++) join(w, node_of(w, j), node, node);
    const char *const left = q > 0 ? prefix_of(w, q) : before;
    if (left)
        join(w, left, node, own);
    else
        memcpy(own, node, w->bytes);
    return own;
}

/* Scans rows from x on, which `before` precedes (NULL: nothing does).  Returns what precedes the row behind them; of an
 * exact operator, else it is so only if rows complete no larger node. */
static const char *scan(const walk *w, const char *x, size_t rows, const char *before, char *out)
{
    const size_t stride = row_bytes(w->plan);
    const bool exclusive = w->plan->exclusive;
    const char *last = before;
    for (size_t i = 0; i < rows; i++, x += stride, out += stride) {
        const char *const own = is_exact(w) ? step_exact(w, x, i, last) : step(w, x, i, before);
        put(w, exclusive ? last : own, out); /* x may be out; it has been read */
        last = own;
    }
    return last;
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static void apply_pieces(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                         bool aggregated, void *scratch)
{
    const opi_columns_sweep *plan = (const opi_columns_sweep *)sweep;
    const size_t n = plan->axis.n, inner = plan->axis.inner, size = plan->loops.size;
    (void)carry;
    (void)total;
    (void)aggregated;
    size_t o = begin / plan->across, first = begin % plan->across * plan->width;
    for (size_t item = begin; item < end; item++) {
        const size_t width = opi_smaller(plan->width, inner - first);
        const walk w = walk_in(plan, width, n, scratch);
        const size_t at = (o * n * inner + first) * size;
        if (n == 0) /* in may be NULL; a scan then has no items */
            put_identity(&w, plan->out + (o * inner + first) * size);
        else if (plan->scans)
            scan(&w, plan->in + at, n, NULL, plan->out + at);
        else
            reduce(&w, plan->in + at, n, plan->out + (o * inner + first) * size);
        first += width;
        if (first == inner) {
            first = 0;
            o++;
        }
    }
}

static void plan_any(opi_columns_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    opi_sweep_clear(&plan->sweep);
    opi_loops_plan(&plan->loops, task->op, isa, task->n * task->op->type->size);
    plan->axis = task->axis;
    plan->in = task->array[OPI_IN].mem;
    plan->out = (char *)task->array[OPI_AXIS_OUT].mem;
    plan->scans = task->what == OPI_SCAN_AXIS;
    plan->exclusive = task->exclusive;
    plan->sweep.replaces = plan->scans && plan->in == plan->out;
}

void opi_columns_plan(opi_columns_sweep *plan, const opi_isa *isa, const opi_task *task, size_t pieces)
{
    const size_t size = task->op->type->size, inner = task->axis.inner, outer = task->axis.outer, n = task->axis.n;
    plan_any(plan, isa, task);
    size_t bytes = PIECE_BYTES;
    while (bytes > LEAST_BYTES && (inner * size + bytes - 1) / bytes * outer < pieces) bytes /= 2;
    plan->width = opi_smaller(inner, opi_elements_in(bytes, size));
    assert(plan->width > 0);
    plan->across = (inner + plan->width - 1) / plan->width;
    plan->sweep.n = outer * plan->across;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, plan->width * size * opi_larger(n, 1));
    plan->sweep.bytes = (plan->scans ? 2 : 1) * task->n * size + (plan->scans ? 0 : outer * inner * size);
    plan->sweep.scratch_bytes = scratch_bytes(plan->width * size, n);
    plan->sweep.apply = apply_pieces;
}

/* --- rows of one slab --------------------------------------------------------------------------------------------- */

static void start_rows(const opi_sweep *sweep, size_t at, void *carry)
{
    const opi_columns_sweep *plan = (const opi_columns_sweep *)sweep;
    opi_range_start(carry, &plan->row_op, at, false);
}

/* Appends the nodes that climb() has found in `rows` rows. */
static void push(const walk *w, const char *const at[64], size_t rows, opi_range *range)
{
    if (is_exact(w)) {
        opi_range_push_exact(range, rows, at[0], 0);
        return;
    }
    for (unsigned k = (unsigned)levels_of(rows); k-- > 0;)
        if (rows >> k & 1) opi_range_push(range, k, at[k], 0);
}

/* Blocks begin at multiples of a power of two, and so do their nodes. */
static void aggregate_rows(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_columns_sweep *plan = (const opi_columns_sweep *)sweep;
    const walk w = walk_in(plan, plan->width, sweep->block, scratch);
    for (size_t i = begin, rows; i < end; i += rows) {
        const char *at[64] = {NULL};
        rows = opi_smaller(end - i, sweep->block);
        climb(&w, plan->in + i * w.bytes, rows, at);
        push(&w, at, rows, carry);
    }
}

static void join_rows(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    opi_range_join(left, right);
}

static void copy_rows(const opi_sweep *sweep, void *to, const void *from)
{
    (void)sweep;
    opi_range_copy(to, from);
}

static void apply_rows(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const opi_columns_sweep *plan = (const opi_columns_sweep *)sweep;
    const walk w = walk_in(plan, plan->width, sweep->block, scratch);
    const size_t rows = end - begin;
    char *const out = plan->out + begin * w.bytes;
    (void)total;
    (void)aggregated;
    const char *const last = scan(&w, plan->in + begin * w.bytes, rows, opi_range_fold(carry), out);
    if (is_exact(&w)) {
        opi_range_set_exact(carry, end, last, 0);
        return;
    }
    const char *at[64] = {NULL};
    for (unsigned k = 0; k < levels_of(rows); k++) at[k] = node_of(&w, k);
    push(&w, at, rows, carry);
    /* The last row of a whole block closes a node that may be larger than the block. */
    if (!plan->exclusive) put(&w, opi_range_fold(carry), out + (rows - 1) * w.bytes);
}

static void finish_rows(const opi_sweep *sweep, void *carry, void *out)
{
    const opi_columns_sweep *plan = (const opi_columns_sweep *)sweep;
    memcpy(out, opi_range_fold(carry), plan->row_type.size);
    opi_quiet_run(&plan->loops.quiet, out, plan->width);
}

static void combine_rows(void *out, const void *a, const void *b, const void *param)
{
    const opi_columns_sweep *const plan = *(const opi_columns_sweep *const *)param;
    opi_loops_zip(&plan->loops, a, b, plan->width, out);
}

void opi_columns_plan_rows(opi_columns_sweep *plan, const opi_isa *isa, const opi_task *task, size_t o)
{
    const size_t inner = task->axis.inner, bytes = inner * task->op->type->size, n = task->axis.n;
    size_t block = 1;
    plan_any(plan, isa, task);
    plan->width = inner;
    plan->across = 1;
    plan->row_type = *task->op->type;
    plan->row_type.size = bytes;
    plan->row_op = (oplus_op){.abi = OPLUS_ABI, .type = &plan->row_type, .combine_with = combine_rows};
    plan->row_op.flags = task->op->flags & OPLUS_EXACT;
    plan->row_op.param = &plan->self;
    plan->self = plan;
    plan->in += o * n * bytes;
    plan->out += o * (plan->scans ? n : 1) * bytes;
    while (block * bytes < BLOCK_BYTES) block *= 2;
    plan->sweep.n = n;
    plan->sweep.block = block;
    plan->sweep.bytes = (plan->scans ? 2 : 1) * n * bytes;
    plan->sweep.carry_bytes = opi_range_bytes(&plan->row_op);
    plan->sweep.scratch_bytes = scratch_bytes(bytes, block);
    plan->sweep.start = start_rows;
    plan->sweep.aggregate = aggregate_rows;
    plan->sweep.join = join_rows;
    plan->sweep.copy = copy_rows;
    if (plan->scans)
        plan->sweep.apply = apply_rows;
    else
        plan->sweep.finish = finish_rows;
}
