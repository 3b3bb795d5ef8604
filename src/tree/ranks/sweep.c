/* How carries meet: every rank summarises what it holds, the summaries (at most 2 log2 N nodes each) go to all, and
 * each rank joins those before its own.  Joining is exactly associative, so the bits depend neither on how many ranks
 * there are nor on where they are cut. */
#include "tree/ranks/ranks.h"

#include "base/error.h"
#include "base/fpenv.h"

static bool is_exact(const oplus_op *op) { return op->flags & OPLUS_EXACT; }

static size_t most_record_bytes(const oplus_op *op)
{
    return opi_range_record_bytes(op, is_exact(op) ? 1 : OPI_RANGE_NODES);
}

static opi_range *own_carry(const opi_ranks *ranks) { return ranks->carries.mem; }

static opi_range *carry_before(const opi_ranks *ranks, const oplus_op *op)
{
    return (opi_range *)((char *)ranks->carries.mem + opi_range_bytes(op));
}

/* Own, what precedes, and the own record. */
oplus_status opi_ranks_reserve_carries(opi_ranks *ranks, const oplus_op *op)
{
    const size_t bytes = 2 * opi_range_bytes(op) + most_record_bytes(op);
    if (opi_buffer_reserve(&ranks->carries, bytes)) return opi_ranks_room(ranks, most_record_bytes(op));
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", ranks->call, bytes);
}

/* The summary of what this rank holds: the sweep without what it writes. */
static oplus_status summarise(opi_ranks *ranks, opi_sweep *sweep, opi_range *own)
{
    const opi_sweep whole = *sweep;
    sweep->apply = NULL;
    sweep->finish = NULL;
    for (int k = 0; k < sweep->form.arrays; k++)
        if (sweep->form.array[k].access != OPI_READS) sweep->form.array[k].mem = NULL;
    const oplus_status status = opi_sweep_run(ranks->dev, ranks->call, sweep, own);
    *sweep = whole;
    return status;
}

/* Bytes of a record of any rank: all know where each rank's part begins. */
static size_t record_bytes(const opi_ranks *ranks, const oplus_op *op, bool has_init)
{
    uint64_t first = 0;
    size_t most = 0;
    if (is_exact(op)) return most_record_bytes(op);
    for (int q = 0; q < ranks->comm->size; q++) {
        const uint64_t end = first + ranks->note[q].n;
        const size_t nodes = opi_range_nodes(op, first, end) + (q == 0 && has_init);
        if (nodes > most) most = nodes;
        first = end;
    }
    return opi_range_record_bytes(op, most);
}

/* before: the join of the first `count` ranks' records. */
static void join_records(const opi_ranks *ranks, opi_range *before, int count, size_t bytes)
{
    uint64_t end = 0;
    const opi_fpenv mode = opi_fpenv_enter();
    for (int q = 0; q < count; q++) {
        end += ranks->note[q].n;
        opi_range_read(before, end, opi_ranks_record(ranks, q, bytes));
    }
    opi_fpenv_leave(mode);
}

static oplus_status finish(opi_ranks *ranks, opi_sweep *sweep, opi_range *total)
{
    void *const value = opi_alloc(sweep->result_bytes);
    if (!value) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes", ranks->call, sweep->result_bytes);
    const opi_fpenv mode = opi_fpenv_enter();
    sweep->finish(sweep, total, value);
    opi_fpenv_leave(mode);
    const oplus_status status =
        ranks->dev->tree->copy(ranks->dev, ranks->call, sweep->result, value, sweep->result_bytes);
    opi_free(value);
    return status;
}

oplus_status opi_ranks_sweep(opi_ranks *ranks, opi_sweep *sweep, bool has_init, const void *init)
{
    const oplus_op *const op = sweep->form.op;
    opi_range *const own = own_carry(ranks), *const before = carry_before(ranks, op);
    void *const record = (char *)ranks->carries.mem + 2 * opi_range_bytes(op);
    const size_t bytes = record_bytes(ranks, op, has_init);

    /* --- 1. what this rank holds; rank 0 begins with the init --- */
    sweep->start(sweep, 0, own);
    if (has_init && ranks->comm->rank == 0) opi_range_init(own, init);
    const oplus_status summarised = summarise(ranks, sweep, own);
    if (summarised == OPLUS_OK) {
        const opi_fpenv mode = opi_fpenv_enter();
        opi_range_write(own, record);
        opi_fpenv_leave(mode);
    }

    /* --- 2. the one exchange of carries --- */
    OPI_TRY(opi_ranks_gather(ranks, summarised, record, bytes));
    opi_range_start(before, op, 0, own->lifted);
    join_records(ranks, before, sweep->apply ? ranks->comm->rank : ranks->comm->size, bytes);

    /* --- 3. what follows from them --- */
    if (sweep->apply) return opi_ranks_agree(ranks, opi_sweep_run(ranks->dev, ranks->call, sweep, before));
    return finish(ranks, sweep, before);
}
