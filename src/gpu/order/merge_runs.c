/* Merges of sorted runs that lie on several accelerators, into an array that is dealt out to them (gpu/deal.h). */
#include "base/error.h"
#include "base/memory.h"
#include "cores/merge.h"
#include "gpu/job.h"
#include "gpu/launch.h"

enum {
    LOG_SAMPLE = 8, /* of 2^8 neighbours of a run one is a sample */
    SEEKERS = 64,   /* OPI_SEEKERS of merge_runs.cl */
    LOG_LARGE = 9,  /* work-items of a group, of keys alone: larger tiles have fewer cuts */
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

typedef struct merging {
    opi_job job; /* it must be the first member */
    const opi_deal_runs *of;
    opi_key_order order;
    runs runs;
    uint64_t n, samples;  /* of all runs */
    uint64_t tiles, cuts; /* of this accelerator */
    opi_dealt dealt;
} merging;

/* --- how it is cut ------------------------------------------------------------------------------------------------ */

static size_t value_size(const opi_deal_runs *of) { return of->value ? of->value->size : 0; }

/* Bytes of local memory of a merge of so many runs: OPI_ROOM_BYTES of merge_runs.cl, and what is beside it. */
static size_t local_bytes(opi_shape shape, const opi_deal_runs *of, unsigned count)
{
    const size_t tile = opi_tile(shape), slots = tile + 2 * count * (LINE / of->key->size) + ((size_t)1 << shape.log_w);
    const size_t keys = (slots + slots / 32 + 1) * of->key->size;
    const size_t from = of->value ? tile * sizeof(uint16_t) : 0;
    return opi_larger(keys, slots * value_size(of)) + from + (size_t)count * PART_BYTES + OPI_LOCAL_SPARE;
}

static opi_shape shape_for(const opi_deal *deal, const opi_deal_runs *of)
{
    const opi_gpu_facts *const facts = &deal->all[0]->gpu->facts;
    opi_shape shape = opi_shape_for(facts, opi_larger(of->key->size, value_size(of)), 0);
    if (shape.log_w > 0 && !of->value && facts->group >= LARGE) shape.log_w = LOG_LARGE;
    while (shape.log_w > 0 && local_bytes(shape, of, deal->workers) > facts->local) shape.log_w--;
    return shape;
}

static void count_runs(merging *m)
{
    for (unsigned r = 0; r < m->job.deal->workers; r++) {
        const uint64_t n = m->of->n[r];
        m->runs.n[r] = n;
        m->runs.first[r] = m->samples;
        m->samples += n >> LOG_SAMPLE;
        m->n += n;
        while (n >> m->runs.log_most > 1) m->runs.log_most++;
    }
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
                 .of = of,
                 .order = opi_key_order_of(of->key, of->order)};
    m.job.shape = shape_for(deal, of);
    count_runs(&m);
    const size_t tile = opi_tile(m.job.shape);
    m.tiles = opi_deal_items(deal, m.n == 0 ? 0 : (m.n - 1) / tile + 1, tile * of->key->size, &m.dealt);
    m.cuts = cuts_of(&m.dealt, m.tiles);
    return m;
}

/* The memory of an accelerator: all samples, and behind them its cuts. */
static size_t samples_bytes(const merging *m)
{
    return opi_round_up((size_t)m->samples * m->order.size, OPI_CACHE_LINE);
}

size_t opi_deal_merge_bytes(const opi_deal *deal, const opi_deal_runs *of)
{
    const merging m = begin(deal, "", of);
    return samples_bytes(&m) + opi_round_up((size_t)m.cuts * deal->workers * sizeof(uint64_t), OPI_CACHE_LINE);
}

bool opi_deal_merge_can(const opi_deal_runs *of) { return value_size(of) <= OPI_VECTOR_BYTES; }

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
    opi_gpu_define(source, "OPI_RUNS", m->job.deal->workers);
    opi_gpu_define(source, "OPI_LOG_SAMPLE", LOG_SAMPLE);
    opi_gpu_define(source, "OPI_VALUE_SIZE", value_size(m->of));
    opi_gpu_define(source, "OPI_VALUE_UNIT", unit_of(m->of->value));
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
    opi_key_number(&key, value_size(m->of));
    opi_key_number(&key, unit_of(m->of->value));
    opi_key_number(&key, job->deal->workers);
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
    for (unsigned r = 0; r < m->job.deal->workers; r++) opi_add(a, opi_memory(m->of->keys[r]));
}

static uint64_t groups_for(const merging *m, uint64_t items) { return ((items - 1) >> m->job.shape.log_w) + 1; }

/* --- the steps ---------------------------------------------------------------------------------------------------- */

static oplus_status make_kernels(merging *m)
{
    static const char *const kernels[] = {"opi_runs_sample", "opi_runs_cut", "opi_runs_merge"};
    OPI_TRY(get_program(m));
    return opi_kernels_make(&m->job.g->programs, m->job.call, m->job.program, kernels, 3);
}

oplus_status opi_deal_merge_prepare(const opi_deal *deal, const char *call, const opi_deal_runs *of)
{
    merging m = begin(deal, call, of);
    OPI_INSIDE(m.job.g->gpu, call, make_kernels(&m));
}

static oplus_status sample(merging *m)
{
    const unsigned own = m->job.deal->own;
    const uint64_t samples = m->of->n[own] >> LOG_SAMPLE;
    opi_arguments a = {.count = 0};
    if (samples == 0) return OPLUS_OK;
    OPI_TRY(get_program(m));
    opi_add(&a, opi_memory(m->of->keys[own]));
    opi_add(&a, opi_value(samples));
    add_order(&a, m);
    for (unsigned w = 0; w < m->job.deal->workers; w++)
        opi_add(&a, opi_memory((const char *)m->of->memory[w] + m->runs.first[own] * m->order.size));
    return opi_gpu_launch(&m->job, "opi_runs_sample", groups_for(m, samples), a.list, a.count);
}

oplus_status opi_deal_merge_sample(const opi_deal *deal, const char *call, const opi_deal_runs *of)
{
    merging m = begin(deal, call, of);
    OPI_INSIDE(m.job.g->gpu, call, sample(&m));
}

static oplus_status merge(merging *m)
{
    const char *const memory = m->of->memory[m->job.deal->own], *const cuts = memory + samples_bytes(m);
    opi_arguments cut = {.count = 0}, merge = {.count = 0};
    if (m->tiles == 0) return OPLUS_OK;
    OPI_TRY(get_program(m));
    add_runs(&cut, m);
    opi_add(&cut, opi_memory(memory));
    opi_add(&cut, opi_value(m->runs));
    opi_add(&cut, opi_memory(cuts));
    opi_add(&cut, opi_value(m->cuts));
    opi_add(&cut, opi_value(m->n));
    add_order(&cut, m);
    opi_add(&cut, opi_value(m->dealt));
    const uint64_t seekers = opi_smaller(SEEKERS, (size_t)1 << m->job.shape.log_w);
    OPI_TRY(opi_gpu_launch(&m->job, "opi_runs_cut", (m->cuts - 1) / seekers + 1, cut.list, cut.count));
    add_runs(&merge, m);
    opi_add(&merge, opi_memory(m->of->out));
    if (m->of->value) {
        for (unsigned r = 0; r < m->job.deal->workers; r++) opi_add(&merge, opi_memory(m->of->values[r]));
        opi_add(&merge, opi_memory(m->of->out_values));
    }
    opi_add(&merge, opi_memory(cuts));
    opi_add(&merge, opi_value(m->n));
    add_order(&merge, m);
    opi_add(&merge, opi_value(m->dealt));
    return opi_gpu_launch(&m->job, "opi_runs_merge", m->tiles, merge.list, merge.count);
}

oplus_status opi_deal_merge_run(const opi_deal *deal, const char *call, const opi_deal_runs *of)
{
    merging m = begin(deal, call, of);
    OPI_INSIDE(m.job.g->gpu, call, merge(&m));
}
