#include "cores/histogram.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/bins.h"
#include "cores/ways.h"

#include <string.h>

enum {
    BLOCK = 1 << 16,       /* elements, at least; the words that count a block do not overflow */
    TABLES = 4,            /* of words: neighbouring elements of one bin do not wait for each other */
    MOST_IN_TABLES = 1024, /* bins: the tables stay in a first-level cache */
    PER_BIN = 4            /* elements of a worker for each bin, at least: else the counts are most of the work */
};

/* The carry: a uint64_t for each bin, and one behind them for the elements that are in none. */
typedef struct histogram_sweep {
    opi_sweep sweep;
    const opi_isa *isa;
    const opi_bins *bins;
    const void *edges;
    const char *in;
} histogram_sweep;

static size_t slots(const opi_sweep *sweep) { return (size_t)((const histogram_sweep *)sweep)->bins->n + 1; }

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)at;
    memset(carry, 0, slots(sweep) * sizeof(uint64_t));
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    uint64_t *const to = left;
    const uint64_t *const from = right;
    for (size_t b = 0; b < slots(sweep); b++) to[b] += from[b];
}

/* --- the loops ---------------------------------------------------------------------------------------------------- */

static const char *element(const histogram_sweep *plan, size_t i) { return plan->in + i * plan->bins->type->size; }

static void count_directly(const histogram_sweep *plan, size_t begin, size_t end, uint64_t *counts)
{
    uint64_t bin[OPI_BINS_PIECE];
    for (size_t i = begin, n; i < end; i += n) {
        n = opi_smaller(OPI_BINS_PIECE, end - i);
        opi_bins_find(plan->bins, plan->edges, element(plan, i), n, bin);
        for (size_t k = 0; k < n; k++) counts[bin[k]]++;
    }
}

/* The bins of a piece, as words: there are few. */
static void find_few(const histogram_sweep *plan, size_t i, size_t n, uint32_t *few)
{
    const opi_bins *const b = plan->bins;
    uint64_t bin[OPI_BINS_PIECE];
    if (b->binning == OPI_BY_EVEN) {
        plan->isa->even[b->type->scalar](element(plan, i), n, b->low, b->high, b->scale, (uint32_t)b->n, few);
        return;
    }
    opi_bins_find(b, plan->edges, element(plan, i), n, bin);
    for (size_t k = 0; k < n; k++) few[k] = (uint32_t)bin[k];
}

/* Counts at most BLOCK elements in tables, and adds these up. */
static void count_in_tables(const histogram_sweep *plan, size_t begin, size_t end, uint64_t *counts, uint32_t *table)
{
    uint32_t bin[OPI_BINS_PIECE];
    const size_t all = slots(&plan->sweep);
    memset(table, 0, TABLES * all * sizeof *table);
    for (size_t i = begin, n; i < end; i += n) {
        n = opi_smaller(OPI_BINS_PIECE, end - i);
        find_few(plan, i, n, bin);
        size_t k = 0;
        for (; k + TABLES <= n; k += TABLES)
            for (size_t t = 0; t < TABLES; t++) table[t * all + bin[k + t]]++;
        for (; k < n; k++) table[bin[k]]++;
    }
    for (size_t b = 0; b < all; b++)
        for (size_t t = 0; t < TABLES; t++) counts[b] += table[t * all + b];
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const histogram_sweep *const plan = (const histogram_sweep *)sweep;
    if (sweep->scratch_bytes == 0) {
        count_directly(plan, begin, end, carry);
        return;
    }
    for (size_t i = begin; i < end; i += BLOCK) count_in_tables(plan, i, opi_smaller(i + BLOCK, end), carry, scratch);
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

/* A worker has at least a block. */
static void make_plan(histogram_sweep *plan, const opi_cores *cores, const opi_task *task)
{
    const size_t bins = (size_t)task->bins.n;
    opi_sweep_clear(&plan->sweep);
    plan->isa = cores->isa;
    plan->bins = &task->bins;
    plan->edges = task->array[OPI_EDGES].mem;
    plan->in = task->array[OPI_IN].mem;
    plan->sweep.n = task->n;
    plan->sweep.block = bins > BLOCK / PER_BIN ? PER_BIN * bins : BLOCK;
    plan->sweep.bytes = task->n * (task->array[OPI_IN].size + sizeof(uint32_t));
    plan->sweep.carry_bytes = (bins + 1) * sizeof(uint64_t);
    plan->sweep.scratch_bytes = bins <= MOST_IN_TABLES ? TABLES * (bins + 1) * sizeof(uint32_t) : 0;
    plan->sweep.start = start;
    plan->sweep.aggregate = aggregate;
    plan->sweep.join = join;
}

static void write_counts(const uint64_t *counts, const opi_array *to)
{
    uint32_t *const narrow = (uint32_t *)to->mem;
    if (to->size == sizeof(uint64_t))
        memcpy((void *)to->mem, counts, to->items * sizeof *counts);
    else
        for (size_t b = 0; b < to->items; b++) narrow[b] = (uint32_t)counts[b];
}

oplus_status opi_histogram_run(opi_cores *cores, const char *call, const opi_task *task)
{
    histogram_sweep plan;
    const opi_bins *const bins = &task->bins;
    make_plan(&plan, cores, task);
    if (!opi_buffer_reserve(&cores->carry, plan.sweep.carry_bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the counts of %zu bins; free some, or ask for fewer bins",
                        call, (size_t)bins->n);
    uint64_t *const counts = cores->carry.mem;
    start(&plan.sweep, 0, counts);
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, counts));
    if (bins->binning == OPI_BY_NUMBER && bins->bounds == OPLUS_REFUSE && counts[bins->n] > 0)
        return opi_bins_refuse(call, bins, plan.in, task->n);
    write_counts(counts, &task->array[OPI_COUNTS]);
    return OPLUS_OK;
}

void opi_histogram_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    histogram_sweep plan;
    make_plan(&plan, cores, task);
    opi_cores_explain_sweep(cores, &plan.sweep, to);
}
