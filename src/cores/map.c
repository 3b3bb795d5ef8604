#include "cores/map.h"

#include "base/memory.h"
#include "task/late.h"

#include <string.h>

enum {
    PIECE_BYTES = 16 << 10, /* of results: a piece stays in a first-level cache until it is looked over */
    /* A piece on its way to memory, small so that reading and writing alternate often: 0.24 ns an element instead of
     * 0.43 (f32, 64 MiB; Zen 4, 2026-11-22), with two inputs 0.46 instead of 0.68. */
    STREAMED_BYTES = 4 << 10,
    BLOCK_BYTES = 256 << 10,
    ALIGNED_BYTES = 2 << 10 /* of results from which on a shorter first piece pays, which aligns the others */
};

/* How many elements the piece at i has, of the `left` ones: full ones begin and end where cache lines do, as vectors
 * that lie across two take longer. */
static size_t piece_at(const opi_map_sweep *plan, size_t i, size_t left)
{
    const size_t size = plan->fn->result->size, head = -(uintptr_t)(plan->out + i * size) % OPI_CACHE_LINE;
    if (head > 0 && left * size >= ALIGNED_BYTES && head % size == 0) return head / size;
    return left < plan->piece ? left : plan->piece;
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_map_sweep *plan = (const opi_map_sweep *)sweep;
    const oplus_fn *fn = plan->fn;
    const size_t size = fn->result->size;
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t i = begin, n; i < end; i += n) {
        n = piece_at(plan, i, end - i);
        opi_operands operands;
        for (unsigned k = 0; k < fn->arity; k++) operands.in[k] = plan->in[k] + i * fn->input[k]->size;
        char *const out = plan->out + i * size, *const to = plan->streaming ? scratch : out;
        opi_leaf_run(plan->leaf, fn, &operands, plan->index, i, n, to);
        opi_quiet_run(&plan->quiet, to, n);
        const bool reads_on = fn->arity > 0 && end - i >= n + plan->piece;
        const void *const next = reads_on ? plan->in[0] + (i + n) * fn->input[0]->size : NULL;
        if (plan->streaming) plan->isa->stream(out, to, n * size, next);
    }
    if (plan->streaming) plan->isa->fence();
}

void opi_map_plan(opi_map_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const oplus_fn *const fn = task->fn;
    const size_t n = task->n, size = fn->result->size;
    opi_sweep_clear(&plan->sweep);
    plan->fn = fn;
    plan->leaf = opi_leaf_of(fn);
    plan->index = opi_task_index(task);
    plan->isa = isa;
    opi_quiet_plan(&plan->quiet, isa, fn->result);
    plan->out = (char *)task->array[fn->arity].mem;
    size_t bytes = size;
    plan->streaming = n * size >= OPI_STREAMING_BYTES;
    for (unsigned k = 0; k < fn->arity; k++) {
        plan->in[k] = task->array[k].mem;
        bytes += fn->input[k]->size;
        if (plan->in[k] == plan->out) plan->streaming = false; /* its lines are in the cache when they are written */
    }
    const size_t most = plan->streaming ? STREAMED_BYTES : PIECE_BYTES;
    const size_t piece = opi_elements_in(most, size);
    plan->piece = piece;
    plan->sweep.n = n;
    plan->sweep.block = size < most ? piece * (BLOCK_BYTES / most) : opi_elements_in(BLOCK_BYTES, size);
    plan->sweep.bytes = n * bytes;
    plan->sweep.scratch_bytes = plan->streaming ? piece * size : 0;
    plan->sweep.apply = apply;
}
