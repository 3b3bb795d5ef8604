/* Argmin and argmax of short rows of neighbours: the way "short-rows". */
#include "base/error.h"
#include "gpu/axis/row_tile.h"
#include "gpu/extreme/extreme.h"
#include "gpu/launch.h"
#include "gpu/ways.h"

enum { MOST = 256 /* elements of a row: a place in it has 8 bits */ };

static size_t element(const opi_job *job) { return job->task->extreme.type->size; }

static uint64_t row_bytes(const opi_job *job) { return job->task->extreme.axis.n * element(job); }

bool opi_extreme_rows_can(const opi_job *job, uint64_t n)
{
    const opi_axis *const axis = &job->task->extreme.axis;
    if (n == 0 || axis->inner != 1 || axis->n > MOST) return false;
    return opi_row_tiles_can(job, row_bytes(job)) &&
           opi_shape_for(&job->g->gpu->facts, element(job), element(job)).log_w > 0;
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const opi_task *const task = job->task;
    opi_gpu_write_shape(source, job->shape, element(job));
    opi_gpu_define(source, "OPI_INDEX_SIZE", task->array[OPI_AXIS_OUT].size);
    opi_extreme_write_key(source, task);
    opi_row_tiles_write(source, element(job), element(job));
    opi_deal_write_shares(job->deal, source);
    opi_gpu_write_kernels(source, "extreme_rows");
}

oplus_status opi_extreme_rows_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_extreme_rows"};
    const opi_task *const task = job->task;
    (void)n;
    job->shape = (opi_shape){.log_w = opi_row_tiles_log_w(&job->g->gpu->facts)};
    opi_key key = opi_key_begin("extreme_rows", job->shape);
    opi_key_number(&key, (uint64_t)task->extreme.type->scalar);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | task->extreme.sides);
    opi_key_number(&key, task->array[OPI_AXIS_OUT].size);
    OPI_TRY(opi_program_get(&job->g->programs, job->call, "the kernels of the search for extremes of short rows",
                            key.hash, write_source, job, &job->program));
    return opi_kernels_make(&job->g->programs, job->call, job->program, kernels, 1);
}

oplus_status opi_extreme_rows_run(opi_job *job, const opi_part *part)
{
    const uint64_t outer = job->task->extreme.axis.outer;
    const uint32_t n = (uint32_t)job->task->extreme.axis.n;
    const opi_row_tiles t = opi_row_tiles_of(job, outer, row_bytes(job), outer);
    const opi_shares shares = opi_deal_shares(job->deal, t.tiles, t.rows * row_bytes(job));
    const opi_gpu_argument list[] = {opi_memory(part->address[OPI_IN]),
                                     opi_memory(part->address[OPI_AXIS_OUT]),
                                     opi_value(outer),
                                     opi_value(n),
                                     opi_value(t.rows),
                                     opi_value(shares)};
    return opi_gpu_launch(job, "opi_extreme_rows", shares.slots, list, job->deal ? 6 : 5);
}

/* --- dealt out, by this way or by columns ---------------------------------------------------------------------------- */

static bool is_by_rows(const opi_job *job) { return opi_way_of(job, job->task->n)->run == opi_extreme_rows_run; }

oplus_status opi_extreme_axis_prepare_dealt(opi_job *job)
{
    return is_by_rows(job) ? opi_extreme_rows_prepare(job, job->task->n) : opi_extreme_columns_prepare_dealt(job);
}

oplus_status opi_extreme_axis_look_dealt(opi_job *job)
{
    return is_by_rows(job) ? OPLUS_OK : opi_extreme_columns_look_dealt(job);
}

oplus_status opi_extreme_axis_run_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    if (!is_by_rows(job)) return opi_extreme_columns_run_dealt(job);
    OPI_TRY(opi_extreme_rows_prepare(job, job->task->n));
    return opi_extreme_rows_run(job, &part);
}
