/* A sweep over a part of a longer array: what precedes it becomes known only when its own summary is, and those of the
 * other parts (src/ranks).
 *
 * All is aggregated first, in contiguous parts, and applied afterwards, each part from its own carry: no block need be
 * aggregated again.  The parts that were read last are applied first, because a cache may still have them. */
#include "base/error.h"
#include "cores/blocks.h"
#include "cores/crew.h"

#include <assert.h>
#include <omp.h>

enum { PARTS_PER_WORKER = 8 };

typedef struct parts {
    const opi_sweep *sweep;
    size_t blocks, count;    /* of the array; parts */
    char *carries, *scratch; /* of each part: first its summary, then what precedes it; of each worker */
    size_t carry_stride, scratch_stride;
} parts;

/* Item at which part p begins; its end is where the next one does. */
static size_t part_begin(const parts *all, size_t p)
{
    assert(all->count > 0);
    const size_t whole = all->blocks / all->count, rest = all->blocks % all->count;
    const size_t block = whole * p + (p < rest ? p : rest);
    return block == all->blocks ? all->sweep->n : opi_block_begin(all->sweep, block);
}

static void *carry_of(const parts *all, size_t p) { return all->carries + p * all->carry_stride; }

static void *scratch_of(const parts *all, size_t worker) { return all->scratch + worker * all->scratch_stride; }

static void aggregate_part(void *job, size_t worker, size_t p)
{
    const parts *const all = job;
    const size_t begin = part_begin(all, p);
    all->sweep->start(all->sweep, begin, carry_of(all, p));
    all->sweep->aggregate(all->sweep, begin, part_begin(all, p + 1), carry_of(all, p), scratch_of(all, worker));
}

static void apply_part(void *job, size_t worker, size_t item)
{
    const parts *const all = job;
    const size_t p = all->count - 1 - item, end = part_begin(all, p + 1);
    for (size_t begin = part_begin(all, p); begin < end;) {
        const size_t room = all->sweep->block - (all->sweep->skew + begin) % all->sweep->block;
        const size_t next = room < end - begin ? begin + room : end;
        all->sweep->apply(all->sweep, begin, next, carry_of(all, p), NULL, false, scratch_of(all, worker));
        begin = next;
    }
}

/* Joins the parts' summaries in order; puts what precedes each in its place, if they are wanted. */
static void join_parts(const parts *all, void *carry, void *other, bool wanted)
{
    for (size_t p = 0; p < all->count; p++) {
        if (wanted) opi_carry_copy(all->sweep, other, carry);
        all->sweep->join(all->sweep, carry, carry_of(all, p));
        if (wanted) opi_carry_copy(all->sweep, carry_of(all, p), other);
    }
}

oplus_status opi_meeting_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry)
{
    if (sweep->n == 0) return sweep->meeting->hold(sweep->meeting, carry);
    const size_t blocks = opi_blocks(sweep), most = omp_in_parallel() ? 1 : (size_t)dev->workers;
    const size_t workers = blocks < most ? blocks : most, wanted = workers * PARTS_PER_WORKER;
    parts all = {.sweep = sweep, .blocks = blocks, .count = blocks < wanted ? blocks : wanted};
    all.carry_stride = opi_round_up(sweep->carry_bytes, 2 * OPI_CACHE_LINE); /* pairs of lines prefetch */
    all.scratch_stride = opi_round_up(sweep->scratch_bytes, 2 * OPI_CACHE_LINE);
    const size_t bytes = (all.count + 1) * all.carry_stride + workers * all.scratch_stride;
    if ((workers > 1 && !opi_crew_reserve(&dev->crew, dev->workers)) || !opi_buffer_reserve(&dev->workspace, bytes))
        return opi_fail(OPLUS_ERR_MEMORY,
                        "no memory for %zu bytes of scratch of %zu threads; free some, or open fewer "
                        "threads",
                        bytes, workers);
    char *const other = dev->workspace.mem;
    all.carries = other + all.carry_stride;
    all.scratch = all.carries + all.count * all.carry_stride;

    opi_crew_run(&dev->crew, (int)workers, aggregate_part, &all, all.count);
    join_parts(&all, carry, other, false);
    OPI_TRY(sweep->meeting->hold(sweep->meeting, carry));
    join_parts(&all, carry, other, true);
    opi_crew_run(&dev->crew, (int)workers, apply_part, &all, all.count);
    return OPLUS_OK;
}
