/* Transposes tiles whose results are whole sectors of memory (lines.cl). */
#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/transpose/turns.h"

enum {
    LOG_W = 8,
    LANES = 32,
    WORD_BYTES = 4,
    SECTOR_BYTES = 32,
    ROW_WORDS = 64, /* of a row of a tile of small units */
    LONG_UNITS = 5, /* of an element of small units: its lines are long enough without whole sectors */
    BAND = 128,     /* tiles of a column that are done together: their reads and writes share sectors */
    REGISTERS = 20  /* of a work-item, that hold what is on its way to local memory */
};

/* How a program is cut: the constants of lines.cl. */
typedef struct cut {
    unsigned unit, units, per_word, across, down, extra, inverse, spread, batch;
    bool square; /* in place */
} cut;

/* The number whose product with `odd` is 1 modulo 2^32: each step doubles the digits that are right, first three. */
static uint32_t inverse_of(uint32_t odd)
{
    uint32_t inverse = odd;
    for (int digits = 3; digits < 32; digits *= 2) inverse *= 2 - odd * inverse;
    return inverse;
}

/* Rows that a warp reads before it puts the first one into local memory. */
static unsigned batch_of(const cut *c)
{
    const unsigned words = c->across * c->units / c->per_word, moves = (words + LANES - 1) / LANES;
    const unsigned registers = moves * (c->per_word > 1 ? 2 : c->unit / WORD_BYTES);
    const unsigned warps = (1u << LOG_W) / LANES, rounds = (c->down + c->extra + warps - 1) / warps;
    const unsigned most = registers < REGISTERS ? REGISTERS / registers : 1;
    return rounds < most ? rounds : most;
}

/* Units of less than a word: the width is a multiple of the columns that are written together. */
static void cut_small(cut *c)
{
    const unsigned step = c->per_word * (c->units == 1 ? c->per_word : 1), fits = ROW_WORDS * c->per_word / c->units;
    c->spread = step / c->per_word;
    c->across = fits < step ? step : fits / step * step;
    c->down = c->units < LONG_UNITS ? 4 * LANES : LANES;
    c->extra = (c->units < LONG_UNITS ? SECTOR_BYTES / c->unit : c->per_word) - 1;
}

/* If the number of units is even, no row earlier begins at a sector unless this one does. */
static void cut_large(cut *c, size_t size)
{
    c->spread = 1;
    c->across = c->down = size <= 4 ? 2 * LANES : size <= (c->square ? 16 : 24) ? LANES : LANES / 2;
    if (size <= 12 && !c->square) c->down = 2 * LANES;
    c->extra = c->units % 2 && !c->square ? SECTOR_BYTES / c->unit - 1 : 0;
}

static cut cut_of(const opi_turning *t)
{
    cut c = {.unit = opi_turn_unit(t), .square = t->in == t->out};
    c.units = (unsigned)t->size / c.unit;
    c.per_word = c.unit < WORD_BYTES ? WORD_BYTES / c.unit : 1;
    if (c.per_word > 1)
        cut_small(&c);
    else
        cut_large(&c, t->size);
    c.inverse = c.units % 2 ? inverse_of(c.units) & c.extra : 0;
    c.batch = batch_of(&c);
    return c;
}

/* Bytes of local memory. */
static size_t stage_of(const cut *c)
{
    const size_t words = c->across * c->units / c->per_word, word = c->per_word > 1 ? WORD_BYTES : c->unit;
    return (1u + c->square) * (c->down + c->extra) * (c->per_word > 1 ? words | 1 : words + c->units) * word;
}

/* Small units need results that can begin with a word. */
bool opi_lines_can(const opi_job *job, uint64_t n)
{
    const opi_turning *const t = (const opi_turning *)job;
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    const unsigned unit = opi_turn_unit(t);
    (void)n;
    if (t->size > OPI_MOST_TURNED || facts->group < 1u << LOG_W) return false;
    if (unit < WORD_BYTES && (t->in == t->out || t->size / unit % 2 == 0)) return false;
    const cut c = cut_of(t);
    return stage_of(&c) <= facts->local;
}

/* Tiles of words are faster, where all of them are whole, and where elements are small. */
bool opi_lines_suits(const opi_job *job, uint64_t n)
{
    const opi_turning *const t = (const opi_turning *)job;
    (void)n;
    return job->g->gpu->facts.lanes == LANES && !opi_turn_is_even(t) &&
           (t->size >= WORD_BYTES || !opi_turn_has_words(t));
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_turning *const t = context;
    const cut c = cut_of(t);
    opi_gpu_write_shape(source, t->job.shape, t->size);
    opi_gpu_define(source, "OPI_UNIT", c.unit);
    opi_gpu_define(source, "OPI_ACROSS", c.across);
    opi_gpu_define(source, "OPI_DOWN", c.down);
    opi_gpu_define(source, "OPI_EXTRA", c.extra);
    opi_gpu_define(source, "OPI_INVERSE", c.inverse);
    opi_gpu_define(source, "OPI_SPREAD", c.spread);
    opi_gpu_define(source, "OPI_BATCH", c.batch);
    opi_gpu_define(source, "OPI_BAND", t->size <= WORD_BYTES ? BAND : BAND / 4);
    opi_gpu_define(source, "OPI_SQUARE", c.square);
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "moved");
    opi_gpu_write_kernels(source, "lines");
}

oplus_status opi_lines_prepare(opi_job *job, uint64_t n)
{
    opi_turning *const t = (opi_turning *)job;
    (void)n;
    t->unit = opi_turn_unit(t);
    job->shape = (opi_shape){.log_w = LOG_W};
    return opi_turn_program(t, "lines", t->in == t->out, write_source);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static oplus_status turn_in_place(const opi_turning *t, const cut *c)
{
    const uint64_t n = t->rows, tiles = (n - 1) / c->down + 1;
    const opi_gpu_argument list[] = {opi_memory(t->out), opi_value(n)};
    return opi_gpu_launch(&t->job, "opi_transpose_lines", opi_turn_pairs(tiles), list, sizeof list / sizeof *list);
}

oplus_status opi_lines_run(opi_job *job, const opi_part *part)
{
    const opi_turning *const t = (const opi_turning *)job;
    const cut c = cut_of(t);
    const uint64_t in_pitch = t->in_pitch, out_pitch = t->out_pitch, rows = t->rows, cols = t->cols;
    const uint64_t down = (rows + c.extra - 1) / c.down + 1, across = (cols - 1) / c.across + 1;
    (void)part;
    if (c.square) return turn_in_place(t, &c);
    const opi_gpu_argument list[] = {opi_memory(t->in),    opi_value(in_pitch), opi_memory(t->out),
                                     opi_value(out_pitch), opi_value(rows),     opi_value(cols)};
    return opi_gpu_launch(job, "opi_transpose_lines", down * across, list, sizeof list / sizeof *list);
}
