#include "cores/filter.h"

#include "base/memory.h"
#include "cores/counting.h"
#include "task/late.h"

#include <assert.h>
#include <string.h>

enum {
    BLOCK_BYTES = 128 << 10, /* the kept ones of a block wait in a second-level cache until their place is known */
    PIECE_BYTES = 16 << 10   /* of the input: with its flags and its kept ones in a first-level cache */
};

/* Scratch of a worker: how many elements of its block are kept, the flags of a piece, a piece of made elements, the kept
 * elements. */
typedef struct workspace {
    size_t *kept;
    uint8_t *flags;
    char *made, *elements;
} workspace;

static size_t flags_bytes(size_t size) { return opi_round_up(opi_elements_in(PIECE_BYTES, size), OPI_CACHE_LINE); }

static size_t piece_elements(const opi_filter_sweep *plan)
{
    return plan->lens.fn ? plan->lens.piece : opi_elements_in(PIECE_BYTES, plan->size);
}

static workspace workspace_in(const opi_filter_sweep *plan, char *scratch)
{
    workspace w;
    w.kept = (size_t *)scratch;
    w.flags = (uint8_t *)scratch + OPI_CACHE_LINE;
    w.made = scratch + OPI_CACHE_LINE + flags_bytes(plan->size);
    w.elements = w.made + opi_lens_room(&plan->lens);
    return w;
}

/* Compacts n elements from element i on, at most a piece, to `to`, which has room for all; returns how many are kept. */
static size_t compact_piece(const opi_filter_sweep *plan, size_t i, size_t n, const workspace *w, char *to)
{
    const char *const in = opi_lens_see(&plan->lens, i, n, w->made);
    opi_operands operands = {.in = {in}};
    opi_leaf_run(plan->leaf, plan->keep, &operands, plan->index, i, n, w->flags);
    return plan->isa->compact(in, w->flags, n, plan->size, to);
}

static void put(const opi_filter_sweep *plan, size_t at, const char *elements, size_t n)
{
    if (n == 0) return; /* out need not point to memory if nothing is kept */
    char *const to = plan->out + at * plan->size;
    if (plan->streaming)
        plan->isa->stream(to, elements, n * plan->size, NULL);
    else
        memcpy(to, elements, n * plan->size);
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_filter_sweep *plan = (const opi_filter_sweep *)sweep;
    const workspace w = workspace_in(plan, scratch);
    const size_t piece = piece_elements(plan);
    assert(end - begin <= sweep->block);
    size_t kept = 0;
    for (size_t i = begin; i < end; i += piece) {
        const size_t n = end - i < piece ? end - i : piece;
        kept += compact_piece(plan, i, n, &w, w.elements + kept * plan->size);
    }
    *w.kept = kept;
    *(size_t *)carry += kept;
}

/* Where nothing was aggregated (one thread) each piece is put in its place while it is in a first-level cache. */
static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_filter_sweep *plan = (const opi_filter_sweep *)sweep;
    const workspace w = workspace_in(plan, scratch);
    const size_t piece = piece_elements(plan);
    size_t *const before = carry;
    (void)total;
    if (aggregated) {
        put(plan, *before, w.elements, *w.kept);
        *before += *w.kept;
    } else {
        for (size_t i = begin; i < end; i += piece) {
            const size_t n = end - i < piece ? end - i : piece;
            const size_t kept = compact_piece(plan, i, n, &w, w.elements);
            put(plan, *before, w.elements, kept);
            *before += kept;
        }
    }
    if (plan->streaming) plan->isa->fence();
}

/* Whether `out` may overlap elements that other workers are reading. */
static bool overlaps(const opi_lens *lens, const opi_task *task, const char *out, size_t bytes)
{
    const unsigned inputs = lens->fn ? lens->fn->arity : 1;
    for (unsigned k = 0; k < inputs; k++) {
        const uintptr_t in = (uintptr_t)lens->in[k], to = (uintptr_t)out;
        const size_t in_bytes = task->n * (lens->fn ? lens->fn->input[k]->size : lens->size);
        if (to < in + in_bytes && in < to + bytes) return true;
    }
    return false;
}

void opi_filter_plan(opi_filter_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    char *const out = (char *)opi_task_written(task)->mem;
    const size_t size = opi_task_written(task)->size, n = task->n;
    opi_sweep_clear(&plan->sweep);
    plan->keep = task->fn;
    plan->leaf = opi_leaf_of(task->fn);
    plan->index = opi_task_index(task);
    plan->isa = isa;
    plan->size = size;
    opi_lens_plan(&plan->lens, isa, task, size);
    plan->out = out;
    /* in place, the lines are in the cache */
    plan->streaming = !opi_lens_sees(&plan->lens, out) && n * size >= OPI_STREAMING_BYTES;
    /* Kept elements move to the front, over blocks that other workers may be reading. */
    plan->sweep.overtakes = overlaps(&plan->lens, task, out, n * size);
    plan->sweep.n = n;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, size);
    plan->sweep.bytes = 2 * n * size;
    plan->sweep.carry_bytes = sizeof(size_t);
    plan->sweep.scratch_bytes = OPI_CACHE_LINE + flags_bytes(size) + opi_lens_room(&plan->lens) +
                                plan->sweep.block * size + OPI_COMPACT_OVERRUN;
    plan->sweep.start = opi_count_start;
    plan->sweep.aggregate = aggregate;
    plan->sweep.join = opi_count_join;
    plan->sweep.apply = apply;
    plan->sweep.finish = opi_count_finish;
}
