/* Counts by bin on an accelerator. */
#include "gpu/bins/bins.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/ways.h"
#include "gpu/whole.h"

#include <string.h>

enum {
    PARTS_A_UNIT = 6,      /* work-groups that run at the same time on a multiprocessor: all begin, and end, together */
    LEAST_PART = 32 << 10, /* bytes: less is not worth a work-group, */
    PER_BIN = 8            /* ... nor are fewer elements for each bin of its own */
};

/* Elements of a launch: counts of it have 32 bits. */
#define MOST_ELEMENTS (UINT64_C(1) << 31)

typedef struct counting {
    opi_job job; /* must be first */
    void *fault; /* where kernels tell of an index out of range: an opi_wrong_index; NULL: they do not */
} counting;

/* --- the program -------------------------------------------------------------------------------------------------- */

/* A work-group's own memory: so many tables, each for so many bins. */
typedef struct tables {
    unsigned bins, copies;
} tables;

static tables tables_of(const opi_job *job)
{
    static const tables sizes[] = {{256, 8}, {1024, 4}, {4096, 1}};
    const uint64_t bins = job->task->bins.n;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (bins <= sizes[i].bins) return (tables){sizes[i].bins, job->shape.log_w > 0 ? sizes[i].copies : 1};
    return (tables){0, 1};
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const tables own = tables_of(job);
    opi_gpu_bins_write(source, job);
    opi_gpu_define(source, "OPI_RESIDENTS", PARTS_A_UNIT);
    opi_gpu_define(source, "OPI_OWN_BINS", own.bins);
    opi_gpu_define(source, "OPI_COPIES", own.copies);
    opi_gpu_define(source, "OPI_COUNTER_SIZE", job->task->array[OPI_COUNTS].size);
    opi_gpu_write_kernels(source, "count");
}

static oplus_status get_program(opi_job *job)
{
    static const char *const kernels[] = {"opi_count_clear", "opi_count", "opi_count_write"};
    opi_programs *const programs = &job->g->programs;
    job->shape = opi_shape_for(&job->g->gpu->facts, job->task->bins.type->size, 0);
    opi_key key = opi_gpu_bins_key("count", job);
    opi_key_number(&key, tables_of(job).bins);
    opi_key_number(&key, job->task->array[OPI_COUNTS].size);
    OPI_TRY(opi_program_get(programs, job->call, "the kernels of counts by bin", key.hash, write_source, job,
                            &job->program));
    return opi_kernels_make(programs, job->call, job->program, kernels, sizeof kernels / sizeof *kernels);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static uint64_t tiles_of(const opi_job *job, uint64_t n)
{
    return (n + opi_tile(job->shape) - 1) / opi_tile(job->shape);
}

/* The elements of a work-group: whole tiles. */
static uint64_t part_of(const opi_job *job, uint64_t n)
{
    const uint64_t most = (uint64_t)PARTS_A_UNIT * opi_units(job->g);
    const uint64_t least = opi_larger(LEAST_PART / job->task->bins.type->size, PER_BIN * tables_of(job).bins);
    return opi_round_up(opi_larger((n + most - 1) / most, least), opi_tile(job->shape));
}

/* Counts n elements into the words of all. */
static oplus_status count(const opi_job *job, const char *in, uint64_t n, const char *edges, uint64_t before)
{
    const opi_bins *const bins = &job->task->bins;
    const uint64_t part = part_of(job, n), of_bins = bins->n;
    uint64_t low, high, scale;
    memcpy(&low, &bins->low, sizeof low);
    memcpy(&high, &bins->high, sizeof high);
    memcpy(&scale, &bins->scale, sizeof scale);
    const opi_gpu_argument list[] = {opi_memory(in),
                                     opi_value(n),
                                     opi_value(part),
                                     opi_value(of_bins),
                                     opi_memory(edges),
                                     opi_value(low),
                                     opi_value(high),
                                     opi_value(scale),
                                     opi_value(before),
                                     opi_memory(job->g->work.mem),
                                     opi_memory(((const counting *)job)->fault)};
    return opi_gpu_launch(job, "opi_count", (n + part - 1) / part, list, sizeof list / sizeof *list);
}

oplus_status opi_count_parts_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    OPI_TRY(get_program(job));
    return opi_gpu_reserve(job->g, job->call, &job->g->work, (size_t)job->task->bins.n * sizeof(uint32_t));
}

oplus_status opi_count_parts_run(opi_job *job, const opi_part *part)
{
    const uint64_t bins = job->task->bins.n, size = job->task->bins.type->size;
    const void *const words = job->g->work.mem;
    uint64_t done = 0, is_first = 1;
    do { /* at least once: without elements all counts are 0 */
        const uint64_t n = part->n - done < MOST_ELEMENTS ? part->n - done : MOST_ELEMENTS;
        const opi_gpu_argument clear[] = {opi_memory(words), opi_value(bins)};
        const opi_gpu_argument write[] = {opi_memory(words), opi_value(bins), opi_memory(part->address[OPI_COUNTS]),
                                          opi_value(is_first)};
        OPI_TRY(opi_gpu_launch(job, "opi_count_clear", tiles_of(job, bins), clear, 2));
        if (n > 0) OPI_TRY(count(job, part->address[OPI_IN] + done * size, n, part->address[OPI_EDGES], done));
        OPI_TRY(opi_gpu_launch(job, "opi_count_write", tiles_of(job, bins), write, 4));
        done += n;
        is_first = 0;
    } while (done < part->n);
    return OPLUS_OK;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

/* Whether the call ends before its indices have been read: the next one that waits tells what is wrong with them. */
static bool does_not_wait(const opi_job *job, const opi_whole *whole)
{
    return job->g->gpu->facts.architecture > 0 && whole->bytes == 0;
}

static oplus_status prepare_fault(counting *c, const opi_whole *whole)
{
    static const opi_wrong_index none = {0, 0};
    opi_job *const job = &c->job;
    opi_accelerator *const g = job->g;
    if (!opi_gpu_bins_refuse(&job->task->bins)) return OPLUS_OK;
    if (does_not_wait(job, whole)) {
        const bool is_new = !g->wrong_index.mem;
        OPI_TRY(opi_pinned_reserve(g, job->call, &g->wrong_index, sizeof none));
        if (is_new) memcpy(g->wrong_index.mem, &none, sizeof none);
        c->fault = g->wrong_index.mem;
        return OPLUS_OK;
    }
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->range, sizeof none));
    c->fault = g->range.mem;
    return opi_gpu_put(g, job->call, c->fault, &none, sizeof none);
}

/* Arrays of the host are read there faster than they are copied to the device. */
oplus_status opi_gpu_count(opi_job *job)
{
    static const char *const by_number[] = {"indices", "edges", "counts"}, *const by_value[] = {"in", "edges",
                                                                                                "counts"};
    counting c = {.job = *job};
    opi_whole whole;
    OPI_TRY(opi_whole_look(job, job->task->bins.binning == OPI_BY_NUMBER ? by_number : by_value, &whole));
    if (whole.is_host)
        return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
    OPI_TRY(prepare_fault(&c, &whole));
    OPI_TRY(opi_whole_run(&c.job, &whole));
    return c.fault && !does_not_wait(job, &whole) ? opi_gpu_bins_look(job, c.fault) : OPLUS_OK;
}
