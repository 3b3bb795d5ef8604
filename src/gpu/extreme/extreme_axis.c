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
    GROUPS_A_UNIT = 16,  /* work-groups that keep a multiprocessor busy */
    FOUND_BYTES = 2 * sizeof(uint64_t)
};

/* How the columns are dealt out. */
typedef struct cut {
    uint64_t columns, strips; /* a strip is 2^log_c columns */
    uint64_t part, parts;     /* rows of a part; parts of a column */
    uint32_t log_c;
} cut;

static cut cut_of(const opi_job *job)
{
    const opi_axis *const axis = &job->task->extreme.axis;
    const unsigned log_w = job->shape.log_w;
    cut c = {.columns = axis->outer * axis->inner};
    while (c.log_c < log_w && c.log_c < LOG_LINE && axis->inner >> c.log_c > 1) c.log_c++;
    while (c.log_c < log_w && ((uint64_t)ROWS_AN_ITEM << (log_w - c.log_c)) > axis->n) c.log_c++;
    c.strips = ((c.columns - 1) >> c.log_c) + 1;
    const uint64_t wanted = (uint64_t)GROUPS_A_UNIT * opi_units(job->g) / c.strips;
    const uint64_t most = axis->n / ((uint64_t)ROWS_OF_A_PART << (log_w - c.log_c));
    const uint64_t parts = opi_larger(opi_larger(opi_smaller(wanted, most), 1), ((axis->n - 1) >> LOG_MOST_ROWS) + 1);
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
    opi_gpu_write_kernels(source, "extreme_axis");
}

static oplus_status get_program(opi_job *job)
{
    const opi_task *const task = job->task;
    job->shape = (opi_shape){.log_w = LOG_W};
    while (job->shape.log_w > 0 && 1u << job->shape.log_w > job->g->gpu->facts.group) job->shape.log_w--;
    opi_key key = opi_key_begin("extreme_axis", job->shape);
    opi_key_number(&key, (uint64_t)task->extreme.type->scalar);
    opi_key_number(&key, task->extreme.sides);
    opi_key_number(&key, task->array[OPI_AXIS_OUT].size);
    return opi_program_get(&job->g->programs, job->call, "the kernels of the search for extremes along an axis",
                           key.hash, write_source, job, &job->program);
}

oplus_status opi_extreme_columns_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_extreme_columns", "opi_extreme_parts"};
    (void)n;
    OPI_TRY(get_program(job));
    const cut c = cut_of(job);
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels, c.parts > 1 ? 2 : 1));
    if (c.parts == 1) return OPLUS_OK;
    return opi_gpu_reserve(job->g, job->call, &job->g->work, c.parts * c.columns * FOUND_BYTES);
}

oplus_status opi_extreme_columns_run(opi_job *job, const opi_part *part)
{
    const cut c = cut_of(job);
    const uint64_t rows = job->task->extreme.axis.n, inner = job->task->extreme.axis.inner;
    const void *const found = c.parts > 1 ? job->g->work.mem : NULL, *const out = part->address[OPI_AXIS_OUT];
    const opi_gpu_argument look[] = {opi_memory(part->address[OPI_IN]),
                                     opi_value(rows),
                                     opi_value(inner),
                                     opi_value(c.columns),
                                     opi_value(c.part),
                                     opi_value(c.log_c),
                                     opi_memory(found),
                                     opi_memory(out)};
    const opi_gpu_argument compare[] = {opi_memory(found), opi_value(c.parts), opi_value(c.columns), opi_memory(out)};
    OPI_TRY(opi_gpu_launch(job, "opi_extreme_columns", c.strips * c.parts, look, 8));
    if (c.parts == 1) return OPLUS_OK;
    return opi_gpu_launch(job, "opi_extreme_parts", ((c.columns - 1) >> job->shape.log_w) + 1, compare, 4);
}

oplus_status opi_gpu_extreme_axis(opi_job *job)
{
    static const char *const names[] = {"in", "indices"};
    opi_whole whole;
    OPI_TRY(opi_whole_look(job, names, &whole));
    if (opi_whole_is_too_large(job, &whole, job->g->memory_bytes))
        return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
    return opi_whole_run(job, &whole);
}
