/* Transposes tiles through the local memory of a work-group (transpose.cl). */
#include "gpu/transpose/turns.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/shared.h"
#include "gpu/ways.h"

#include <assert.h>
#include <stdio.h>

enum {
    ROW_BYTES = 256, /* least bytes of a row of a tile: neighbours read them together */
    SIDE = 32,       /* rows and columns of a tile, unless that is too large */
    TILE_BYTES = 16 << 10,
    GAPS_BYTES = 1 << 10, /* of a tile, at most */
    BLOCKS_LOG_W = 8,     /* work-groups that move words have 2^this work-items */
    LEAST_LOG_DOWN = 3,   /* of a matrix that is dealt out: rows that a tile has at least, so that it writes sectors */
    SHAPED_BYTES = 64     /* bytes of an element, which decide how large a work-group is */
};

/* --- the program -------------------------------------------------------------------------------------------------- */

unsigned opi_turn_unit(const opi_turning *t)
{
    const uintptr_t all = t->size | (uintptr_t)t->in | (uintptr_t)t->out | OPI_VECTOR_BYTES;
    return (unsigned)(all & -all);
}

/* Small elements are moved as words, if all words of the matrices are aligned. */
static const struct {
    size_t size, word; /* bytes */
    unsigned log_e;    /* of the side of a tile: a row has 128 or 256 bytes */
} blocks[] = {{1, 4, 7}, {2, 4, 6}, {4, 16, 6}, {8, 16, 5}};

/* In place, a work-group has two tiles, with a gap behind each row. */
static bool fits_here(const opi_turning *t, int i)
{
    const size_t side = (size_t)1 << blocks[i].log_e, tile = side * (side * t->size + OPI_VECTOR_BYTES);
    return (t->in == t->out ? 2 : 1) * tile <= t->job.g->gpu->facts.local;
}

static opi_shape shape_of(const opi_turning *t)
{
    return opi_shape_for(&t->job.g->gpu->facts, opi_smaller(t->size, SHAPED_BYTES), 0);
}

static int block_of(const opi_turning *t)
{
    const uintptr_t all = (uintptr_t)t->in | (uintptr_t)t->out | t->in_pitch * t->size | t->out_pitch * t->size;
    for (int i = 0; i < (int)(sizeof blocks / sizeof *blocks); i++)
        if (blocks[i].size == t->size && all % blocks[i].word == 0 && shape_of(t).log_w == BLOCKS_LOG_W &&
            fits_here(t, i))
            return i;
    return -1;
}

bool opi_turn_has_words(const opi_turning *t) { return block_of(t) >= 0; }

bool opi_turn_is_even(const opi_turning *t)
{
    const int block = block_of(t);
    return block >= 0 && (t->rows | t->cols) % ((size_t)1 << blocks[block].log_e) == 0;
}

/* In place, a work-group has two tiles, with their gaps. */
static unsigned log_side(const opi_gpu_facts *facts, size_t size, bool shared)
{
    const size_t room = shared ? opi_smaller(TILE_BYTES, facts->local / 2 - GAPS_BYTES) : TILE_BYTES;
    unsigned log_side = 0;
    while (4 * (size << 2 * log_side) <= room && (!shared || size << log_side < ROW_BYTES || 1 << log_side < SIDE))
        log_side++;
    return log_side;
}

bool opi_turn_is_in_place(const opi_job *job, uint64_t n)
{
    const opi_turning *const t = (const opi_turning *)job;
    (void)n;
    return t->in == t->out;
}

bool opi_turn_is_apart(const opi_job *job, uint64_t n) { return !opi_turn_is_in_place(job, n); }

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_turning *const t = context;
    const opi_shape shape = t->job.shape;
    opi_gpu_write_shape(source, shape, t->size);
    opi_gpu_define(source, "OPI_UNIT", t->unit);
    opi_gpu_define(source, "OPI_BLOCK", t->block);
    opi_gpu_define(source, "OPI_SQUARE", t->in == t->out);
    opi_gpu_define(source, "OPI_STAGED", shape.log_w > 0 && shape.log_e > 0);
    opi_gpu_write_kernels(source, "unit");
    opi_deal_write_pages(t->job.deal, source);
    opi_gpu_write_kernels(source, "transpose");
}

/* The addresses decide which program is used. */
oplus_status opi_turn_program(opi_turning *t, const char *way, uint64_t own,
                              void (*write)(opi_gpu_source *source, const void *context))
{
    opi_job *const job = &t->job;
    char what[64];
    opi_key key = opi_key_begin(way, job->shape);
    opi_key_number(&key, t->size);
    opi_key_number(&key, t->unit);
    opi_key_number(&key, own);
    snprintf(what, sizeof what, "transpose of elements of %zu bytes", t->size);
    return opi_program_get(&job->g->programs, job->call, what, key.hash, write, t, &job->program);
}

oplus_status opi_turn_prepare(opi_job *job, uint64_t n)
{
    opi_turning *const t = (opi_turning *)job;
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    (void)n;
    t->unit = opi_turn_unit(t);
    job->shape = shape_of(t);
    const int block = block_of(t);
    t->block = block < 0 ? 1 : (unsigned)(blocks[block].word / t->size);
    job->shape.log_e = block < 0 ? log_side(facts, t->size, job->shape.log_w > 0) : blocks[block].log_e;
    job->shape.vectors = false;
    return opi_turn_program(t, "transpose",
                            (uint64_t)(job->deal != NULL) << 32 | (uint64_t)t->block << 1 | (t->in == t->out),
                            write_source);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

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

/* If a matrix is low or narrow, so is a tile, and it is longer in the other direction.  There is a gap between the rows
 * of a tile in local memory: a tile with more rows than a square one may not fit. */
static void cut(const opi_turning *t, size_t rows, size_t cols, uint32_t *log_down, uint32_t *log_across)
{
    const unsigned side = t->job.shape.log_e, lowest = log_at_least(rows), narrowest = log_at_least(cols);
    const size_t gap = OPI_GAP_BYTES(t->unit);
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

/* Rows of a page of the input, as a power of two: the most that a tile may have to read one page. */
static unsigned log_page_rows(const opi_turning *t)
{
    const size_t row = t->in_pitch * t->size;
    unsigned log = 0;
    while (row << (log + 1) <= t->job.deal->page) log++;
    return log;
}

/* The same for a matrix that is dealt out: a tile has no more rows than a page, and is as large as another one. */
static void cut_dealt(const opi_turning *t, uint32_t *log_down, uint32_t *log_across)
{
    const unsigned side = t->job.shape.log_e;
    cut(t, t->rows, t->cols, log_down, log_across);
    const unsigned rows = log_page_rows(t);
    if (*log_down <= rows || *log_down < LEAST_LOG_DOWN) return;
    *log_down = (uint32_t)opi_larger(rows, LEAST_LOG_DOWN);
    *log_across = (uint32_t)opi_smaller(2 * side - *log_down, log_at_least(t->cols));
}

void opi_turn_all(const opi_job *job, opi_turning *t)
{
    const opi_task *const task = job->task;
    *t = (opi_turning){.job = *job,
                       .size = task->array[OPI_IN].size,
                       .in = task->array[OPI_IN].mem,
                       .out = (char *)task->array[OPI_TURNED_OUT].mem,
                       .rows = task->matrix.rows,
                       .cols = task->matrix.cols,
                       .in_pitch = task->matrix.in_pitch,
                       .out_pitch = task->matrix.out_pitch};
}

bool opi_turn_deals(const opi_job *job)
{
    opi_turning t;
    opi_turn_all(job, &t);
    return t.in != t.out && t.rows > 1 && t.cols > 1 && opi_way_of(&t.job, job->task->n)->run != opi_thin_run &&
           shape_of(&t).log_w > 0 && t.in_pitch * t.size << LEAST_LOG_DOWN <= job->deal->page;
}

oplus_status opi_turn_tiles(opi_job *job, const opi_part *part)
{
    const opi_turning *const t = (const opi_turning *)job;
    uint32_t log_down, log_across;
    const uint64_t from_pitch = t->in_pitch, to_pitch = t->out_pitch, down = t->rows, across = t->cols;
    (void)part;
    const opi_dealt_pages pages = opi_deal_pages(job->deal);
    if (job->deal)
        cut_dealt(t, &log_down, &log_across);
    else
        cut(t, t->rows, t->cols, &log_down, &log_across);
    const opi_gpu_argument list[] = {opi_memory(t->in),   opi_value(from_pitch), opi_memory(t->out),
                                     opi_value(to_pitch), opi_value(down),       opi_value(across),
                                     opi_value(log_down), opi_value(log_across), opi_value(pages)};
    return opi_gpu_launch(job, "opi_transpose", tiles_of(t->rows, log_down) * tiles_of(t->cols, log_across), list,
                          job->deal ? 9 : 8);
}

uint64_t opi_turn_pairs(uint64_t tiles) { return tiles % 2 ? (tiles + 1) / 2 * tiles : tiles / 2 * (tiles + 1); }

oplus_status opi_turn_squares(opi_job *job, const opi_part *part)
{
    const opi_turning *const t = (const opi_turning *)job;
    const uint64_t side = t->rows, tiles = tiles_of(side, job->shape.log_e);
    const opi_gpu_argument list[] = {opi_memory(t->out), opi_value(side)};
    (void)part;
    return opi_gpu_launch(job, "opi_transpose", opi_turn_pairs(tiles), list, 2);
}

oplus_status opi_turn(opi_turning *t)
{
    const opi_part part = {.address = {t->in, t->out}, .n = t->rows * t->cols, .last = true};
    return opi_way_run(&t->job, &part);
}
