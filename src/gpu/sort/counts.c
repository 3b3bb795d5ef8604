#include "gpu/sort/counts.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/sort/digits.h"
#include "gpu/sort/passes.h"

/* How the kernels are cut: measured on an H200. */
enum {
    LANES = 32,       /* counters of a key of 1 byte: as many as there are banks */
    ALONE = 4,        /* the same where a work-item is alone */
    LOG_W_BYTES = 9,  /* work-items of keys of 1 byte, */
    LOG_W_WORDS = 10, /* ... and of 2, whose counters are so large that a multiprocessor has one work-group */
    GROUPS_BYTES = 2, /* work-groups of a multiprocessor that count: they run at the same time */
    GROUPS_WORDS = 1,
    BATCH_BYTES = 4, /* vectors of a work-item that are under way while as many are counted */
    BATCH_WORDS = 2,
    LEAST_BYTES = 8 << 10,  /* keys of 1 byte that are worth a work-group, */
    LEAST_WORDS = 64 << 10, /* ... and of 2 */
    GROUPS_FILL = 32,       /* work-groups of a multiprocessor that write */
    LEAST_FILL = 4,         /* vectors that a work-item of theirs writes */
    PLACES = 256,           /* keys that a work-group places */
    PART_SPARE = 255,       /* at least: a part has some keys more than its share, as it is whole vectors */
    /* Keys from which on this is the faster way. */
    LEAST_OF_BYTES = 1 << 20,
    LEAST_OF_WORDS = 1 << 22,
    LEAST_OF_BYTES_ELSE = 1 << 14,
    LEAST_OF_WORDS_ELSE = 1 << 19
};

/* Keys that a table counts: 2^31. */
static uint64_t table_keys(void) { return 8 * opi_sort_portion(); }

/* --- sizes --------------------------------------------------------------------------------------------------------- */

static unsigned keys_of(const opi_sorting *s) { return 1u << 8 * s->key; }
static uint64_t each_of(const opi_sorting *s) { return OPI_VECTOR_BYTES / s->key; }

/* The counters of a work-group, in its own memory. */
typedef struct counters {
    unsigned copies; /* of each key */
    unsigned ranges; /* the keys are cut into; a work-group counts those of one */
    size_t bytes;
    bool added; /* a launch adds the memory */
} counters;

static counters counters_of(const opi_sorting *s, const opi_shape *shape)
{
    const opi_gpu_facts *const facts = &s->job.g->gpu->facts;
    const size_t most = facts->local_most - OPI_LOCAL_SPARE;
    counters c = {.copies = shape->log_w > 0 ? LANES : ALONE, .ranges = 1};
    if (s->key == 1) {
        while (c.copies > 1 && keys_of(s) * c.copies * sizeof(uint32_t) > most) c.copies /= 2;
        c.bytes = keys_of(s) * c.copies * sizeof(uint32_t);
    } else {
        while (keys_of(s) / c.ranges * sizeof(uint16_t) > most) c.ranges *= 2;
        c.bytes = keys_of(s) / c.ranges * sizeof(uint16_t);
    }
    c.added = c.bytes + OPI_LOCAL_SPARE > facts->local;
    return c;
}

/* A work-item is alone where the shape of the job is a chunk's. */
static opi_shape shape_of(const opi_sorting *s)
{
    const opi_gpu_facts *const facts = &s->job.g->gpu->facts;
    opi_shape shape = s->job.shape;
    if (shape.log_w == 0 || facts->lanes == 0) return shape;
    shape.log_w = s->key == 1 ? LOG_W_BYTES : LOG_W_WORDS;
    while (1u << shape.log_w > facts->group) shape.log_w--;
    return shape;
}

/* How much the work-groups of a launch have. */
typedef struct parts {
    uint64_t part, groups; /* vectors of each, and how many there are */
} parts;

static parts parts_of(uint64_t vectors, uint64_t groups, uint64_t least)
{
    const uint64_t part = opi_larger((vectors + groups - 1) / groups, least);
    return (parts){part, opi_larger((vectors + part - 1) / part, 1)};
}

static parts parts_to_count(const opi_sorting *s, uint64_t n)
{
    const uint64_t units = opi_units(s->job.g), groups = s->key == 1 ? GROUPS_BYTES : GROUPS_WORDS;
    return parts_of(n / each_of(s) + 1, units * groups, (s->key == 1 ? LEAST_BYTES : LEAST_WORDS) / each_of(s));
}

/* Parts whose keys a table counts, and how many tables there are. */
static uint64_t share_of(const opi_sorting *s, const parts *p)
{
    return opi_larger(table_keys() / (p->part * each_of(s)), 1);
}

static uint64_t tables_of(const opi_sorting *s, const parts *p)
{
    const uint64_t share = share_of(s, p);
    return (p->groups + share - 1) / share;
}

static size_t starts_bytes(const opi_sorting *s)
{
    return opi_round_up((keys_of(s) + 1) * sizeof(uint64_t), OPI_CACHE_LINE);
}

/* --- the program --------------------------------------------------------------------------------------------------- */

static unsigned places_of(const opi_sorting *s, const opi_shape *shape)
{
    return shape->log_w > 0 ? PLACES : keys_of(s);
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_sorting *const s = context;
    const opi_shape shape = shape_of(s);
    const counters c = counters_of(s, &shape);
    opi_gpu_write_shape(source, shape, s->key);
    opi_gpu_define(source, "OPI_KEY_SIZE", s->key);
    opi_gpu_define(source, "OPI_COPIES", c.copies);
    opi_gpu_define(source, "OPI_BATCH", s->key == 1 ? BATCH_BYTES : BATCH_WORDS);
    opi_gpu_define(source, "OPI_RESIDENTS", s->key == 1 ? GROUPS_BYTES : GROUPS_WORDS);
    opi_gpu_define(source, "OPI_RANGES", c.ranges);
    opi_gpu_define(source, "OPI_OWN_ADDED", c.added);
    opi_gpu_define(source, "OPI_PLACES", places_of(s, &shape));
    opi_gpu_write_kernels(source, "sums");
    opi_gpu_write_kernels(source, "key");
    opi_gpu_write_kernels(source, "key_order");
    opi_gpu_write_kernels(source, "counts");
}

static oplus_status get_program(opi_sorting *s)
{
    opi_job *const job = &s->job;
    opi_key key = opi_key_begin("counts", shape_of(s));
    opi_key_number(&key, s->key);
    return opi_program_get(&job->g->programs, job->call, "the sort", key.hash, write_source, s, &job->program);
}

/* --- the way ------------------------------------------------------------------------------------------------------- */

bool opi_counts_can(const opi_job *job, uint64_t n)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    const uint64_t most = (UINT32_MAX - PART_SPARE) * (uint64_t)opi_units(job->g); /* a part's counts have 32 bits */
    return !s->value && !s->limited && s->key <= 2 && n <= most;
}

/* Fewer keys are sorted sooner by digits: measured on an H200, and on a processor by PoCL.  Where there is no way "digits" on a
 * GPU, the numbers are estimates. */
bool opi_counts_suits(const opi_job *job, uint64_t n)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    if (opi_digits_can(job, n)) return n >= (s->key == 1 ? LEAST_OF_BYTES : LEAST_OF_WORDS);
    return n >= (s->key == 1 ? LEAST_OF_BYTES_ELSE : LEAST_OF_WORDS_ELSE);
}

oplus_status opi_counts_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_counts_clear", "opi_counts_count", "opi_counts_place",
                                          "opi_counts_fill"};
    opi_sorting *const s = (opi_sorting *)job;
    opi_accelerator *const g = job->g;
    const opi_shape shape = shape_of(s);
    const counters c = counters_of(s, &shape);
    const parts p = parts_to_count(s, n);
    OPI_TRY(get_program(s));
    s->stays = true;
    OPI_TRY(opi_kernels_make(&g->programs, job->call, job->program, kernels, sizeof kernels / sizeof *kernels));
    if (c.added) OPI_TRY(opi_kernel_allow(&g->programs, job->call, job->program, "opi_counts_count", c.bytes));
    if (s->staged) OPI_TRY(opi_gpu_reserve(g, job->call, &g->array[1], n * s->key));
    return opi_gpu_reserve(g, job->call, &g->work, starts_bytes(s) + tables_of(s, &p) * keys_of(s) * sizeof(uint32_t));
}

static oplus_status launch(const opi_sorting *s, const char *kernel, uint64_t groups, size_t local,
                           const opi_arguments *a)
{
    const opi_launch l = {.groups = groups,
                          .items = 1u << shape_of(s).log_w,
                          .local = local,
                          .early = true,
                          .argument = a->list,
                          .arguments = a->count};
    return opi_gpu_launch_as(&s->job, s->job.program, kernel, &l);
}

static oplus_status count(const opi_sorting *s, const char *keys, uint64_t n, const char *tables)
{
    const opi_shape shape = shape_of(s);
    const counters c = counters_of(s, &shape);
    const parts p = parts_to_count(s, n);
    const uint64_t share = share_of(s, &p), words = tables_of(s, &p) * keys_of(s), items = (uint64_t)1 << shape.log_w;
    const uint64_t groups = opi_smaller((words + items - 1) / items, opi_units(s->job.g));
    const opi_arguments clear = {.list = {opi_memory(tables), opi_value(words)}, .count = 2};
    const opi_arguments counted = {
        .list = {opi_memory(keys), opi_value(n), opi_value(p.part), opi_memory(tables), opi_value(share)}, .count = 5};
    OPI_TRY(launch(s, "opi_counts_clear", groups, 0, &clear));
    return launch(s, "opi_counts_count", p.groups * c.ranges, c.added ? c.bytes : 0, &counted);
}

static oplus_status place(const opi_sorting *s, uint64_t n, const char *tables, const char *starts)
{
    const opi_shape shape = shape_of(s);
    const parts p = parts_to_count(s, n);
    const uint64_t count = tables_of(s, &p);
    const opi_arguments a = {
        .list = {opi_memory(tables), opi_value(count), opi_memory(starts), opi_value(s->negative), opi_value(s->flip)},
        .count = 5};
    return launch(s, "opi_counts_place", keys_of(s) / places_of(s, &shape), 0, &a);
}

static oplus_status fill(const opi_sorting *s, uint64_t n, const char *starts, const char *to)
{
    const uint64_t vectors = n / each_of(s) + 2; /* at most: that is so where it begins and ends inside of one */
    const parts p =
        parts_of(vectors, (uint64_t)GROUPS_FILL * opi_units(s->job.g), (uint64_t)LEAST_FILL << shape_of(s).log_w);
    const opi_arguments a = {.list = {opi_memory(starts), opi_memory(to), opi_value(n), opi_value(p.part),
                                      opi_value(s->negative), opi_value(s->flip)},
                             .count = 6};
    return launch(s, "opi_counts_fill", p.groups, 0, &a);
}

oplus_status opi_counts_run(opi_job *job, const opi_part *part)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    char *const starts = job->g->work.mem, *const tables = starts + starts_bytes(s);
    OPI_TRY(count(s, part->address[OPI_KEYS], part->n, tables));
    OPI_TRY(place(s, part->n, tables, starts));
    return fill(s, part->n, starts, s->to.keys);
}
