/* Argmin and argmax along an axis on an accelerator: how columns are cut into parts, and the launches. */
#include "base/error.h"
#include "cores/cores.h"
#include "gpu/extreme/extreme.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/ways.h"
#include "gpu/whole.h"

enum {
    LOG_W = 7,
    LOG_LINE = 5,        /* columns side by side whose elements fill a line of memory, or nearly so */
    ROWS_AN_ITEM = 4,    /* that a work-item goes through, at least */
    ROWS_OF_A_PART = 16, /* ... if columns are cut into parts */
    LOG_MOST_ROWS = 30,  /* of a part: they are counted with 32 bits */
    LEAST_PARTS = 4,     /* of an accelerator, if parts are dealt out */
    GROUPS_A_UNIT = 16,  /* work-groups that keep a multiprocessor busy */
    FOUND_BYTES = 2 * sizeof(uint64_t)
};

/* How the columns are cut. */
typedef struct cut {
    uint64_t columns, strips; /* a strip is 2^log_c columns */
    uint64_t part, parts;     /* rows of a part; parts of a column */
    uint32_t log_c;
} cut;

static uint64_t row_bytes(const opi_job *job) { return job->task->extreme.axis.inner * job->task->extreme.type->size; }

/* If one matrix is dealt out, a part of it lies in one page, unless rows are too long for that. */
static uint64_t parts_in_pages(const opi_job *job, uint64_t parts, uint64_t least)
{
    const opi_axis *const axis = &job->task->extreme.axis;
    if (!job->deal || axis->outer > 1 || least * row_bytes(job) > job->deal->page) return parts;
    return opi_larger(parts, (axis->n - 1) / (job->deal->page / row_bytes(job)) + 1);
}

static cut cut_of(const opi_job *job)
{
    const opi_axis *const axis = &job->task->extreme.axis;
    const unsigned log_w = job->shape.log_w;
    cut c = {.columns = axis->outer * axis->inner};
    while (c.log_c < log_w && c.log_c < LOG_LINE && axis->inner >> c.log_c > 1) c.log_c++;
    while (c.log_c < log_w && ((uint64_t)ROWS_AN_ITEM << (log_w - c.log_c)) > axis->n) c.log_c++;
    c.strips = ((c.columns - 1) >> c.log_c) + 1;
    const uint64_t workers = job->deal ? job->deal->workers : 1;
    const uint64_t wanted = (uint64_t)GROUPS_A_UNIT * opi_units(opi_deal_first(job)) * workers / c.strips;
    const uint64_t most = axis->n / ((uint64_t)ROWS_OF_A_PART << (log_w - c.log_c));
    const uint64_t few = opi_larger(opi_larger(opi_smaller(wanted, most), 1), ((axis->n - 1) >> LOG_MOST_ROWS) + 1);
    const uint64_t parts = parts_in_pages(job, few, (uint64_t)ROWS_AN_ITEM << (log_w - c.log_c));
    c.part = (axis->n - 1) / parts + 1;
    c.parts = (axis->n - 1) / c.part + 1;
    return c;
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const opi_task *const task = job->task;
    opi_gpu_write_shape(source, job->shape, task->extreme.type->size);
    opi_gpu_define(source, "OPI_INDEX_SIZE", task->array[OPI_AXIS_OUT].size);
    opi_extreme_write_key(source, task);
    opi_deal_write_shares(job->deal, source);
    opi_gpu_write_kernels(source, "extreme_axis");
}

static oplus_status get_program(opi_job *job)
{
    const opi_task *const task = job->task;
    job->shape = (opi_shape){.log_w = LOG_W};
    while (job->shape.log_w > 0 && 1u << job->shape.log_w > job->g->gpu->facts.group) job->shape.log_w--;
    opi_key key = opi_key_begin("extreme_axis", job->shape);
    opi_key_number(&key, (uint64_t)task->extreme.type->scalar);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | task->extreme.sides);
    opi_key_number(&key, task->array[OPI_AXIS_OUT].size);
    return opi_program_get(&job->g->programs, job->call, "the kernels of the search for extremes along an axis",
                           key.hash, write_source, job, &job->program);
}

static oplus_status get_kernels(opi_job *job, cut *c)
{
    static const char *const kernels[] = {"opi_extreme_columns", "opi_extreme_parts"};
    OPI_TRY(get_program(job));
    *c = cut_of(job);
    return opi_kernels_make(&job->g->programs, job->call, job->program, kernels, c->parts > 1 ? 2 : 1);
}

oplus_status opi_extreme_columns_prepare(opi_job *job, uint64_t n)
{
    cut c;
    (void)n;
    OPI_TRY(get_kernels(job, &c));
    if (c.parts == 1) return OPLUS_OK;
    return opi_gpu_reserve(job->g, job->call, &job->g->work, c.parts * c.columns * FOUND_BYTES);
}

/* Which work-groups, parts by strips, are this accelerator's: those of parts, if one matrix has several, or of strips. */
static opi_shares shares_of(const opi_job *job, const cut *c)
{
    const opi_axis *const axis = &job->task->extreme.axis;
    const bool by_parts = job->deal && axis->outer == 1 && c->parts >= (uint64_t)LEAST_PARTS * job->deal->workers;
    opi_shares s = by_parts
                       ? opi_deal_shares(job->deal, c->parts, c->part * row_bytes(job))
                       : opi_deal_shares(job->deal, c->strips, (axis->n << c->log_c) * job->task->extreme.type->size);
    s.by_parts = by_parts;
    return s;
}

/* If parts are dealt out: an accelerator has sets x sharers work-groups for each strip.  Each goes through the pages of a set, which
 * `sharers` share: what it has found in them crosses the link to accelerator 0. */
typedef struct sets {
    uint64_t sets, sharers;
} sets;

static sets sets_of(const opi_job *job, const cut *c, const opi_shares *s)
{
    const uint64_t wanted = (uint64_t)GROUPS_A_UNIT * opi_units(opi_deal_first(job)) / c->strips;
    const uint64_t pages = c->parts / ((uint64_t)s->each * job->deal->workers);
    sets of = {.sets = opi_larger(opi_smaller(wanted, pages), 1)};
    of.sharers = opi_larger(opi_smaller(wanted / of.sets, s->each), 1);
    return of;
}

/* How many records of a column there are to be compared. */
static uint64_t records_of(const opi_job *job, const cut *c)
{
    const opi_shares shares = shares_of(job, c);
    if (!shares.by_parts) return c->parts;
    const sets of = sets_of(job, c, &shares);
    return of.sets * of.sharers * job->deal->workers;
}

/* Looks through the columns; out: where rows go, if there is one part. */
static oplus_status look_through(const opi_job *job, const cut *c, const void *in, const void *found, const void *out)
{
    const uint64_t rows = job->task->extreme.axis.n, inner = job->task->extreme.axis.inner;
    const opi_shares shares = shares_of(job, c);
    const sets of = shares.by_parts ? sets_of(job, c, &shares) : (sets){1, 1};
    const opi_gpu_argument look[] = {opi_memory(in),        opi_value(rows),      opi_value(inner),
                                     opi_value(c->columns), opi_value(c->part),   opi_value(c->log_c),
                                     opi_memory(found),     opi_memory(out),      opi_value(shares),
                                     opi_value(of.sets),    opi_value(of.sharers)};
    const uint64_t groups = shares.by_parts ? of.sets * of.sharers * c->strips : shares.slots * c->parts;
    return opi_gpu_launch(job, "opi_extreme_columns", groups, look, job->deal ? 11 : 8);
}

static oplus_status compare_parts(const opi_job *job, const cut *c, const void *found, const void *out)
{
    const uint64_t records = records_of(job, c);
    const opi_gpu_argument list[] = {opi_memory(found), opi_value(records), opi_value(c->columns), opi_memory(out)};
    return opi_gpu_launch(job, "opi_extreme_parts", ((c->columns - 1) >> job->shape.log_w) + 1, list, 4);
}

oplus_status opi_extreme_columns_run(opi_job *job, const opi_part *part)
{
    const cut c = cut_of(job);
    const void *const found = c.parts > 1 ? job->g->work.mem : NULL, *const out = part->address[OPI_AXIS_OUT];
    OPI_TRY(look_through(job, &c, part->address[OPI_IN], found, out));
    return c.parts == 1 ? OPLUS_OK : compare_parts(job, &c, found, out);
}

/* --- dealt out ------------------------------------------------------------------------------------------------------ */

/* What is found of parts is in memory of accelerator 0, which compares it. */
oplus_status opi_extreme_columns_prepare_dealt(opi_job *job)
{
    cut c;
    OPI_TRY(get_kernels(job, &c));
    if (c.parts == 1 || job->deal->own > 0) return OPLUS_OK;
    return opi_deal_reserve(job->deal, job->call, &job->g->pipeline.runs,
                            records_of(job, &c) * c.columns * FOUND_BYTES);
}

oplus_status opi_extreme_columns_look_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    cut c;
    OPI_TRY(get_kernels(job, &c));
    if (c.parts == 1) return OPLUS_OK;
    return look_through(job, &c, part.address[OPI_IN], job->deal->all[0]->pipeline.runs.mem, NULL);
}

oplus_status opi_extreme_columns_run_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    const void *const out = part.address[OPI_AXIS_OUT];
    cut c;
    OPI_TRY(get_kernels(job, &c));
    if (c.parts == 1) return look_through(job, &c, part.address[OPI_IN], NULL, out);
    return job->deal->own == 0 ? compare_parts(job, &c, job->g->pipeline.runs.mem, out) : OPLUS_OK;
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_extreme_axis(opi_job *job)
{
    static const char *const names[] = {"in", "indices"};
    opi_whole whole;
    OPI_TRY(opi_whole_look(job, names, &whole));
    if (opi_whole_is_too_large(job, &whole, job->g->memory_bytes))
        return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
    return opi_whole_run(job, &whole);
}
