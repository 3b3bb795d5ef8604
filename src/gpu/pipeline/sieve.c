/* A filter by the way "pipeline": see sieve.cl. */
#include "gpu/canon/tiles.h"
#include "gpu/canon/tree.h"
#include "gpu/parts.h"
#include "gpu/pipeline/groups.h"
#include "gpu/pipeline/pipeline.h"
#include "base/error.h"

/* Where it is faster than tiles, on an H200 (docs/performance.md). */
enum { LARGEST_FAST = 8, LEAST_BYTES = 1 << 20 };

static const oplus_type *type_of(const opi_job *job) { return job->task->fn->input[0]; }

static opi_groups groups_of(const opi_job *job)
{
    const size_t element = type_of(job)->size;
    return (opi_groups){.kernel = "opi_sieve",
                        .element = element,
                        .node = sizeof(uint64_t),
                        .beside = opi_groups_heaps(element, element),
                        .counts = true,
                        .makes = opi_groups_makes(job->task)};
}

static uint64_t tiles_of(const opi_job *job, uint64_t n) { return opi_groups_tiles(type_of(job)->size, n); }

bool opi_sieve_can(const opi_job *job, uint64_t n)
{
    const size_t element = type_of(job)->size;
    const opi_groups groups = groups_of(job);
    if (job->deal && job->task->before) return false; /* pages of several arrays lie apart */
    return !job->task->fn->indexed && opi_groups_fit(&job->g->gpu->facts, &groups) && n >= opi_groups_tile(element) &&
           tiles_of(job, n) < opi_groups_most_tiles();
}

bool opi_sieve_suits(const opi_job *job, uint64_t n)
{
    const size_t element = type_of(job)->size;
    return element <= LARGEST_FAST && n * element >= LEAST_BYTES;
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_fn *const keep = job->task->fn;
    const opi_groups groups = groups_of(job);
    const opi_shape shape = opi_groups_write_shape(source, job, &groups);
    opi_gpu_define(source, "OPI_UNIT", opi_smaller(type_of(job)->align, OPI_VECTOR_BYTES));
    opi_gpu_define(source, "OPI_PARAMETER", keep->param_type != NULL);
    opi_gpu_define(source, "OPI_SELECTS", 0);
    opi_gpu_define(source, "OPI_HEADS", 0);
    opi_gpu_define(source, "OPI_PICKED", 1);
    opi_gpu_define(source, "OPI_INDEX_BYTES", 0);
    opi_gpu_define(source, "OPI_INDICES", 0);
    opi_gpu_define(source, "OPI_LENGTHS", 0);
    opi_gpu_define(source, "OPI_KEEP_INDEXED", 0);
    opi_gpu_write_parts(source, job->task);
    opi_gpu_write_kernels(source, "bound"); /* defines its words as nothing */
    opi_gpu_write_kernels(source, "kept");
    opi_gpu_write_tree(source, shape, type_of(job)->size);
    opi_gpu_write_elements(source);
    opi_gpu_write_kernels(source, "unit");
    opi_groups_write_kernels(source);
    opi_gpu_write_kernels(source, "sieve");
}

static oplus_status get_groups(const opi_job *job, opi_groups *groups)
{
    opi_key key = opi_key_begin("sieve", opi_groups_shape(type_of(job)->size));
    opi_key_number(&key, job->deal != NULL);
    *groups = groups_of(job);
    return opi_program_of_task(&job->g->programs, job->call, job->task, key, write_source, job, &groups->program);
}

oplus_status opi_sieve_prepare(opi_job *job, uint64_t n)
{
    opi_groups groups;
    OPI_TRY(get_groups(job, &groups));
    OPI_TRY(opi_groups_prepare(job, &groups, tiles_of(job, n)));
    return groups.program->residents > 0 ? OPLUS_OK : opi_tiles_prepare(job, n);
}

oplus_status opi_sieve_run(opi_job *job, const opi_part *part)
{
    opi_groups groups;
    opi_arguments a = {.count = 0};
    const uint64_t bytes = part->n * type_of(job)->size;
    const uint32_t flags = job->fresh ? OPI_FRESH : 0u;
    opi_groups_told told;
    OPI_TRY(opi_pipeline_fault(job->g, job->call));
    OPI_TRY(get_groups(job, &groups));
    if (groups.program->residents == 0) return opi_tiles_run(job, part);
    opi_add_inputs(&a, job, part->address);
    opi_add(&a, opi_memory(part->address[job->task->arrays - 1]));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_groups_add(job, &groups, tiles_of(job, part->n), &a, &told);
    opi_add(&a, opi_value(bytes));
    opi_add(&a, opi_value(job->at));
    opi_add(&a, opi_value(flags));
    opi_add(&a, opi_memory(job->param));
    OPI_TRY(opi_groups_launch(job, &groups, &told, &a));
    job->fresh = false;
    job->told = false;
    job->at += part->n;
    return OPLUS_OK;
}

unsigned opi_sieve_ends_at(const opi_job *job) { return opi_groups_last_owner(job, type_of(job)->size); }
