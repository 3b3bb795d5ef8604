/* A reduce or a scan over ranks.  Each rank summarises its elements, the ranks exchange their summaries (at most 2 log2 N
 * nodes each), and each rank joins those before its own and applies the result.  Joins are associative to the bit, so the
 * bits depend neither on the number of ranks nor on where the array is cut. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "cores/cores.h"
#include "task/identity.h"

#include <string.h>

/* This rank's part of a call. */
typedef struct part {
    opi_ranks *ranks;
    opi_task *task;
    bool fold;        /* true: a value, init, precedes all elements */
    const void *init; /* the value that precedes all elements, on rank 0 */
} part;

static bool is_exact(const oplus_op *op) { return op->flags & OPLUS_EXACT; }

/* --- memory ------------------------------------------------------------------------------------------------------- */

static size_t most_record_bytes(const oplus_op *op)
{
    return opi_range_record_bytes(op, is_exact(op) ? 1 : OPI_RANGE_NODES);
}

/* The summary of this rank; later the join of the summaries of the ranks before it. */
static opi_range *carry_of(const part *p) { return p->ranks->dev->rank->carries.mem; }

static void *record_of(const part *p) { return (char *)carry_of(p) + opi_range_bytes(p->task->op); }

/* The address of the result, which lies behind the record. */
static size_t result_at(const oplus_op *op)
{
    return opi_round_up(opi_range_bytes(op) + most_record_bytes(op), OPI_CACHE_LINE);
}

static oplus_status reserve(const part *p)
{
    const oplus_op *const op = p->task->op;
    const size_t bytes = result_at(op) + op->type->size;
    if (opi_buffer_reserve(&p->ranks->dev->rank->carries, bytes))
        return opi_ranks_room(p->ranks, most_record_bytes(op));
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", p->ranks->call, bytes);
}

/* --- summaries as records ----------------------------------------------------------------------------------------- */

/* The size of the record of a part with `nodes` nodes, and perhaps an init before them. */
static size_t record_bytes(const part *p, size_t nodes)
{
    const oplus_op *const op = p->task->op;
    return is_exact(op) ? most_record_bytes(op) : opi_range_record_bytes(op, nodes + p->fold);
}

/* The largest number of nodes of a part.  All ranks can compute it: they know where each part begins. */
static size_t most_nodes(const part *p)
{
    const opi_ranks *const ranks = p->ranks;
    uint64_t first = 0;
    size_t most = 0;
    if (is_exact(p->task->op)) return OPI_RANGE_NODES;
    for (int q = 0; q < ranks->comm->size; q++) {
        const uint64_t end = first + ranks->note[q].n;
        most = opi_larger(most, opi_range_nodes(p->task->op, first, end));
        first = end;
    }
    return most;
}

/* Makes an empty summary where the task begins, with the init if this rank has it. */
static void start_carry(const part *p, const opi_task *task)
{
    opi_range_start(carry_of(p), task->op, task->first, task->lifted);
    if (p->fold && p->ranks->comm->rank == 0) opi_range_init(carry_of(p), p->init);
}

/* How many ranks' summaries this rank joins: for a scan those of the ranks before it, for a reduce those of all
 * ranks. */
static int ranks_joined(const part *p)
{
    return p->task->what == OPI_SCAN ? p->ranks->comm->rank : p->ranks->comm->size;
}

/* The size of the records that are exchanged, in bytes; it is the same on all ranks. */
static size_t exchanged_bytes(const part *p) { return record_bytes(p, p->ranks->dev->rank->last_nodes); }

static void join(const part *p, bool early)
{
    const opi_ranks *const ranks = p->ranks;
    const size_t bytes = early ? 0 : exchanged_bytes(p);
    uint64_t end = 0;
    opi_range_start(carry_of(p), p->task->op, 0, p->task->lifted);
    for (int q = 0; q < ranks_joined(p); q++) {
        end += ranks->note[q].n;
        opi_range_read(carry_of(p), end, early ? ranks->note[q].record : opi_ranks_record(ranks, q, bytes));
    }
}

/* --- a summary that goes with the note ---------------------------------------------------------------------------- */

enum { FEW_BYTES = 32 << 10 };

/* Guesses where this rank's part begins.  If it has as many elements as in the last call, the part begins where it
 * began then; else all ranks are assumed to have as many elements as this one. */
static uint64_t guess_first(const part *p)
{
    const opi_rank *const rank = p->ranks->dev->rank;
    const size_t n = p->task->n;
    return rank->last_n == n ? rank->last_first : (uint64_t)p->ranks->comm->rank * n;
}

/* Whether all ranks will probably send their summaries early.  Then a result needs no second reading. */
static bool all_will_send(const part *p)
{
    const opi_rank *const rank = p->ranks->dev->rank;
    if (is_exact(p->task->op)) return most_record_bytes(p->task->op) <= OPI_NOTE_RECORD;
    return rank->last_n == p->task->n && record_bytes(p, rank->last_nodes) <= OPI_NOTE_RECORD;
}

/* Reading few elements twice costs less than an exchange; but on an accelerator nothing is cheap. */
static bool is_worth_it(const part *p)
{
    const int size = p->ranks->comm->size;
    if (size == 1 || size > OPI_EARLY_RANKS) return false;
    const bool few = p->task->n * p->task->op->type->size <= FEW_BYTES && !p->ranks->dev->machine->transfers;
    return few || (p->task->what == OPI_REDUCE && all_will_send(p));
}

/* Also reserves the memory that cores need for the task, so that they cannot fail later. */
static oplus_status send_early(const part *p)
{
    opi_ranks *const ranks = p->ranks;
    opi_task guess = *p->task;
    opi_ticket none = {0}; /* results of a guess are not applied */
    guess.first = guess_first(p);
    if (record_bytes(p, opi_range_nodes(guess.op, guess.first, guess.first + guess.n)) > OPI_NOTE_RECORD)
        return OPLUS_OK;
    start_carry(p, &guess);
    OPI_TRY(ranks->dev->machine->summarise(ranks->dev, ranks->call, &guess, carry_of(p), &none));
    opi_range_write(carry_of(p), ranks->mine.record);
    ranks->mine.guess = guess.first;
    ranks->mine.flag |= OPI_NOTE_EARLY;
    return OPLUS_OK;
}

/* Whether every rank has sent its summary, and guessed right. */
static bool all_sent_early(const part *p)
{
    const opi_ranks *const ranks = p->ranks;
    uint64_t first = 0;
    if (ranks->comm->size > OPI_EARLY_RANKS) return false;
    for (int q = 0; q < ranks->comm->size; q++) {
        const opi_note *const note = &ranks->note[q];
        if (!(note->flag & OPI_NOTE_EARLY) || (note->guess != first && !is_exact(p->task->op))) return false;
        first += note->n;
    }
    return true;
}

/* --- summarise, exchange, join, apply ----------------------------------------------------------------------------- */

static oplus_status summarise(const part *p, opi_ticket *ticket)
{
    oplus_device *const dev = p->ranks->dev;
    start_carry(p, p->task);
    return dev->machine->summarise(dev, p->ranks->call, p->task, carry_of(p), ticket);
}

/* Exchanges the summaries of all ranks.  A rank that has none, because it failed, says so. */
static oplus_status exchange(const part *p, oplus_status status)
{
    if (status == OPLUS_OK) opi_range_write(carry_of(p), record_of(p));
    return opi_ranks_gather(p->ranks, status, record_of(p), exchanged_bytes(p));
}

static oplus_status apply(const part *p, opi_ticket *ticket)
{
    oplus_device *const dev = p->ranks->dev;
    return dev->machine->apply(dev, p->ranks->call, p->task, carry_of(p), ticket);
}

/* Writes the result, which may lie in device memory. */
static oplus_status finish(const part *p)
{
    oplus_device *const dev = p->ranks->dev;
    const opi_task *const task = p->task;
    void *const value = dev->machine->is_host ? task->result : (char *)carry_of(p) + result_at(task->op);
    opi_cores_finish(opi_cores_of(dev), task, carry_of(p), value);
    if (dev->machine->is_host) return OPLUS_OK;
    return dev->machine->copy(dev, p->ranks->call, task->result, value, task->result_bytes);
}

/* carry: what precedes this rank's elements, or NULL. */
static oplus_status run(const part *p, opi_range *carry)
{
    return opi_run(p->ranks->dev, p->ranks->call, p->task, carry);
}

static oplus_status scan(const part *p)
{
    opi_ticket ticket = {0};
    OPI_TRY(exchange(p, summarise(p, &ticket)));
    join(p, false);
    return opi_ranks_agree_at_end(p->ranks, apply(p, &ticket));
}

static oplus_status reduce(const part *p)
{
    opi_ticket none = {0};
    OPI_TRY(exchange(p, summarise(p, &none)));
    join(p, false);
    return opi_ranks_agree_at_end(p->ranks, finish(p));
}

/* --- shorter ways ------------------------------------------------------------------------------------------------- */

/* All summaries came with the notes. */
static oplus_status use_notes(const part *p)
{
    join(p, true);
    return opi_ranks_agree_at_end(p->ranks, p->task->what == OPI_SCAN ? run(p, carry_of(p)) : finish(p));
}

/* Whether one rank has all elements: nothing precedes them, and nothing follows. */
static bool is_undivided(const opi_ranks *ranks)
{
    for (int q = 0; q < ranks->comm->size; q++)
        if (ranks->note[q].n == ranks->total) return true;
    return false;
}

/* There is one rank: the local call. */
static oplus_status run_alone(const part *p)
{
    if (p->fold) start_carry(p, p->task);
    return run(p, p->fold ? carry_of(p) : NULL);
}

oplus_status opi_ranks_run(opi_ranks *ranks, oplus_status status, opi_task *task, bool fold, const void *init)
{
    if (opi_ranks_explained(ranks)) return opi_ranks_explain(ranks, status, task);
    const part p = {ranks, task, fold, init};
    if (status == OPLUS_OK) status = reserve(&p);
    if (status == OPLUS_OK && is_worth_it(&p)) status = send_early(&p);
    OPI_TRY(opi_ranks_index(ranks, status, status == OPLUS_OK ? task->n : 0, 0, 0));

    opi_rank *const rank = ranks->dev->rank;
    task->first = rank->last_first = ranks->first;
    rank->last_n = task->n;
    if (ranks->total == 0 && task->what == OPI_REDUCE && !fold)
        OPI_TRY(opi_check_identity(ranks->call, task->op, "a reduce of n = 0 elements"));
    if (ranks->comm->size == 1) return run_alone(&p);
    if (all_sent_early(&p)) return use_notes(&p);
    rank->last_nodes = most_nodes(&p);
    if (task->what == OPI_REDUCE) return reduce(&p);
    return is_undivided(ranks) ? opi_ranks_agree(ranks, run(&p, NULL)) : scan(&p);
}
