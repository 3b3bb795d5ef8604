/* How carries meet: every rank summarises what it holds, the summaries (at most 2 log2 N nodes each) go to all, and
 * each rank joins those before its own.  Joining is exactly associative, so the bits depend neither on how many ranks
 * there are nor on where they are cut. */
#include "ranks/ranks.h"

#include "base/error.h"

#include <string.h>

enum { FEW_BYTES = 32 << 10 };

static bool is_exact(const oplus_op *op) { return op->flags & OPLUS_EXACT; }

static size_t most_record_bytes(const oplus_op *op)
{
    return opi_range_record_bytes(op, is_exact(op) ? 1 : OPI_RANGE_NODES);
}

static opi_range *own_carry(const opi_ranks *ranks) { return ranks->dev->carries.mem; }

static opi_range *carry_before(const opi_ranks *ranks, const oplus_op *op)
{
    return (opi_range *)((char *)ranks->dev->carries.mem + opi_range_bytes(op));
}

static void *own_record(const opi_ranks *ranks, const oplus_op *op)
{
    return (char *)ranks->dev->carries.mem + 2 * opi_range_bytes(op);
}

/* Behind the own record, the result. */
static size_t result_at(const oplus_op *op)
{
    return opi_round_up(2 * opi_range_bytes(op) + most_record_bytes(op), OPI_CACHE_LINE);
}

static oplus_status reserve(opi_ranks *ranks, const oplus_op *op)
{
    const size_t bytes = result_at(op) + op->type->size;
    if (opi_buffer_reserve(&ranks->dev->carries, bytes)) return opi_ranks_room(ranks, most_record_bytes(op));
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", ranks->call, bytes);
}

/* Nodes of the part that has most: all know where each part begins. */
static size_t most_nodes(const opi_ranks *ranks, const oplus_op *op)
{
    uint64_t first = 0;
    size_t most = 0;
    for (int q = 0; q < ranks->comm->size; q++) {
        const uint64_t end = first + ranks->note[q].n;
        const size_t nodes = opi_range_nodes(op, first, end);
        if (nodes > most) most = nodes;
        first = end;
    }
    return most;
}

/* Of a part with so many nodes; a value may precede them. */
static size_t record_bytes(const opi_ranks_problem *problem, size_t nodes)
{
    return is_exact(problem->op) ? most_record_bytes(problem->op)
                                 : opi_range_record_bytes(problem->op, nodes + problem->has_init);
}

/* before: the join of the first `count` ranks' records, of so many bytes; or of those in their notes (0). */
static void join_records(const opi_ranks *ranks, opi_range *before, int count, size_t bytes)
{
    uint64_t end = 0;
    for (int q = 0; q < count; q++) {
        end += ranks->note[q].n;
        opi_range_read(before, end, bytes ? opi_ranks_record(ranks, q, bytes) : ranks->note[q].record);
    }
}

/* Ranks from 0 on whose join a rank wants. */
static int wanted(const opi_ranks *ranks, const opi_sweep *sweep)
{
    return sweep->apply ? ranks->comm->rank : ranks->comm->size;
}

static void start_own(const opi_ranks *ranks, const opi_ranks_problem *problem, const opi_sweep *sweep)
{
    opi_range *const own = own_carry(ranks);
    sweep->start(sweep, 0, own);
    if (problem->has_init && ranks->comm->rank == 0) opi_range_init(own, problem->init);
}

static void write_record(opi_range *own, void *record) { opi_range_write(own, record); }

/* --- what a rank holds goes with its note ------------------------------------------------------------------------- */

/* Where this rank's part begins: as in the last call, if it has as many; else as if all ranks had. */
static uint64_t guess_first(const opi_ranks *ranks, size_t n)
{
    const oplus_device *const dev = ranks->dev;
    return dev->last_n == n ? dev->last_first : (uint64_t)ranks->comm->rank * n;
}

/* Whether all ranks will tell, as far as this one knows: then a result needs no second reading. */
static bool all_will_tell(const opi_ranks *ranks, const opi_ranks_problem *problem)
{
    const oplus_device *const dev = ranks->dev;
    if (is_exact(problem->op)) return most_record_bytes(problem->op) <= OPI_NOTE_RECORD;
    return dev->last_n == problem->n && record_bytes(problem, dev->last_nodes) <= OPI_NOTE_RECORD;
}

/* Whether to try.  Reading few elements twice costs less than an exchange; on an accelerator nothing is cheap. */
static bool pays(const opi_ranks *ranks, const opi_ranks_problem *problem)
{
    if (ranks->comm->size == 1 || ranks->comm->size > OPI_TELLING) return false;
    const bool few = problem->n * problem->op->type->size <= FEW_BYTES && !ranks->dev->groups;
    return few || (problem->makes_result && all_will_tell(ranks, problem));
}

static oplus_status tell(opi_ranks *ranks, opi_ranks_problem *problem)
{
    const uint64_t first = guess_first(ranks, problem->n);
    opi_sweep *const sweep = problem->plan(problem, ranks, first);
    if (record_bytes(problem, opi_range_nodes(problem->op, first, first + problem->n)) > OPI_NOTE_RECORD)
        return OPLUS_OK;
    sweep->apply = NULL; /* its summary alone */
    sweep->finish = NULL;
    for (int k = 0; k < sweep->form.arrays; k++)
        if (sweep->form.array[k].access != OPI_READS) sweep->form.array[k].mem = NULL;
    start_own(ranks, problem, sweep);
    OPI_TRY(opi_sweep_run(ranks->dev, ranks->call, sweep, own_carry(ranks)));
    write_record(own_carry(ranks), ranks->mine.record);
    ranks->mine.guess = first;
    ranks->mine.flag |= OPI_NOTE_TELLS;
    return OPLUS_OK;
}

/* Whether every rank has told its carry, and guessed right. */
static bool all_told(const opi_ranks *ranks, const oplus_op *op)
{
    uint64_t first = 0;
    if (ranks->comm->size > OPI_TELLING) return false;
    for (int q = 0; q < ranks->comm->size; q++) {
        const opi_note *const note = &ranks->note[q];
        if (!(note->flag & OPI_NOTE_TELLS) || (note->guess != first && !is_exact(op))) return false;
        first += note->n;
    }
    return true;
}

/* --- many: they meet between what a rank reads and what it writes ------------------------------------------------- */

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
    void *const record = own_record(m->ranks, m->op);
    m->base.held = true;
    write_record(own, record);
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
static oplus_status meet(opi_ranks *ranks, const opi_ranks_problem *problem, opi_sweep *sweep)
{
    opi_range *const own = own_carry(ranks);
    ranks->dev->last_nodes = is_exact(problem->op) ? OPI_RANGE_NODES : most_nodes(ranks, problem->op);
    meeting m = {.base = {.hold = hold},
                 .ranks = ranks,
                 .op = problem->op,
                 .bytes = record_bytes(problem, ranks->dev->last_nodes),
                 .joined = wanted(ranks, sweep)};
    if (sweep->apply && undivided(ranks))
        return opi_ranks_agree(ranks, opi_sweep_run(ranks->dev, ranks->call, sweep, NULL));
    start_own(ranks, problem, sweep);
    if (sweep->apply) sweep->meeting = &m.base;
    oplus_status status = opi_sweep_run(ranks->dev, ranks->call, sweep, own);
    sweep->meeting = NULL;
    if (!sweep->apply && status == OPLUS_OK) status = hold(&m.base, own);
    if (!m.base.held) return opi_ranks_gather(ranks, status, NULL, m.bytes);
    return m.status != OPLUS_OK || !sweep->apply ? status : opi_ranks_agree_at_end(ranks, status);
}

/* --- both -------------------------------------------------------------------------------------------------------- */

static oplus_status finish(opi_ranks *ranks, const oplus_op *op, const opi_sweep *sweep, opi_range *total)
{
    oplus_device *const dev = ranks->dev;
    void *const value = (char *)ranks->dev->carries.mem + result_at(op);
    oplus_status status = OPLUS_OK;
    sweep->finish(sweep, total, value);
    if (dev->tree == &opi_cores)
        memcpy(sweep->result, value, sweep->result_bytes);
    else /* also where "auto" chooses: the result may be the device's */
        status = dev->tree->copy(dev, ranks->call, sweep->result, value, sweep->result_bytes);
    return opi_ranks_agree_at_end(ranks, status);
}

/* All carries are in the notes. */
static oplus_status use_notes(opi_ranks *ranks, const opi_ranks_problem *problem, opi_sweep *sweep)
{
    opi_range *const before = own_carry(ranks);
    const bool lifted = sweep->form.lifted;
    opi_range_start(before, problem->op, 0, lifted);
    join_records(ranks, before, wanted(ranks, sweep), 0);
    if (!sweep->apply) return OPLUS_OK;
    return opi_ranks_agree_at_end(ranks, opi_sweep_run(ranks->dev, ranks->call, sweep, before));
}

/* One rank: the local call. */
static oplus_status run_alone(opi_ranks *ranks, const opi_ranks_problem *problem, const opi_sweep *sweep)
{
    start_own(ranks, problem, sweep);
    return opi_sweep_run(ranks->dev, ranks->call, sweep, problem->has_init ? own_carry(ranks) : NULL);
}

oplus_status opi_ranks_sweep(opi_ranks *ranks, oplus_status status, opi_ranks_problem *problem)
{
    if (status == OPLUS_OK) status = reserve(ranks, problem->op);
    if (status == OPLUS_OK && pays(ranks, problem)) status = tell(ranks, problem);
    OPI_TRY(opi_ranks_index(ranks, status, problem->n, 0, 0));
    ranks->dev->last_n = problem->n;
    ranks->dev->last_first = ranks->first;
    if (ranks->total == 0 && problem->nothing) OPI_TRY(problem->nothing(problem, ranks));

    opi_sweep *const sweep = problem->plan(problem, ranks, ranks->first);
    if (ranks->comm->size == 1) return run_alone(ranks, problem, sweep);
    void (*const finishes)(const opi_sweep *, void *, void *) = sweep->finish;
    sweep->finish = NULL; /* of all ranks' carries, not of this one's */
    OPI_TRY(all_told(ranks, problem->op) ? use_notes(ranks, problem, sweep) : meet(ranks, problem, sweep));
    sweep->finish = finishes;
    return finishes ? finish(ranks, problem->op, sweep, own_carry(ranks)) : OPLUS_OK;
}
