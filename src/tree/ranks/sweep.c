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

/* --- the meeting: between what a rank reads and what it writes -----------------------------------------------------
 */

typedef struct meeting {
    opi_meeting base;
    opi_ranks *ranks;
    const oplus_op *op;
    size_t bytes;        /* of a record */
    int joined;          /* ranks from 0 on whose join is wanted */
    oplus_status status; /* how it ended, once it was held */
} meeting;

/* own: on entry what this rank holds; on return the join of the first ranks' carries. */
static oplus_status hold(opi_meeting *given, void *own)
{
    meeting *const m = (meeting *)given;
    opi_range *const before = carry_before(m->ranks, m->op);
    void *const record = (char *)m->ranks->carries.mem + 2 * opi_range_bytes(m->op);
    m->base.held = true;
    const opi_fpenv mode = opi_fpenv_enter();
    opi_range_write(own, record);
    opi_fpenv_leave(mode);
    m->status = opi_ranks_gather(m->ranks, OPLUS_OK, record, m->bytes);
    if (m->status != OPLUS_OK) return m->status;
    opi_range_start(before, m->op, 0, ((const opi_range *)own)->lifted);
    join_records(m->ranks, before, m->joined, m->bytes);
    opi_range_copy(own, before);
    return OPLUS_OK;
}

/* Whether one rank holds everything: nothing precedes what it has, and nothing follows. */
static bool undivided(const opi_ranks *ranks)
{
    for (int q = 0; q < ranks->comm->size; q++)
        if (ranks->note[q].n == ranks->total) return true;
    return false;
}

/* Runs the sweep up to the meeting and beyond; a rank that does not get there tells the others. */
static oplus_status run(meeting *m, opi_sweep *sweep, opi_range *own)
{
    if (sweep->apply && undivided(m->ranks))
        return opi_ranks_agree(m->ranks, opi_sweep_run(m->ranks->dev, m->ranks->call, sweep, own));
    if (sweep->apply) sweep->meeting = &m->base;
    oplus_status status = opi_sweep_run(m->ranks->dev, m->ranks->call, sweep, own);
    if (!sweep->apply && status == OPLUS_OK) status = hold(&m->base, own);
    if (!m->base.held) return opi_ranks_gather(m->ranks, status, NULL, m->bytes);
    return m->status != OPLUS_OK || !sweep->apply ? status : opi_ranks_agree(m->ranks, status);
}

static oplus_status finish(opi_ranks *ranks, const opi_sweep *sweep, opi_range *total)
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
    opi_range *const own = own_carry(ranks);
    meeting m = {.base = {.hold = hold},
                 .ranks = ranks,
                 .op = sweep->form.op,
                 .bytes = record_bytes(ranks, sweep->form.op, has_init),
                 .joined = sweep->apply ? ranks->comm->rank : ranks->comm->size};
    sweep->start(sweep, 0, own);
    if (has_init && ranks->comm->rank == 0) opi_range_init(own, init);
    void (*const finishes)(const opi_sweep *, void *, void *) = sweep->finish;
    sweep->finish = NULL; /* of all ranks' carries, not of this one's */
    OPI_TRY(run(&m, sweep, own));
    sweep->finish = finishes;
    return finishes ? finish(ranks, sweep, own) : OPLUS_OK;
}
