/* Merges of sorted runs that lie on several accelerators: into an array that is dealt out to them (gpu/deal.h), or, by each,
 * into memory of its own (task/reached.h). */
#include "base/error.h"
#include "base/memory.h"
#include "cores/merge.h"
#include "gpu/job.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

enum {
    LOG_SAMPLE = 8,   /* of 2^8 neighbours of a run one is a sample */
    SEEKERS = 64,     /* OPI_SEEKERS of merge_runs.cl */
    LOG_TOGETHER = 5, /* 2^5 work-items look for a cut of two runs together, */
    CUTS_TWO = 4096,  /* ... up to so many cuts: for more, what they read over the link takes longer */
    LOG_LARGE = 9,    /* work-items of a group, of keys alone: larger tiles have fewer cuts */
    LARGE = 1 << LOG_LARGE,
    LINE = 128,     /* bytes of a line of memory */
    UNIT_MOST = 8,  /* bytes that a kernel copies at once */
    PART_BYTES = 48 /* of an opi_tile_part of merge_runs.cl, at most */
};

/* The same for kernels: opi_runs of merge_runs.cl. */
typedef struct runs {
    uint64_t n[OPI_MOST_WORKERS], first[OPI_MOST_WORKERS];
    uint32_t log_most, none;
} runs;

_Static_assert((int)OPI_MOST_REACHED == (int)OPI_MOST_WORKERS, "kernels have lists of one length");

typedef struct merging {
    opi_job job; /* it must be the first member */
    const oplus_type *key, *value;
    const void *const *from, *const *from_values; /* the runs */
    void *out, *out_values;
    unsigned count; /* of runs */
    opi_key_order order;
    runs runs;
    uint64_t samples;     /* of all runs */
    uint64_t first, n;    /* the result: n elements, from this one of the merge on */
    uint64_t tiles, cuts; /* of this accelerator */
    opi_dealt dealt;      /* if the result is dealt out */
} merging;

/* --- how it is cut ------------------------------------------------------------------------------------------------ */

static size_t size_of_value(const oplus_type *value) { return value ? value->size : 0; }

static size_t value_size(const merging *m) { return size_of_value(m->value); }

/* Bytes of local memory of the merge: OPI_ROOM_BYTES of merge_runs.cl, and what is beside it. */
static size_t local_bytes(const merging *m)
{
    const opi_shape shape = m->job.shape;
    const size_t tile = opi_tile(shape),
                 slots = tile + 2 * m->count * (LINE / m->key->size) + ((size_t)1 << shape.log_w);
    const size_t keys = (slots + slots / 32 + 1) * m->key->size;
    const size_t from = m->value ? tile * sizeof(uint16_t) : 0;
    return opi_larger(keys, slots * value_size(m)) + from + (size_t)m->count * PART_BYTES + OPI_LOCAL_SPARE;
}

static void set_shape(merging *m)
{
    const opi_gpu_facts *const facts = &opi_deal_first(&m->job)->gpu->facts;
    opi_shape *const shape = &m->job.shape;
    *shape = opi_shape_for(facts, opi_larger(m->key->size, value_size(m)), 0);
    if (shape->log_w > 0 && !m->value && facts->group >= LARGE) shape->log_w = LOG_LARGE;
    while (shape->log_w > 0 && local_bytes(m) > facts->local) shape->log_w--;
}

/* Adds run r, of n elements.  Returns n. */
static uint64_t count_run(merging *m, unsigned r, uint64_t n)
{
    m->runs.n[r] = n;
    m->runs.first[r] = m->samples;
    m->samples += n >> LOG_SAMPLE;
    while (n >> m->runs.log_most > 1) m->runs.log_most++;
    return n;
}

/* Cuts of this accelerator's tiles, of which neighbours share one: opi_cut_of_tile of merge_runs.cl, and one more. */
static uint64_t cuts_of(const opi_dealt *dealt, uint64_t tiles)
{
    const uint64_t row = (uint64_t)1 << dealt->log_run, skipped = dealt->first % row, at = skipped + tiles - 1;
    return tiles == 0 ? 0 : at / row * (row + 1) + at % row - skipped + 2;
}

static merging begin(const opi_deal *deal, const char *call, const opi_deal_runs *of)
{
    merging m = {.job = {.g = deal->all[deal->own], .call = call, .deal = deal},
                 .key = of->key,
                 .value = of->value,
                 .from = of->keys,
                 .from_values = of->values,
                 .out = of->out,
                 .out_values = of->out_values,
                 .count = deal->workers,
                 .order = opi_key_order_of(of->key, of->order)};
    set_shape(&m);
    for (unsigned r = 0; r < m.count; r++) m.n += count_run(&m, r, of->n[r]);
    const size_t tile = opi_tile(m.job.shape);
    m.tiles = opi_deal_items(deal, m.n == 0 ? 0 : (m.n - 1) / tile + 1, tile * of->key->size, &m.dealt);
    m.cuts = cuts_of(&m.dealt, m.tiles);
    return m;
}

/* The same of a part of the merge, which is not dealt out. */
static merging begin_reached(opi_accelerator *g, const char *call, const opi_reached *of)
{
    merging m = {.job = {.g = g, .call = call},
                 .key = of->key,
                 .value = of->value,
                 .from = of->keys,
                 .from_values = of->values,
                 .out = of->out,
                 .out_values = of->out_values,
                 .count = of->runs,
                 .order = opi_key_order_of(of->key, of->order),
                 .first = of->first,
                 .n = of->count};
    set_shape(&m);
    for (unsigned r = 0; r < m.count; r++) count_run(&m, r, of->n[r]);
    m.tiles = m.n == 0 ? 0 : (m.n - 1) / opi_tile(m.job.shape) + 1;
    m.cuts = m.n == 0 ? 0 : m.tiles + 1;
    return m;
}

/* The memory of an accelerator: all samples, and behind them its cuts. */
static size_t samples_bytes(const merging *m)
{
    return opi_round_up((size_t)m->samples * m->order.size, OPI_CACHE_LINE);
}

static size_t memory_bytes(const merging *m)
{
    return samples_bytes(m) + opi_round_up((size_t)m->cuts * m->count * sizeof(uint64_t), OPI_CACHE_LINE);
}

size_t opi_deal_merge_bytes(const opi_deal *deal, const opi_deal_runs *of)
{
    const merging m = begin(deal, "", of);
    return memory_bytes(&m);
}

bool opi_deal_merge_can(const opi_deal_runs *of) { return size_of_value(of->value) <= OPI_VECTOR_BYTES; }

/* --- the program -------------------------------------------------------------------------------------------------- */

static unsigned unit_of(const oplus_type *value) { return value ? (unsigned)opi_smaller(value->align, UNIT_MOST) : 0; }

static void write_source(opi_gpu_source *source, const void *context)
{
    const merging *const m = context;
    opi_gpu_write_shape(source, m->job.shape, m->order.size);
    opi_gpu_define(source, "OPI_HOST_CORES", source->gpu->facts.host_cores);
    opi_gpu_define(source, "OPI_BY_TEXT", 0);
    opi_gpu_define(source, "OPI_PARAMETER", 0);
    opi_gpu_define(source, "OPI_KEY_SIZE", m->order.size);
    opi_gpu_define(source, "OPI_RUNS", m->count);
    opi_gpu_define(source, "OPI_LOG_SAMPLE", LOG_SAMPLE);
    opi_gpu_define(source, "OPI_LOG_TOGETHER", LOG_TOGETHER);
    opi_gpu_define(source, "OPI_VALUE_SIZE", value_size(m));
    opi_gpu_define(source, "OPI_VALUE_UNIT", unit_of(m->value));
    opi_gpu_write_kernels(source, "order");
    opi_gpu_write_kernels(source, "value");
    opi_deal_write(m->job.deal, source);
    if (m->job.shape.log_w > 0) opi_gpu_write_kernels(source, "merge_tile");
    opi_gpu_write_kernels(source, "merge_runs");
}

static oplus_status get_program(merging *m)
{
    opi_job *const job = &m->job;
    opi_key key = opi_key_begin("merge of runs", job->shape);
    opi_key_number(&key, m->order.size);
    opi_key_number(&key, value_size(m));
    opi_key_number(&key, unit_of(m->value));
    opi_key_number(&key, 2 * m->count + (job->deal != NULL));
    return opi_program_get(&job->g->programs, job->call, "the merge of runs", key.hash, write_source, m, &job->program);
}

/* Arguments refer to values, which must live until the launch. */
static void add_order(opi_arguments *a, const merging *m)
{
    opi_add(a, opi_value(m->order.float_mask));
    opi_add(a, opi_value(m->order.flip));
    opi_add(a, opi_memory(NULL));
}

static void add_runs(opi_arguments *a, const merging *m)
{
    for (unsigned r = 0; r < m->count; r++) opi_add(a, opi_memory(m->from[r]));
}

static void add_dealt(opi_arguments *a, const merging *m)
{
    if (m->job.deal) opi_add(a, opi_value(m->dealt));
}

static uint64_t groups_for(const merging *m, uint64_t items) { return ((items - 1) >> m->job.shape.log_w) + 1; }

/* --- the steps ---------------------------------------------------------------------------------------------------- */

/* Whether cuts are looked for without samples. */
static bool cuts_two(const merging *m)
{
    return !m->job.deal && m->count == 2 && m->job.shape.log_w >= LOG_TOGETHER && m->cuts <= CUTS_TWO;
}

static oplus_status make_kernels(merging *m)
{
    const char *const kernels[] = {"opi_runs_merge", cuts_two(m) ? "opi_runs_cut_two" : "opi_runs_cut",
                                   m->job.deal ? "opi_runs_sample" : "opi_runs_look"};
    OPI_TRY(get_program(m));
    return opi_kernels_make(&m->job.g->programs, m->job.call, m->job.program, kernels, cuts_two(m) ? 2 : 3);
}

oplus_status opi_deal_merge_prepare(const opi_deal *deal, const char *call, const opi_deal_runs *of)
{
    merging m = begin(deal, call, of);
    OPI_INSIDE(m.job.g->gpu, call, make_kernels(&m));
}

/* Tells all accelerators the samples of the own run. */
static oplus_status sample(merging *m, const opi_deal_runs *of)
{
    const unsigned own = m->job.deal->own;
    const uint64_t samples = of->n[own] >> LOG_SAMPLE;
    opi_arguments a = {.count = 0};
    if (samples == 0) return OPLUS_OK;
    OPI_TRY(get_program(m));
    opi_add(&a, opi_memory(of->keys[own]));
    opi_add(&a, opi_value(samples));
    add_order(&a, m);
    for (unsigned w = 0; w < m->count; w++)
        opi_add(&a, opi_memory((const char *)of->memory[w] + m->runs.first[own] * m->order.size));
    return opi_gpu_launch(&m->job, "opi_runs_sample", groups_for(m, samples), a.list, a.count);
}

oplus_status opi_deal_merge_sample(const opi_deal *deal, const char *call, const opi_deal_runs *of)
{
    merging m = begin(deal, call, of);
    OPI_INSIDE(m.job.g->gpu, call, sample(&m, of));
}

/* Looks for the cuts of all tiles. */
static oplus_status cut(const merging *m, const char *samples, const char *cuts)
{
    const uint64_t items = (uint64_t)1 << m->job.shape.log_w;
    const uint64_t seekers = cuts_two(m) ? items >> LOG_TOGETHER : opi_smaller(SEEKERS, items);
    opi_arguments a = {.count = 0};
    add_runs(&a, m);
    if (!cuts_two(m)) opi_add(&a, opi_memory(samples));
    opi_add(&a, opi_value(m->runs));
    opi_add(&a, opi_memory(cuts));
    opi_add(&a, opi_value(m->cuts));
    opi_add(&a, opi_value(m->first));
    opi_add(&a, opi_value(m->n));
    add_order(&a, m);
    add_dealt(&a, m);
    return opi_gpu_launch(&m->job, cuts_two(m) ? "opi_runs_cut_two" : "opi_runs_cut", (m->cuts - 1) / seekers + 1,
                          a.list, a.count);
}

/* memory: samples, and room for cuts behind them. */
static oplus_status merge(merging *m, const char *memory)
{
    const char *const cuts = memory + samples_bytes(m);
    opi_arguments a = {.count = 0};
    if (m->tiles == 0) return OPLUS_OK;
    OPI_TRY(get_program(m));
    OPI_TRY(cut(m, memory, cuts));
    add_runs(&a, m);
    opi_add(&a, opi_memory(m->out));
    if (m->value) {
        for (unsigned r = 0; r < m->count; r++) opi_add(&a, opi_memory(m->from_values[r]));
        opi_add(&a, opi_memory(m->out_values));
    }
    opi_add(&a, opi_memory(cuts));
    opi_add(&a, opi_value(m->n));
    add_order(&a, m);
    add_dealt(&a, m);
    return opi_gpu_launch(&m->job, "opi_runs_merge", m->tiles, a.list, a.count);
}

oplus_status opi_deal_merge_run(const opi_deal *deal, const char *call, const opi_deal_runs *of)
{
    merging m = begin(deal, call, of);
    OPI_INSIDE(m.job.g->gpu, call, merge(&m, of->memory[deal->own]));
}

/* --- a part for this accelerator alone ------------------------------------------------------------------------------ */

bool opi_gpu_merge_can(const opi_reached *of)
{
    return of->runs >= 2 && of->runs <= OPI_MOST_REACHED && size_of_value(of->value) <= OPI_VECTOR_BYTES;
}

static oplus_status prepare(merging *m)
{
    OPI_TRY(make_kernels(m));
    return opi_gpu_reserve(m->job.g, m->job.call, &m->job.g->work, memory_bytes(m));
}

oplus_status opi_gpu_merge_prepare(opi_accelerator *g, const char *call, const opi_reached *of)
{
    merging m = begin_reached(g, call, of);
    return m.tiles == 0 ? OPLUS_OK : prepare(&m);
}

static oplus_status look(const merging *m, const char *samples)
{
    opi_arguments a = {.count = 0};
    if (m->samples == 0) return OPLUS_OK;
    add_runs(&a, m);
    opi_add(&a, opi_memory(samples));
    opi_add(&a, opi_value(m->runs));
    opi_add(&a, opi_value(m->samples));
    add_order(&a, m);
    return opi_gpu_launch(&m->job, "opi_runs_look", groups_for(m, m->samples), a.list, a.count);
}

oplus_status opi_gpu_merge_run(opi_accelerator *g, const char *call, const opi_reached *of)
{
    merging m = begin_reached(g, call, of);
    if (m.tiles == 0) return OPLUS_OK;
    OPI_TRY(prepare(&m));
    if (!cuts_two(&m)) OPI_TRY(look(&m, g->work.mem));
    return merge(&m, g->work.mem);
}
