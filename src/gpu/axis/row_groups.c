/* The way "row-groups": a work-group reduces each row of neighbours. */
#include "base/error.h"
#include "gpu/axis/axis.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/parts.h"
#include "gpu/scan/last.h"
#include "gpu/segreduce/offsets.h"

enum {
    LEAST_BYTES = 32 << 10, /* of a row: all warps have a strip (H200: of 4 KiB, 243 us, and 139 as segments); */
    ROWS_A_UNIT = 16        /* so many rows for each multiprocessor end together, or nearly so */
};

static size_t element(const opi_job *job) { return job->task->op->type->size; }

static opi_shape shape_of(const opi_job *job) { return opi_shape_for(&job->g->gpu->facts, element(job), element(job)); }

bool opi_row_groups_can(const opi_job *job, uint64_t n)
{
    return n > 0 && job->task->axis.inner == 1 && opi_last_is_for(&job->g->gpu->facts, shape_of(job), element(job));
}

/* Rows that do not all begin at a multiple of 16 bytes would be loaded element by element. */
bool opi_row_groups_suit(const opi_job *job, uint64_t n)
{
    const opi_axis *const axis = &job->task->axis;
    const uint64_t bytes = axis->n * element(job), workers = job->deal ? job->deal->workers : 1;
    const uintptr_t in = (uintptr_t)job->task->array[OPI_IN].mem;
    (void)n;
    return bytes >= LEAST_BYTES && bytes % OPI_VECTOR_BYTES == 0 && in % OPI_VECTOR_BYTES == 0 &&
           axis->outer >= ROWS_A_UNIT * opi_units(opi_deal_first(job)) * workers;
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_job own = *job;
    own.deal = NULL; /* what last.cl deals out, it deals out in another way */
    opi_gpu_write_shape(source, job->shape, element(job));
    opi_gpu_define(source, "OPI_LIFTED", 0);
    opi_gpu_define(source, "OPI_HAS_LAST", 1);
    opi_gpu_write_parts(source, job->task);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_tree(source, job->shape, element(job));
    opi_gpu_write_kernels(source, "range");
    opi_gpu_write_tile(source);
    opi_last_write(source, &own);
    if (!opi_gpu_failed(source)) fprintf(source->to, "#undef OPI_DEALT\n");
    opi_deal_write_shares(job->deal, source);
    opi_gpu_write_kernels(source, "row_groups");
}

oplus_status opi_row_groups_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_row_groups"};
    (void)n;
    job->shape = shape_of(job);
    opi_key key = opi_key_begin("row groups", job->shape);
    opi_key_number(&key, job->deal != NULL);
    OPI_TRY(opi_program_of_op(&job->g->programs, job->call, job->task->op, key, write_source, job, &job->program));
    return opi_kernels_make(&job->g->programs, job->call, job->program, kernels, 1);
}

oplus_status opi_row_groups_run(opi_job *job, const opi_part *part)
{
    const uint64_t n = job->task->axis.n;
    const opi_shares shares = opi_deal_shares(job->deal, job->task->axis.outer, n * element(job));
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(part->address[OPI_AXIS_OUT]));
    opi_add(&a, opi_value(n));
    if (job->deal) opi_add(&a, opi_value(shares));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, "opi_row_groups", shares.slots, a.list, a.count);
}
