#include "cores/ways.h"

#include "base/error.h"
#include "cores/blocks.h"
#include "cores/crew.h"
#include "task/explain.h"

#include <assert.h>
#include <omp.h>

/* Bytes moved below which waking threads costs more than it saves: docs/performance.md has the measurement. */
static const size_t small_work = (size_t)256 << 10;

/* Bytes moved below which the caller lets threads sleep for some time, where there are many. */
static const size_t short_work = (size_t)1 << 20;

/* --- which of them ------------------------------------------------------------------------------------------------ */

static bool is_small(const opi_sweep *sweep, size_t workers) { return workers == 1 || sweep->bytes < small_work; }

static bool is_independent(const opi_sweep *sweep, size_t workers) { return workers > 1 && sweep->carry_bytes == 0; }

static bool is_whole(const opi_sweep *sweep, size_t workers) { return workers > 1 && sweep->whole; }

static bool only_aggregates(const opi_sweep *sweep, size_t workers) { return workers > 1 && !sweep->apply; }

static bool carries_on(const opi_sweep *sweep, size_t workers)
{
    return workers > 1 && sweep->carry_bytes > 0 && sweep->apply && !sweep->whole;
}

/* This way comes after the others: it is taken only where OPLUS_WAY asks for it.  It aggregates a whole part at once,
 * so it cannot take a filter, whose scratch memory holds what is kept of one block. */
static bool can_be_read_twice(const opi_sweep *sweep, size_t workers)
{
    (void)workers;
    return sweep->carry_bytes > 0 && sweep->apply && !sweep->finish && !sweep->whole && !sweep->overtakes;
}

static bool suits_all(const opi_sweep *sweep, size_t workers)
{
    (void)sweep;
    (void)workers;
    return true;
}

static const opi_cores_way ways[] = {
    {"serial", is_small, opi_sweep_serial, "the caller's thread alone: one block, or less than 262 kB"},
    {"independent", is_independent, opi_sweep_independent, "blocks in any order, nothing is carried"},
    {"whole", is_whole, opi_sweep_whole, "all blocks are counted, then all are moved"},
    {"parts", only_aggregates, opi_sweep_parts, "contiguous parts are summed up, then joined"},
    {"in-order", carries_on, opi_sweep_in_order, "each block is read once, and written while it is in a cache"},
    {"two-pass", can_be_read_twice, opi_sweep_two_pass, "parts are summed up, joined, and read again to be written"},
    {"serial", suits_all, opi_sweep_serial, NULL}, /* where OPLUS_WAY asks for it */
};
enum { WAYS = sizeof ways / sizeof *ways };

const opi_cores_way *opi_cores_way_of(const opi_cores *cores, const opi_sweep *sweep, size_t workers)
{
    for (int i = 0; i < WAYS && cores->wanted.count > 0; i++)
        if (opi_way_is_wanted(&cores->wanted, ways[i].name) && ways[i].suits(sweep, workers)) return &ways[i];
    const opi_cores_way *way = ways;
    while (!way->suits(sweep, workers)) way++; /* the last suits all */
    return way;
}

size_t opi_cores_workers(opi_cores *cores, const opi_sweep *sweep)
{
    if (cores->workers == 1 || omp_in_parallel()) return 1;
    return opi_smaller(opi_blocks(sweep), opi_cores_threads(cores, sweep->bytes));
}

/* Is a sweep likely to be done before threads that sleep could help?  The fewer they are, the less they save. */
static bool is_short(const opi_sweep *sweep, size_t workers)
{
    return workers > 1 && sweep->bytes < short_work / (workers - 1) * workers;
}

oplus_status opi_sweep_by_way(opi_sweeping *s)
{
    s->workers = opi_cores_workers(s->cores, s->sweep);
    opi_crew_hesitate(s->cores->crew, is_short(s->sweep, s->workers) && !s->cores->processors.unlimited);
    return opi_cores_way_of(s->cores, s->sweep, s->workers)->run(s);
}

oplus_status opi_cores_sweep(opi_cores *cores, const char *call, const opi_sweep *sweep, void *carry)
{
    return opi_sweep_now(cores, call, sweep, carry);
}

/* Why one thread does a sweep, though nobody has asked for that. */
static const char *why_serial(const opi_cores *cores, const opi_sweep *sweep, size_t workers)
{
    if (cores->workers == 1) return "the device has one thread";
    if (opi_blocks(sweep) <= 1) return "there is one block";
    if (workers > 1) return "waking threads would take longer";
    if (omp_in_parallel()) return "the call comes from inside an OpenMP parallel region";
    return "there is one processor for this process";
}

/* Why there are fewer threads than were asked for. */
static void explain_threads(const opi_cores *cores, const opi_sweep *sweep, size_t workers, opi_saying *to)
{
    if (workers == opi_blocks(sweep))
        opi_say(to, "why not %d threads: there are %zu blocks\n", cores->workers, workers);
    else
        opi_say(to, "why not %d threads: there are %zu processors for this process (affinity mask, quota)\n",
                cores->workers, workers);
}

void opi_cores_explain_sweep(opi_cores *cores, const opi_sweep *sweep, opi_saying *to)
{
    const size_t workers = sweep->n > 0 ? opi_cores_workers(cores, sweep) : 1;
    const opi_cores_way *const way = opi_cores_way_of(cores, sweep, workers);
    const bool serial = way->run == opi_sweep_serial, forced = opi_way_is_wanted(&cores->wanted, way->name);
    opi_say(to, "way: %s", way->name);
    if (serial)
        opi_say(to, ", on one thread\n");
    else
        opi_say(to, ", on %zu threads\n", workers);
    for (int i = 0; i < WAYS; i++)
        if (ways[i].words && (ways[i].run == way->run || ways[i].suits(sweep, workers > 1 ? workers : 2)))
            opi_say_way(to, ways[i].run == way->run, ways[i].name, ways[i].words);
    if (forced)
        opi_say(to, "why: OPLUS_WAY asks for it\n");
    else if (serial)
        opi_say(to, "why not more threads: %s\n", why_serial(cores, sweep, workers));
    if (!serial && workers < (size_t)cores->workers) explain_threads(cores, sweep, workers, to);
}

/* --- what they share ---------------------------------------------------------------------------------------------- */

oplus_status opi_workspace_grow(const opi_sweeping *s, size_t bytes)
{
    opi_cores *const cores = s->cores;
    if ((s->workers == 1 || opi_crew_reserve(&cores->crew, cores->workers)) &&
        opi_buffer_reserve(&cores->workspace, bytes))
        return OPLUS_OK;
    if (s->workers == 1)
        return opi_fail(OPLUS_ERR_MEMORY, "no memory for %zu bytes of scratch; free some and call again", bytes);
    return opi_fail(OPLUS_ERR_MEMORY,
                    "no memory for %zu bytes of scratch of %zu threads; free some, or open fewer threads", bytes,
                    s->workers);
}

opi_parts opi_parts_of(const opi_sweep *sweep, size_t most)
{
    opi_parts parts = {.sweep = sweep, .blocks = opi_blocks(sweep)};
    parts.count = parts.blocks < most ? parts.blocks : most;
    parts.carry_stride = opi_round_up(sweep->carry_bytes, 2 * OPI_CACHE_LINE); /* pairs of lines prefetch */
    parts.scratch_stride = opi_round_up(sweep->scratch_bytes, 2 * OPI_CACHE_LINE);
    return parts;
}

size_t opi_part_begin(const opi_parts *parts, size_t p)
{
    assert(parts->count > 0);
    const size_t whole = parts->blocks / parts->count, rest = parts->blocks % parts->count;
    const size_t block = whole * p + (p < rest ? p : rest);
    return block == parts->blocks ? parts->sweep->n : opi_block_begin(parts->sweep, block);
}

static void aggregate_part(void *job, size_t worker, size_t p)
{
    const opi_parts *const parts = job;
    const opi_sweep *const sweep = parts->sweep;
    const size_t begin = opi_part_begin(parts, p);
    sweep->start(sweep, begin, opi_part_carry(parts, p));
    sweep->aggregate(sweep, begin, opi_part_begin(parts, p + 1), opi_part_carry(parts, p),
                     opi_part_scratch(parts, worker));
}

void opi_parts_aggregate(const opi_sweeping *s, opi_parts *parts)
{
    opi_crew_run(&s->cores->crew, (int)s->workers, aggregate_part, parts, parts->count);
}
