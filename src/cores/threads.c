/* Several threads: blocks that fit a core's cache, or contiguous parts, are dealt out in order, and nobody waits for a
 * thread that has not got a core (cores/crew.h). */
#include "cores/blocks.h"
#include "cores/crew.h"
#include "cores/in_order.h"
#include "cores/ways.h"

#include "base/error.h"

enum { PARTS_PER_WORKER = 4 /* of a reduction: a late thread leaves its share to others */ };

/* What precedes item 0: the caller's carry, or without one an empty carry, made in `first`. */
static void *carry_from(const opi_sweeping *s, void *first)
{
    if (s->carry || s->sweep->carry_bytes == 0) return s->carry;
    s->sweep->start(s->sweep, 0, first);
    return first;
}

/* --- map: blocks are independent ---------------------------------------------------------------------------------- */

static void apply_alone(void *job, size_t worker, size_t block)
{
    const opi_parts *const p = job;
    p->sweep->apply(p->sweep, opi_block_begin(p->sweep, block), opi_block_end(p->sweep, block), NULL, NULL, false,
                    opi_part_scratch(p, worker));
}

oplus_status opi_sweep_independent(const opi_sweeping *s)
{
    opi_parts blocks = opi_parts_of(s->sweep, SIZE_MAX);
    OPI_TRY(opi_workspace_reserve(s, s->workers * blocks.scratch_stride));
    blocks.scratch = s->cores->workspace.mem;
    opi_crew_run(&s->cores->crew, (int)s->workers, apply_alone, &blocks, blocks.count);
    return OPLUS_OK;
}

/* --- reduce: contiguous parts, joined in order at the end --------------------------------------------------------- */

oplus_status opi_sweep_parts(const opi_sweeping *s)
{
    opi_parts parts = opi_parts_of(s->sweep, s->workers * PARTS_PER_WORKER);
    OPI_TRY(opi_workspace_reserve(s, (1 + parts.count) * parts.carry_stride + s->workers * parts.scratch_stride));
    char *const first = s->cores->workspace.mem;
    void *const carry = carry_from(s, first);
    parts.scratch = first + parts.carry_stride;
    parts.carries = parts.scratch + s->workers * parts.scratch_stride;
    opi_parts_aggregate(s, &parts);
    for (size_t p = 0; p < parts.count; p++) s->sweep->join(s->sweep, carry, opi_part_carry(&parts, p));
    return OPLUS_OK;
}

/* --- radix-sort pass: every block's summary before any block is applied ------------------------------------------- */

typedef struct whole {
    opi_parts blocks;
    void *total;
} whole;

static void apply_block(void *job, size_t worker, size_t block)
{
    const whole *const w = job;
    const opi_sweep *const sweep = w->blocks.sweep;
    sweep->apply(sweep, opi_block_begin(sweep, block), opi_block_end(sweep, block), opi_part_carry(&w->blocks, block),
                 w->total, true, opi_part_scratch(&w->blocks, worker));
}

/* Replaces each block's summary by what precedes the block; *carry becomes what precedes the end. */
static void join_blocks(const whole *w, void *carry, void *own)
{
    const opi_sweep *const sweep = w->blocks.sweep;
    sweep->start(sweep, 0, w->total);
    for (size_t b = 0; b < w->blocks.count; b++) {
        void *const block = opi_part_carry(&w->blocks, b);
        sweep->join(sweep, w->total, block);
        opi_carry_copy(sweep, own, carry);
        sweep->join(sweep, carry, block);
        opi_carry_copy(sweep, block, own);
    }
}

oplus_status opi_sweep_whole(const opi_sweeping *s)
{
    whole w = {.blocks = opi_parts_of(s->sweep, SIZE_MAX)};
    opi_parts *const blocks = &w.blocks;
    OPI_TRY(opi_workspace_reserve(s, (3 + blocks->count) * blocks->carry_stride + s->workers * blocks->scratch_stride));
    char *const first = s->cores->workspace.mem, *const own = first + blocks->carry_stride;
    void *const carry = carry_from(s, first);
    w.total = own + blocks->carry_stride;
    blocks->scratch = (char *)w.total + blocks->carry_stride;
    blocks->carries = blocks->scratch + s->workers * blocks->scratch_stride;
    opi_parts_aggregate(s, blocks);
    join_blocks(&w, carry, own);
    opi_crew_run(&s->cores->crew, (int)s->workers, apply_block, &w, blocks->count);
    return OPLUS_OK;
}

/* --- scan, filter: each block while it is in a cache -------------------------------------------------------------- */

oplus_status opi_sweep_in_order(const opi_sweeping *s)
{
    const opi_parts blocks = opi_parts_of(s->sweep, 1); /* its strides */
    const size_t scratch = s->workers * blocks.scratch_stride;
    OPI_TRY(opi_workspace_reserve(s, blocks.carry_stride + scratch + opi_in_order_bytes(s->sweep, s->workers)));
    char *const first = s->cores->workspace.mem, *const own = first + blocks.carry_stride;
    opi_in_order_run(&s->cores->crew, (int)s->workers, s->sweep, carry_from(s, first), own, own + scratch);
    return OPLUS_OK;
}
