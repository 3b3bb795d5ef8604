#include "cores/transpose.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum {
    PAGE = 4096,
    BLOCK_BYTES = 128 << 10,
    NARROW = 8, /* rows or columns, at most */

    /* A tile that lies in a cache: a run of each row of out has so many bytes. */
    RUN_BYTES = 512,
    TILE_BYTES = 16 << 10,

    /* A tile that is written past the caches.  It has at most as many columns as a processor remembers pages, and a
     * short piece of each row; and many rows, because the ends of its columns are no whole lines, but not so many that
     * some of many threads have no tile. */
    LINES_COLS = 1024,
    LINES_ROW_BYTES = 4096,
    LINES_COLUMN_BYTES = 8192,
    LINES_COLUMN_LEAST = 1024,
    LINES_TILES = 4,         /* of each of several threads, at least */
    LINES_STEP_BYTES = 4096, /* the rows of larger elements that are whole lines are too many */
    LINES_SCRATCH = 256 << 10,

    /* Few rows or columns, written past the caches: they are turned in a first-level cache before. */
    STAGE_BYTES = 4 << 10,

    /* A tile that changes places with its mirror image: scratch holds both, turned. */
    SQUARE_ROW_BYTES = 128
};

/* --- from one matrix to another ----------------------------------------------------------------------------------- */

typedef struct opi_transpose_tile {
    size_t row, col, rows, cols;
} tile;

static tile tile_at(const opi_transpose_sweep *plan, size_t index)
{
    const size_t tiles_across = (plan->cols + plan->across - 1) / plan->across;
    tile t;
    t.row = index / tiles_across * plan->down;
    t.col = index % tiles_across * plan->across;
    t.rows = opi_smaller(plan->down, plan->rows - t.row);
    t.cols = opi_smaller(plan->across, plan->cols - t.col);
    return t;
}

static const char *in_at(const opi_transpose_sweep *plan, size_t row, size_t col)
{
    return plan->in + (row * plan->cols + col) * plan->size;
}

static char *out_at(const opi_transpose_sweep *plan, size_t row, size_t col)
{
    return plan->out + (row * plan->rows + col) * plan->size;
}

static void put(const opi_transpose_sweep *plan, char *to, const char *from, size_t bytes)
{
    if (plan->streaming)
        plan->isa->stream(to, from, bytes, NULL);
    else
        memcpy(to, from, bytes);
}

static void turn_directly(const opi_transpose_sweep *plan, const tile *t, void *scratch)
{
    (void)scratch;
    plan->isa->transpose(in_at(plan, t->row, t->col), plan->cols, out_at(plan, t->col, t->row), plan->rows, t->rows,
                         t->cols, plan->size);
}

/* In scratch: rows that are a power of two of bytes apart do not drive each other out of a cache.  Few rows or columns
 * are then long runs of out, which may be written past the caches. */
static void turn_packed(const opi_transpose_sweep *plan, const tile *t, void *scratch)
{
    const size_t run = t->rows * plan->size;
    plan->isa->transpose(in_at(plan, t->row, t->col), plan->cols, scratch, t->rows, t->rows, t->cols, plan->size);
    if (t->rows == plan->rows) /* whole rows of out */
        put(plan, out_at(plan, t->col, 0), scratch, t->cols * run);
    else
        for (size_t c = 0; c < t->cols; c++)
            put(plan, out_at(plan, t->col + c, t->row), (const char *)scratch + c * run, run);
}

static void turn_lines(const opi_transpose_sweep *plan, const tile *t, void *scratch)
{
    plan->isa->transpose_lines(in_at(plan, t->row, t->col), plan->cols, out_at(plan, t->col, t->row), plan->rows,
                               t->rows, t->cols, plan->size, scratch);
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_transpose_sweep *plan = (const opi_transpose_sweep *)sweep;
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t i = begin; i < end; i++) {
        const tile t = tile_at(plan, i);
        plan->turn(plan, &t, scratch);
    }
    if (plan->streaming) plan->isa->fence();
}

/* --- in place: tiles change places with their mirror images ------------------------------------------------------ */

static void write_square(const opi_transpose_sweep *plan, const char *turned, size_t row, size_t col, size_t rows,
                         size_t cols)
{
    for (size_t r = 0; r < rows; r++)
        memcpy(out_at(plan, row + r, col), turned + r * cols * plan->size, cols * plan->size);
}

/* Items are bands of rows; a band has the tiles on the diagonal and to the right of it. */
static void apply_in_place(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                           bool aggregated, void *scratch)
{
    const opi_transpose_sweep *plan = (const opi_transpose_sweep *)sweep;
    const size_t n = plan->rows, side = plan->down, size = plan->size;
    char *const first = scratch, *const second = first + opi_round_up(side * side * size, OPI_CACHE_LINE);
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t band = begin; band < end; band++) {
        const size_t i = band * side, down = opi_smaller(side, n - i);
        plan->isa->transpose(in_at(plan, i, i), n, first, down, down, down, size);
        write_square(plan, first, i, i, down, down);
        for (size_t j = i + side; j < n; j += side) {
            const size_t across = opi_smaller(side, n - j);
            plan->isa->transpose(in_at(plan, i, j), n, first, down, down, across, size);
            plan->isa->transpose(in_at(plan, j, i), n, second, across, across, down, size);
            write_square(plan, first, j, i, across, down);
            write_square(plan, second, i, j, down, across);
        }
    }
}

/* --- a row or a column: the same elements in the same order ------------------------------------------------------- */

static void apply_move(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const opi_transpose_sweep *plan = (const opi_transpose_sweep *)sweep;
    (void)carry;
    (void)total;
    (void)aggregated;
    (void)scratch;
    put(plan, plan->out + begin * plan->size, plan->in + begin * plan->size, (end - begin) * plan->size);
    if (plan->streaming) plan->isa->fence();
}

/* --- which of them */

static size_t at_least_one(size_t n) { return n ? n : 1; }

static bool is_narrow(const opi_transpose_sweep *plan) { return opi_smaller(plan->rows, plan->cols) <= NARROW; }

/* How many of n elements have `bytes`: all, or whole lines of them, one at least. */
static size_t part(size_t n, size_t bytes, size_t size)
{
    const size_t whole = opi_transpose_rows(size);
    return opi_smaller(n, at_least_one(bytes / (whole * size)) * whole);
}

/* Tiles of down x across elements. */
static void deal(opi_transpose_sweep *plan, size_t down, size_t across)
{
    assert(down > 0 && across > 0);
    plan->sweep.apply = apply;
    plan->down = opi_smaller(down, plan->rows);
    plan->across = opi_smaller(across, plan->cols);
    plan->sweep.n = (plan->rows + plan->down - 1) / plan->down * ((plan->cols + plan->across - 1) / plan->across);
    plan->sweep.block = at_least_one(BLOCK_BYTES / (plan->down * plan->across * plan->size));
}

static void plan_stages(opi_transpose_sweep *plan)
{
    const size_t rows = plan->rows, cols = plan->cols, size = plan->size;
    if (rows <= NARROW)
        deal(plan, rows, part(cols, STAGE_BYTES / rows, size));
    else
        deal(plan, part(rows, STAGE_BYTES / cols, size), cols);
    plan->sweep.scratch_bytes = plan->down * plan->across * size;
    plan->turn = turn_packed;
}

static void plan_lines(opi_transpose_sweep *plan, size_t workers)
{
    const size_t size = plan->size, wanted = workers > 1 ? LINES_TILES * workers : 1;
    const bool crowded = plan->rows * size % PAGE == 0; /* pages of columns of out drive each other out */
    const size_t fit = LINES_SCRATCH / (2 * opi_transpose_step(size) * size);
    const size_t row_bytes = crowded ? LINES_ROW_BYTES / 2 : LINES_ROW_BYTES;
    size_t column_bytes = LINES_COLUMN_BYTES, most = LINES_COLS;
    for (;;) {
        const size_t across = opi_smaller(most, opi_smaller(at_least_one(row_bytes / size), fit));
        deal(plan, part(plan->rows, column_bytes, size), across);
        if (plan->sweep.n >= wanted || column_bytes <= LINES_COLUMN_LEAST) break;
        column_bytes /= 2;
        if (plan->sweep.n * 2 < wanted && most > LINES_COLS / 4) most /= 2;
    }
    plan->sweep.scratch_bytes = opi_transpose_scratch(size, plan->across);
    plan->turn = turn_lines;
}

/* Tiles that lie in a cache: runs of rows of out that are whole lines, and long enough. */
static void plan_tiles(opi_transpose_sweep *plan)
{
    const size_t rows = plan->rows, cols = plan->cols, size = plan->size;
    const bool packed = size < RUN_BYTES && !is_narrow(plan);
    const size_t tile_bytes = is_narrow(plan) ? BLOCK_BYTES : TILE_BYTES, run = part(rows, RUN_BYTES, size);
    const size_t across = opi_smaller(cols, at_least_one(tile_bytes / (run * size)));
    deal(plan, run * at_least_one(tile_bytes / (run * across * size)), across);
    plan->sweep.scratch_bytes = packed ? plan->down * plan->across * size : 0;
    plan->turn = packed ? turn_packed : turn_directly;
    plan->streaming = false;
}

static void plan_squares(opi_transpose_sweep *plan)
{
    const size_t side = opi_smaller(plan->rows, at_least_one(SQUARE_ROW_BYTES / plan->size));
    plan->down = plan->across = side;
    plan->sweep.n = (plan->rows + side - 1) / side;
    plan->sweep.block = 1;
    plan->sweep.scratch_bytes = 2 * opi_round_up(side * side * plan->size, OPI_CACHE_LINE);
    plan->sweep.apply = apply_in_place;
}

static void plan_move(opi_transpose_sweep *plan)
{
    plan->sweep.n = plan->rows * plan->cols;
    plan->sweep.block = at_least_one(BLOCK_BYTES / plan->size);
    plan->sweep.apply = apply_move;
}

void opi_transpose_plan(opi_transpose_sweep *plan, const opi_isa *isa, size_t workers, const opi_task *task)
{
    const opi_array *const in = &task->array[OPI_IN];
    opi_sweep_clear(&plan->sweep);
    plan->isa = isa;
    plan->size = in->size;
    plan->in = in->mem;
    plan->out = (char *)task->array[OPI_TURNED_OUT].mem;
    plan->rows = task->matrix.rows;
    plan->cols = task->matrix.cols;
    assert(plan->rows > 0 && plan->cols > 0 && plan->size > 0);
    plan->streaming = plan->in != plan->out && task->n * in->size >= OPI_STREAMING_BYTES;
    plan->sweep.bytes = 2 * task->n * in->size;
    if (plan->rows == 1 || plan->cols == 1)
        plan_move(plan);
    else if (plan->in == plan->out)
        plan_squares(plan);
    else if (plan->streaming && is_narrow(plan) && plan->size < RUN_BYTES)
        plan_stages(plan);
    else if (plan->streaming && opi_transpose_step(plan->size) * plan->size <= LINES_STEP_BYTES)
        plan_lines(plan, workers);
    else
        plan_tiles(plan);
}
