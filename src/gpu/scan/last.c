#include "gpu/scan/last.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/shared.h"

enum {
    LARGEST = 32,    /* bytes of an element: a work-item has several in registers */
    SPAN_BYTES = 64, /* of elements that are no part of a vector: neighbouring loads share lines of the cache */
    LOG_LINE = 5,    /* work-items of a line: a warp */
    LOG_GROUP = 8,
    LOG_WARPS = LOG_GROUP - LOG_LINE,
    GROUPS = 512, /* at least, if there are so many strips: they read at full speed; */
    GROUPS_OF_MANY =
        1024,     /* and if each has many strips: not all groups run at once then, and small ones end together */
    LOG_MANY = 7, /* many strips: more than 2^7 for a group */
    MOST_GROUPS = (1 << (LOG_GROUP + OPI_LOG_LAST_JOINED)) - 1,
    BITS = 96 /* of the three numbers that have a node for each bit: groups, strips, elements */
};

/* --- the shape of a strip ------------------------------------------------------------------------------------------ */

static bool is_part_of_vector(size_t size) { return OPI_VECTOR_BYTES % size == 0; }

/* log2 of the elements of a span. */
static unsigned log_span(size_t size)
{
    const size_t most = is_part_of_vector(size) ? OPI_VECTOR_BYTES : SPAN_BYTES;
    unsigned k = 0;
    while (size << (k + 1) <= most) k++;
    return k;
}

/* How a work-item loads: in 2^log_lines lines, with at least `residents` groups on a multiprocessor. */
typedef struct loading {
    unsigned log_lines, residents;
} loading;

/* It has many small elements to join, and then more work-items hide more (H200, 2026-11-23: u8, 256 MiB, 70 us with 4
 * lines and 8 groups, 99 with 8 lines; f32, 1 GiB, 243 with 8, 245 with 4). */
static loading loading_of(size_t size)
{
    if (!is_part_of_vector(size)) return (loading){1, 1};
    return size <= 2 ? (loading){2, 8} : (loading){3, 1};
}

static unsigned log_strip(size_t size) { return LOG_LINE + loading_of(size).log_lines + log_span(size); }

bool opi_last_is_for(const opi_gpu_facts *facts, opi_shape shape, size_t size)
{
    return facts->architecture > 0 && size <= LARGEST && facts->lanes == 1u << LOG_LINE && shape.log_w == LOG_GROUP;
}

void opi_last_write(opi_gpu_source *source, size_t size)
{
    opi_gpu_define(source, "OPI_LOG_SPAN", log_span(size));
    opi_gpu_define(source, "OPI_LOG_LINES", loading_of(size).log_lines);
    opi_gpu_define(source, "OPI_RESIDENTS", loading_of(size).residents);
    opi_gpu_define(source, "OPI_SPAN_IS_VECTOR", is_part_of_vector(size));
    opi_gpu_write_kernels(source, "last");
}

/* --- how n elements are cut ---------------------------------------------------------------------------------------- */

typedef struct last_cut {
    uint64_t strips;  /* whole strips, */
    unsigned log_own; /* of which a group has 2^this */
    uint64_t whole;   /* groups that have so many */
    uint32_t tail;    /* elements behind the strips */
} last_cut;

static last_cut cut_of(const opi_job *job, uint64_t n)
{
    const unsigned log = log_strip(job->node);
    last_cut c = {.strips = n >> log, .log_own = LOG_WARPS, .tail = (uint32_t)(n & (((uint64_t)1 << log) - 1))};
    while (c.strips >> (c.log_own + 1) >= (c.log_own < LOG_MANY ? GROUPS : GROUPS_OF_MANY)) c.log_own++;
    c.whole = c.strips >> c.log_own;
    return c;
}

static unsigned ones(uint64_t bits) { return (unsigned)__builtin_popcountll(bits); }

/* Strips that are not enough for a whole group have a group for each bit of their number; all elements behind the strips
 * have one. */
static uint64_t groups_of(const last_cut *c)
{
    return c->whole + ones(c->strips & (((uint64_t)1 << c->log_own) - 1)) + (c->tail > 0);
}

/* --- the way ------------------------------------------------------------------------------------------------------- */

/* The group that ends last joins nodes as the bits of n say: each must be a node of the tree where it begins.  That is so if
 * the largest one begins at a multiple of its size.  A summary keeps the nodes of tiles. */
bool opi_last_can(const opi_job *job, uint64_t n)
{
    if (!opi_last_is_for(&job->g->gpu->facts, job->shape, job->node)) return false;
    if (job->task->lifted || job->keeps_nodes || job->has_nodes) return false;
    const last_cut c = cut_of(job, n);
    const uint64_t largest = (uint64_t)1 << (63 - __builtin_clzll(n));
    return c.whole <= MOST_GROUPS && c.log_own < 32 && job->at % largest == 0;
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
    const last_cut c = cut_of(job, n);
    OPI_TRY(reserve_count(job));
    return opi_gpu_reserve(job->g, job->call, &job->g->nodes, (size_t)(c.whole + BITS) * job->node);
}

oplus_status opi_last_run(opi_job *job, const opi_part *part)
{
    const last_cut c = cut_of(job, part->n);
    const bool keep = job->keep || !part->last;
    const uint32_t flags = (job->fresh ? OPI_FRESH : 0u) | (keep ? OPI_KEEP : 0u), log_own = c.log_own;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(job->g->nodes.mem));
    opi_add(&a, opi_value(c.strips));
    opi_add(&a, opi_value(log_own));
    opi_add(&a, opi_value(c.tail));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_add(&a, opi_value(job->at));
    opi_add(&a, opi_value(flags));
    opi_add(&a, opi_memory(job->g->ended.mem));
    opi_add(&a, opi_memory(job->result));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    OPI_TRY(opi_gpu_launch(job, "opi_reduce", groups_of(&c), a.list, a.count));
    job->fresh = false;
    job->told = job->result != NULL;
    job->at += part->n;
    return OPLUS_OK;
}
