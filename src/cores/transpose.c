#include "cores/transpose.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

/* A tile is turned in scratch, some columns at a time, and written from there: a run of each row of out.
 *
 * From memory, what costs is how a tile is read.  A processor foresees the reading of some 16 rows that are read side by
 * side, and of few more: copies that read D rows of 16000 bytes side by side, 64 to 256 bytes of each in turn, give 30
 * GB/s (read and written) at D = 16 and 10 at D = 32, while runs of 64 bytes are written as fast as a copy (Zen 4,
 * 2026-11).  So a tile has 16 rows where that makes whole lines of out, and its columns are turned by the line.
 *
 * Elsewhere a tile has more rows and is turned at once in a second-level cache, so that a long piece of each row is
 * read.  f32 of 4001 x 3999 on one core, as above: runs of 512 bytes in tiles of 16 KiB give 10 GB/s, runs of 1024 in
 * tiles of 256 KiB give 14. */
typedef struct shape {
    size_t run_bytes, tile_bytes;
} shape;
static const shape from_memory = {1024, 256 << 10}, small_elements = {128, 256 << 10}, in_cache = {512, 16 << 10};

enum {
    SIDE_BY_SIDE = 16, /* rows that are read side by side, and columns that are turned at a time */
    BAND_BYTES = 128 << 10,
    MOST_ROWS = 512,        /* of a tile that is turned at once: bytes of 512 rows give 12 GB/s, of 1024 rows 8 */
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

static void put(const opi_transpose_sweep *plan, char *to, const char *from, size_t bytes)
{
    if (plan->streaming)
        plan->isa->stream(to, from, bytes, NULL);
    else
        memcpy(to, from, bytes);
}

/* Writes `cols` columns from `col` on, turned.  The first `lead` rows of the tile belong to the tile above it; their
 * ends share lines of out with this one, which are written here. */
static void write_turned(const opi_transpose_sweep *plan, const tile *t, size_t lead, size_t col, size_t cols,
                         const char *turned)
{
    const size_t size = plan->size, row = t->row + lead, run = (t->rows - lead) * size, pitch = t->rows * size;
    const char *const from = turned + lead * size;
    if (t->rows == plan->rows) /* whole rows of out */
        put(plan, out_at(plan, col, 0), turned, cols * pitch);
    else if (plan->streaming)
        plan->isa->stream_runs(out_at(plan, col, row), plan->rows * size, from, pitch, run, cols, lead == 0,
                               plan->lead == 0 || t->row + t->rows == plan->rows);
    else
        for (size_t c = 0; c < cols; c++) memcpy(out_at(plan, col + c, row), from + c * pitch, run);
}

static void apply_packed(const opi_transpose_sweep *plan, tile t, char *turned)
{
    const size_t lead = opi_smaller(t.row, plan->lead);
    t.row -= lead;
    t.rows += lead;
    for (size_t c = 0; c < t.cols; c += plan->chunk) {
        const size_t col = t.col + c, cols = opi_smaller(plan->chunk, t.cols - c);
        plan->isa->transpose(in_at(plan, t.row, col), plan->cols, turned, t.rows, t.rows, cols, plan->size);
        write_turned(plan, &t, lead, col, cols, turned);
    }
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
        if (plan->packed)
            apply_packed(plan, t, scratch);
        else
            plan->isa->transpose(in_at(plan, t.row, t.col), plan->cols, out_at(plan, t.col, t.row), plan->rows, t.rows,
                                 t.cols, plan->size);
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

/* Tiles of `shape`, turned at once. */
static void plan_shape(opi_transpose_sweep *plan, shape best)
{
    const size_t rows = plan->rows, cols = plan->cols, size = plan->size;
    plan->down = opi_smaller(rows, rows_of_run(size, best.run_bytes));
    plan->across = opi_smaller(cols, at_least_one(best.tile_bytes / (plan->down * size)));
    plan->down = opi_smaller(rows, plan->down * at_least_one(best.tile_bytes / (plan->down * plan->across * size)));
    plan->chunk = plan->across;
}

/* Tiles that are read from memory and written by whole lines: if rows of out begin anywhere (not `aligned`), each tile
 * turns the last rows of the tile above it again, enough for a line. */
static void plan_streaming(opi_transpose_sweep *plan, bool aligned)
{
    const size_t rows = plan->rows, cols = plan->cols, size = plan->size;
    const bool by_lines = aligned && (size <= 2 || size % 4 == 0); /* the edges of tiles, too */
    const size_t lead = by_lines ? 0 : (OPI_CACHE_LINE + size - 1) / size;
    const bool few = lead <= SIDE_BY_SIDE / 4 && SIDE_BY_SIDE * size >= OPI_CACHE_LINE;
    const shape best = by_lines ? small_elements : from_memory;
    const size_t run = few ? SIDE_BY_SIDE : opi_smaller(MOST_ROWS, best.run_bytes / size);
    const size_t whole = opi_smaller(rows, run);
    plan->lead = whole < rows ? lead : 0;
    plan->down = whole - plan->lead;
    plan->across = opi_smaller(cols, at_least_one((few ? BAND_BYTES : best.tile_bytes) / (whole * size)));
    plan->chunk = few ? opi_smaller(plan->across, SIDE_BY_SIDE) : plan->across;
}

static void plan_tiles(opi_transpose_sweep *plan)
{
    const size_t rows = plan->rows, cols = plan->cols, size = plan->size;
    const bool aligned = (uintptr_t)plan->out % OPI_CACHE_LINE == 0 && rows * size % OPI_CACHE_LINE == 0;
    assert(rows > 0 && cols > 0 && size > 0);
    plan->packed = size < in_cache.run_bytes && !is_narrow(plan);
    if (plan->packed && plan->streaming)
        plan_streaming(plan, aligned);
    else
        plan_shape(plan, is_narrow(plan) ? whole_blocks : in_cache);
    assert(plan->down > 0 && plan->across > 0 && plan->chunk > 0);
    plan->sweep.n = (rows + plan->down - 1) / plan->down * ((cols + plan->across - 1) / plan->across);
    plan->sweep.block = at_least_one(BLOCK_BYTES / (plan->down * plan->across * size));
    plan->sweep.scratch_bytes = plan->packed ? (plan->lead + plan->down) * plan->chunk * size : 0;
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
    plan->lead = plan->chunk = 0;
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
