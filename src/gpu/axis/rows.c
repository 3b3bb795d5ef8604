/* The way "rows": rows of neighbours.  A reduce is a segmented reduce of segments that have one length; a scan has a
 * work-group for each row. */
#include "base/error.h"
#include "gpu/axis/axis.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/parts.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/segreduce/windows.h"
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
    opi_deal_write_shares(job->deal, source);
    opi_gpu_write_kernels(source, "rows");
}

static oplus_status prepare_scan(opi_job *job)
{
    job->shape = shape_of(job);
    opi_key key = opi_key_begin("rows", job->shape);
    opi_key_number(&key, job->deal != NULL);
    OPI_TRY(opi_program_of_op(&job->g->programs, job->call, job->task->op, key, write_scan, job, &job->program));
    return opi_gpu_reserve(job->g, job->call, &job->g->work, (size_t)(groups_of(job) * range_bytes(job)));
}

static oplus_status run_scan(const opi_job *job, const opi_part *part)
{
    const uint64_t rows = job->task->axis.outer, n = job->task->axis.n, bytes = range_bytes(job);
    const uint32_t flags = OPI_FRESH | (job->task->exclusive ? OPI_EXCLUSIVE : 0u);
    const opi_shares shares = opi_deal_shares(job->deal, rows, n * element(job));
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(part->address[OPI_AXIS_OUT]));
    opi_add(&a, opi_value(shares.slots));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_memory(job->g->work.mem));
    opi_add(&a, opi_value(bytes));
    opi_add(&a, opi_value(flags));
    if (job->deal) opi_add(&a, opi_value(shares));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, "opi_rows_scan", opi_smaller(shares.slots, groups_of(job)), a.list, a.count);
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

static oplus_status make_offsets(const opi_job *job)
{
    const uint64_t rows = job->task->axis.outer, n = job->task->axis.n;
    const opi_gpu_argument list[] = {opi_memory(job->g->array[1].mem), opi_value(rows), opi_value(n)};
    return opi_gpu_launch(job, "opi_row_offsets", (rows >> job->shape.log_w) + 1, list, 3);
}

/* The task of rows in device memory as segments, whose offsets are this accelerator's. */
static opi_task segments_of(const opi_job *job, const void *in, const void *out)
{
    const opi_task *const task = job->task;
    const opi_offsets offsets = {job->g->array[1].mem, task->axis.outer, sizeof(uint64_t), task->n};
    opi_task segments;
    opi_task_segreduce(&segments, task->op, in, task->n, &oplus_u64, &offsets, (void *)out);
    return segments;
}

static oplus_status run_reduce(const opi_job *job, const opi_part *part)
{
    OPI_TRY(make_offsets(job));
    const opi_task segments = segments_of(job, part->address[OPI_IN], part->address[OPI_AXIS_OUT]);
    return opi_gpu_segreduce(&(opi_job){.g = job->g, .call = job->call, .task = &segments});
}

/* --- dealt out ------------------------------------------------------------------------------------------------------ */

bool opi_rows_deal(opi_job *job)
{
    if (scans(job)) return true;
    const opi_task segments = segments_of(job, NULL, NULL);
    opi_job reduce = *job;
    reduce.task = &segments;
    return opi_segreduce_deals(&reduce);
}

/* Does a step of the segmented reduce, for this accelerator. */
static oplus_status step_of_segments(const opi_job *job, oplus_status (*step)(opi_job *job))
{
    const opi_array *const array = job->task->array;
    const opi_task segments = segments_of(job, array[OPI_IN].mem, array[OPI_AXIS_OUT].mem);
    opi_job reduce = *job;
    reduce.task = &segments;
    return step(&reduce);
}

oplus_status opi_rows_prepare_dealt(opi_job *job)
{
    if (scans(job)) return prepare_scan(job);
    OPI_TRY(prepare_reduce(job));
    return step_of_segments(job, opi_segreduce_prepare_dealt);
}

oplus_status opi_rows_look_dealt(opi_job *job)
{
    if (scans(job)) return OPLUS_OK;
    OPI_TRY(prepare_reduce(job));
    OPI_TRY(make_offsets(job));
    return step_of_segments(job, opi_segreduce_look_dealt);
}

oplus_status opi_rows_run_dealt(opi_job *job, const opi_part *part)
{
    if (!scans(job)) return step_of_segments(job, opi_segreduce_run_dealt);
    OPI_TRY(prepare_scan(job));
    return run_scan(job, part);
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
