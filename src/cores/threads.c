/* The threads tree: blocks that fit a core's cache are dealt out in order, each aggregated and applied by the same
 * thread while it is still in cache, so that memory is read once and written once. */
#include "base/error.h"
#include "cores/blocks.h"
#include "cores/crew.h"
#include "cores/in_order.h"

#include <omp.h>
#include <stdint.h>

enum { PARTS_PER_WORKER = 4 /* of a reduction: a late thread leaves its share to others */ };

/* Bytes moved below which waking threads costs more than it saves: docs/performance.md has the measurement. */
static const size_t small_work = (size_t)256 << 10;

/* A sweep in work, and its memory. */
typedef struct run {
    const opi_sweep *sweep;
    size_t blocks, parts;
    char *carries, *scratch, *total;
    size_t carry_stride, scratch_stride;
} run;

static void *carry_of(const run *r, size_t i) { return r->carries + i * r->carry_stride; }
static void *scratch_of(const run *r, size_t worker) { return r->scratch + worker * r->scratch_stride; }

/* --- map: blocks are independent ------------------------------------------------------------------------------- */

static void apply_alone(void *job, size_t worker, size_t block)
{
    const run *const r = job;
    r->sweep->apply(r->sweep, opi_block_begin(r->sweep, block), opi_block_end(r->sweep, block), NULL, NULL, false,
                    scratch_of(r, worker));
}

/* --- reduce: contiguous parts, joined in order at the end ------------------------------------------------------- */

/* The item at which part p begins. */
static size_t part_begin(const run *r, size_t p)
{
    const size_t whole = r->blocks / r->parts, rest = r->blocks % r->parts;
    const size_t block = whole * p + (p < rest ? p : rest);
    return block == r->blocks ? r->sweep->n : opi_block_begin(r->sweep, block);
}

static void aggregate_part(void *job, size_t worker, size_t part)
{
    const run *const r = job;
    r->sweep->start(r->sweep, part_begin(r, part), carry_of(r, part));
    r->sweep->aggregate(r->sweep, part_begin(r, part), part_begin(r, part + 1), carry_of(r, part),
                        scratch_of(r, worker));
}

static void reduce(oplus_device *dev, int workers, run *r, void *carry)
{
    opi_crew_run(&dev->crew, workers, aggregate_part, r, r->parts);
    for (size_t p = 0; p < r->parts; p++) r->sweep->join(r->sweep, carry, carry_of(r, p));
}

/* --- radix-sort pass: every block's summary before any block is applied ------------------------------------------- */

static void aggregate_block(void *job, size_t worker, size_t block)
{
    const run *const r = job;
    const size_t begin = opi_block_begin(r->sweep, block);
    r->sweep->start(r->sweep, begin, carry_of(r, block));
    r->sweep->aggregate(r->sweep, begin, opi_block_end(r->sweep, block), carry_of(r, block), scratch_of(r, worker));
}

static void apply_block(void *job, size_t worker, size_t block)
{
    const run *const r = job;
    r->sweep->apply(r->sweep, opi_block_begin(r->sweep, block), opi_block_end(r->sweep, block), carry_of(r, block),
                    r->total, true, scratch_of(r, worker));
}

/* Each block's summary becomes what precedes it; *carry what precedes the end. */
static void join_blocks(const run *r, void *carry, void *own)
{
    r->sweep->start(r->sweep, 0, r->total);
    for (size_t b = 0; b < r->blocks; b++) {
        r->sweep->join(r->sweep, r->total, carry_of(r, b));
        opi_carry_copy(r->sweep, own, carry);
        r->sweep->join(r->sweep, carry, carry_of(r, b));
        opi_carry_copy(r->sweep, carry_of(r, b), own);
    }
}

static void sweep_whole(oplus_device *dev, int workers, run *r, void *carry)
{
    r->total = carry_of(r, r->blocks);
    opi_crew_run(&dev->crew, workers, aggregate_block, r, r->blocks);
    join_blocks(r, carry, carry_of(r, r->blocks + 1));
    opi_crew_run(&dev->crew, workers, apply_block, r, r->blocks);
}

/* --- which of them ------------------------------------------------------------------------------------------------ */

static size_t carries_needed(const run *r)
{
    if (r->sweep->carry_bytes == 0) return 0;
    return r->sweep->whole ? r->blocks + 2 : r->parts;
}

static oplus_status no_memory(size_t bytes, size_t workers)
{
    return opi_fail(OPLUS_ERR_MEMORY,
                    "no memory for %zu bytes of scratch of %zu threads; free some, or open fewer threads", bytes,
                    workers);
}

oplus_status opi_threads_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry)
{
    if (sweep->n == 0) return OPLUS_OK;
    const size_t blocks = opi_blocks(sweep);
    if (blocks == 1 || sweep->bytes < small_work || dev->workers == 1 || omp_in_parallel())
        return opi_serial_sweep(dev, sweep, carry);

    const size_t workers = blocks < (size_t)dev->workers ? blocks : (size_t)dev->workers;
    const bool in_order = sweep->carry_bytes > 0 && sweep->apply && !sweep->whole;
    run r = {.sweep = sweep, .blocks = blocks};
    r.parts = blocks < workers * PARTS_PER_WORKER ? blocks : workers * PARTS_PER_WORKER;
    r.carry_stride = opi_round_up(sweep->carry_bytes, 2 * OPI_CACHE_LINE); /* pairs of lines prefetch */
    r.scratch_stride = opi_round_up(sweep->scratch_bytes, 2 * OPI_CACHE_LINE);
    const size_t more = in_order ? opi_in_order_bytes(sweep, workers) : carries_needed(&r) * r.carry_stride;
    const size_t bytes = r.carry_stride + workers * r.scratch_stride + more;
    if (!opi_crew_reserve(&dev->crew, dev->workers) || !opi_buffer_reserve(&dev->workspace, bytes))
        return no_memory(bytes, workers);
    char *const first = dev->workspace.mem;
    r.scratch = first + r.carry_stride;
    r.carries = r.scratch + workers * r.scratch_stride;
    if (!carry && sweep->carry_bytes) {
        carry = first;
        sweep->start(sweep, 0, carry);
    }
    if (in_order)
        opi_in_order_run(&dev->crew, (int)workers, sweep, carry, r.scratch, r.carries);
    else if (sweep->carry_bytes == 0)
        opi_crew_run(&dev->crew, (int)workers, apply_alone, &r, blocks);
    else if (sweep->whole)
        sweep_whole(dev, (int)workers, &r, carry);
    else
        reduce(dev, (int)workers, &r, carry);
    return OPLUS_OK;
}
