/* The way "short-rows": each work-group copies a tile of rows into local memory, and its work-items find their rows there. */
#include "base/error.h"
#include "gpu/axis/axis.h"
#include "gpu/axis/row_tile.h"
#include "gpu/launch.h"

enum {
    PART_BYTES = 128, /* of a row that a work-item has in registers, */
    MOST_LOG_E = 4,   /* ... at most 2^4 elements, */
    MOST_PARTS = 16,  /* ... of which a row has so many */
    LARGEST = 64      /* bytes of an element: larger ones are not values in registers */
};

static bool scans(const opi_job *job) { return job->task->what == OPI_SCAN_AXIS; }

static size_t element(const opi_job *job) { return job->task->op->type->size; }

static uint64_t row_bytes(const opi_job *job) { return job->task->axis.n * element(job); }

/* log2 of the elements of a part.  A scan computes with whole parts, so that they are no longer than short rows need. */
static unsigned log_part(const opi_job *job)
{
    const uint64_t enough = scans(job) ? job->task->axis.n : (uint64_t)1 << MOST_LOG_E;
    unsigned k = 0;
    while (k < MOST_LOG_E && (uint64_t)1 << k < enough && element(job) << (k + 1) <= PART_BYTES) k++;
    return k;
}

/* Whether the rows of a scan are several parts. */
static bool has_parts(const opi_job *job) { return scans(job) && job->task->axis.n > (uint64_t)1 << log_part(job); }

bool opi_short_rows_can(const opi_job *job, uint64_t n)
{
    const opi_axis *const axis = &job->task->axis;
    const uint64_t most =
        ((uint64_t)MOST_PARTS << log_part(job)) - !scans(job); /* a reduce has a digit for each part */
    if (n == 0 || axis->inner != 1 || axis->n > most || element(job) > LARGEST) return false;
    return opi_row_tiles_can(job, row_bytes(job)) &&
           opi_shape_for(&job->g->gpu->facts, element(job), element(job)).log_w > 0;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_type *const type = job->task->op->type;
    opi_gpu_write_shape(source, job->shape, type->size);
    opi_gpu_write_op(source, job->task->op);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_kernels(source, "tree");
    opi_gpu_define(source, "OPI_HAS_PARTS", has_parts(job));
    opi_row_tiles_write(source, type->size, type->align);
    opi_deal_write_shares(job->deal, source);
    opi_gpu_write_kernels(source, "short_rows");
}

static const char *kernel_of(const opi_job *job)
{
    return scans(job) ? "opi_short_rows_scan" : "opi_short_rows_reduce";
}

static oplus_status get_program(opi_job *job)
{
    const oplus_op *const op = job->task->op;
    const char *const kernel = kernel_of(job);
    job->shape = (opi_shape){.log_w = opi_row_tiles_log_w(&job->g->gpu->facts), .log_e = log_part(job)};
    opi_key key = opi_key_begin("short rows", job->shape);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 1 | has_parts(job));
    OPI_TRY(opi_program_of_op(&job->g->programs, job->call, op, key, write_source, job, &job->program));
    return opi_kernels_make(&job->g->programs, job->call, job->program, &kernel, 1);
}

/* A scan of rows that are several parts has a work-item for each part. */
static opi_row_tiles tiles_of(const opi_job *job)
{
    const uint64_t n = job->task->axis.n, parts = ((n - 1) >> job->shape.log_e) + 1;
    const uint64_t most = has_parts(job) ? ((uint64_t)1 << job->shape.log_w) / parts : job->task->axis.outer;
    return opi_row_tiles_of(job, job->task->axis.outer, row_bytes(job), most);
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

oplus_status opi_short_rows_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    return get_program(job);
}

oplus_status opi_short_rows_run(opi_job *job, const opi_part *part)
{
    const uint64_t outer = job->task->axis.outer;
    const uint32_t n = (uint32_t)job->task->axis.n, flags = job->task->exclusive ? OPI_EXCLUSIVE : 0;
    const opi_row_tiles t = tiles_of(job);
    const opi_shares shares = opi_deal_shares(job->deal, t.tiles, t.rows * row_bytes(job));
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(part->address[OPI_AXIS_OUT]));
    opi_add(&a, opi_value(outer));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_value(t.rows));
    if (scans(job)) opi_add(&a, opi_value(flags));
    if (job->deal) opi_add(&a, opi_value(shares));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, kernel_of(job), shares.slots, a.list, a.count);
}
