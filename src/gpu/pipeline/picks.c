/* A select by the way "pipeline", of what a predicate or the beginnings of runs pick: see sieve.cl.  It writes the picked
 * elements, or their indices, or lengths of runs, or several of these.  Another way serves who wants more. */
#include "gpu/pipeline/groups.h"
#include "gpu/pipeline/pipeline.h"

#include "base/error.h"
#include "gpu/canon/tree.h"
#include "gpu/memory.h"
#include "gpu/select/select.h"
#include "type/bits.h"

/* LEAST_BYTES: fewer go by the way "look-back", or are read from a cache the second time. */
enum { LARGEST = 8, LEAD_BYTES = 16, LEAST_BYTES = 1 << 20 };

static const oplus_type *type_of(const opi_job *job) { return job->task->select.type; }
static bool has(const opi_job *job, int array) { return job->task->array[array].mem != NULL; }
static bool heads(const opi_job *job) { return job->task->select.picks == OPI_PICKS_HEADS; }
static bool measures(const opi_job *job) { return has(job, OPI_COUNT_OUT); }

/* Bytes of an index or of a length; 0: neither is wanted. */
static size_t index_size(const opi_job *job)
{
    return has(job, OPI_INDEX_OUT) || measures(job) ? job->task->array[OPI_INDEX_OUT].size : 0;
}

/* Whether something is written beside elements, which is much work for each of them: two teams take 0.92 to 0.96 of the time of
 * one on an H200.  Heaps of wide indices leave no room for two, and lengths beside elements of 8 bytes no registers. */
static bool takes_two_teams(const opi_job *job)
{
    const size_t element = type_of(job)->size, index = index_size(job);
    return has(job, OPI_PICKED_OUT) && index > 0 && index <= 2 * element && !(measures(job) && element == 8);
}

/* Bytes of a node: a number, or that of ends.cl. */
static size_t node_size(const opi_job *job) { return measures(job) ? 2 * index_size(job) : sizeof(uint64_t); }

static opi_groups groups_of(const opi_job *job)
{
    const size_t element = type_of(job)->size, widest = opi_larger(element, index_size(job));
    const bool slow = takes_two_teams(job);
    return (opi_groups){.kernel = "opi_sieve",
                        .element = element,
                        .node = node_size(job),
                        .beside = opi_groups_heaps(element, widest) * (slow ? 2 : 1) + LEAD_BYTES,
                        .slow = slow,
                        .counts = true};
}

/* Whether all that is wanted can be written. */
static bool is_simple(const opi_task *task)
{
    static const int others[] = {OPI_MASK, OPI_REST_OUT, OPI_RUN_OUT, OPI_HEAD_OUT};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (task->array[others[i]].mem) return false;
    if (task->array[OPI_COUNT_OUT].mem) return task->select.picks == OPI_PICKS_HEADS; /* n > 0 elements have a run */
    return task->array[OPI_PICKED_OUT].mem || task->array[OPI_INDEX_OUT].mem;
}

/* Whether elements are compared as they lie in memory. */
static bool is_plain(const oplus_type *type)
{
    opi_spans spans;
    return opi_spans_of(type, &spans) && spans.count == 1 && spans.span[0].bytes == type->size;
}

bool opi_picks_can(const opi_job *job, uint64_t n)
{
    const opi_task *const task = job->task;
    const size_t element = type_of(job)->size;
    const opi_groups groups = groups_of(job);
    if (!(heads(job) || task->select.picks == OPI_PICKS_KEPT) || !is_simple(task)) return false;
    if (element > LARGEST || LARGEST % element > 0 || opi_task_indexed(task)) return false;
    return (task->fn || is_plain(type_of(job))) && opi_groups_fit(&job->g->gpu->facts, &groups) &&
           n >= opi_groups_tile(element) && opi_groups_tiles(element, n) < opi_groups_most_tiles();
}

bool opi_picks_suit(const opi_job *job, uint64_t n) { return n * type_of(job)->size >= LEAST_BYTES; }

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_fn *const fn = job->task->fn;
    const opi_groups groups = groups_of(job);
    const opi_shape shape = opi_groups_write_shape(source, job, &groups);
    opi_gpu_define(source, "OPI_UNIT", opi_smaller(type_of(job)->align, OPI_VECTOR_BYTES));
    opi_gpu_define(source, "OPI_COMPARES", fn != NULL);
    opi_gpu_define(source, "OPI_PARAMETER", fn && fn->param_type);
    opi_gpu_define(source, "OPI_SELECTS", 1);
    opi_gpu_define(source, "OPI_HEADS", heads(job));
    opi_gpu_define(source, "OPI_STAGE_LEAD", LEAD_BYTES);
    opi_gpu_define(source, "OPI_PICKED", has(job, OPI_PICKED_OUT));
    opi_gpu_define(source, "OPI_INDEX_BYTES", index_size(job));
    opi_gpu_define(source, "OPI_INDICES", has(job, OPI_INDEX_OUT));
    opi_gpu_define(source, "OPI_LENGTHS", measures(job));
    if (fn) opi_gpu_write_fn(source, fn, true);
    opi_gpu_write_kernels(source, "bound"); /* defines its words as nothing */
    opi_gpu_write_kernels(source, "unit");
    if (measures(job)) opi_gpu_write_kernels(source, "ends");
    opi_gpu_write_kernels(source, heads(job) ? "heads" : "kept");
    opi_gpu_write_tree(source, shape, type_of(job)->size);
    opi_groups_write_kernels(source);
    opi_gpu_write_kernels(source, "sieve");
}

static oplus_status get_groups(const opi_job *job, opi_groups *groups)
{
    const oplus_type *const type = type_of(job);
    opi_key key = opi_key_begin("picks", opi_groups_shape(type->size));
    opi_key_number(&key, heads(job));
    opi_key_number(&key, has(job, OPI_PICKED_OUT));
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 8 | (uint64_t)index_size(job) << 2 |
                             (uint64_t)has(job, OPI_INDEX_OUT) << 1 | measures(job));
    opi_key_number(&key, type->size);
    opi_key_number(&key, type->align);
    *groups = groups_of(job);
    if (job->task->fn)
        return opi_program_of_fn(&job->g->programs, job->call, job->task->fn, key, write_source, job, &groups->program);
    return opi_program_get(&job->g->programs, job->call, "a select", key.hash, write_source, job, &groups->program);
}

oplus_status opi_picks_prepare(opi_job *job, uint64_t n)
{
    opi_groups groups;
    OPI_TRY(get_groups(job, &groups));
    OPI_TRY(opi_groups_prepare(job, &groups, opi_groups_tiles(type_of(job)->size, n)));
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->range, opi_image_bytes(groups.node)));
    return groups.program->residents == 0 ? opi_select_prepare(job, n) : OPLUS_OK;
}

oplus_status opi_picks_run(opi_job *job, const opi_part *part)
{
    opi_groups groups;
    opi_arguments a = {.count = 0};
    const uint64_t bytes = part->n * type_of(job)->size, first = 0;
    const uint32_t flags = OPI_FRESH;
    opi_groups_told told;
    OPI_TRY(opi_pipeline_fault(job->g, job->call));
    OPI_TRY(get_groups(job, &groups));
    if (groups.program->residents == 0) return opi_select_run(job, part);
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(part->address[OPI_PICKED_OUT]));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_groups_add(job, &groups, opi_groups_tiles(groups.element, part->n), &a, &told);
    opi_add(&a, opi_value(bytes));
    opi_add(&a, opi_value(first));
    opi_add(&a, opi_value(flags));
    opi_add(&a, opi_memory(job->param));
    opi_add(&a, opi_memory(part->address[OPI_INDEX_OUT]));
    opi_add(&a, opi_memory(part->address[OPI_COUNT_OUT]));
    opi_add(&a, opi_memory(job->result));
    return opi_groups_launch(job, &groups, &told, &a);
}

unsigned opi_picks_end_at(const opi_job *job) { return opi_groups_last_owner(job, type_of(job)->size); }
