#include "cores/transpose.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* A tile is turned in scratch and written from there: `run` bytes of each row of out.  Runs are long where their ends
 * share cache lines with other tiles; where runs are whole lines they are shorter, so that the tile is wider: that
 * helps reading, which is what memory is slow at.  GB/s read and written, f32 from memory on one core, Sapphire Rapids,
 * November 2026: runs of 256 give 18 at 4096 x 4096 and 8 at 4001 x 4001, runs of 512 give 13 and 10. */
typedef struct shape {
    size_t run_bytes, tile_bytes;
} shape;
static const shape whole_lines = {256, 8 << 10}, broken_lines = {512, 16 << 10};

enum {
    SQUARE_ROW_BYTES = 128, /* of a tile that changes places with its mirror image: scratch holds both, also turned */
    BLOCK_BYTES = 128 << 10,
    NARROW = 8 /* rows or columns, at most */
};
static const shape whole_blocks = {512, BLOCK_BYTES};

/* --- from one matrix to another ----------------------------------------------------------------------------------- */

typedef struct tile {
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

/* Asks for the next elements: tiles are too narrow for the processor to foresee them.  +10 %, measured as above. */
static void fetch(const opi_transpose_sweep *plan, const tile *t)
{
    for (size_t r = 0; r < t->rows; r++) {
        const char *const row = in_at(plan, t->row + r, t->col);
        for (size_t b = 0; b < t->cols * plan->size; b += OPI_CACHE_LINE) __builtin_prefetch(row + b);
    }
}

static void put(const opi_transpose_sweep *plan, char *to, const char *from, size_t bytes)
{
    if (plan->streaming)
        plan->isa->stream(to, from, bytes, NULL);
    else
        memcpy(to, from, bytes);
}

static void write_turned(const opi_transpose_sweep *plan, const tile *t, const char *turned)
{
    const size_t run = t->rows * plan->size;
    if (t->rows == plan->rows) { /* whole rows of out */
        put(plan, out_at(plan, t->col, 0), turned, t->cols * run);
        return;
    }
    for (size_t c = 0; c < t->cols; c++) put(plan, out_at(plan, t->col + c, t->row), turned + c * run, run);
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
        const char *const in = in_at(plan, t.row, t.col);
        if (plan->packed) {
            plan->isa->transpose(in, plan->cols, scratch, t.rows, t.rows, t.cols, plan->size);
            if (plan->streaming && i + 1 < end) {
                const tile next = tile_at(plan, i + 1);
                fetch(plan, &next);
            }
            write_turned(plan, &t, scratch);
        } else {
            plan->isa->transpose(in, plan->cols, out_at(plan, t.col, t.row), plan->rows, t.rows, t.cols, plan->size);
        }
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

/* The fewest rows that make whole lines of out and a run long enough. */
static size_t rows_of_run(size_t size, size_t run_bytes)
{
    const size_t power_of_two = size & -size;
    size_t rows = power_of_two < OPI_CACHE_LINE ? OPI_CACHE_LINE / power_of_two : 1;
    while (rows * size < run_bytes) rows *= 2;
    return rows;
}

/* Few rows or columns: both matrices are read and written in a few long rows, or without gaps.  Then nothing is gained
 * by turning a tile first, nor by writing past the caches (2 and 3 columns of 2 and 4 bytes from memory, one
 * thread: 1.4 to 2.0 times the time of plain stores; Zen 5, 2026-11). */
static bool is_narrow(const opi_transpose_sweep *plan)
{
    const size_t few = opi_smaller(plan->rows, plan->cols);
    return few > 1 && few <= NARROW;
}

static void plan_tiles(opi_transpose_sweep *plan)
{
    const size_t rows = plan->rows, cols = plan->cols, size = plan->size;
    const bool aligned = (uintptr_t)plan->out % OPI_CACHE_LINE == 0 && rows * size % OPI_CACHE_LINE == 0;
    assert(rows > 0 && cols > 0 && size > 0);
    shape best = plan->streaming && aligned ? whole_lines : broken_lines;
    plan->packed = size < best.run_bytes && !is_narrow(plan);
    if (is_narrow(plan)) best = whole_blocks;
    plan->down = opi_smaller(rows, rows_of_run(size, best.run_bytes));
    plan->across = opi_smaller(cols, at_least_one(best.tile_bytes / (plan->down * size)));
    plan->down = opi_smaller(rows, plan->down * at_least_one(best.tile_bytes / (plan->down * plan->across * size)));
    assert(plan->down > 0 && plan->across > 0);
    const size_t tile_bytes = plan->down * plan->across * size;
    plan->sweep.n = (rows + plan->down - 1) / plan->down * ((cols + plan->across - 1) / plan->across);
    plan->sweep.block = at_least_one(BLOCK_BYTES / tile_bytes);
    plan->sweep.scratch_bytes = plan->packed ? tile_bytes : 0;
    plan->sweep.apply = apply;
}

static void plan_squares(opi_transpose_sweep *plan)
{
    assert(plan->rows > 0 && plan->size > 0);
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

void opi_transpose_plan(opi_transpose_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const opi_array *const in = &task->array[OPI_IN];
    opi_sweep_clear(&plan->sweep);
    plan->isa = isa;
    plan->size = in->size;
    plan->in = in->mem;
    plan->out = (char *)task->array[OPI_TURNED_OUT].mem;
    plan->rows = task->matrix.rows;
    plan->cols = task->matrix.cols;
    plan->streaming = plan->in != plan->out && !is_narrow(plan) && task->n * in->size >= OPI_STREAMING_BYTES;
    plan->sweep.bytes = 2 * task->n * in->size;
    if (plan->rows == 1 || plan->cols == 1)
        plan_move(plan);
    else if (plan->in == plan->out)
        plan_squares(plan);
    else
        plan_tiles(plan);
}
