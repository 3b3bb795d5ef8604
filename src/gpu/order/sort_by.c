/* A merge sort in the order of a function, on an accelerator: its program and its launches. */
#include "base/error.h"
#include "base/memory.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/order/order.h"
#include "gpu/param.h"
#include "gpu/ways.h"
#include "gpu/whole.h"

enum {
    GROUP_LOG_W = 9, /* the larger the tiles, the fewer passes */
    SEEKERS = 32     /* work-items of a group that look for cuts: OPI_SEEKERS of sort_by.cl */
};

/* --- the program -------------------------------------------------------------------------------------------------- */

static size_t item_bytes(const opi_job *job) { return job->task->array[OPI_KEYS].size; }

/* Of an index; 0: elements are sorted, and not their indices. */
static size_t index_bytes(const opi_job *job) { return job->task->array[OPI_VALUES].size; }

/* Whether a work-item needs few registers, so that three groups can run at the same time on a multiprocessor. */
static bool is_lean(const opi_job *job) { return index_bytes(job) == 0 && item_bytes(job) <= 8; }

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const oplus_fn *const less = job->task->fn;
    opi_gpu_write_shape(source, job->shape, item_bytes(job));
    opi_gpu_define(source, "OPI_HOST_CORES", source->gpu->facts.host_cores);
    opi_gpu_define(source, "OPI_BY_TEXT", 1);
    opi_gpu_define(source, "OPI_PARAMETER", less->param_type != NULL);
    opi_gpu_write_fn(source, less, false);
    opi_gpu_write_kernels(source, "order");
    if (job->shape.log_w > 0) opi_gpu_write_kernels(source, "merge_tile");
    opi_gpu_define(source, "OPI_INDEX_SIZE", index_bytes(job));
    opi_gpu_define(source, "OPI_RESIDENTS", is_lean(job) ? 3 : 1);
    opi_gpu_write_kernels(source, "sort_by");
}

/* Bytes of local memory of a merge. */
static size_t local_bytes(const opi_job *job)
{
    const size_t tile = opi_tile(job->shape), items = (size_t)1 << job->shape.log_w;
    const size_t places = index_bytes(job) > 0 ? tile * sizeof(uint16_t) : 0;
    return (tile + tile / 32 + 1) * item_bytes(job) + places + (items + 2) * sizeof(uint32_t) + OPI_LOCAL_SPARE;
}

static oplus_status get_program(opi_job *job)
{
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    job->shape = opi_shape_for(facts, item_bytes(job), 0);
    if (job->shape.log_w > 0 && 1u << GROUP_LOG_W <= facts->group) job->shape.log_w = GROUP_LOG_W;
    while (job->shape.log_w > 0 && local_bytes(job) > facts->local) job->shape.log_w--;
    opi_key key = opi_key_begin("sort by", job->shape);
    opi_key_number(&key, index_bytes(job));
    return opi_program_of_fn(&job->g->programs, job->call, job->task->fn, key, write_source, job, &job->program);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static uint64_t tiles_of(const opi_job *job, uint64_t n) { return (n - 1) / opi_tile(job->shape) + 1; }

/* Where elements and their indices lie. */
typedef struct side {
    char *items, *index;
} side;

/* The sides between which passes go to and fro; the result is wanted in the first one.  The second one is scratch memory,
 * and of an argsort the elements of both. */
static void find_sides(const opi_job *job, const opi_part *part, side sides[2])
{
    const size_t items = opi_round_up(part->n * item_bytes(job), OPI_CACHE_LINE);
    char *const scratch = job->g->array[1].mem, *const second = index_bytes(job) > 0 ? scratch + items : scratch;
    sides[0].items = index_bytes(job) > 0 ? scratch : (char *)part->address[OPI_KEYS];
    sides[0].index = (char *)part->address[OPI_VALUES];
    sides[1].items = second;
    sides[1].index = index_bytes(job) > 0 ? second + items : NULL;
}

static size_t scratch_bytes(const opi_job *job, uint64_t n)
{
    const size_t items = opi_round_up(n * item_bytes(job), OPI_CACHE_LINE);
    return index_bytes(job) > 0 ? 2 * items + n * index_bytes(job) : items;
}

/* In g->work: the cuts of a pass, and behind them for each pair of runs whether its cuts do not ascend. */
static char *wrong_of(const opi_job *job, uint64_t n)
{
    return (char *)job->g->work.mem + tiles_of(job, n) * sizeof(uint64_t);
}

oplus_status opi_sort_by_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_sort_by_blocks", "opi_sort_by_cuts", "opi_sort_by_mend",
                                          "opi_sort_by_merge"};
    opi_accelerator *const g = job->g;
    OPI_TRY(get_program(job));
    OPI_TRY(opi_kernels_make(&g->programs, job->call, job->program, kernels, tiles_of(job, n) > 1 ? 4 : 1));
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->array[1], scratch_bytes(job, n)));
    return opi_gpu_reserve(g, job->call, &g->work, tiles_of(job, n) * (sizeof(uint64_t) + sizeof(uint32_t)));
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static oplus_status launch(const opi_job *job, const char *kernel, uint64_t groups, opi_arguments *a)
{
    const uint64_t none = 0; /* bits that invert keys, which a function does not need */
    opi_add(a, opi_value(none));
    opi_add(a, opi_value(none));
    opi_add(a, opi_memory(job->param));
    return opi_gpu_launch_early(job, kernel, groups, a->list, a->count);
}

static oplus_status sort_blocks(const opi_job *job, const char *from, side to, side other, uint64_t n)
{
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(from));
    opi_add(&a, opi_memory(to.items));
    opi_add(&a, opi_memory(to.index));
    opi_add(&a, opi_memory(other.items));
    opi_add(&a, opi_memory(other.index));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_memory(wrong_of(job, n)));
    return launch(job, "opi_sort_by_blocks", tiles_of(job, n), &a);
}

/* OPI_CUTS of sort_by.cl. */
static uint64_t cuts_of_a_group(const opi_job *job)
{
    const uint64_t items = (uint64_t)1 << job->shape.log_w;
    return items == 1 ? 1 : opi_smaller(items, SEEKERS) - 1;
}

/* Merges runs of 2^log_run elements in pairs. */
static oplus_status merge_pairs(const opi_job *job, side from, uint64_t n, uint32_t log_run, side to)
{
    const uint64_t tiles = tiles_of(job, n), run_tiles = UINT64_C(1) << (log_run - opi_log_tile(job->shape));
    const uint64_t pairs = ((n - 1) >> (log_run + 1)) + 1;
    char *const cuts = job->g->work.mem, *const wrong = wrong_of(job, n);
    opi_arguments find = {.count = 0}, mend = {.count = 0}, merge = {.count = 0};
    opi_add(&find, opi_memory(from.items));
    opi_add(&find, opi_value(n));
    opi_add(&find, opi_value(log_run));
    opi_add(&find, opi_memory(cuts));
    opi_add(&find, opi_memory(wrong));
    opi_add(&find, opi_value(tiles));
    OPI_TRY(launch(job, "opi_sort_by_cuts", (tiles - 1) / cuts_of_a_group(job) + 1, &find));
    opi_add(&mend, opi_memory(cuts));
    opi_add(&mend, opi_memory(wrong));
    opi_add(&mend, opi_value(run_tiles));
    opi_add(&mend, opi_value(tiles));
    OPI_TRY(
        opi_gpu_launch_early(job, "opi_sort_by_mend", ((pairs - 1) >> job->shape.log_w) + 1, mend.list, mend.count));
    opi_add(&merge, opi_memory(from.items));
    opi_add(&merge, opi_memory(from.index));
    opi_add(&merge, opi_value(n));
    opi_add(&merge, opi_value(log_run));
    opi_add(&merge, opi_memory(cuts));
    opi_add(&merge, opi_memory(to.items));
    opi_add(&merge, opi_memory(to.index));
    return launch(job, "opi_sort_by_merge", tiles, &merge);
}

oplus_status opi_sort_by_run_way(opi_job *job, const opi_part *part)
{
    const uint64_t n = part->n;
    const uint32_t first = opi_log_tile(job->shape);
    side sides[2];
    unsigned at = 0;
    find_sides(job, part, sides);
    for (uint32_t log_run = first; (n - 1) >> log_run > 0; log_run++) at ^= 1;
    OPI_TRY(sort_blocks(job, part->address[OPI_KEYS], sides[at], sides[at ^ 1], n));
    for (uint32_t log_run = first; (n - 1) >> log_run > 0; log_run++, at ^= 1)
        OPI_TRY(merge_pairs(job, sides[at], n, log_run, sides[at ^ 1]));
    return OPLUS_OK;
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_sort_by(opi_job *job)
{
    static const char *const names[] = {"elements", "indices"};
    opi_whole whole;
    OPI_TRY(opi_gpu_param(job->g, job->call, job->task->fn, NULL, &job->param));
    OPI_TRY(opi_whole_look(job, names, &whole));
    if (!opi_whole_is_too_large(job, &whole, job->g->memory_bytes / (index_bytes(job) > 0 ? 4 : 2)))
        return opi_whole_run(job, &whole);
    return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
}
