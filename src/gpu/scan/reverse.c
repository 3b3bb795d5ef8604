/* A scan from the last element to the first is a scan whose arrays begin at their last elements (opi_task.backward). */
#include "gpu/scan/reverse.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/scan/scan.h"
#include "gpu/ways.h"
#include "gpu/whole.h"
#include "task/make.h"

/* The task as the scan that it is made of. */
static opi_task scan_of(const opi_task *task)
{
    opi_task scan = *task;
    scan.what = OPI_SCAN;
    scan.backward = true;
    return scan;
}

oplus_status opi_reverse_prepare(opi_job *job, uint64_t n)
{
    const opi_task scan = scan_of(job->task);
    opi_job own = {.g = job->g, .call = job->call, .task = &scan};
    OPI_TRY(opi_gpu_scan_ready(&own));
    return opi_way_prepare(&own, n);
}

oplus_status opi_reverse_run(opi_job *job, const opi_part *part)
{
    const opi_task scan = scan_of(job->task);
    const size_t last = (size_t)(part->n - 1) * scan.op->type->size;
    opi_job own = {.g = job->g, .call = job->call, .task = &scan};
    opi_part backward = *part;
    backward.address[OPI_IN] += last;
    backward.address[scan.arrays - 1] += last;
    OPI_TRY(opi_gpu_scan_ready(&own));
    return opi_way_run(&own, &backward);
}

oplus_status opi_gpu_scan_reverse(opi_job *job)
{
    static const char *const names[] = {"in", "heads", "out"};
    opi_whole whole;
    OPI_TRY(opi_whole_look(job, names, &whole));
    if (opi_whole_is_too_large(job, &whole, job->g->memory_bytes))
        return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
    return opi_whole_run(job, &whole);
}
