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
    opi_deal_write(job->deal, source);
    opi_gpu_write_kernels(source, "count");
}

static oplus_status get_program(opi_job *job)
{
    static const char *const kernels[] = {"opi_count_clear", "opi_count", "opi_count_write"};
    opi_programs *const programs = &job->g->programs;
    job->shape = opi_shape_for(&job->g->gpu->facts, job->task->bins.type->size, 0);
    opi_key key = opi_gpu_bins_key("count", job);
    opi_key_number(&key, tables_of(job).bins);
    opi_key_number(&key, job->task->array[OPI_COUNTS].size << 1 | (job->deal != NULL));
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

/* What a launch counts: `groups` parts of n elements at `in`, into the words at `to`. */
typedef struct counted {
    const char *in, *edges;
    uint64_t n, part, groups;
    uint64_t before;        /* elements of the call that come before them */
    const opi_dealt *dealt; /* which parts; NULL: all */
    void *to;
} counted;

static oplus_status count(const opi_job *job, const counted *c)
{
    const opi_bins *const bins = &job->task->bins;
    const uint64_t of_bins = bins->n;
    opi_arguments a = {.count = 0};
    uint64_t low, high, scale;
    memcpy(&low, &bins->low, sizeof low);
    memcpy(&high, &bins->high, sizeof high);
    memcpy(&scale, &bins->scale, sizeof scale);
    opi_add(&a, opi_memory(c->in));
    opi_add(&a, opi_value(c->n));
    opi_add(&a, opi_value(c->part));
    opi_add(&a, opi_value(of_bins));
    opi_add(&a, opi_memory(c->edges));
    opi_add(&a, opi_value(low));
    opi_add(&a, opi_value(high));
    opi_add(&a, opi_value(scale));
    opi_add(&a, opi_value(c->before));
    opi_add(&a, opi_memory(c->to));
    opi_add(&a, opi_memory(((const counting *)job)->fault));
    if (c->dealt) opi_add(&a, opi_value(*c->dealt));
    return opi_gpu_launch(job, "opi_count", c->groups, a.list, a.count);
}

static oplus_status clear(const opi_job *job, const void *words, uint64_t count)
{
    const opi_gpu_argument list[] = {opi_memory(words), opi_value(count)};
    return opi_gpu_launch(job, "opi_count_clear", tiles_of(job, count), list, 2);
}

/* Writes the counts of one table, or adds them to those that are there. */
static oplus_status write_counts(const opi_job *job, const void *words, const void *out, bool first)
{
    const uint64_t bins = job->task->bins.n, is_first = first;
    const opi_gpu_argument list[] = {opi_memory(words), opi_value(bins), opi_memory(out), opi_value(is_first)};
    return opi_gpu_launch(job, "opi_count_write", tiles_of(job, bins), list, 4);
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
    void *const words = job->g->work.mem;
    const char *in = part->address[OPI_IN]; /* NULL where there are no elements */
    uint64_t done = 0;
    do { /* at least once: without elements all counts are 0 */
        const uint64_t n = opi_smaller(part->n - done, MOST_ELEMENTS), own = part_of(job, n);
        const counted c = {.in = in,
                           .edges = part->address[OPI_EDGES],
                           .n = n,
                           .part = own,
                           .groups = (n + own - 1) / own,
                           .before = done,
                           .to = words};
        OPI_TRY(clear(job, words, bins));
        if (n > 0) OPI_TRY(count(job, &c));
        OPI_TRY(write_counts(job, words, part->address[OPI_COUNTS], done == 0));
        done += n;
        if (n > 0) in += n * size;
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

/* --- counts that are dealt out ------------------------------------------------------------------------------------ */

/* The parts that an accelerator has, and how many of them a launch counts, into a table of its own. */
typedef struct dealt_parts {
    opi_dealt dealt;
    uint64_t part, own, a_launch, launches;
} dealt_parts;

static dealt_parts parts_of(const opi_job *job, unsigned w)
{
    const size_t size = job->task->bins.type->size, of_bins = PER_BIN * tables_of(job).bins * size;
    const uint64_t n = job->task->n;
    opi_deal deal = *job->deal;
    deal.own = w;
    dealt_parts p = {.part = opi_deal_item_bytes(&deal, n * size, opi_larger(LEAST_PART, of_bins)) / size};
    p.own = opi_deal_items(&deal, (n - 1) / p.part + 1, p.part * size, &p.dealt);
    p.a_launch = opi_larger(MOST_ELEMENTS / p.part, 1);
    p.launches = opi_larger((p.own + p.a_launch - 1) / p.a_launch, 1);
    return p;
}

static size_t table_bytes(const opi_job *job) { return (size_t)job->task->bins.n * sizeof(uint32_t); }

/* A copy of the edges lies behind the tables. */
static size_t edges_at(const opi_job *job, const dealt_parts *p)
{
    return opi_round_up(p->launches * table_bytes(job), OPI_CACHE_LINE);
}

static size_t edges_bytes(const opi_job *job)
{
    const opi_array *const edges = &job->task->array[OPI_EDGES];
    return edges->mem ? edges->items * edges->size : 0;
}

static oplus_status side_of_counts(const opi_job *job, opi_gpu_side *side)
{
    const opi_array *const counts = &job->task->array[OPI_COUNTS];
    return opi_gpu_side_of(job->g, job->call, "counts", counts->mem, counts->items * counts->size, side);
}

/* Indices that are refused are told later; a call that waits must name the first of them. */
bool opi_count_deals(opi_job *job)
{
    opi_gpu *const gpu = job->g->gpu;
    opi_gpu_side side = OPI_SIDE_HOST;
    if (!opi_gpu_bins_refuse(&job->task->bins)) return true;
    if (gpu->facts.architecture == 0 || opi_enter(gpu, job->call) != OPLUS_OK) return false;
    return opi_leave(gpu, job->call, side_of_counts(job, &side)) == OPLUS_OK && side == OPI_SIDE_DEVICE;
}

oplus_status opi_count_prepare_dealt(opi_job *job)
{
    static const opi_whole none = {.bytes = 0};
    const opi_array *const counts = &job->task->array[OPI_COUNTS];
    counting c = {.job = *job};
    opi_gpu_side side;
    OPI_TRY(get_program(&c.job));
    OPI_TRY(prepare_fault(&c, &none));
    const dealt_parts p = parts_of(&c.job, job->deal->own);
    OPI_TRY(opi_deal_reserve(job->deal, job->call, &job->g->work, edges_at(job, &p) + edges_bytes(job)));
    if (job->deal->own != 0) return OPLUS_OK;
    OPI_TRY(side_of_counts(job, &side));
    if (side == OPI_SIDE_DEVICE) return OPLUS_OK;
    return opi_gpu_reserve(job->g, job->call, &job->g->value, counts->items * counts->size);
}

/* Each accelerator has a copy of the edges: it searches them for each element. */
oplus_status opi_count_ready_dealt(opi_job *job)
{
    const size_t bytes = edges_bytes(job);
    const void *const edges = job->task->array[OPI_EDGES].mem;
    opi_gpu_side side;
    if (bytes == 0) return OPLUS_OK;
    OPI_TRY(get_program(job));
    const dealt_parts p = parts_of(job, job->deal->own);
    char *const copy = (char *)job->g->work.mem + edges_at(job, &p);
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "edges", edges, bytes, &side));
    if (side == OPI_SIDE_DEVICE) return opi_gpu_move(job->g, job->call, copy, edges, bytes);
    return opi_gpu_put(job->g, job->call, copy, edges, bytes);
}

oplus_status opi_count_run_dealt(opi_job *job)
{
    counting c = {.job = *job};
    OPI_TRY(get_program(&c.job));
    dealt_parts p = parts_of(&c.job, job->deal->own);
    char *const tables = job->g->work.mem;
    c.fault = opi_gpu_bins_refuse(&job->task->bins) ? job->g->wrong_index.mem : NULL;
    counted of = {.in = job->task->array[OPI_IN].mem,
                  .edges = edges_bytes(job) ? tables + edges_at(job, &p) : NULL,
                  .n = job->task->n,
                  .part = p.part,
                  .dealt = &p.dealt};
    OPI_TRY(clear(&c.job, tables, p.launches * job->task->bins.n));
    for (uint64_t l = 0; l < p.launches && p.own > 0; l++) {
        of.groups = opi_smaller(p.own - l * p.a_launch, p.a_launch);
        of.to = tables + l * table_bytes(job);
        OPI_TRY(count(&c.job, &of));
        p.dealt.first += (uint32_t)of.groups;
    }
    return OPLUS_OK;
}

/* Accelerator 0 reads the tables of all. */
oplus_status opi_count_join_dealt(opi_job *job)
{
    const opi_array *const counts = &job->task->array[OPI_COUNTS];
    bool first = true;
    opi_gpu_side side;
    if (job->deal->own != 0) return OPLUS_OK;
    OPI_TRY(get_program(job));
    OPI_TRY(side_of_counts(job, &side));
    void *const out = side == OPI_SIDE_DEVICE ? (void *)counts->mem : job->g->value.mem;
    for (unsigned w = 0; w < job->deal->workers; w++) {
        const dealt_parts p = parts_of(job, w);
        for (uint64_t l = 0; l < p.launches; l++, first = false)
            OPI_TRY(write_counts(job, (char *)job->deal->all[w]->work.mem + l * table_bytes(job), out, first));
    }
    if (side == OPI_SIDE_DEVICE) return OPLUS_OK;
    return opi_gpu_fetch(job->g, job->call, (void *)counts->mem, out, counts->items * counts->size);
}
