#include "cores/by_index_ways.h"

#include "base/error.h"
#include "cores/bins.h"
#include "cores/ways.h"

#include <string.h>

enum {
    BLOCK = 1 << 16,        /* elements, at least */
    PER_BIN = 4,            /* elements of a worker for each bin, at least: else the tables are most of the work */
    TABLES_BYTES = 32 << 10 /* of several tables: they stay in a first-level cache */
};

/* The carry: whether an index was out of range, then a result for each bin, and one behind them for what is in none. */
typedef struct tables_sweep {
    opi_sweep sweep;
    const opi_isa *isa;
    const opi_bins *bins;
    const char *indices, *in;
    opi_loops loops;
    size_t tables; /* OPI_TABLES if they are small, else 1 */
} tables_sweep;

static size_t slots(const tables_sweep *plan) { return (size_t)plan->bins->n + 1; }
static bool *beyond_in(void *carry) { return carry; }
static char *table_in(void *carry) { return (char *)carry + OPI_CACHE_LINE; }
static size_t table_bytes(const tables_sweep *plan) { return slots(plan) * plan->loops.size; }

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    const tables_sweep *const plan = (const tables_sweep *)sweep;
    const size_t size = plan->loops.size, bytes = plan->tables * table_bytes(plan);
    char *const to = table_in(carry);
    (void)at;
    *beyond_in(carry) = false;
    memcpy(to, plan->loops.op->identity, size);
    for (size_t done = size; done < bytes; done *= 2) memcpy(to + done, to, opi_smaller(done, bytes - done));
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const tables_sweep *const plan = (const tables_sweep *)sweep;
    const opi_bins *const bins = plan->bins;
    const size_t size = plan->loops.size, apart = plan->tables > 1 ? slots(plan) : 0;
    uint32_t room[OPI_BINS_PIECE];
    (void)scratch;
    for (size_t i = begin, n; i < end; i += n) {
        n = opi_smaller(OPI_BINS_PIECE, end - i);
        const uint32_t *const bin =
            opi_bins_find_words(plan->isa, bins, plan->indices + i * bins->type->size, n, room, beyond_in(carry));
        plan->loops.exact->by_bin(plan->in + i * size, bin, n, apart, table_in(carry));
    }
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    const tables_sweep *const plan = (const tables_sweep *)sweep;
    char *const to = table_in(left);
    *beyond_in(left) |= *(const bool *)right;
    opi_loops_zip(&plan->loops, to, (const char *)right + OPI_CACHE_LINE, plan->tables * slots(plan), to);
}

/* Joins the tables of one carry, and writes the results. */
static void write_results(const tables_sweep *plan, void *carry, void *out)
{
    char *const table = table_in(carry);
    for (size_t t = 1; t < plan->tables; t++)
        opi_loops_zip(&plan->loops, table, table + t * table_bytes(plan), slots(plan), table);
    memcpy(out, table, table_bytes(plan) - plan->loops.size);
    opi_quiet_run(&plan->loops.quiet, out, (size_t)plan->bins->n);
}

/* A worker has at least a block. */
static void make_plan(tables_sweep *plan, opi_cores *cores, const opi_task *task)
{
    const size_t bins = (size_t)task->bins.n, size = task->op->type->size;
    opi_sweep_clear(&plan->sweep);
    plan->isa = cores->isa;
    plan->bins = &task->bins;
    plan->indices = task->array[OPI_INDICES].mem;
    plan->in = task->array[OPI_BINNED].mem;
    opi_loops_plan(&plan->loops, task->op, cores->isa, task->n * size);
    plan->tables = OPI_TABLES * table_bytes(plan) <= TABLES_BYTES ? OPI_TABLES : 1;
    plan->sweep.n = task->n;
    plan->sweep.block = bins > BLOCK / PER_BIN ? PER_BIN * bins : BLOCK;
    plan->sweep.bytes = task->n * (size + task->bins.type->size);
    plan->sweep.carry_bytes = OPI_CACHE_LINE + plan->tables * table_bytes(plan);
    plan->sweep.start = start;
    plan->sweep.aggregate = aggregate;
    plan->sweep.join = join;
}

bool opi_by_index_tables_suits(opi_cores *cores, const opi_task *task)
{
    const unsigned builtin = task->op->builtin;
    return builtin && cores->isa->builtin[builtin - 1].by_bin && task->bins.n < UINT32_MAX;
}

oplus_status opi_by_index_tables(opi_cores *cores, const char *call, const opi_task *task)
{
    tables_sweep plan;
    const opi_bins *const bins = &task->bins;
    make_plan(&plan, cores, task);
    if (!opi_buffer_reserve(&cores->carry, plan.sweep.carry_bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the results of %zu bins; free some, or ask for fewer bins",
                        call, (size_t)bins->n);
    start(&plan.sweep, 0, cores->carry.mem);
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, cores->carry.mem));
    if (bins->bounds == OPLUS_REFUSE && *beyond_in(cores->carry.mem))
        return opi_bins_refuse(call, bins, plan.indices, task->n);
    write_results(&plan, cores->carry.mem, (void *)task->array[OPI_BINNED_OUT].mem);
    return OPLUS_OK;
}

void opi_by_index_tables_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    tables_sweep plan;
    make_plan(&plan, cores, task);
    opi_cores_explain_sweep(cores, &plan.sweep, to);
}
