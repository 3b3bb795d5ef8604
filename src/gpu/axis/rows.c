/* The way "rows": rows of neighbours.  A reduce is a segmented reduce of segments that have one length; a scan has a
 * work-group for each row. */
#include "base/error.h"
#include "gpu/axis/axis.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/parts.h"
#include "gpu/segreduce/offsets.h"
#include "task/make.h"

enum {
    SCANNED_ROW = 512, /* elements of a row that is worth a work-group, */
    REDUCED_ROW = 64,  /* ... or an offset of 8 bytes */
    LARGEST = 24,      /* bytes of an element of which segments are reduced without waiting (gpu/segreduce/windows.c) */
    GROUPS_A_UNIT = 16, /* of a scan, on each multiprocessor */
    LOG_W = 8           /* of the kernel that writes offsets */
};

static bool scans(const opi_job *job) { return job->task->what == OPI_SCAN_AXIS; }

static size_t element(const opi_job *job) { return job->task->op->type->size; }

static opi_shape shape_of(const opi_job *job) { return opi_shape_for(&job->g->gpu->facts, element(job), element(job)); }

bool opi_rows_can(const opi_job *job, uint64_t n) { return n > 0 && job->task->axis.inner == 1; }

bool opi_rows_suit(const opi_job *job, uint64_t n)
{
    const uint64_t row = job->task->axis.n;
    (void)n;
    if (scans(job)) return row >= SCANNED_ROW && shape_of(job).log_w > 0;
    return row >= REDUCED_ROW && job->g->gpu->facts.architecture > 0 && element(job) <= LARGEST;
}

/* --- scan --------------------------------------------------------------------------------------------------------- */

static uint64_t groups_of(const opi_job *job)
{
    return opi_smaller(job->task->axis.outer, (size_t)GROUPS_A_UNIT * opi_units(job->g));
}

static uint64_t range_bytes(const opi_job *job) { return opi_round_up(opi_image_bytes(element(job)), OPI_CACHE_LINE); }

static void write_scan(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_gpu_write_shape(source, job->shape, element(job));
    opi_gpu_define(source, "OPI_LIFTED", 0);
    opi_gpu_define(source, "OPI_HAS_LAST", 1); /* there is no opi_apply */
    opi_gpu_write_parts(source, job->task);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_tree(source, job->shape, element(job));
    opi_gpu_write_kernels(source, "range");
    opi_gpu_write_tile(source);
    opi_gpu_write_kernels(source, "scan");
    opi_gpu_write_kernels(source, "rows");
}

static oplus_status prepare_scan(opi_job *job)
{
    job->shape = shape_of(job);
    OPI_TRY(opi_program_of_op(&job->g->programs, job->call, job->task->op, opi_key_begin("rows", job->shape),
                              write_scan, job, &job->program));
    return opi_gpu_reserve(job->g, job->call, &job->g->work, (size_t)(groups_of(job) * range_bytes(job)));
}

static oplus_status run_scan(const opi_job *job, const opi_part *part)
{
    const uint64_t rows = job->task->axis.outer, n = job->task->axis.n, bytes = range_bytes(job);
    const uint32_t flags = OPI_FRESH | (job->task->exclusive ? OPI_EXCLUSIVE : 0u);
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(part->address[OPI_AXIS_OUT]));
    opi_add(&a, opi_value(rows));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_memory(job->g->work.mem));
    opi_add(&a, opi_value(bytes));
    opi_add(&a, opi_value(flags));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, "opi_rows_scan", groups_of(job), a.list, a.count);
}

/* --- reduce ------------------------------------------------------------------------------------------------------- */

static void write_offsets(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_gpu_write_shape(source, job->shape, sizeof(uint64_t));
    opi_gpu_write_kernels(source, "row_offsets");
}

static oplus_status prepare_reduce(opi_job *job)
{
    const size_t offsets = job->task->axis.outer + 1;
    job->shape = (opi_shape){.log_w = LOG_W};
    while (job->shape.log_w > 0 && 1u << job->shape.log_w > job->g->gpu->facts.group) job->shape.log_w--;
    OPI_TRY(opi_program_get(&job->g->programs, job->call, "the offsets of rows",
                            opi_key_begin("row offsets", job->shape).hash, write_offsets, job, &job->program));
    return opi_gpu_reserve(job->g, job->call, &job->g->array[1], offsets * sizeof(uint64_t));
}

static oplus_status run_reduce(const opi_job *job, const opi_part *part)
{
    const opi_task *const task = job->task;
    const uint64_t rows = task->axis.outer, n = task->axis.n;
    const void *const at = job->g->array[1].mem;
    const opi_gpu_argument list[] = {opi_memory(at), opi_value(rows), opi_value(n)};
    OPI_TRY(opi_gpu_launch(job, "opi_row_offsets", (rows >> job->shape.log_w) + 1, list, 3));
    const opi_offsets offsets = {at, task->axis.outer, sizeof(uint64_t), task->n};
    opi_task segments;
    opi_task_segreduce(&segments, task->op, part->address[OPI_IN], task->n, &oplus_u64, &offsets,
                       (void *)part->address[OPI_AXIS_OUT]);
    return opi_gpu_segreduce(&(opi_job){.g = job->g, .call = job->call, .task = &segments});
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

oplus_status opi_rows_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    return (scans(job) ? prepare_scan : prepare_reduce)(job);
}

oplus_status opi_rows_run(opi_job *job, const opi_part *part)
{
    return (scans(job) ? run_scan : run_reduce)(job, part);
}
