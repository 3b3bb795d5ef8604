/* Windows on the cores: each step goes over tiles, which are independent.
 *
 * A tile is some rows of a strip of columns; element (r, c) of level k is 2^k elements before (r + 1, c).  At level 0 there
 * is one column, and a tile is where it lies; else a tile is copied to where its rows are neighbours.  All elements of a
 * tile then take the same steps: each joins two runs of neighbours, pair by pair. */
#include "cores/window.h"

#include "base/error.h"
#include "cores/loops.h"
#include "cores/ways.h"
#include "task/make.h"
#include "task/window.h"

#include <assert.h>
#include <string.h>

enum {
    TILE_BYTES = 16 << 10, /* of results, at level 0, */
    STRIP_BYTES = 256,     /* ... and of a row of a strip above it */
    STEP_BYTES = 32 << 10, /* of the elements before the last one of a window, in a step above level 0 */
    WINDOWS_A_TILE = 4,    /* a tile has so many times the rows of a window: what tiles make twice is a fifth */
    MOST_FIRST = 12,       /* levels of the first step, */
    MOST_MORE = 7          /* ... and of another one */
};

typedef struct window_sweep {
    opi_sweep sweep; /* items: tiles, those of a strip one after the other */
    opi_loops loops;
    const opi_window_step *step;
    const char *in;
    char *out; /* where result 0 belongs */
    size_t n;  /* elements of in */
    size_t rows, columns, strips;
    size_t buffer; /* bytes of the nodes of a level */
    bool streaming;
} window_sweep;

/* A tile under way. */
typedef struct tile {
    const window_sweep *plan;
    size_t first;         /* place of its first result */
    size_t rows, columns; /* of results */
    char *unused, *spare; /* buffers that have not been used yet; one that is free again, or NULL */
} tile;

static size_t size_of(const tile *t) { return t->plan->loops.size; }

static size_t stride_of(const window_sweep *plan) { return (size_t)1 << plan->step->level; }

static char *take_buffer(tile *t)
{
    char *const own = t->spare ? t->spare : t->unused;
    if (!t->spare) t->unused += t->plan->buffer;
    t->spare = NULL;
    return own;
}

/* --- a tile and its memory ---------------------------------------------------------------------------------------- */

/* Copies `rows` rows of the tile from x, which has elements up to `count`.  Places beyond get the first element, because the
 * operator is defined for it. */
static void gather(const tile *t, const char *x, size_t at, size_t count, size_t rows, char *to)
{
    const size_t size = size_of(t), stride = stride_of(t->plan);
    for (size_t r = 0; r < rows; r++, at += stride) {
        const size_t there = at < count ? opi_smaller(t->columns, count - at) : 0;
        memcpy(to + r * t->columns * size, x + at * size, there * size);
        for (size_t c = there; c < t->columns; c++) memcpy(to + (r * t->columns + c) * size, to, size);
    }
}

/* Where the results of the steps before are, as neighbours. */
static const char *results_before(tile *t)
{
    const window_sweep *const plan = t->plan;
    if (plan->step->level == 0) return plan->out + t->first * size_of(t);
    char *const own = take_buffer(t);
    gather(t, plan->out, t->first, plan->step->count, t->rows, own);
    return own;
}

static void put(const tile *t, const char *results)
{
    const window_sweep *const plan = t->plan;
    const size_t size = size_of(t), stride = stride_of(plan);
    if (plan->step->level == 0) {
        char *const out = plan->out + t->first * size;
        if (plan->streaming)
            plan->loops.isa->stream(out, results, t->rows * size, NULL);
        else if (results != out)
            memcpy(out, results, t->rows * size);
        return;
    }
    for (size_t r = 0, at = t->first; r < t->rows && at < plan->step->count; r++, at += stride)
        memcpy(plan->out + at * size, results + r * t->columns * size,
               opi_smaller(t->columns, plan->step->count - at) * size);
}

/* --- its nodes ---------------------------------------------------------------------------------------------------- */

/* at[k] becomes where the nodes of the tile's results begin, for each bit k of the digits.  x: the tile's elements. */
static unsigned make_nodes(tile *t, const char *x, const char *at[32])
{
    const uint64_t digits = t->plan->step->digits;
    const size_t row = t->columns * size_of(t);
    const char *nodes = x;
    size_t rows = t->rows + digits - 1;
    for (unsigned k = 0;; k++) {
        const bool taken = digits >> k & 1;
        at[k] = nodes + (size_t)(digits >> k >> 1 << k << 1) * row;
        if (digits >> k == 1) return k;
        rows -= (size_t)1 << k;
        char *const next = take_buffer(t);
        opi_loops_zip(&t->plan->loops, nodes, nodes + (row << k), rows * t->columns, next);
        if (!taken && nodes != x) t->spare = (char *)nodes;
        nodes = next;
    }
}

/* The left fold of what the steps before have found and of the tile's nodes. */
static const char *fold(tile *t, const char *const at[32], unsigned top, char *to)
{
    const window_sweep *const plan = t->plan;
    const size_t count = t->rows * t->columns;
    const char *left = at[top];
    if (plan->step->follows) {
        opi_loops_zip(&plan->loops, results_before(t), left, count, to);
        left = to;
    }
    for (unsigned k = top; k-- > 0;) {
        if (!(plan->step->digits >> k & 1)) continue;
        opi_loops_zip(&plan->loops, left, at[k], count, to);
        left = to;
    }
    return left;
}

static void make_tile(tile *t)
{
    const window_sweep *const plan = t->plan;
    const opi_window_step *const step = plan->step;
    const char *at[32] = {NULL}, *x = plan->in + (t->first + step->ahead) * size_of(t);
    if (step->level > 0) {
        char *const own = take_buffer(t);
        gather(t, plan->in, t->first + step->ahead, plan->n, t->rows + step->digits - 1, own);
        x = own;
    }
    const unsigned top = make_nodes(t, x, at);
    const bool direct = step->level == 0 && !plan->streaming;
    char *const to = direct ? plan->out + t->first * size_of(t) : take_buffer(t);
    const char *results = fold(t, at, top, to);
    if (step->last) {
        if (results != to) memcpy(to, results, t->rows * t->columns * size_of(t));
        opi_quiet_run(&plan->loops.quiet, to, t->rows * t->columns);
        results = to;
    }
    put(t, results);
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static size_t rows_of_results(const window_sweep *plan)
{
    return ((size_t)plan->step->count - 1) / stride_of(plan) + 1;
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const window_sweep *const plan = (const window_sweep *)sweep;
    const size_t stride = stride_of(plan), all = rows_of_results(plan);
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t item = begin; item < end; item++) {
        const size_t row = item / plan->strips * plan->rows, column = item % plan->strips * plan->columns;
        tile t = {.plan = plan, .first = row * stride + column, .unused = scratch};
        t.rows = opi_smaller(plan->rows, all - row);
        t.columns = opi_smaller(plan->columns, stride - column);
        if (t.first < plan->step->count) make_tile(&t);
    }
    if (plan->streaming) plan->loops.isa->fence();
}

static unsigned bits_of(uint64_t x)
{
    unsigned bits = 0;
    for (; x; x &= x - 1) bits++;
    return bits;
}

/* x: what it reads, of n elements; out: where its result 0 belongs. */
static void plan_step(window_sweep *plan, const opi_isa *isa, const opi_task *task, const opi_window_step *step,
                      const char *x, size_t n, char *out)
{
    const size_t size = task->op->type->size;
    opi_sweep_clear(&plan->sweep);
    plan->step = step;
    plan->in = x;
    plan->out = out;
    plan->n = n;
    plan->sweep.bytes = (2 + (size_t)step->follows) * (size_t)step->count * size;
    opi_loops_plan(&plan->loops, task->op, isa, plan->sweep.bytes);
    plan->columns = step->level == 0 ? 1 : opi_elements_in(STRIP_BYTES, size);
    plan->columns = opi_smaller(plan->columns, stride_of(plan));
    plan->strips = (stride_of(plan) + plan->columns - 1) / plan->columns;
    plan->rows = opi_elements_in(TILE_BYTES, plan->columns * size);
    plan->rows = opi_larger(plan->rows, (size_t)WINDOWS_A_TILE * step->digits);
    plan->rows = opi_smaller(plan->rows, rows_of_results(plan));
    plan->streaming = step->level == 0 && (size_t)step->count * size >= OPI_STREAMING_BYTES;
    plan->buffer = opi_round_up((plan->rows + step->digits - 1) * plan->columns * size, OPI_CACHE_LINE);
    plan->sweep.n = ((rows_of_results(plan) - 1) / plan->rows + 1) * plan->strips;
    plan->sweep.block = 1;
    plan->sweep.scratch_bytes = (bits_of(step->digits) + 4) * plan->buffer;
    plan->sweep.apply = apply;
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

/* The largest k, of 1 to `most`, for which 2^k elements of `size` bytes fit. */
static unsigned levels_in(size_t bytes, size_t size, unsigned most)
{
    unsigned k = 1;
    while (k < most && size << (k + 1) <= bytes) k++;
    return k;
}

static int steps_of(const opi_task *task, opi_window_step *steps, int *arrays)
{
    const size_t size = task->op->type->size;
    return opi_window_steps(task->n, task->window, levels_in(TILE_BYTES, size, MOST_FIRST),
                            levels_in(STEP_BYTES, opi_larger(size, STRIP_BYTES), MOST_MORE), steps, arrays);
}

/* Array v of scratch memory, counted from 1, of so many bytes; NULL if none is reserved, as for an explanation. */
static char *scratch_of(const opi_cores *cores, int v, size_t bytes)
{
    char *const mem = cores->array.mem;
    return mem ? mem + (size_t)(v - 1) * bytes : NULL;
}

/* Plans a step of the task. */
static void plan_of(window_sweep *plan, opi_cores *cores, const opi_task *task, const opi_window_step *step)
{
    const size_t bytes = task->n * task->op->type->size, whole = (task->window - 1) * task->op->type->size;
    char *const out = (char *)task->array[OPI_WINDOW_OUT].mem;
    const char *const x = step->from == 0 ? task->array[OPI_IN].mem : scratch_of(cores, step->from, bytes);
    const size_t beyond = ((size_t)1 << step->level) - 1; /* starts too near to the end for a node of this level */
    plan_step(plan, cores->isa, task, step, x, task->n - beyond,
              step->to == 0 ? out + whole : scratch_of(cores, step->to, bytes));
}

static opi_task task_of_head(const opi_task *task)
{
    opi_task head;
    opi_task_scan(&head, task->op, OPLUS_INCLUSIVE, task->array[OPI_IN].mem, NULL, opi_window_head(task), 0,
                  (void *)task->array[OPI_WINDOW_OUT].mem);
    return head;
}

/* Reserves the arrays between steps. */
static oplus_status reserve(opi_cores *cores, const char *call, const opi_task *task, int arrays)
{
    size_t bytes;
    const size_t size = task->op->type->size;
    if (arrays == 0) return OPLUS_OK;
    if (!__builtin_mul_overflow(task->n * size, (size_t)arrays, &bytes) && opi_buffer_reserve(&cores->array, bytes))
        return OPLUS_OK;
    return opi_fail(
        OPLUS_ERR_MEMORY,
        "%s: no memory for %d times %zu elements of %zu bytes, which windows of w = %zu need; free some, or "
        "ask for shorter windows",
        call, arrays, task->n, size, task->window);
}

static oplus_status run_steps(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_window_step steps[OPI_WINDOW_STEPS];
    window_sweep plan;
    int arrays;
    const int count = steps_of(task, steps, &arrays);
    OPI_TRY(reserve(cores, call, task, arrays));
    for (int i = 0; i < count; i++) {
        plan_of(&plan, cores, task, &steps[i]);
        OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, NULL));
    }
    return OPLUS_OK;
}

oplus_status opi_window_run(opi_cores *cores, const char *call, const opi_task *task)
{
    const opi_task head = task_of_head(task);
    if (head.n > 0) OPI_TRY(opi_cores_run(cores, call, &head, NULL));
    return head.n < task->n ? run_steps(cores, call, task) : OPLUS_OK;
}

void opi_window_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    opi_window_step steps[OPI_WINDOW_STEPS];
    window_sweep plan;
    int arrays;
    const size_t head = opi_window_head(task);
    if (head > 0) opi_say(to, "the first %zu results are those of a scan\n", head);
    if (head == task->n) return;
    const int count = steps_of(task, steps, &arrays);
    opi_say(to, "the others: %d pass%s over memory, the last of which goes by this way\n", count,
            count == 1 ? "" : "es");
    plan_of(&plan, cores, task, &steps[count - 1]);
    opi_cores_explain_sweep(cores, &plan.sweep, to);
}
