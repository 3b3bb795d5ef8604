/* Blocks whose summaries are joined on the host: those of reduces and scans, and extremes. */
#include "base/error.h"
#include "base/memory.h"
#include "gpus/blocks.h"
#include "gpus/together.h"
#include "task/extreme.h"

#include <string.h>

/* --- reduces and scans -------------------------------------------------------------------------------------------- */

/* The summaries of all blocks: memory of count + 1 ranges, the last of which is for what has been joined. */
typedef struct summaries {
    opi_gpus_blocks *blocks;
    char *mem;
    size_t each;
    opi_ticket ticket[OPI_MOST_WORKERS];
} summaries;

static opi_range *range_at(const summaries *s, unsigned w) { return (opi_range *)(void *)(s->mem + w * s->each); }

static oplus_status summarise(void *context, unsigned w)
{
    summaries *const s = context;
    const opi_gpus_job *const job = s->blocks->job;
    oplus_device *const worker = job->g->worker[w];
    const opi_task *const block = &s->blocks->of[w];
    opi_range_start(range_at(s, w), block->op, block->first, block->lifted);
    return worker->machine->summarise(worker, job->call, block, range_at(s, w), &s->ticket[w]);
}

static oplus_status apply(void *context, unsigned w)
{
    summaries *const s = context;
    const opi_gpus_job *const job = s->blocks->job;
    oplus_device *const worker = job->g->worker[w];
    return worker->machine->apply(worker, job->call, &s->blocks->of[w], range_at(s, w), &s->ticket[w]);
}

/* Makes each summary what precedes its block, and *all what precedes the end. */
static void shift(const summaries *s, opi_range *all)
{
    opi_range *const before = range_at(s, s->blocks->job->g->count + 1);
    for (unsigned w = 0; w < s->blocks->job->g->count; w++) {
        opi_range_copy(before, all);
        opi_range_join(all, range_at(s, w));
        opi_range_copy(range_at(s, w), before);
    }
}

static oplus_status give(const opi_gpus_job *job, opi_range *all)
{
    unsigned char *const value = opi_alloc(job->task->result_bytes);
    if (!value) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a result; free some", job->call);
    opi_range_value(all, value);
    oplus_device *const worker = job->g->worker[0];
    const oplus_status status =
        worker->machine->copy(worker, job->call, job->task->result, value, job->task->result_bytes);
    opi_free(value);
    return status;
}

static oplus_status join(summaries *s)
{
    opi_gpus_job *const job = s->blocks->job;
    opi_range *const all = range_at(s, job->g->count);
    if (job->carry)
        opi_range_copy(all, job->carry);
    else
        opi_range_start(all, job->task->op, job->task->first, job->task->lifted);
    OPI_TRY(opi_gpus_together(job->g, summarise, s));
    shift(s, all);
    if (job->task->what == OPI_SCAN) OPI_TRY(opi_gpus_together(job->g, apply, s));
    if (job->task->result) return give(job, all);
    if (job->carry) opi_range_copy(job->carry, all);
    return OPLUS_OK;
}

static oplus_status run(opi_gpus_blocks *blocks)
{
    const opi_gpus_job *const job = blocks->job;
    summaries s = {.blocks = blocks, .each = opi_round_up(opi_range_bytes(job->task->op), OPI_CACHE_LINE)};
    s.mem = opi_alloc((job->g->count + 2) * s.each);
    if (!s.mem)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %u summaries of %zu bytes; free some", job->call,
                        job->g->count + 2, s.each);
    const oplus_status status = join(&s);
    opi_free(s.mem);
    return status;
}

oplus_status opi_gpus_reduce_blocks(opi_gpus_blocks *blocks) { return run(blocks); }
oplus_status opi_gpus_scan_blocks(opi_gpus_blocks *blocks) { return run(blocks); }

/* --- extremes ----------------------------------------------------------------------------------------------------- */

static oplus_status look(void *context, unsigned w)
{
    opi_gpus_blocks *const b = context;
    opi_extreme *const found = (opi_extreme *)b->own + w;
    oplus_device *const worker = b->job->g->worker[w];
    opi_task own = b->of[w];
    own.result = found;
    own.result_bytes = sizeof *found;
    own.extreme.gives = OPI_GIVES_RECORD;
    OPI_TRY(worker->machine->run(worker, b->job->call, &own, NULL));
    for (int side = 0; side < 2; side++)
        if (own.extreme.sides >> side & 1)
            found->side[side].at += b->begin[w]; /* places count from the block's first */
    return OPLUS_OK;
}

oplus_status opi_gpus_extreme_blocks(opi_gpus_blocks *blocks)
{
    const opi_task *const task = blocks->job->task;
    opi_extreme found[OPI_MOST_WORKERS], all = opi_extreme_of_nothing();
    for (unsigned w = 0; w < OPI_MOST_WORKERS; w++) found[w] = all;
    blocks->own = found;
    OPI_TRY(opi_gpus_together(blocks->job->g, look, blocks));
    for (unsigned w = 0; w < blocks->job->g->count; w++) opi_extreme_join(&all, &found[w]);
    if (task->extreme.gives == OPI_GIVES_RECORD)
        memcpy(task->result, &all, sizeof all);
    else
        opi_extreme_give(task, &all);
    return OPLUS_OK;
}
