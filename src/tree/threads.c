/* The threads tree (OpenMP): blocks that fit a core's cache are dealt out in order, each aggregated and applied by the
 * same thread while it is still in cache, so that memory is read once and written once.
 *
 * Blocks are claimed in order by a counter, so the block before a claimed one is always in work or done: waiting for
 * its carry ends however few threads really run. */
#include "base/error.h"
#include "base/fpenv.h"
#include "tree/blocks.h"
#include "tree/team.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    PARTS_PER_WORKER = 4, /* of a reduction: a late thread leaves its share to others */
    SPINS_BEFORE_YIELD = 4096
};

/* Bytes moved below which starting threads costs more than it saves: docs/performance.md has the measurement. */
static const size_t small_work = (size_t)256 << 10;

/* What the workers of one sweep share; each counter has a cache line of its own. */
typedef struct shared_state {
    _Alignas(OPI_CACHE_LINE) atomic_size_t next; /* block to be claimed */
    _Alignas(OPI_CACHE_LINE) atomic_size_t turn; /* block whose carry is ready; with `whole`, to be applied next */
} shared_state;

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void wait_for_turn(atomic_size_t *turn, size_t block)
{
    for (unsigned spins = 0; atomic_load_explicit(turn, memory_order_acquire) != block; spins++) {
        if (spins < SPINS_BEFORE_YIELD)
            relax();
        else
            sched_yield(); /* the thread before us has lost its core */
    }
}

/* --- map: blocks are independent ------------------------------------------------------------------------------- */

static void run_independent(int workers, const opi_sweep *sweep, char *scratch, size_t scratch_stride)
{
    const size_t blocks = opi_blocks(sweep);
    shared_state shared = {0, 0};
#pragma omp parallel num_threads(workers)
    {
        const opi_fpenv mode = opi_fpenv_enter();
        char *const own = scratch + (size_t)omp_get_thread_num() * scratch_stride;
        for (size_t b; (b = atomic_fetch_add_explicit(&shared.next, 1, memory_order_relaxed)) < blocks;)
            sweep->apply(sweep, opi_block_begin(sweep, b), opi_block_end(sweep, b), NULL, NULL, false, own);
        opi_fpenv_leave(mode);
    }
}

/* --- reduce: contiguous parts, joined in order at the end ------------------------------------------------------- */

static void run_reduction(int workers, const opi_sweep *sweep, void *carry, size_t parts, char *carries,
                          size_t carry_stride, char *scratch, size_t scratch_stride)
{
    const size_t blocks = opi_blocks(sweep);
    shared_state shared = {0, 0};
#pragma omp parallel num_threads(workers)
    {
        const opi_fpenv mode = opi_fpenv_enter();
        char *const own = scratch + (size_t)omp_get_thread_num() * scratch_stride;
        for (size_t p; (p = atomic_fetch_add_explicit(&shared.next, 1, memory_order_relaxed)) < parts;) {
            const size_t begin = opi_block_begin(sweep, blocks / parts * p + (p < blocks % parts ? p : blocks % parts));
            const size_t q = p + 1;
            const size_t last = blocks / parts * q + (q < blocks % parts ? q : blocks % parts);
            const size_t end = last == blocks ? sweep->n : opi_block_begin(sweep, last);
            sweep->start(sweep, begin, carries + p * carry_stride);
            sweep->aggregate(sweep, begin, end, carries + p * carry_stride, own);
        }
        opi_fpenv_leave(mode);
    }
    for (size_t p = 0; p < parts; p++) sweep->join(sweep, carry, carries + p * carry_stride);
}

/* --- scan, filter: a carry is handed from block to block --------------------------------------------------------- */

/* A worker's two carries: its block's own and what precedes it. */
static void run_in_order(int workers, const opi_sweep *sweep, void *carry, char *carries, size_t carry_stride,
                         char *scratch, size_t scratch_stride)
{
    const size_t blocks = opi_blocks(sweep);
    shared_state shared = {0, 0};
#pragma omp parallel num_threads(workers)
    {
        const opi_fpenv mode = opi_fpenv_enter();
        const size_t worker = (size_t)omp_get_thread_num();
        char *const own = carries + 2 * worker * carry_stride, *const before = own + carry_stride;
        char *const mine = scratch + worker * scratch_stride;
        for (size_t b; (b = atomic_fetch_add_explicit(&shared.next, 1, memory_order_relaxed)) < blocks;) {
            const size_t begin = opi_block_begin(sweep, b), end = opi_block_end(sweep, b);
            sweep->start(sweep, begin, own);
            sweep->aggregate(sweep, begin, end, own, mine);
            wait_for_turn(&shared.turn, b);
            opi_carry_copy(sweep, before, carry);
            sweep->join(sweep, carry, own);
            atomic_store_explicit(&shared.turn, b + 1, memory_order_release);
            sweep->apply(sweep, begin, end, before, NULL, true, mine);
        }
        opi_fpenv_leave(mode);
    }
}

/* --- radix-sort pass: every block's summary before any block is applied ------------------------------------------- */

/* carries: one a block, then two more. */
static void run_whole(int workers, const opi_sweep *sweep, void *carry, char *carries, size_t carry_stride,
                      char *scratch, size_t scratch_stride)
{
    const size_t blocks = opi_blocks(sweep);
    char *const total = carries + blocks * carry_stride, *const own = total + carry_stride;
    shared_state shared = {0, 0};
#pragma omp parallel num_threads(workers)
    {
        char *const mine = scratch + (size_t)omp_get_thread_num() * scratch_stride;
        for (size_t b; (b = atomic_fetch_add_explicit(&shared.next, 1, memory_order_relaxed)) < blocks;) {
            sweep->start(sweep, opi_block_begin(sweep, b), carries + b * carry_stride);
            sweep->aggregate(sweep, opi_block_begin(sweep, b), opi_block_end(sweep, b), carries + b * carry_stride,
                             mine);
        }
#pragma omp barrier
#pragma omp single
        {
            /* Each block's summary becomes what precedes it. */
            sweep->start(sweep, 0, total);
            for (size_t b = 0; b < blocks; b++) {
                char *const before = carries + b * carry_stride;
                sweep->join(sweep, total, before);
                opi_carry_copy(sweep, own, carry);
                sweep->join(sweep, carry, before);
                opi_carry_copy(sweep, before, own);
            }
        }
        for (size_t b; (b = atomic_fetch_add_explicit(&shared.turn, 1, memory_order_relaxed)) < blocks;)
            sweep->apply(sweep, opi_block_begin(sweep, b), opi_block_end(sweep, b), carries + b * carry_stride, total,
                         true, mine);
    }
}

/* --- which of them ------------------------------------------------------------------------------------------------ */

static size_t carries_needed(const opi_sweep *sweep, size_t workers, size_t blocks, size_t *parts)
{
    *parts = blocks < workers * PARTS_PER_WORKER ? blocks : workers * PARTS_PER_WORKER;
    if (sweep->carry_bytes == 0) return 0;
    if (sweep->whole) return blocks + 2;
    return sweep->apply ? 2 * workers : *parts;
}

oplus_status opi_threads_sweep(oplus_device *dev, const opi_sweep *sweep, void *carry)
{
    if (sweep->n == 0) return OPLUS_OK;
    const size_t blocks = opi_blocks(sweep);
    if (blocks == 1 || sweep->bytes < small_work || dev->workers == 1 || omp_in_parallel())
        return opi_serial_sweep(dev, sweep, carry);

    const size_t workers = (size_t)opi_team(blocks < (size_t)dev->workers ? (int)blocks : dev->workers);
    if (workers == 1) return opi_serial_sweep(dev, sweep, carry);
    const size_t carry_stride = opi_round_up(sweep->carry_bytes, 2 * OPI_CACHE_LINE); /* pairs of lines prefetch */
    const size_t scratch_stride = opi_round_up(sweep->scratch_bytes, 2 * OPI_CACHE_LINE);
    size_t parts;
    const size_t carries = carries_needed(sweep, workers, blocks, &parts);
    const size_t bytes = (carries + 1) * carry_stride + workers * scratch_stride;
    if (!opi_buffer_reserve(&dev->workspace, bytes))
        return opi_fail(OPLUS_ERR_MEMORY,
                        "no memory for %zu bytes of scratch of %zu threads; free some, or open fewer threads", bytes,
                        workers);
    char *const all = dev->workspace.mem, *const first = all + carry_stride,
                *const scratch = first + carries * carry_stride;
    if (!carry && sweep->carry_bytes) {
        carry = all;
        sweep->start(sweep, 0, carry);
    }
    if (sweep->carry_bytes == 0)
        run_independent((int)workers, sweep, scratch, scratch_stride);
    else if (sweep->whole)
        run_whole((int)workers, sweep, carry, first, carry_stride, scratch, scratch_stride);
    else if (sweep->apply)
        run_in_order((int)workers, sweep, carry, first, carry_stride, scratch, scratch_stride);
    else
        run_reduction((int)workers, sweep, carry, parts, first, carry_stride, scratch, scratch_stride);
    return OPLUS_OK;
}
