/* Bounds and merges on an accelerator: their programs and their launches. */
#include "gpu/order/order.h"

#include "base/error.h"
#include "cores/cores.h"
#include "cores/merge.h"
#include "gpu/launch.h"
#include "gpu/map/map.h"
#include "gpu/memory.h"
#include "gpu/param.h"
#include "gpu/whole.h"
#include "gpu/ways.h"

enum {
    LOG_LANES = 2,      /* OPI_LANES of bounds.cl */
    UNIT_MOST = 8,      /* bytes that a kernel copies at once */
    GATHERED_BYTES = 64 /* of a sorted array for each search, at most, for which its copy is worth it (an estimate) */
};

/* --- the program -------------------------------------------------------------------------------------------------- */

static bool is_merge(const opi_job *job) { return job->task->what == OPI_MERGE; }

static size_t item_bytes(const opi_job *job) { return job->task->array[0].size; }

void opi_order_write(opi_gpu_source *source, const opi_job *job)
{
    const oplus_fn *const less = job->task->fn;
    opi_gpu_write_shape(source, job->shape, item_bytes(job));
    opi_gpu_define(source, "OPI_HOST_CORES", source->gpu->facts.host_cores);
    opi_gpu_define(source, "OPI_BY_TEXT", less != NULL);
    opi_gpu_define(source, "OPI_PARAMETER", less && less->param_type);
    if (less)
        opi_gpu_write_fn(source, less, false);
    else
        opi_gpu_define(source, "OPI_KEY_SIZE", item_bytes(job));
    opi_gpu_write_kernels(source, "order");
    opi_deal_write(job->deal, source);
}

void opi_bounds_write(opi_gpu_source *source, const opi_job *job)
{
    opi_gpu_define(source, "OPI_UPPER", job->task->bounds.upper);
    opi_gpu_define(source, "OPI_INDEX_SIZE", job->task->array[OPI_BOUNDS_OUT].size);
}

static const oplus_type *value_of(const opi_job *job) { return is_merge(job) ? job->task->merge.value : NULL; }

static unsigned unit_of(const oplus_type *value) { return value ? (unsigned)opi_smaller(value->align, UNIT_MOST) : 0; }

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_type *const value = value_of(job);
    opi_order_write(source, job);
    if (is_merge(job)) {
        opi_gpu_define(source, "OPI_VALUE_SIZE", value ? value->size : 0);
        opi_gpu_define(source, "OPI_VALUE_UNIT", unit_of(value));
        opi_gpu_write_kernels(source, "value");
        if (job->shape.log_w > 0) opi_gpu_write_kernels(source, "merge_tile");
        opi_gpu_write_kernels(source, "merge");
    } else {
        opi_bounds_write(source, job);
        opi_gpu_write_kernels(source, "bounds");
    }
}

/* Bytes of local memory of a merge. */
static size_t local_bytes(const opi_job *job)
{
    const size_t tile = opi_tile(job->shape);
    return (tile + tile / 32 + 1) * item_bytes(job) + (value_of(job) ? tile * sizeof(uint16_t) : 0) + OPI_LOCAL_SPARE;
}

opi_shape opi_bounds_shape(const opi_job *job)
{
    opi_shape shape = opi_shape_for(&job->g->gpu->facts, item_bytes(job), 0);
    if (shape.log_e < LOG_LANES) shape.log_e = LOG_LANES;
    return shape;
}

static void choose_shape(opi_job *job)
{
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    opi_shape *const shape = &job->shape;
    *shape = is_merge(job) ? opi_shape_for(facts, item_bytes(job), 0) : opi_bounds_shape(job);
    while (is_merge(job) && shape->log_w > 0 && local_bytes(job) > facts->local) shape->log_w--;
}

static oplus_status get_program(opi_job *job)
{
    const opi_task *const task = job->task;
    const oplus_type *const value = value_of(job);
    choose_shape(job);
    opi_key key = opi_key_begin(is_merge(job) ? "merge" : "bounds", job->shape);
    opi_key_number(&key, is_merge(job) ? (value ? value->size : 0) : task->array[OPI_BOUNDS_OUT].size);
    opi_key_number(&key, is_merge(job) ? unit_of(value) : task->bounds.upper);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | item_bytes(job));
    if (task->fn)
        return opi_program_of_fn(&job->g->programs, job->call, task->fn, key, write_source, job, &job->program);
    return opi_program_get(&job->g->programs, job->call, is_merge(job) ? "the merge" : "the bounds", key.hash,
                           write_source, job, &job->program);
}

/* The order of the task; what the function says needs none. */
opi_key_order opi_order_of(const opi_job *job)
{
    const opi_task *const task = job->task;
    if (task->fn) return (opi_key_order){0, 0, 0};
    return is_merge(job) ? opi_key_order_of(task->merge.key, task->merge.order)
                         : opi_key_order_of(task->bounds.key, task->bounds.order);
}

/* Arguments refer to values, which must live until the launch. */
void opi_order_add(opi_arguments *a, const opi_job *job, const opi_key_order *order)
{
    opi_add(a, opi_value(order->float_mask));
    opi_add(a, opi_value(order->flip));
    opi_add(a, opi_memory(job->param));
}

static uint64_t tiles_of(const opi_job *job, uint64_t n) { return (n - 1) / opi_tile(job->shape) + 1; }

/* --- bounds ------------------------------------------------------------------------------------------------------- */

oplus_status opi_bounds_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    return get_program(job);
}

oplus_status opi_bounds_run(opi_job *job, const opi_part *part)
{
    const uint64_t sorted = job->task->array[OPI_SORTED].items, count = part->n;
    const opi_key_order order = opi_order_of(job);
    uint64_t tiles = tiles_of(job, count);
    opi_dealt dealt = {.epoch = 0};
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_SORTED]));
    opi_add(&a, opi_value(sorted));
    opi_add(&a, opi_memory(part->address[OPI_WANTED]));
    opi_add(&a, opi_value(count));
    opi_add(&a, opi_memory(part->address[OPI_BOUNDS_OUT]));
    opi_order_add(&a, job, &order);
    if (job->deal) {
        tiles = opi_deal_items(job->deal, tiles, opi_tile(job->shape) * job->task->array[opi_deal_by(job->task)].size,
                               &dealt);
        opi_add(&a, opi_value(dealt));
    }
    return opi_gpu_launch(job, "opi_bounds", tiles, a.list, a.count);
}

/* Whether each accelerator copies the sorted array before it searches: a search reads it at some 26 places, most of which
 * would be another's memory, over the link. */
static bool is_gathered(const opi_job *job)
{
    const opi_array *const sorted = &job->task->array[OPI_SORTED];
    const size_t bytes = sorted->items * sorted->size;
    return bytes / GATHERED_BYTES <= job->task->n && bytes <= opi_deal_first(job)->memory_bytes / 2;
}

/* The task that copies the sorted array to this accelerator's memory. */
static opi_task gather_task(const opi_job *job)
{
    const opi_array *const sorted = &job->task->array[OPI_SORTED];
    return opi_task_move(job->g->array[0].mem, sorted->mem, sorted->items * sorted->size);
}

oplus_status opi_bounds_ready(opi_job *job)
{
    const opi_array *const sorted = &job->task->array[OPI_SORTED];
    if (is_gathered(job) && sorted->items > 0) {
        OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->array[0], sorted->items * sorted->size));
        const opi_task move = gather_task(job);
        OPI_TRY(opi_gpu_map_ready(&(opi_job){.g = job->g, .call = job->call, .task = &move}));
    }
    if (job->task->fn) OPI_TRY(opi_gpu_param(job->g, job->call, job->task->fn, NULL, &job->param));
    return opi_way_prepare(job, job->task->n);
}

oplus_status opi_bounds_run_dealt(opi_job *job)
{
    opi_part part = opi_part_of_all(job->task);
    OPI_TRY(opi_bounds_ready(job));
    if (is_gathered(job) && job->task->array[OPI_SORTED].items > 0) {
        const opi_task move = gather_task(job);
        OPI_TRY(opi_gpu_map(&(opi_job){.g = job->g, .call = job->call, .task = &move}));
        part.address[OPI_SORTED] = job->g->array[0].mem;
    }
    return opi_way_run(job, &part);
}

/* --- merge -------------------------------------------------------------------------------------------------------- */

/* How many cuts a merge of so many tiles has: OPI_CUTS_OF of merge.cl. */
static uint64_t cuts_of(const opi_job *job, uint64_t tiles) { return job->deal ? 2 * tiles : tiles + 1; }

/* The tiles of a merge that are this accelerator's. */
static uint64_t own_tiles(const opi_job *job, uint64_t n, opi_dealt *dealt)
{
    const uint64_t tiles = tiles_of(job, n);
    return job->deal ? opi_deal_items(job->deal, tiles, opi_tile(job->shape) * item_bytes(job), dealt) : tiles;
}

oplus_status opi_merge_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_merge_cuts", "opi_merge"};
    opi_accelerator *const g = job->g;
    opi_dealt dealt;
    OPI_TRY(get_program(job));
    OPI_TRY(opi_kernels_make(&g->programs, job->call, job->program, kernels, 2));
    return opi_gpu_reserve(g, job->call, &g->work, cuts_of(job, own_tiles(job, n, &dealt)) * sizeof(uint64_t));
}

oplus_status opi_merge_run_way(opi_job *job, const opi_part *part)
{
    static const int arrays[] = {OPI_A_KEYS,   OPI_B_KEYS,   OPI_MERGED_KEYS,
                                 OPI_A_VALUES, OPI_B_VALUES, OPI_MERGED_VALUES};
    opi_dealt dealt = {.epoch = 0};
    const uint64_t n = part->n, tiles = own_tiles(job, n, &dealt);
    const uint64_t a_n = job->task->array[OPI_A_KEYS].items, b_n = job->task->array[OPI_B_KEYS].items;
    const opi_key_order order = opi_order_of(job);
    opi_arguments cuts = {.count = 0}, merge = {.count = 0};
    opi_add(&cuts, opi_memory(part->address[OPI_A_KEYS]));
    opi_add(&cuts, opi_value(a_n));
    opi_add(&cuts, opi_memory(part->address[OPI_B_KEYS]));
    opi_add(&cuts, opi_value(b_n));
    opi_add(&cuts, opi_memory(job->g->work.mem));
    opi_add(&cuts, opi_value(tiles));
    opi_order_add(&cuts, job, &order);
    for (int k = 0; k < 6; k++) opi_add(&merge, opi_memory(part->address[arrays[k]]));
    opi_add(&merge, opi_value(n));
    opi_add(&merge, opi_memory(job->g->work.mem));
    opi_order_add(&merge, job, &order);
    if (job->deal) opi_add(&cuts, opi_value(dealt)), opi_add(&merge, opi_value(dealt));
    OPI_TRY(opi_gpu_launch(job, "opi_merge_cuts", ((cuts_of(job, tiles) - 1) >> job->shape.log_w) + 1, cuts.list,
                           cuts.count));
    return opi_gpu_launch(job, "opi_merge", tiles, merge.list, merge.count);
}

oplus_status opi_merge_ready(opi_job *job)
{
    if (job->task->fn) OPI_TRY(opi_gpu_param(job->g, job->call, job->task->fn, NULL, &job->param));
    return opi_merge_prepare(job, job->task->n);
}

/* --- the tasks ---------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_order(opi_job *job)
{
    static const char *const names[2][6] = {{"sorted", "wanted", "places"},
                                            {"a", "b", "a_values", "b_values", "out", "out_values"}};
    opi_whole whole;
    if (job->task->fn) OPI_TRY(opi_gpu_param(job->g, job->call, job->task->fn, NULL, &job->param));
    OPI_TRY(opi_whole_look(job, names[is_merge(job)], &whole));
    if (!opi_whole_is_too_large(job, &whole, job->g->memory_bytes)) return opi_whole_run(job, &whole);
    return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
}
