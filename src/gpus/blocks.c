#include "gpus/blocks.h"

#include "base/error.h"
#include "gpus/order.h"
#include "gpus/together.h"
#include "task/late.h"

enum {
    UNIT = 4096,           /* blocks end at multiples of so many items: whole bytes of a mask, whole tiles */
    LEAST_BYTES = 64 << 20 /* of the host's arrays: fewer are copied sooner to one GPU (an estimate) */
};

/* --- blocks of a task --------------------------------------------------------------------------------------------- */

/* The arrays that every worker needs whole: what a search searches, and what a take takes from. */
static bool is_whole(const opi_task *task, int k)
{
    return (task->what == OPI_BOUNDS && k == OPI_SORTED) || (task->what == OPI_TAKE && k == OPI_TABLE);
}

static opi_task block_of(const opi_task *task, uint64_t begin, uint64_t end)
{
    opi_task block = *task;
    block.n = (size_t)(end - begin);
    block.first += begin;
    for (int k = 0; k < task->arrays; k++) {
        opi_array *const array = &block.array[k];
        if (!array->mem || is_whole(task, k)) continue;
        array->mem = (const char *)array->mem + begin * array->size;
        array->items = block.n;
    }
    if (task->what == OPI_TAKE) {
        block.indices.at = block.array[OPI_INDICES].mem;
        block.indices.count = block.n;
    }
    return block;
}

void opi_gpus_cut(opi_gpus_job *job, opi_gpus_blocks *blocks)
{
    const uint64_t count = job->g->count, n = job->task->n;
    *blocks = (opi_gpus_blocks){.job = job};
    for (uint64_t w = 0; w <= count; w++) blocks->begin[w] = w == count ? n : n / count * w / UNIT * UNIT;
    for (uint64_t w = 0; w < count; w++) blocks->of[w] = block_of(job->task, blocks->begin[w], blocks->begin[w + 1]);
}

/* --- blocks that need nothing of each other ------------------------------------------------------------------------ */

static oplus_status run_block(void *context, unsigned w)
{
    const opi_gpus_blocks *const b = context;
    oplus_device *const worker = b->job->g->worker[w];
    return worker->machine->run(worker, b->job->call, &b->of[w], NULL);
}

static oplus_status run_apart(opi_gpus_blocks *blocks) { return opi_gpus_together(blocks->job->g, run_block, blocks); }

/* --- the way ------------------------------------------------------------------------------------------------------ */

static oplus_status (*const primitives[OPI_PRIMITIVES])(opi_gpus_blocks *blocks) = {
    [OPI_REDUCE] = opi_gpus_reduce_blocks,   [OPI_SCAN] = opi_gpus_scan_blocks, [OPI_MAP] = run_apart,
    [OPI_EXTREME] = opi_gpus_extreme_blocks, [OPI_BOUNDS] = run_apart,          [OPI_TAKE] = run_apart,
};

static size_t bytes_at(const opi_gpus_job *job, opi_gpus_side side)
{
    size_t bytes = 0;
    for (int k = 0; k < job->task->arrays; k++) {
        const opi_array *const array = &job->task->array[k];
        if (array->mem && job->place[k].side == side) bytes += array->items * array->size;
    }
    return bytes;
}

/* Whether the host has the code of the operator: it is not compiled for a call that a GPU can do alone. */
static bool host_can_join(const opi_task *task)
{
    return !task->op || !task->op->late || atomic_load_explicit(&task->op->late->ready, memory_order_acquire);
}

/* A call on memory of the device must not wait, and joining blocks on the host waits. */
bool opi_gpus_blocks_can(const opi_gpus_job *job)
{
    const opi_primitive what = job->task->what;
    if (!primitives[what] || job->task->n < (size_t)job->g->count * UNIT) return false;
    if (what == OPI_MAP || what == OPI_BOUNDS) return true;
    if (what == OPI_TAKE)
        return job->task->indices.clip; /* a message would count wrong indices from the block's first */
    if (what == OPI_EXTREME) return job->result.side == OPI_LIES_ON_HOST;
    return bytes_at(job, OPI_LIES_ON_HOST) > 0 && host_can_join(job->task);
}

/* The host's arrays come over all links at the same time; a scan reads its input twice. */
bool opi_gpus_blocks_suit(const opi_gpus_job *job)
{
    if (bytes_at(job, OPI_LIES_ON_ONE) > 0 || opi_gpus_too_little(job)) return false;
    if (job->task->what == OPI_SCAN && job->g->count < 3) return false;
    return bytes_at(job, OPI_LIES_ON_HOST) + bytes_at(job, OPI_LIES_DEALT) >= LEAST_BYTES;
}

static oplus_status take_block(void *context, unsigned w)
{
    const opi_gpus_blocks *const b = context;
    oplus_device *const worker = b->job->g->worker[w];
    return worker->machine->takes(worker, b->job->call, &b->of[w]);
}

oplus_status opi_gpus_blocks_take(opi_gpus_job *job)
{
    opi_gpus_blocks blocks;
    opi_gpus_cut(job, &blocks);
    return opi_gpus_together(job->g, take_block, &blocks);
}

/* All workers have what they need before one of them writes. */
oplus_status opi_gpus_blocks_run(opi_gpus_job *job)
{
    opi_gpus_blocks blocks;
    opi_gpus_cut(job, &blocks);
    OPI_TRY(opi_gpus_together(job->g, take_block, &blocks));
    OPI_TRY(opi_gpus_begin_all(job->g, job->call));
    return primitives[job->task->what](&blocks);
}
