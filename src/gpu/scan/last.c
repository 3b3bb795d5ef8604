#include "gpu/scan/last.h"

#include "base/error.h"
#include "gpu/canon/tiles.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/shared.h"

#define PATIENCE UINT64_C(20000000000) /* cycles of waiting for other accelerators: some ten seconds */

enum {
    LARGEST = 32,    /* bytes of an element: a work-item has several in registers */
    SPAN_BYTES = 64, /* of elements that are no part of a vector: neighbouring loads share lines of the cache */
    LOG_LINE = 5,    /* work-items of a line: a warp */
    LOG_GROUP = 8,
    LOG_WARPS = LOG_GROUP - LOG_LINE,
    GROUPS = 512, /* at least, if there are so many strips: they read at full speed; */
    GROUPS_OF_MANY =
        1024,            /* and if each has many strips: not all groups run at once then, and small ones end together */
    LOG_MANY = 7,        /* many strips: more than 2^7 for a group */
    SLOW_BYTES = 8,      /* elements of fewer bytes that are made, */
    MANY_MADE = 1 << 24, /* and so many of them: see opi_last_suits */
    MOST_GROUPS = (1 << (LOG_GROUP + OPI_LOG_LAST_JOINED)) - 1,
    AWAITING = 32, /* work-items that wait for an accelerator each */
    BITS = 96      /* of the three numbers that have a node for each bit: groups, strips, elements */
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

/* How a work-item loads: spans of 2^log_span elements, in 2^log_lines lines, with at least `residents` groups on a
 * multiprocessor. */
typedef struct loading {
    unsigned log_span, log_lines, residents;
} loading;

/* It has many small elements to join, and then more work-items hide more (H200, 2026-11-23: u8, 256 MiB, 70 us with 4
 * lines and 8 groups, 99 with 8 lines; f32, 1 GiB, 243 with 8, 245 with 4). */
static loading loading_of_array(size_t size)
{
    if (!is_part_of_vector(size)) return (loading){log_span(size), 1, 1};
    return size <= 2 ? (loading){log_span(size), 2, 8} : (loading){log_span(size), 3, 1};
}

/* Of several inputs it loads as many bytes at once as of one. */
static loading loading_of(const opi_task *task)
{
    const oplus_fn *const before = task->before;
    size_t largest = task->op->type->size;
    if (!before) return loading_of_array(largest);
    for (unsigned k = 0; k < before->arity; k++) largest = opi_larger(largest, before->input[k]->size);
    loading l = loading_of_array(largest);
    for (unsigned inputs = 1; inputs < before->arity && l.log_lines > 0; inputs *= 2) l.log_lines--;
    l.residents = 1; /* a function may need many registers */
    return l;
}

static unsigned log_strip(const opi_task *task)
{
    const loading l = loading_of(task);
    return LOG_LINE + l.log_lines + l.log_span;
}

bool opi_last_is_for(const opi_gpu_facts *facts, opi_shape shape, size_t size)
{
    return facts->architecture > 0 && size <= LARGEST && facts->lanes == 1u << LOG_LINE && shape.log_w == LOG_GROUP;
}

void opi_last_write(opi_gpu_source *source, const opi_job *job)
{
    const opi_task *const task = job->task;
    const loading l = loading_of(task);
    opi_gpu_define(source, "OPI_LOG_SPAN", l.log_span);
    opi_gpu_define(source, "OPI_LOG_LINES", l.log_lines);
    opi_gpu_define(source, "OPI_RESIDENTS", l.residents);
    opi_gpu_define(source, "OPI_SPAN_IS_VECTOR", !task->before && is_part_of_vector(task->op->type->size));
    opi_deal_write(job->deal, source);
    if (job->deal) opi_gpu_define(source, "OPI_PATIENCE", PATIENCE);
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
    const unsigned log = log_strip(job->task);
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

/* Of many small elements that a function makes, "tiles" is faster, whose work-items make neighbouring ones, though it
 * takes two launches (H200, 2026-11-24: products of f32, 2^27 of each input, 242 us against 286; of f64 both 470). */
bool opi_last_suits(const opi_job *job, uint64_t n)
{
    const opi_task *const task = job->task;
    return !task->before || opi_task_element(task) >= SLOW_BYTES || n < MANY_MADE;
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
    for (int k = 0; k < job->task->arrays; k++)
        if (k != OPI_HEADS && job->task->array[k].access == OPI_READS) opi_add(&a, opi_memory(part->address[k]));
    opi_add_index(&a, job);
    opi_add(&a, opi_memory(job->g->nodes.mem));
    opi_add(&a, opi_value(c.strips));
    opi_add(&a, opi_value(log_own));
    opi_add(&a, opi_value(c.tail));
    opi_add(&a, opi_memory(job->g->range.mem));
    opi_add(&a, opi_value(job->at));
    opi_add(&a, opi_value(flags));
    opi_add(&a, opi_memory(job->g->ended.mem));
    opi_add(&a, opi_memory(job->result));
    if (opi_task_has_param(job->task)) opi_add(&a, opi_memory(job->param));
    OPI_TRY(opi_gpu_launch_early(job, "opi_reduce", groups_of(&c), a.list, a.count));
    job->fresh = false;
    job->told = job->result != NULL;
    job->at += part->n;
    return OPLUS_OK;
}

/* --- a reduce that is dealt out ------------------------------------------------------------------------------------ */

enum { LEAST_DEALT = 1024 /* groups of each accelerator, if pages allow so few strips for each */ };

static size_t strip_bytes(const opi_job *job) { return job->task->array[OPI_IN].size << log_strip(job->task); }

/* Whole groups, whose elements are part of one page; the tail is what is left. */
static last_cut cut_dealt(const opi_job *job)
{
    const unsigned log = log_strip(job->task);
    last_cut c = {.strips = job->task->n >> log, .log_own = LOG_WARPS};
    while (strip_bytes(job) << (c.log_own + 1) <= job->deal->page &&
           c.strips >> (c.log_own + 1) >= (uint64_t)LEAST_DEALT * job->deal->workers)
        c.log_own++;
    c.whole = c.strips >> c.log_own;
    return c;
}

static unsigned log_group(const opi_job *job, const last_cut *c) { return log_strip(job->task) + c->log_own; }

bool opi_last_deals(const opi_job *job)
{
    return !job->task->lifted && opi_last_is_for(&job->g->gpu->facts, job->shape, job->node) &&
           strip_bytes(job) << LOG_WARPS <= job->deal->page && cut_dealt(job).whole > 0;
}

/* Where accelerators say that they have arrived, in memory of accelerator 0; what they say is the number of the call. */
static oplus_status reserve_arrived(const opi_job *job)
{
    opi_accelerator *const g = job->g;
    static const uint32_t none[OPI_MOST_WORKERS];
    if (++g->arrivals == 0) g->arrivals = 1;
    OPI_TRY(opi_fault_reserve(g, job->call));
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->arrived, sizeof none));
    if (g->arrived_is_0 || g->rehearsal) return OPLUS_OK;
    OPI_TRY(opi_gpu_upload(g, job->call, OPI_QUEUE_COMPUTE, g->arrived.mem, none, sizeof none));
    OPI_TRY(opi_gpu_sync(g, job->call, OPI_QUEUE_COMPUTE));
    g->arrived_is_0 = true;
    return OPLUS_OK;
}

oplus_status opi_last_prepare_dealt(opi_job *job)
{
    static const char *const kernels[] = {"opi_reduce_dealt", "opi_await", "opi_spine", "opi_reduce"};
    const last_cut c = cut_dealt(job);
    const bool is_home = job->deal->own == 0;
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels, is_home ? 4 : 1));
    OPI_TRY(reserve_count(job));
    if (!is_home) return OPLUS_OK;
    OPI_TRY(reserve_arrived(job));
    const uint64_t tail = job->task->n - (c.whole << log_group(job, &c));
    if (tail > 0) OPI_TRY(opi_last_prepare(job, tail));
    return opi_tiles_reserve_nodes(job, c.whole);
}

/* How many groups an accelerator has, and which. */
static uint64_t groups_dealt(const opi_job *job, const opi_deal *deal, const last_cut *c, opi_dealt *dealt)
{
    *dealt = (opi_dealt){.epoch = deal->all[0]->arrivals};
    return opi_deal_items(deal, c->whole, strip_bytes(job) << c->log_own, dealt);
}

oplus_status opi_last_run_dealt(opi_job *job)
{
    const opi_task *const task = job->task;
    const last_cut c = cut_dealt(job);
    const uint32_t log_own = c.log_own;
    opi_dealt dealt;
    const uint64_t groups = groups_dealt(job, job->deal, &c, &dealt);
    opi_arguments a = {.count = 0};
    for (int k = 0; k < task->arrays; k++)
        if (k != OPI_HEADS && task->array[k].access == OPI_READS) opi_add(&a, opi_memory(task->array[k].mem));
    opi_add_index(&a, job);
    opi_add(&a, opi_memory(job->deal->all[0]->nodes.mem));
    opi_add(&a, opi_memory(job->deal->all[0]->arrived.mem));
    opi_add(&a, opi_memory(job->g->ended.mem));
    opi_add(&a, opi_value(log_own));
    opi_add(&a, opi_value(dealt));
    if (opi_task_has_param(task)) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, "opi_reduce_dealt", groups, a.list, a.count);
}

/* Accelerator 0 waits in a launch of its own: an event of the driver takes as long as a small reduce. */
static oplus_status await(const opi_job *job, const last_cut *c)
{
    const uint32_t epoch = job->g->arrivals;
    uint32_t who = 0;
    opi_dealt dealt;
    for (unsigned w = 0; w < job->deal->workers; w++) {
        opi_deal other = *job->deal;
        other.own = w;
        if (groups_dealt(job, &other, c, &dealt) > 0) who |= UINT32_C(1) << w;
    }
    const opi_gpu_argument list[] = {opi_memory(job->g->arrived.mem), opi_value(who), opi_value(epoch),
                                     opi_memory(job->g->pipeline.fault.mem)};
    return opi_gpu_launch_of(job, job->program, "opi_await", 1, AWAITING, list, 4);
}

oplus_status opi_last_join_dealt(opi_job *job)
{
    const opi_task *const task = job->task;
    const last_cut c = cut_dealt(job);
    const uint64_t begin = c.whole << log_group(job, &c);
    opi_part tail = {.n = task->n - begin, .last = true};
    for (int k = 0; k < task->arrays; k++)
        if (task->array[k].mem) tail.address[k] = (const char *)task->array[k].mem + begin * task->array[k].size;
    OPI_TRY(await(job, &c));
    OPI_TRY(opi_tiles_join(job, c.whole, log_group(job, &c), tail.n > 0));
    if (tail.n == 0) return OPLUS_OK;
    OPI_TRY(opi_last_prepare(job, tail.n));
    job->index += begin;
    return opi_last_run(job, &tail);
}
