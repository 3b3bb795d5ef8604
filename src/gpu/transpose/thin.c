/* Transposes matrices with few rows or columns (thin.cl). */
#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/transpose/turns.h"

enum {
    LOG_W = 8,
    LOG_LEAST_TEAM = 5,
    FEW = 64, /* rows or columns */
    WORD_BYTES = 4,
    STAGE_BYTES = 32 << 10,
    BANKS_BYTES = 128 /* of local memory, that lie in different banks */
};

static unsigned word_of(const opi_turning *t)
{
    const unsigned unit = opi_turn_unit(t);
    return unit < WORD_BYTES ? WORD_BYTES : unit;
}

static bool is_narrow(const opi_turning *t) { return t->cols <= FEW && t->in_pitch == t->cols; }
static bool is_low(const opi_turning *t) { return t->rows > 1 && t->rows <= FEW && t->out_pitch == t->rows; }
static size_t stage_words(const opi_turning *t) { return STAGE_BYTES / word_of(t); }

/* Words of the stage with its gaps. */
static size_t spread_out(const opi_turning *t)
{
    return stage_words(t) + stage_words(t) / (BANKS_BYTES / word_of(t)) + 1;
}

bool opi_thin_can(const opi_job *job, uint64_t n)
{
    const opi_turning *const t = (const opi_turning *)job;
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    (void)n;
    return t->in != t->out && t->size <= OPI_MOST_TURNED && facts->group >= 1u << LOG_W &&
           spread_out(t) * word_of(t) <= facts->local && (is_narrow(t) || is_low(t));
}

bool opi_thin_suits(const opi_job *job, uint64_t n)
{
    (void)n;
    return job->g->gpu->facts.lanes > 0 && !opi_turn_is_even((const opi_turning *)job);
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_turning *const t = context;
    opi_gpu_write_shape(source, t->job.shape, t->size);
    opi_gpu_define(source, "OPI_UNIT", t->unit);
    opi_gpu_define(source, "OPI_STAGE", spread_out(t));
    opi_gpu_define(source, "OPI_BATCH", opi_turn_unit(t) == WORD_BYTES ? 8 : 4);
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "moved");
    opi_gpu_write_kernels(source, "thin");
}

oplus_status opi_thin_prepare(opi_job *job, uint64_t n)
{
    opi_turning *const t = (opi_turning *)job;
    (void)n;
    t->unit = opi_turn_unit(t);
    job->shape = (opi_shape){.log_w = LOG_W};
    return opi_turn_program(t, "thin", 0, write_source);
}

/* --- launches ------------------------------------------------------------------------------------------------------- */

/* Work-items that share a line of the wide matrix: a power of two. */
static uint32_t log_team_of(uint32_t lines)
{
    uint32_t log = LOG_W;
    while (log > LOG_LEAST_TEAM && 1u << LOG_W >> log < lines) log--;
    return log;
}

static uint64_t groups_of(uint64_t n, uint32_t log_run) { return ((n - 1) >> log_run) + 1; }

static oplus_status narrow(const opi_turning *t)
{
    const size_t most = (stage_words(t) - 1) * word_of(t) / (t->cols * t->size);
    uint32_t log_run = 0;
    while (2ull << log_run <= most) log_run++;
    const uint64_t pitch = t->out_pitch, rows = t->rows;
    const uint32_t cols = (uint32_t)t->cols, log_team = log_team_of(cols);
    const opi_gpu_argument list[] = {opi_memory(t->in), opi_memory(t->out), opi_value(pitch),   opi_value(rows),
                                     opi_value(cols),   opi_value(log_run), opi_value(log_team)};
    return opi_gpu_launch(&t->job, "opi_transpose_narrow", groups_of(rows, log_run), list, sizeof list / sizeof *list);
}

/* Words between the lines of the stage: lines that are written together are in different banks. */
static uint32_t line_of(const opi_turning *t, uint32_t log_run)
{
    const uint32_t banks = BANKS_BYTES / word_of(t), units = (uint32_t)(t->size / t->unit), rows = (uint32_t)t->rows;
    const uint32_t words = (uint32_t)((t->size << log_run) / word_of(t)) + 2, whole = (words + banks - 1) / banks;
    const uint32_t apart = units * ((banks - 1) / (rows * units) + 1);
    return whole * banks + (apart + whole * (banks - 1)) % banks; /* there is a gap after each `banks` words */
}

static oplus_status low(const opi_turning *t)
{
    const uint32_t rows = (uint32_t)t->rows, log_team = log_team_of(rows);
    uint32_t log_run = 0;
    while (line_of(t, log_run + 1) * rows <= stage_words(t)) log_run++;
    const uint32_t line = line_of(t, log_run), reciprocal = (uint32_t)((UINT64_C(1) << 32) / rows) + 1;
    const uint64_t pitch = t->in_pitch, cols = t->cols;
    const opi_gpu_argument list[] = {opi_memory(t->in), opi_value(pitch),      opi_memory(t->out),
                                     opi_value(rows),   opi_value(cols),       opi_value(log_run),
                                     opi_value(line),   opi_value(reciprocal), opi_value(log_team)};
    return opi_gpu_launch(&t->job, "opi_transpose_low", groups_of(cols, log_run), list, sizeof list / sizeof *list);
}

oplus_status opi_thin_run(opi_job *job, const opi_part *part)
{
    const opi_turning *const t = (const opi_turning *)job;
    (void)part;
    return is_narrow(t) ? narrow(t) : low(t);
}
