/* Transpose on an accelerator: tiles are turned on the way through the memory of a work-group. */
#include "cores/transpose.h"
#include "base/error.h"
#include "gpu/groups.h"

#include <assert.h>
#include <stdio.h>

enum {
    ROW_BYTES = 128, /* of a tile, or more: what neighbours read at once */
    SIDE = 32,       /* of a tile, where that is not too large */
    TILE_BYTES = 16 << 10,
    LARGEST_UNIT = 16,
    SHAPED_BYTES = 64 /* of an element, for the size of a work-group */
};

/* A matrix of such elements and what turns it. */
typedef struct turner {
    opi_groups *g;
    const char *call;
    size_t size;     /* of an element, bytes */
    unsigned unit;   /* bytes that are moved at a time */
    opi_shape shape; /* log_e is of the side of a square tile */
    bool square;     /* in place */
    opi_program *program;
} turner;

/* --- the program ------------------------------------------------------------------------------------------------ */

/* The largest power of two that divides the size and all addresses; they are those of the device. */
static unsigned unit_of(size_t size, const void *in, const void *out)
{
    const uintptr_t all = size | (uintptr_t)in | (uintptr_t)out | LARGEST_UNIT;
    return (unsigned)(all & -all);
}

static unsigned log_side(const opi_gpu_facts *facts, size_t size, bool shared)
{
    const size_t room = shared ? opi_smaller(TILE_BYTES, facts->local / 2) : TILE_BYTES;
    unsigned log_side = 0;
    while (4 * (size << 2 * log_side) <= room && (!shared || size << log_side < ROW_BYTES || 1 << log_side < SIDE))
        log_side++;
    return log_side;
}

static void write_source(opi_gpu_source *source, const void *given)
{
    const turner *const t = given;
    opi_gpu_write_shape(source, t->shape, t->size);
    opi_gpu_define(source, "OPI_UNIT", t->unit);
    opi_gpu_define(source, "OPI_SQUARE", t->square);
    opi_gpu_define(source, "OPI_STAGED", t->shape.log_w > 0 && t->shape.log_e > 0);
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "transpose");
}

/* in, out: addresses of the device. */
static oplus_status make_program(turner *t, const void *in, const void *out)
{
    const opi_gpu_facts *const facts = &t->g->gpu->facts;
    char what[64];
    t->square = in == out;
    t->unit = unit_of(t->size, in, out);
    t->shape = opi_shape_for(facts, opi_smaller(t->size, SHAPED_BYTES), 0);
    t->shape.log_e = log_side(facts, t->size, t->shape.log_w > 0);
    t->shape.vectors = false;
    opi_key key = opi_key_begin("transpose", t->shape);
    opi_key_number(&key, t->size);
    opi_key_number(&key, t->unit);
    opi_key_number(&key, t->square);
    snprintf(what, sizeof what, "transpose of elements of %zu bytes", t->size);
    return opi_program_get(&t->g->programs, t->call, what, key.hash, write_source, t, &t->program);
}

/* --- launches --------------------------------------------------------------------------------------------------- */

static unsigned log_at_least(size_t n)
{
    unsigned log = 0;
    while (log < 63 && (size_t)1 << log < n) log++;
    return log;
}

static uint64_t tiles_of(size_t n, unsigned log)
{
    assert(n > 0 && log < 64);
    return ((n - 1) >> log) + 1;
}

/* A tile is as low, or as narrow, as the matrix, and then longer the other way.  Rows of a tile have a gap between
 * them: more of them than a square tile has, and they may not fit any more. */
static void cut(const turner *t, size_t rows, size_t cols, uint32_t *log_down, uint32_t *log_across)
{
    const unsigned side = t->shape.log_e, lowest = log_at_least(rows), narrowest = log_at_least(cols);
    const size_t gap = t->unit < 4 ? 4 : t->unit; /* bytes; transpose.cl */
    const size_t room = ((t->size << side) + gap) << side;
    *log_down = *log_across = side;
    if (lowest < side) {
        *log_down = lowest;
        *log_across = (uint32_t)opi_smaller(2 * side - lowest, narrowest);
    } else if (narrowest < side) {
        *log_across = narrowest;
        *log_down = (uint32_t)opi_smaller(2 * side - narrowest, lowest);
        while (((t->size << *log_across) + gap) << *log_down > room) --*log_down;
    }
}

/* rows x cols from one matrix to another on the device; pitches in elements. */
static oplus_status turn(const turner *t, const void *in, size_t in_pitch, size_t rows, size_t cols, void *out,
                         size_t out_pitch)
{
    uint32_t log_down, log_across;
    const uint64_t from_pitch = in_pitch, to_pitch = out_pitch, down = rows, across = cols;
    cut(t, rows, cols, &log_down, &log_across);
    const opi_gpu_argument list[] = {opi_memory(in),      opi_value(from_pitch), opi_memory(out),
                                     opi_value(to_pitch), opi_value(down),       opi_value(across),
                                     opi_value(log_down), opi_value(log_across)};
    return opi_gpu_launch(t->g, t->call, t->program, "opi_transpose",
                          tiles_of(rows, log_down) * tiles_of(cols, log_across), 1u << t->shape.log_w, list,
                          sizeof list / sizeof *list);
}

static oplus_status turn_in_place(const turner *t, void *matrix, size_t n)
{
    const uint64_t side = n, tiles = tiles_of(n, t->shape.log_e);
    const opi_gpu_argument list[] = {opi_memory(matrix), opi_value(side)};
    return opi_gpu_launch(t->g, t->call, t->program, "opi_transpose",
                          tiles % 2 ? (tiles + 1) / 2 * tiles : tiles / 2 * (tiles + 1), 1u << t->shape.log_w, list, 2);
}

/* --- matrices of the host --------------------------------------------------------------------------------------- */

static size_t room_of(const opi_groups *g) { return OPI_SLOTS * g->piece_bytes; }

static size_t lines_in(const opi_groups *g, size_t line_bytes)
{
    return line_bytes < room_of(g) ? room_of(g) / line_bytes : 1;
}

/* Bands of rows come from the host, and become columns of a matrix on the device. */
static oplus_status turn_from_host(turner *t, const char *in, size_t rows, size_t cols, char *out)
{
    opi_gpu *const gpu = t->g->gpu;
    const size_t most = opi_smaller(rows, lines_in(t->g, cols * t->size));
    OPI_TRY(opi_gpu_reserve(t->g, t->call, &t->g->work, most * cols * t->size));
    OPI_TRY(make_program(t, t->g->work.mem, out));
    for (size_t row = 0; row < rows; row += most) {
        const size_t band = opi_smaller(most, rows - row);
        OPI_TRY(gpu->driver->upload(gpu, t->call, OPI_QUEUE_COMPUTE, t->g->work.mem, in + row * cols * t->size,
                                    band * cols * t->size));
        OPI_TRY(turn(t, t->g->work.mem, cols, band, cols, out + row * t->size, rows));
    }
    return gpu->driver->sync(gpu, t->call, OPI_QUEUE_COMPUTE);
}

/* Bands of columns of a matrix on the device become rows, and go to the host. */
static oplus_status turn_to_host(turner *t, const char *in, size_t rows, size_t cols, char *out)
{
    opi_gpu *const gpu = t->g->gpu;
    const size_t most = opi_smaller(cols, lines_in(t->g, rows * t->size));
    OPI_TRY(opi_gpu_reserve(t->g, t->call, &t->g->work, most * rows * t->size));
    OPI_TRY(make_program(t, in, t->g->work.mem));
    for (size_t col = 0; col < cols; col += most) {
        const size_t band = opi_smaller(most, cols - col);
        OPI_TRY(turn(t, in + col * t->size, cols, rows, band, t->g->work.mem, rows));
        OPI_TRY(gpu->driver->download(gpu, t->call, OPI_QUEUE_COMPUTE, out + col * rows * t->size, t->g->work.mem,
                                      band * rows * t->size));
    }
    return gpu->driver->sync(gpu, t->call, OPI_QUEUE_COMPUTE);
}

/* To the device and back as a whole. */
static oplus_status turn_whole(turner *t, const char *in, size_t rows, size_t cols, char *out)
{
    opi_gpu *const gpu = t->g->gpu;
    const size_t bytes = rows * cols * t->size, second = opi_round_up(bytes, OPI_CACHE_LINE);
    OPI_TRY(opi_gpu_reserve(t->g, t->call, &t->g->work, second + bytes));
    char *const came = t->g->work.mem, *const turned = came + second;
    OPI_TRY(make_program(t, came, turned));
    oplus_status status = gpu->driver->upload(gpu, t->call, OPI_QUEUE_COMPUTE, came, in, bytes);
    if (status == OPLUS_OK) status = turn(t, came, cols, rows, cols, turned, rows);
    t->g->wrote |= status == OPLUS_OK;
    if (status == OPLUS_OK) status = gpu->driver->download(gpu, t->call, OPI_QUEUE_COMPUTE, out, turned, bytes);
    const oplus_status settled = gpu->driver->sync(gpu, t->call, OPI_QUEUE_COMPUTE); /* nothing is under way then */
    return status != OPLUS_OK ? status : settled;
}

/* Where it does not fit, a band that comes back from the device would have to be scattered over all of out by the
 * host's own loops.  They turn the matrix itself in that time, in place too. */
static oplus_status turn_on_host(oplus_device *dev, const char *call, size_t size, const void *in, size_t rows,
                                 size_t cols, void *out)
{
    opi_transpose_sweep plan;
    opi_transpose_plan(&plan, dev->isa, size, in, rows, cols, out);
    return opi_cores.run(dev, call, &plan.sweep, NULL);
}

/* --- which of them ---------------------------------------------------------------------------------------------- */

oplus_status opi_groups_transpose(oplus_device *dev, const char *call, size_t size, const void *in, size_t rows,
                                  size_t cols, void *out)
{
    turner t = {.g = dev->groups, .call = call, .size = size};
    const size_t bytes = rows * cols * size;
    opi_gpu_side from, to;
    OPI_TRY(opi_gpu_side_of(t.g, call, "in", in, bytes, &from));
    OPI_TRY(opi_gpu_side_of(t.g, call, "out", out, bytes, &to));
    if (rows == 1 || cols == 1) return dev->tree->copy(dev, call, out, in, bytes);
    const bool brings = from != OPI_SIDE_DEVICE, takes = to != OPI_SIDE_DEVICE;
    if (brings && takes)
        return bytes <= room_of(t.g) / 2 ? turn_whole(&t, in, rows, cols, out)
                                         : turn_on_host(dev, call, size, in, rows, cols, out);
    if (brings) return turn_from_host(&t, in, rows, cols, out);
    if (takes) return turn_to_host(&t, in, rows, cols, out);
    OPI_TRY(make_program(&t, in, out));
    return in == out ? turn_in_place(&t, out, rows) : turn(&t, in, cols, rows, cols, out, rows);
}
