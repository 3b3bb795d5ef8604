#include "gpu/scan/last.h"

#include "base/error.h"
#include "gpu/canon/tiles.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/shared.h"

enum {
    MOST_LEVELS = 24,
    STACK_BYTES = 4 << 10,
    LEAST_TILES = 2, /* fewer are faster with one work-group */
    GROUPS = 512     /* and up to twice as many: they read at full speed, and one work-group soon joins their nodes */
};

static opi_tile_cut cut_of(const opi_job *job, uint64_t n) { return opi_tiles_cut(job->at, n, opi_tile(job->shape)); }

unsigned opi_last_levels(const opi_gpu_facts *facts, size_t node)
{
    return facts->architecture > 0 ? (unsigned)opi_smaller(MOST_LEVELS, STACK_BYTES / node) : 0;
}

static unsigned levels_of(const opi_job *job) { return opi_last_levels(&job->g->gpu->facts, job->node); }

/* A summary keeps the nodes of tiles. */
bool opi_last_can(const opi_job *job, uint64_t n)
{
    return levels_of(job) > 0 && !job->task->lifted && !job->keeps_nodes && !job->has_nodes && cut_of(job, n).tiles > 0;
}

bool opi_last_suits(const opi_job *job, uint64_t n) { return cut_of(job, n).tiles >= LEAST_TILES; }

/* A work-group has 2^this tiles, which are a node: they begin at a multiple of their number. */
static uint32_t log_own_of(const opi_job *job, uint64_t begin, uint64_t tiles)
{
    const uint64_t first = begin / opi_tile(job->shape);
    uint32_t k = 0;
    while (k + 1 < levels_of(job) && tiles >> (k + 1) >= GROUPS && (first >> k & 1) == 0) k++;
    return k;
}

/* The count of those that have ended is 0 between launches: the last one sets it back. */
static oplus_status reserve_count(const opi_job *job)
{
    opi_accelerator *const g = job->g;
    static const uint32_t none = 0;
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->ended, sizeof none));
    if (g->ended_is_0 || g->rehearsal) return OPLUS_OK; /* a rehearsal would not copy */
    OPI_TRY(opi_gpu_upload(g, job->call, OPI_QUEUE_COMPUTE, g->ended.mem, &none, sizeof none));
    OPI_TRY(opi_gpu_sync(g, job->call, OPI_QUEUE_COMPUTE));
    g->ended_is_0 = true;
    return OPLUS_OK;
}

oplus_status opi_last_prepare(opi_job *job, uint64_t n)
{
    const uint64_t tiles = cut_of(job, n).tiles;
    OPI_TRY(reserve_count(job));
    return opi_gpu_reserve(job->g, job->call, &job->g->nodes, (size_t)(tiles + 1) * job->node);
}

oplus_status opi_last_run(opi_job *job, const opi_part *part)
{
    const opi_tile_cut c = cut_of(job, part->n);
    const uint64_t tile = opi_tile(job->shape);
    const bool keep = job->keep || !part->last;
    const char *const from = part->address[OPI_IN] + c.head * job->task->array[OPI_IN].size;
    opi_arguments a = {.count = 0};
    if (c.head > 0) {
        opi_part head = *part;
        head.n = c.head;
        head.last = false;
        OPI_TRY(opi_one_group(job, &head));
    }
    const uint32_t log_own = log_own_of(job, job->at, c.tiles), own = 1u << log_own;
    const uint32_t flags = (job->fresh ? OPI_FRESH : 0u) | (keep ? OPI_KEEP : 0u);
    opi_add(&a, opi_memory(from));
    opi_add(&a, opi_memory(job->g->nodes.mem));
    opi_add(&a, opi_value(c.tiles));
    opi_add(&a, opi_value(log_own));
    opi_add(&a, opi_value(c.tail));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_add(&a, opi_value(job->at));
    opi_add(&a, opi_value(flags));
    opi_add(&a, opi_memory(job->g->ended.mem));
    opi_add(&a, opi_memory(job->result));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    OPI_TRY(opi_gpu_launch(job, "opi_reduce", (c.tiles + own - 1) / own, a.list, a.count));
    job->fresh = false;
    job->told = job->result != NULL;
    job->at += c.tiles * tile + c.tail;
    return OPLUS_OK;
}
