/* Reduce and scan along an axis on an accelerator. */
#include "gpu/axis/axis.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/param.h"
#include "gpu/ways.h"
#include "gpu/whole.h"
#include "task/make.h"

enum {
    LONG_ROW = 1 << 16, /* elements of a row that keeps a device busy for longer than a launch takes */
    FEW_ROWS = 256
};

/* --- the way "long-rows" ------------------------------------------------------------------------------------------ */

bool opi_long_rows_can(const opi_job *job, uint64_t n) { return n > 0 && job->task->axis.inner == 1; }

bool opi_long_rows_suit(const opi_job *job, uint64_t n)
{
    (void)n;
    return job->task->axis.n >= LONG_ROW && job->task->axis.outer <= FEW_ROWS;
}

/* The task of row o of arrays in device memory. */
static opi_task task_of_row(const opi_job *job, const opi_part *part, size_t o)
{
    const opi_task *const task = job->task;
    const size_t n = task->axis.n, size = task->op->type->size;
    const char *const in = part->address[OPI_IN] + o * n * size;
    char *const out = (char *)part->address[OPI_AXIS_OUT];
    opi_task row;
    if (task->what == OPI_SCAN_AXIS)
        opi_task_scan(&row, task->op, task->exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE, in, NULL, n, 0,
                      out + o * n * size);
    else
        opi_task_reduce(&row, task->op, in, NULL, n, 0, out + o * size);
    return row;
}

static oplus_status run_row(const opi_job *job, const opi_part *part, size_t o)
{
    const opi_task row = task_of_row(job, part, o);
    return opi_gpu_scan(&(opi_job){.g = job->g, .call = job->call, .task = &row});
}

/* Those of a task that is dealt out are done in turn. */
oplus_status opi_long_rows_run(opi_job *job, const opi_part *part)
{
    const size_t step = job->deal ? job->deal->workers : 1;
    for (size_t o = job->deal ? job->deal->own : 0; o < job->task->axis.outer; o += step)
        OPI_TRY(run_row(job, part, o));
    return OPLUS_OK;
}

/* --- dealt out ------------------------------------------------------------------------------------------------------ */

/* BY_ITSELF: the way's own steps deal it out, as nothing has to be looked at before. */
typedef enum how { BY_COLUMNS, BY_ROWS, BY_ITSELF, BY_LONG_ROWS } how;

static how how_of(const opi_job *job)
{
    const opi_way *const way = opi_way_of(job, job->task->n);
    if (way->run == opi_long_rows_run) return BY_LONG_ROWS;
    if (way->run == opi_short_rows_run || way->run == opi_row_groups_run) return BY_ITSELF;
    return way->run == opi_rows_run ? BY_ROWS : BY_COLUMNS;
}

/* Work-groups of a scan may wait for each other: those of two scans must not take each other's place on the same GPU. */
static bool long_rows_deal(const opi_job *job)
{
    const bool may_wait = job->task->what == OPI_SCAN_AXIS && job->g->gpu->facts.architecture > 0;
    return job->task->axis.outer >= job->deal->workers && !(may_wait && job->deal->share > 1);
}

bool opi_axis_deals(opi_job *job)
{
    const how by = how_of(job);
    if (by == BY_LONG_ROWS) return long_rows_deal(job);
    return by != BY_ROWS || opi_rows_deal(job);
}

/* Rows are all alike: if one can be done, all can. */
static oplus_status rehearse_row(const opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    opi_rehearsal seen = {.way = NULL};
    if (job->g->rehearsal) return run_row(job, &part, 0);
    job->g->rehearsal = &seen;
    const oplus_status status = run_row(job, &part, 0);
    job->g->rehearsal = NULL;
    return status;
}

oplus_status opi_axis_prepare_dealt(opi_job *job)
{
    const how by = how_of(job);
    OPI_TRY(opi_gpu_param(job->g, job->call, NULL, job->task->op, &job->param));
    if (by == BY_LONG_ROWS) return rehearse_row(job);
    if (by == BY_ITSELF) return opi_way_prepare(job, job->task->n);
    return by == BY_ROWS ? opi_rows_prepare_dealt(job) : opi_columns_prepare_dealt(job);
}

oplus_status opi_axis_look_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    const how by = how_of(job);
    OPI_TRY(opi_gpu_param(job->g, job->call, NULL, job->task->op, &job->param));
    if (by == BY_LONG_ROWS || by == BY_ITSELF) return OPLUS_OK;
    return by == BY_ROWS ? opi_rows_look_dealt(job) : opi_columns_look_dealt(job, &part);
}

oplus_status opi_axis_run_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    const how by = how_of(job);
    OPI_TRY(opi_gpu_param(job->g, job->call, NULL, job->task->op, &job->param));
    if (by == BY_LONG_ROWS) return opi_long_rows_run(job, &part);
    if (by == BY_ITSELF) return opi_way_run(job, &part);
    return by == BY_ROWS ? opi_rows_run_dealt(job, &part) : opi_columns_run_dealt(job, &part);
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_axis(opi_job *job)
{
    static const char *const names[] = {"in", "out"};
    opi_whole whole;
    OPI_TRY(opi_whole_look(job, names, &whole));
    if (opi_whole_is_too_large(job, &whole, job->g->memory_bytes))
        return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
    OPI_TRY(opi_gpu_param(job->g, job->call, NULL, job->task->op, &job->param));
    return opi_whole_run(job, &whole);
}
