#include "gpu/pipeline/pipeline.h"

#include "base/error.h"
#include "gpu/canon/tiles.h"
#include "gpu/canon/tree.h"
#include "gpu/parts.h"
#include "gpu/pipeline/groups.h"
#include "gpu/scan/scan.h"

#include <assert.h>

/* Where it is faster than tiles, on an H200 (docs/performance.md). */
enum { LEAST_BYTES = 4 << 20, LEAST_BYTES_OF_BYTES = 16 << 20, LARGEST_MADE = 8 };
static bool is_fast(const opi_task *task, uint64_t bytes)
{
    const size_t element = task->op->type->size;
    /* Elements that are made one by one, of 16 bytes, took 1.5 times as long as by tiles. */
    if (element > LARGEST_MADE && opi_groups_makes(task) > 0) return false;
    if (task->lifted && element != 4 && (element <= 8 || element == 16)) return false;
    return bytes >= (element == 1 ? LEAST_BYTES_OF_BYTES : LEAST_BYTES);
}

/* A scan of small elements, of structs or with heads waits for its own instructions: two teams take 0.75 to 0.9 of the
 * time of one.  Others wait for memory. */
static opi_groups groups_of(const opi_job *job)
{
    const oplus_type *const type = job->task->op->type;
    return (opi_groups){.kernel = "opi_pipeline",
                        .element = type->size,
                        .node = job->node,
                        .lifted = job->task->lifted,
                        .makes = opi_groups_makes(job->task),
                        .slow = type->size <= 2 || type->scalar == OPLUS_RECORD};
}

static uint64_t tile_of(const opi_job *job) { return opi_groups_tile(job->task->op->type->size); }

static opi_tile_cut cut_of(const opi_job *job, uint64_t n) { return opi_tiles_cut(job->at, n, tile_of(job)); }

/* Whether functions make what is scanned or written, or both come from the end of an array. */
static bool is_made(const opi_task *task) { return opi_task_is_fused(task) || task->backward; }

/* --- what it can --------------------------------------------------------------------------------------------------- */

/* Whether the nodes that precede the items are those of [0, end): then their levels are the bits of `end`. */
static bool begins_at_0(const opi_job *job)
{
    const opi_range *const carry = job->carry;
    if (!carry || carry->count == 0) return job->task->first == 0;
    if (carry->first != 0 || carry->op->flags & OPLUS_EXACT) return false; /* an exact range is one node */
    int bits = 0;
    for (uint64_t left = carry->end; left; left &= left - 1) bits++;
    return carry->count == bits && carry->level[0] < 64; /* an init has no such level */
}

bool opi_pipeline_can(const opi_job *job, uint64_t n)
{
    const opi_groups groups = groups_of(job);
    if (job->has_nodes || !opi_groups_fit(&job->g->gpu->facts, &groups)) return false;
    if (job->deal && is_made(job->task)) return false;   /* pages of several arrays lie apart */
    if (groups.lifted && groups.makes > 0) return false; /* the role make brings no heads */
    return begins_at_0(job) && cut_of(job, n).tiles > 0 && (job->at + n) / tile_of(job) < opi_groups_most_tiles();
}

bool opi_pipeline_suits(const opi_job *job, uint64_t n) { return is_fast(job->task, n * job->task->op->type->size); }

/* --- the program --------------------------------------------------------------------------------------------------- */

/* What a program is made for. */
typedef struct variant {
    const opi_job *job;
    bool skewed; /* tiles may begin at any address, not only at multiples of 16 */
} variant;

static void write_source(opi_gpu_source *source, const void *context)
{
    const variant *const v = context;
    const opi_job *const job = v->job;
    const opi_task *const task = job->task;
    const opi_groups groups = groups_of(job);
    const opi_shape shape = opi_groups_write_shape(source, job, &groups);
    opi_gpu_define(source, "OPI_SKEWED", v->skewed);
    opi_gpu_define(source, "OPI_BACKWARD", task->backward);
    opi_gpu_define(source, "OPI_EXCHANGED", opi_scan_is_exchanged(task));
    opi_gpu_define(source, "OPI_GIVES", task->after || task->backward);
    opi_gpu_write_parts(source, task);
    opi_gpu_write_kernels(source, task->lifted ? "lifted" : "plain");
    opi_gpu_write_tree(source, shape, groups.element);
    opi_gpu_write_elements(source);
    opi_groups_write_kernels(source);
    opi_gpu_write_kernels(source, "reduce");
    opi_gpu_write_kernels(source, "carry");
    opi_gpu_write_kernels(source, "pipeline");
}

static bool is_aligned(uintptr_t address) { return address % OPI_VECTOR_BYTES == 0; }

/* Whether tiles may begin anywhere.  A tile is a multiple of 16 bytes, so that all of a call's begin like the first one:
 * in the array, or in memory to which its pieces are copied, which is aligned. */
static bool is_skewed(const opi_job *job)
{
    const uintptr_t before = (uintptr_t)(job->task->first % tile_of(job)) * job->task->op->type->size;
    if (opi_groups_makes(job->task) > 0) return false; /* the ring gets elements one by one */
    return !is_aligned(before) || !is_aligned((uintptr_t)job->task->array[OPI_IN].mem - before);
}

static oplus_status get_groups(const opi_job *job, bool skewed, opi_groups *groups)
{
    const opi_task *const task = job->task;
    const variant v = {job, skewed};
    opi_key key = opi_key_begin("pipeline", opi_groups_shape(task->op->type->size));
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 2 | (uint64_t)skewed << 1 | task->lifted);
    opi_key_number(&key, (uint64_t)task->backward << 1 | opi_scan_is_exchanged(task));
    *groups = groups_of(job);
    return opi_program_of_task(&job->g->programs, job->call, task, key, write_source, &v, &groups->program);
}

oplus_status opi_pipeline_prepare(opi_job *job, uint64_t n)
{
    opi_groups groups;
    OPI_TRY(get_groups(job, is_skewed(job), &groups));
    OPI_TRY(opi_groups_prepare(job, &groups, n / tile_of(job) + 1));
    return opi_tiles_prepare(job, groups.program->residents > 0 ? opi_smaller(n, tile_of(job)) : n);
}

/* --- run ----------------------------------------------------------------------------------------------------------- */

/* n items, from job->at on, which is the beginning of a tile. */
static oplus_status scan(opi_job *job, const opi_groups *groups, const char *const *address, uint64_t n)
{
    opi_arguments a = {.count = 0};
    const uint64_t bytes = n * groups->element, tile = tile_of(job);
    const uint32_t begin = (uint32_t)(job->at / tile), flags = job->task->exclusive ? OPI_EXCLUSIVE : 0u;
    opi_groups_told told;
    opi_add_inputs(&a, job, address);
    opi_add(&a, opi_memory(address[job->task->arrays - 1]));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_groups_add(job, groups, (n + tile - 1) / tile, &a, &told);
    opi_add(&a, opi_value(bytes));
    opi_add(&a, opi_value(begin));
    opi_add(&a, opi_value(flags));
    if (opi_task_has_param(job->task)) opi_add(&a, opi_memory(job->param));
    OPI_TRY(opi_groups_launch(job, groups, &told, &a));
    job->fresh = false;
    job->told = false;
    job->at += n;
    job->index += n;
    return OPLUS_OK;
}

/* Less than a tile, by another way. */
static oplus_status rest(opi_job *job, const opi_part *part, uint64_t begin, uint64_t n)
{
    opi_part own = {.n = n, .last = part->last && begin + n == part->n};
    const uint64_t index = job->index;
    if (n == 0) return OPLUS_OK;
    for (int k = 0; k < job->task->arrays; k++)
        if (part->address[k]) own.address[k] = part->address[k] + begin * job->task->array[k].size;
    assert(!job->task->backward); /* such a task is never in parts */
    OPI_TRY(opi_tiles_are_few(job, n) ? opi_one_group(job, &own) : opi_tiles_run(job, &own));
    job->index = index + n;
    return OPLUS_OK;
}

oplus_status opi_pipeline_run(opi_job *job, const opi_part *part)
{
    const char *address[OPI_MAX_ARRAYS] = {NULL};
    const opi_tile_cut c = cut_of(job, part->n);
    /* A tail whose nodes nobody needs afterwards is scanned together with the whole tiles. */
    const uint64_t tail = job->keep || !part->last ? c.tail : 0;
    opi_groups groups;
    OPI_TRY(opi_pipeline_fault(job->g, job->call));
    OPI_TRY(get_groups(job, is_skewed(job), &groups));
    if (groups.program->residents == 0) return opi_tiles_run(job, part);
    for (int k = 0; k < job->task->arrays; k++)
        if (part->address[k]) address[k] = part->address[k] + c.head * job->task->array[k].size;
    assert(is_skewed(job) || groups.makes > 0 || is_aligned((uintptr_t)address[OPI_IN]));
    OPI_TRY(rest(job, part, 0, c.head));
    OPI_TRY(scan(job, &groups, address, part->n - c.head - tail));
    return rest(job, part, part->n - tail, tail);
}
