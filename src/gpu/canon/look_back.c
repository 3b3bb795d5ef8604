#include "gpu/canon/look_back.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/shared.h"

#include <stdlib.h>

enum {
    ARCHITECTURE = 70,     /* the first whose work-groups make progress independently of each other's work-items */
    LOG_W = 8,             /* a work-group looks at so many neighbours together */
    LEVELS = 3,            /* of nodes; each has 2^LOG_W times the tiles of the one before */
    LARGEST = 16,          /* bytes of an element */
    HEAD_PLACES = 16,      /* as OPI_FIRST_PUBLISHED of published.cl */
    BULK_COPIES = 90,      /* the first architecture that has them */
    MOST_TILES = 512,      /* for which it is faster than the way "pipeline", and than three launches */
    LARGE_TILE = 16 << 10, /* bytes; work-groups of smaller tiles spend more time on nodes than on elements */
    POLL_PAUSE = 20        /* nanoseconds between two looks */
};

#define PATIENCE UINT64_C(20000000000) /* cycles that a warp waits before it gives up: some ten seconds */

bool opi_look_back_fits(const opi_gpu_facts *facts, opi_shape shape, size_t element)
{
    return facts->architecture >= ARCHITECTURE && facts->lanes == 32 && shape.log_w == LOG_W && element <= LARGEST;
}

void opi_look_back_write(opi_gpu_source *source, unsigned residents)
{
    opi_gpu_define(source, "OPI_RESIDENTS", residents);
    opi_gpu_define(source, "OPI_LOOK_LEVELS", LEVELS);
    opi_gpu_define(source, "OPI_PATIENCE", PATIENCE);
    opi_gpu_define(source, "OPI_POLL_PAUSE", POLL_PAUSE);
    opi_gpu_write_kernels(source, "published");
    opi_gpu_write_kernels(source, "look_back");
}

/* --- what it can --------------------------------------------------------------------------------------------------- */

static uint64_t tiles_of(const opi_job *job, uint64_t n)
{
    const uint64_t tile = opi_tile(job->shape);
    return n / tile + (n % tile > 0);
}

/* It does whole tasks, which nothing precedes and nobody carries on. */
static bool is_whole(const opi_job *job, uint64_t n)
{
    const bool has_carry = job->carry && (job->carry->count > 0 || job->keep);
    return n == job->task->n && job->task->first == 0 && !has_carry && !job->keeps_nodes && !job->has_nodes;
}

bool opi_look_back_can(const opi_job *job, uint64_t n)
{
    const opi_task *const task = job->task;
    const bool tells = task->result && task->what != OPI_FILTER &&
                       task->what != OPI_SELECT; /* a scan is not asked for its last result */
    return opi_look_back_fits(&job->g->gpu->facts, job->shape, opi_task_element(task)) && is_whole(job, n) && !tells &&
           tiles_of(job, n) <= (uint64_t)1 << LOG_W * LEVELS;
}

/* See docs/performance.md.  What older devices can read and write is less than what the work-groups ask for. */
bool opi_look_back_suits(const opi_job *job, uint64_t n)
{
    const bool is_old = job->g->gpu->facts.architecture < BULK_COPIES;
    const size_t bytes = opi_tile(job->shape) * opi_task_element(job->task);
    return tiles_of(job, n) <= MOST_TILES || (is_old && bytes >= LARGE_TILE);
}

/* --- memory -------------------------------------------------------------------------------------------------------- */

/* How many places of 8 bytes the nodes of all levels take. */
static uint64_t places_of(const opi_job *job, uint64_t tiles)
{
    const uint64_t words = (job->node + 3) / 4;
    uint64_t nodes = 0;
    for (int level = 0; level < LEVELS; level++) nodes += opi_round_up((tiles >> LOG_W * level) + 1, 32);
    return HEAD_PLACES + nodes * words;
}

/* New memory is ready when no word has an epoch. */
static oplus_status clear(const opi_job *job)
{
    opi_accelerator *const g = job->g;
    if (g->told_is_clear || g->rehearsal) return OPLUS_OK; /* a rehearsal would not copy */
    void *const zeros = calloc(1, g->told.bytes);
    if (!zeros) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes", job->call, g->told.bytes);
    oplus_status status = opi_gpu_upload(g, job->call, OPI_QUEUE_COMPUTE, g->told.mem, zeros, g->told.bytes);
    if (status == OPLUS_OK) status = opi_gpu_sync(g, job->call, OPI_QUEUE_COMPUTE);
    g->told_is_clear = status == OPLUS_OK;
    free(zeros);
    return status;
}

oplus_status opi_look_back_prepare(opi_job *job, uint64_t n)
{
    opi_accelerator *const g = job->g;
    const size_t bytes = places_of(job, tiles_of(job, n)) * sizeof(uint64_t);
    if (bytes > g->told.bytes) g->told_is_clear = false;
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->told, bytes));
    OPI_TRY(opi_fault_reserve(g, job->call));
    return clear(job);
}

/* --- run ----------------------------------------------------------------------------------------------------------- */

oplus_status opi_look_back_run(opi_job *job, const opi_part *part)
{
    opi_accelerator *const g = job->g;
    const opi_task *const task = job->task;
    const bool filters = task->what == OPI_FILTER, counts = filters || task->what == OPI_SELECT;
    const uint64_t tiles = tiles_of(job, part->n), places = g->told.bytes / sizeof(uint64_t);
    const uint32_t flags = (!counts && task->exclusive ? OPI_EXCLUSIVE : 0u) | (job->overlaps ? OPI_OVERLAPS : 0u);
    opi_arguments a = {.count = 0};
    OPI_TRY(opi_pipeline_fault(g, job->call));
    for (int k = 0; k < task->arrays; k++) {
        if (k == task->arrays - 1 && task->what != OPI_SELECT) opi_add_index(&a, job);
        opi_add(&a, opi_memory(part->address[k]));
    }
    opi_add(&a, opi_value(part->n));
    if (filters) opi_add(&a, opi_memory(g->range.mem));
    opi_add(&a, opi_memory(g->told.mem));
    opi_add(&a, opi_value(places));
    opi_add(&a, opi_memory(g->pipeline.fault.mem));
    opi_add(&a, opi_value(flags));
    if (counts) opi_add(&a, opi_memory(job->result));
    if (counts || opi_task_has_param(task)) opi_add(&a, opi_memory(job->param));
    if (task->what == OPI_SELECT) opi_add_index(&a, job); /* its kernels have it last */
    OPI_TRY(opi_gpu_launch_early(job, "opi_once", tiles, a.list, a.count));
    job->fresh = false;
    job->told = job->result != NULL;
    job->at += part->n;
    return OPLUS_OK;
}
