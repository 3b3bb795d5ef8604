/* Bounds by a tree of samples, which each call builds: each of many searches in a large array reads a few nodes of the
 * tree, most of which stay in caches, and one run of the array, in place of log2(n) elements that depend on each other. */
#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/order/order.h"

enum {
    LOG_W = 10,          /* of a work-group: few copies of the top leave the most of a cache to nodes */
    LOG_LANES = 1,       /* searches of a work-item at the same time */
    TOP_BYTES = 32,      /* of the top, for each work-item of a group */
    LOG_LEAST_TOP = 4,   /* at least as many items as a node, so that nodes behind the top are aligned */
    HOST_LOG_TOP = 5,    /* where local memory is memory of the host */
    LOG_LEAST_RUN = 3,   /* of the finest level: a tree has at most a sixth of the bytes of the array, beside its top */
    MOST_LOG_ROUNDS = 4, /* of a work-group, for each copy of the top */
    GROUPS_OF_UNIT = 16, /* work-groups that a multiprocessor should have in a launch, in all */
    SEARCHES_OF_ITEM = 8,     /* see choose_tree */
    LEAST_SEARCHES = 512,     /* of an array of so many elements; of smaller ones more, for which a launch more, */
    LEAST_ELEMENTS = 1 << 16, /* some 4 us, is not much (H200) */
    MANY_SEARCHES = 1 << 20,
    FEW_ELEMENTS = 64,
    BUILD_ROUNDS = 4
};

/* opi_bounds_shape of bounds_tree.cl */
typedef struct tree_shape {
    uint32_t depth, top, levels, log_rounds;
} tree_shape;

typedef struct tree {
    tree_shape shape;
    uint64_t items; /* of all levels */
} tree;

static size_t item_bytes(const opi_job *job) { return job->task->array[OPI_SORTED].size; }
static uint64_t sorted_of(const opi_job *job) { return job->task->array[OPI_SORTED].items; }
static size_t bytes_of(const opi_job *job, const tree *t) { return (size_t)t->items * item_bytes(job); }

/* log2 of the items of a node: 32 bytes of keys of 4 or 8 bytes, which are one sector of memory, and 16 of smaller keys. */
static unsigned log_fan_of(const opi_job *job)
{
    const size_t size = item_bytes(job);
    if (job->task->fn) return 3;
    return size == 1 ? 4 : size == 8 ? 2 : 3;
}

/* As that of the way "searches", but for larger work-groups.  Functions may take more registers than those have. */
static opi_shape shape_of(const opi_job *job)
{
    opi_shape shape = opi_bounds_shape(job);
    if (shape.log_w > 0 && !job->task->fn && opi_deal_first(job)->gpu->facts.group >= 1u << LOG_W) shape.log_w = LOG_W;
    return shape;
}

/* log2 of the items that the top has room for. */
static unsigned log_top_of(const opi_job *job)
{
    const opi_gpu_facts *const facts = &opi_deal_first(job)->gpu->facts;
    const size_t most = opi_smaller((size_t)TOP_BYTES << shape_of(job).log_w, facts->local - OPI_LOCAL_SPARE);
    unsigned log = 0;
    if (facts->host_cores) return HOST_LOG_TOP;
    while (item_bytes(job) << (log + 1) <= most) log++;
    return log;
}

/* The only place that says how fine a tree is.
 *
 * The top is as large as local memory allows; each level below has as many times its items as a node has, down to runs that are
 * little longer than a node.  A level of m items costs reads of m sectors of memory, and spares each search some reads that
 * depend on each other.  That pays from about one search for each item on if what is wanted is at random; but where
 * neighbours are wanted together, whose reads are few in any way, it would take longer with the level than without it up to
 * some 4 to 8 searches for each item (H200, 2^26 keys of 4 bytes). */
static tree choose_tree(const opi_job *job, uint64_t searches)
{
    const uint64_t n = sorted_of(job);
    const unsigned log_top = log_top_of(job), log_fan = log_fan_of(job);
    tree t = {.items = 0};
    tree_shape *const s = &t.shape;
    while ((n - 1) >> s->top >> log_top > 0) s->top++;
    s->depth = LOG_LEAST_TOP;
    while ((n - 1) >> s->top >> s->depth > 0) s->depth++;
    t.items = UINT64_C(1) << s->depth;
    for (unsigned run = s->top; run >= log_fan + LOG_LEAST_RUN; s->levels++) {
        run -= log_fan;
        if ((n >> run) > searches / SEARCHES_OF_ITEM) break;
        t.items += (((n - 1) >> run >> log_fan) + 1) << log_fan;
    }
    return t;
}

/* Of several accelerators each has about as many searches. */
static uint64_t own_searches(const opi_job *job, uint64_t n) { return job->deal ? n / job->deal->workers + 1 : n; }

/* Tiles that are dealt out are those of the way "searches", which an accelerator takes that has no memory for a tree. */
static unsigned log_rounds_of(const opi_job *job, uint64_t n)
{
    const uint64_t groups = (uint64_t)job->g->gpu->facts.units * GROUPS_OF_UNIT;
    const unsigned log = job->shape.log_w + LOG_LANES;
    unsigned rounds = 0;
    if (job->deal) return opi_log_tile(opi_bounds_shape(job)) - log;
    while (rounds < MOST_LOG_ROUNDS && n >> (log + rounds + 1) >= groups) rounds++;
    return rounds;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_order_write(source, job);
    opi_bounds_write(source, job);
    opi_gpu_define(source, "OPI_LOG_LANES", LOG_LANES);
    opi_gpu_define(source, "OPI_LOG_FAN", log_fan_of(job));
    opi_gpu_define(source, "OPI_LOG_TOP", log_top_of(job));
    opi_gpu_write_kernels(source, "bounds_tree");
}

static oplus_status get_program(opi_job *job)
{
    static const char *const kernels[] = {"opi_bounds_build", "opi_bounds_by_tree"};
    const opi_task *const task = job->task;
    job->shape = shape_of(job);
    opi_key key = opi_key_begin("bounds by a tree", job->shape);
    opi_key_number(&key, task->array[OPI_BOUNDS_OUT].size);
    opi_key_number(&key, task->bounds.upper);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | item_bytes(job));
    opi_key_number(&key, log_top_of(job));
    if (task->fn)
        OPI_TRY(opi_program_of_fn(&job->g->programs, job->call, task->fn, key, write_source, job, &job->program));
    else
        OPI_TRY(opi_program_get(&job->g->programs, job->call, "the bounds by a tree", key.hash, write_source, job,
                                &job->program));
    return opi_kernels_make(&job->g->programs, job->call, job->program, kernels, 2);
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

bool opi_bounds_tree_can(const opi_job *job, uint64_t n)
{
    (void)n;
    return sorted_of(job) > 0 && log_top_of(job) >= LOG_LEAST_TOP;
}

bool opi_bounds_tree_suits(const opi_job *job, uint64_t n)
{
    const uint64_t elements = sorted_of(job), searches = own_searches(job, n);
    if (job->g->gpu->facts.host_cores) return false;
    return (elements >= LEAST_ELEMENTS && searches >= LEAST_SEARCHES) ||
           (elements >= FEW_ELEMENTS && searches >= MANY_SEARCHES);
}

/* Where there is no memory for the tree, there are searches without it. */
oplus_status opi_bounds_tree_prepare(opi_job *job, uint64_t n)
{
    const tree t = choose_tree(job, own_searches(job, n));
    const oplus_status status = opi_gpu_reserve(job->g, job->call, &job->g->work, bytes_of(job, &t));
    if (status == OPLUS_ERR_MEMORY) return opi_bounds_prepare(job, n);
    return status == OPLUS_OK ? get_program(job) : status;
}

static oplus_status build(const opi_job *job, const opi_part *part, const tree *t, const opi_key_order *order)
{
    const uint64_t n = sorted_of(job), each = (uint64_t)BUILD_ROUNDS << job->shape.log_w;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_SORTED]));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_memory(job->g->work.mem));
    opi_add(&a, opi_value(t->items));
    opi_order_add(&a, job, order);
    opi_add(&a, opi_value(t->shape));
    return opi_gpu_launch(job, "opi_bounds_build", (t->items - 1) / each + 1, a.list, a.count);
}

oplus_status opi_bounds_tree_run(opi_job *job, const opi_part *part)
{
    const uint64_t n = sorted_of(job), count = part->n;
    const opi_key_order order = opi_order_of(job);
    opi_dealt dealt = {.epoch = 0};
    tree t = choose_tree(job, own_searches(job, count));
    if (job->g->work.bytes < bytes_of(job, &t)) return opi_bounds_run(job, part);
    t.shape.log_rounds = log_rounds_of(job, count);
    const unsigned log_tile = job->shape.log_w + LOG_LANES + t.shape.log_rounds;
    uint64_t tiles = ((count - 1) >> log_tile) + 1;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_SORTED]));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_memory(job->g->work.mem));
    opi_add(&a, opi_memory(part->address[OPI_WANTED]));
    opi_add(&a, opi_value(count));
    opi_add(&a, opi_memory(part->address[OPI_BOUNDS_OUT]));
    opi_order_add(&a, job, &order);
    opi_add(&a, opi_value(t.shape));
    if (job->deal) {
        tiles = opi_deal_items(job->deal, tiles, job->task->array[opi_deal_by(job->task)].size << log_tile, &dealt);
        opi_add(&a, opi_value(dealt));
    }
    OPI_TRY(build(job, part, &t, &order));
    return opi_gpu_launch(job, "opi_bounds_by_tree", tiles, a.list, a.count);
}
