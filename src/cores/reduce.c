#include "cores/reduce.h"
#include "task/combine.h"

#include <oplus/moments.h>

#include <assert.h>
#include <string.h>

enum { BLOCK_BYTES = 64 << 10 }; /* what a thread claims at a time */

size_t opi_reduce_scratch(const opi_loops *loops)
{
    return opi_round_up(loops->size, OPI_CACHE_LINE) + opi_loops_scratch(loops);
}

/* value = reduce of n > 0 elements by an exact built-in operator.  It starts from the identity rather than from in[0],
 * so that vectors are loaded from where the array begins; one element alone is itself, also for logical operators,
 * which make 0 or 1 of what they join. */
static void reduce_exact(const opi_loops *loops, const char *in, size_t n, void *value)
{
    memcpy(value, n == 1 ? in : loops->op->identity, loops->size);
    if (n > 1) loops->exact->reduce(in, n, value);
}

void opi_reduce_append(const opi_loops *loops, const void *in, size_t n, opi_range *range, void *scratch)
{
    const char *x = in;
    char *const node = scratch, *const rest = node + opi_round_up(loops->size, OPI_CACHE_LINE);
    if (n == 0) return;
    if (loops->exact) {
        reduce_exact(loops, x, n, node);
        opi_range_push_exact(range, n, node, 0);
        return;
    }
    while (n > 0) {
        const unsigned level = opi_loops_fit(loops->node_level, range->end, n);
        if (level <= loops->level) opi_loops_prefetch(loops, x, level, n);
        opi_loops_node(loops, x, level, node, rest);
        opi_range_push(range, level, node, 0);
        x += loops->size << level;
        n -= (size_t)1 << level;
    }
}

size_t opi_reduce_seen_scratch(const opi_loops *loops, const opi_lens *lens)
{
    return opi_lens_room(lens) + opi_reduce_scratch(loops);
}

void opi_reduce_seen(const opi_loops *loops, const opi_lens *lens, size_t begin, size_t end, uint64_t at,
                     opi_range *range, char *scratch)
{
    char *const rest = scratch + opi_lens_room(lens);
    for (size_t i = begin, n; i < end; i += n) {
        n = opi_lens_piece(lens, i, end, at + (i - begin));
        opi_reduce_append(loops, opi_lens_see(lens, i, n, scratch), n, range, rest);
    }
}

void opi_reduce_slice(const opi_loops *loops, const void *in, size_t n, void *out, void *scratch)
{
    const char *x = in;
    char *const node = scratch, *const rest = node + opi_round_up(loops->size, OPI_CACHE_LINE);
    assert(n > 0 && n <= opi_reduce_slice_limit(loops));
    if (loops->exact) {
        reduce_exact(loops, x, n, out);
    } else {
        for (const char *first = x; n > 0;) {
            const unsigned level = opi_loops_fit(loops->node_level, 0, n);
            opi_loops_node(loops, x, level, x == first ? out : node, rest);
            if (x != first) opi_combine(loops->op, out, out, node);
            x += loops->size << level;
            n -= (size_t)1 << level;
        }
    }
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    const opi_reduce_sweep *plan = (const opi_reduce_sweep *)sweep;
    opi_range_start(carry, plan->loops.op, plan->first + at, false);
}

/* Appends elements [begin, end) to a range of moments. */
static void append_moments(const opi_reduce_sweep *plan, size_t begin, size_t end, opi_range *range)
{
    const size_t size = plan->lens.fn->input[0]->size;
    oplus_moments node;
    for (size_t i = begin; i < end;) {
        const unsigned level = opi_loops_fit(OPI_MOMENTS_LEVEL, range->end, end - i);
        plan->moments(plan->lens.in[0] + i * size, level, &node);
        opi_range_push(range, level, &node, 0);
        i += (size_t)1 << level;
    }
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_reduce_sweep *plan = (const opi_reduce_sweep *)sweep;
    if (plan->moments)
        append_moments(plan, begin, end, carry);
    else
        opi_reduce_seen(&plan->loops, &plan->lens, begin, end, plan->first + begin, carry, scratch);
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    opi_range_join(left, right);
}

static void finish(const opi_sweep *sweep, void *carry, void *out)
{
    const opi_reduce_sweep *plan = (const opi_reduce_sweep *)sweep;
    const void *const value = opi_range_fold(carry);
    memcpy(out, value ? value : plan->loops.op->identity, plan->loops.size);
    opi_quiet_run(&plan->loops.quiet, out, 1);
}

void opi_reduce_plan(opi_reduce_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const size_t size = task->op->type->size;
    opi_sweep_clear(&plan->sweep);
    opi_loops_plan(&plan->loops, task->op, isa, task->n * size);
    opi_lens_plan(&plan->lens, isa, task, size);
    plan->moments = opi_moments_node_of(isa, task->before, task->op);
    plan->first = task->first;
    const size_t block = opi_loops_block(&plan->loops, plan->loops.node_level, BLOCK_BYTES);
    plan->sweep.n = task->n;
    plan->sweep.block = block;
    plan->sweep.skew = (size_t)(task->first % block);
    plan->sweep.bytes = task->n * size;
    plan->sweep.carry_bytes = opi_range_bytes(task->op);
    plan->sweep.scratch_bytes = opi_reduce_seen_scratch(&plan->loops, &plan->lens);
    plan->sweep.start = start;
    plan->sweep.aggregate = aggregate;
    plan->sweep.join = join;
    plan->sweep.finish = finish;
}
