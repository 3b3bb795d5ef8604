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

oplus_status opi_long_rows_run(opi_job *job, const opi_part *part)
{
    for (size_t o = 0; o < job->task->axis.outer; o++) {
        const opi_task row = task_of_row(job, part, o);
        OPI_TRY(opi_gpu_scan(&(opi_job){.g = job->g, .call = job->call, .task = &row}));
    }
    return OPLUS_OK;
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
