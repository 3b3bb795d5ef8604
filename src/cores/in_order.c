/* Each block publishes its summary in a place of its own, then looks back: it joins the summaries of the blocks before
 * it, back to the nearest one that has published all that precedes its end, and publishes that of its own.  So there
 * is no turn that would have to be handed on.
 *
 * A worker that has lost its core in the middle of a block holds up those behind it no longer than PATIENCE: whoever
 * waits longer makes that block's summary itself, which has the same bits, and publishes it in the other's place.  The
 * other one applies its block nevertheless, from what it has kept in its scratch; so nobody helps where those behind
 * might then write over what the other one still reads (sweep->overtakes).
 *
 * A worker that gets two blocks in a row is alone, or nearly: the others have no core.  It knows what precedes the
 * second one, and applies that block at once, which reads it once, not twice.  If it then loses its core, others make
 * that block's summary too, unless it is written over its own items (sweep->replaces). */
#include "cores/in_order.h"

#include "base/memory.h"
#include "cores/blocks.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
    PATIENCE_NS = 60000,   /* about what it takes to aggregate a block */
    BLOCKS_A_WORKER = 256, /* of a round, after which places are used again, */
    ROUND_BYTES = 16 << 20 /* unless they take more memory than this */
};

/* A place goes through these in order. */
typedef enum stage {
    NOTHING,
    TAKEN,   /* by the worker who will publish the summary */
    AT_ONCE, /* by the worker who will publish the prefix at once */
    HELPED,  /* the same, and another one makes the summary */
    SUMMARY, /* of the block */
    PREFIX   /* of all up to the end of the block */
} stage;

/* The place of a block; in memory its summary follows, then its prefix. */
typedef struct place {
    _Alignas(OPI_CACHE_LINE) atomic_int stage;
    _Alignas(OPI_CACHE_LINE) char alone[OPI_CACHE_LINE]; /* pairs of lines prefetch */
} place;

/* A round: the blocks [first, first + count). */
typedef struct round {
    const opi_sweep *sweep;
    const void *carry; /* what precedes the first block */
    size_t first, count;
    char *places, *carries, *scratch, *second; /* second: scratch for another's block */
    char *nexts;                               /* of each worker: see next_of */
    size_t carry_stride, scratch_stride, place_stride;
} round;

static place *place_of(const round *r, size_t i) { return (place *)(r->places + i * r->place_stride); }
static char *summary_of(const round *r, size_t i) { return (char *)place_of(r, i) + sizeof(place); }
static char *prefix_of(const round *r, size_t i) { return summary_of(r, i) + r->carry_stride; }

/* The block behind the one that a worker has just done. */
static size_t *next_of(const round *r, size_t worker) { return (size_t *)(r->nexts + worker * OPI_CACHE_LINE); }

static stage stage_of(const round *r, size_t i)
{
    return (stage)atomic_load_explicit(&place_of(r, i)->stage, memory_order_acquire);
}

static void publish(const round *r, size_t i, stage what)
{
    atomic_store_explicit(&place_of(r, i)->stage, (int)what, memory_order_release);
}

/* --- summaries ---------------------------------------------------------------------------------------------------- */

static void aggregate(const round *r, size_t i, void *carry, void *scratch)
{
    const size_t begin = opi_block_begin(r->sweep, r->first + i), end = opi_block_end(r->sweep, r->first + i);
    r->sweep->start(r->sweep, begin, carry);
    r->sweep->aggregate(r->sweep, begin, end, carry, scratch);
}

/* Takes the place of block i from one stage to another; false: it is at another stage. */
static bool advance(const round *r, size_t i, stage from, stage to)
{
    int expected = (int)from;
    return atomic_compare_exchange_strong_explicit(&place_of(r, i)->stage, &expected, (int)to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static bool take_place(const round *r, size_t i) { return advance(r, i, NOTHING, TAKEN); }

/* Makes the summary of a block whose worker has not begun, or has lost its core; false: nobody else may, or has to. */
static bool help(const round *r, size_t i, stage at, void *own, void *scratch)
{
    const opi_sweep *const sweep = r->sweep;
    if (sweep->overtakes || (at == AT_ONCE && sweep->replaces)) return false;
    if (!(at == NOTHING && take_place(r, i)) && !(at == AT_ONCE && advance(r, i, AT_ONCE, HELPED))) return false;
    aggregate(r, i, own, scratch);
    opi_carry_copy(sweep, summary_of(r, i), own);
    if (at == NOTHING)
        publish(r, i, SUMMARY);
    else
        advance(r, i, HELPED, SUMMARY); /* unless the prefix has been published */
    return true;
}

/* Waits until there is a summary in the place of block i; after a while tries to make it.  own: room for a summary. */
static stage await_summary(const round *r, size_t i, void *own, void *scratch)
{
    const unsigned long long begun = opi_crew_now();
    for (unsigned looks = 1;; looks++) {
        const stage at = stage_of(r, i);
        if (at >= SUMMARY) return at;
        opi_crew_relax();
        if (looks % 32 != 0 || opi_crew_now() - begun < PATIENCE_NS) continue;
        if (!help(r, i, at, own, scratch)) sched_yield();
    }
}

/* --- what precedes a block ---------------------------------------------------------------------------------------- */

/* before: becomes what precedes block i. */
static void look_back(const round *r, size_t i, void *before, void *own, void *scratch)
{
    size_t known = i; /* what precedes it is `before` */
    while (known > 0 && await_summary(r, known - 1, own, scratch) != PREFIX) known--;
    opi_carry_copy(r->sweep, before, known > 0 ? prefix_of(r, known - 1) : r->carry);
    for (; known < i; known++) r->sweep->join(r->sweep, before, summary_of(r, known));
}

/* Applies block i; before: what precedes it, extended by the block on return. */
static void apply(const round *r, size_t i, void *before, bool aggregated, void *scratch)
{
    const size_t begin = opi_block_begin(r->sweep, r->first + i), end = opi_block_end(r->sweep, r->first + i);
    r->sweep->apply(r->sweep, begin, end, before, NULL, aggregated, scratch);
}

/* For the worker that has done block i - 1 as well.  False: another one makes the summary of block i. */
static bool sweep_at_once(const round *r, size_t i, void *before, void *scratch)
{
    if (!advance(r, i, NOTHING, AT_ONCE)) return false;
    opi_carry_copy(r->sweep, before, prefix_of(r, i - 1));
    apply(r, i, before, false, scratch);
    opi_carry_copy(r->sweep, prefix_of(r, i), before);
    publish(r, i, PREFIX);
    return true;
}

static void sweep_block(void *job, size_t worker, size_t i)
{
    const round *const r = job;
    char *const own = r->carries + 2 * worker * r->carry_stride, *const before = own + r->carry_stride;
    char *const scratch = r->scratch + worker * r->scratch_stride, *const second =
                                                                       r->second + worker * r->scratch_stride;
    size_t *const next = next_of(r, worker);
    const bool follows = i == *next;
    *next = i + 1;
    if (follows && sweep_at_once(r, i, before, scratch)) return;
    aggregate(r, i, own, scratch);
    if (take_place(r, i)) {
        opi_carry_copy(r->sweep, summary_of(r, i), own);
        publish(r, i, SUMMARY);
    } else {
        await_summary(r, i, own, second);
    }
    look_back(r, i, before, own, second);
    opi_carry_copy(r->sweep, prefix_of(r, i), before);
    r->sweep->join(r->sweep, prefix_of(r, i), summary_of(r, i));
    publish(r, i, PREFIX);
    apply(r, i, before, true, scratch);
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

static void set_strides(round *r, const opi_sweep *sweep)
{
    r->carry_stride = opi_round_up(sweep->carry_bytes, 2 * OPI_CACHE_LINE);
    r->scratch_stride = opi_round_up(sweep->scratch_bytes, 2 * OPI_CACHE_LINE);
    r->place_stride = sizeof(place) + 2 * r->carry_stride;
}

static size_t blocks_of_round(const round *r, const opi_sweep *sweep, size_t workers)
{
    const size_t blocks = opi_blocks(sweep), fitting = ROUND_BYTES / r->place_stride, least = 4 * workers;
    size_t most = BLOCKS_A_WORKER * workers;
    if (most > fitting) most = fitting > least ? fitting : least;
    return blocks < most ? blocks : most;
}

size_t opi_in_order_bytes(const opi_sweep *sweep, size_t workers)
{
    round r;
    set_strides(&r, sweep);
    return blocks_of_round(&r, sweep, workers) * r.place_stride +
           workers * (2 * r.carry_stride + r.scratch_stride + OPI_CACHE_LINE);
}

void opi_in_order_run(opi_crew **crew, int workers, const opi_sweep *sweep, void *carry, char *scratch, char *memory)
{
    round r = {.sweep = sweep, .carry = carry, .scratch = scratch};
    set_strides(&r, sweep);
    const size_t blocks = opi_blocks(sweep), most = blocks_of_round(&r, sweep, (size_t)workers);
    r.second = memory;
    r.carries = r.second + (size_t)workers * r.scratch_stride;
    r.nexts = r.carries + 2 * (size_t)workers * r.carry_stride;
    r.places = r.nexts + (size_t)workers * OPI_CACHE_LINE;
    for (; r.first < blocks; r.first += r.count) {
        r.count = blocks - r.first < most ? blocks - r.first : most;
        for (size_t i = 0; i < r.count; i++) atomic_init(&place_of(&r, i)->stage, NOTHING);
        for (size_t w = 0; w < (size_t)workers; w++) *next_of(&r, w) = SIZE_MAX; /* none */
        opi_crew_run(crew, workers, sweep_block, &r, r.count);
        opi_carry_copy(sweep, carry, prefix_of(&r, r.count - 1));
    }
}
