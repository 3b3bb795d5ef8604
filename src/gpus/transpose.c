/* The way "blocks" of a transpose: each worker turns some rows, or some columns, over into the result. */
#include "base/error.h"
#include "gpus/order.h"
#include "gpus/ways.h"

enum { UNIT = 64 /* rows or columns of a block are a multiple: tiles are whole, and lines of the result, too */ };

typedef struct blocks {
    bool by_rows;
    size_t begin[OPI_MOST_WORKERS + 1];
} blocks;

/* The longer side is cut. */
static blocks cut(const opi_gpus_job *job)
{
    const size_t rows = job->task->matrix.rows, cols = job->task->matrix.cols, count = job->g->count;
    blocks b = {.by_rows = rows >= cols};
    const size_t side = b.by_rows ? rows : cols;
    for (size_t w = 0; w <= count; w++) b.begin[w] = w == count ? side : side / count * w / UNIT * UNIT;
    return b;
}

static opi_task block_of(const opi_task *task, const blocks *b, unsigned w)
{
    const size_t first = b->begin[w], count = b->begin[w + 1] - first, size = task->array[OPI_IN].size;
    const size_t rows = task->matrix.rows, cols = task->matrix.cols;
    opi_task block = *task;
    block.array[OPI_IN].mem = (const char *)task->array[OPI_IN].mem + (b->by_rows ? first * cols : first) * size;
    block.array[OPI_TURNED_OUT].mem =
        (const char *)task->array[OPI_TURNED_OUT].mem + (b->by_rows ? first : first * rows) * size;
    block.matrix.rows = b->by_rows ? count : rows;
    block.matrix.cols = b->by_rows ? cols : count;
    block.n = block.array[OPI_IN].items = block.array[OPI_TURNED_OUT].items = block.matrix.rows * block.matrix.cols;
    return block;
}

/* In place, tiles change places with tiles of other blocks. */
bool opi_gpus_transpose_can(const opi_gpus_job *job)
{
    const opi_task *const task = job->task;
    if (task->what != OPI_TRANSPOSE || task->array[OPI_IN].mem == task->array[OPI_TURNED_OUT].mem) return false;
    if (task->matrix.rows < 2 || task->matrix.cols < 2) return false;
    const size_t longer = task->matrix.rows > task->matrix.cols ? task->matrix.rows : task->matrix.cols;
    return longer >= (size_t)job->g->count * UNIT && job->place[OPI_IN].side != OPI_LIES_ON_HOST &&
           job->place[OPI_TURNED_OUT].side != OPI_LIES_ON_HOST;
}

bool opi_gpus_transpose_suits(const opi_gpus_job *job)
{
    return job->place[OPI_IN].side == OPI_LIES_DEALT && job->place[OPI_TURNED_OUT].side == OPI_LIES_DEALT &&
           !opi_gpus_too_little(job);
}

static oplus_status each(opi_gpus_job *job, bool run)
{
    const blocks b = cut(job);
    for (unsigned w = 0; w < job->g->count; w++) {
        oplus_device *const worker = job->g->worker[w];
        const opi_task block = block_of(job->task, &b, w);
        OPI_TRY(run ? worker->machine->run(worker, job->call, &block, NULL)
                    : worker->machine->takes(worker, job->call, &block));
    }
    return OPLUS_OK;
}

oplus_status opi_gpus_transpose_run(opi_gpus_job *job)
{
    OPI_TRY(each(job, false));
    OPI_TRY(opi_gpus_begin_all(job->g, job->call));
    return each(job, true);
}

oplus_status opi_gpus_transpose_take(opi_gpus_job *job) { return each(job, false); }
