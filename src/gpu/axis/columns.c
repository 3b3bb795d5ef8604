/* The way "columns".  Where there are few columns, they are cut into chunks of 2^k rows; the nodes of chunks are an array
 * like the first one, with fewer rows, and are reduced or scanned in the same manner. */
#include "base/error.h"
#include "gpu/axis/axis.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"

enum {
    LOG_W = 6,
    ROWS_BYTES = 128,      /* of a work-item's column that it loads at a time, */
    MOST_LOG_E = 5,        /* ... at most 2^5 rows, */
    HOST_LOG_E = 2,        /* ... or on the host's processor 2^2: its compiler takes long for more */
    STACK_BYTES = 256,     /* of the nodes that a work-item keeps: */
    LEAST_DEPTH = 5,       /* ... chunks of at least 2^4 rows, */
    MOST_DEPTH = 17,       /* ... and of 2^16 at most */
    LEAST_LOG_CHUNK = 8,   /* shorter chunks are not worth their nodes, if elements are small */
    SCANNED_A_UNIT = 64,   /* columns for each multiprocessor that are scanned as fast as memory, or nearly so, */
    REDUCED_A_UNIT = 2048, /* ... and reduced */
    MOST_LEVELS = 16
};

/* One array of rows after the other, each the nodes of chunks of the one before. */
typedef struct levels {
    uint64_t rows[MOST_LEVELS], columns;
    uint64_t place[MOST_LEVELS]; /* of the nodes of level v > 0 in g->nodes, in elements */
    uint32_t log_chunk;
    int count;
} levels;

static size_t element(const opi_job *job) { return job->task->op->type->size; }

/* --- how columns are cut ------------------------------------------------------------------------------------------ */

static unsigned depth_of(const opi_job *job)
{
    const size_t most = STACK_BYTES / element(job);
    return (unsigned)(most < LEAST_DEPTH ? LEAST_DEPTH : most > MOST_DEPTH ? MOST_DEPTH : most);
}

static void choose_shape(opi_job *job)
{
    opi_shape *const shape = &job->shape;
    const bool is_host = opi_shape_for(&job->g->gpu->facts, element(job), element(job)).log_w == 0;
    const unsigned most = is_host ? HOST_LOG_E : MOST_LOG_E;
    *shape = (opi_shape){.log_w = LOG_W};
    while (shape->log_w > 0 && 1u << shape->log_w > job->g->gpu->facts.group) shape->log_w--;
    while (shape->log_e < most && shape->log_e + 1 < depth_of(job) && element(job) << (shape->log_e + 1) <= ROWS_BYTES)
        shape->log_e++;
}

/* Chunks have as many rows as leave enough of them for the device, or the most that a work-item can have. */
static levels levels_of(const opi_job *job)
{
    const opi_axis *const axis = &job->task->axis;
    const bool scans = job->task->what == OPI_SCAN_AXIS;
    const uint64_t wanted = (uint64_t)opi_units(job->g) * (scans ? SCANNED_A_UNIT : REDUCED_A_UNIT);
    const unsigned most = depth_of(job) - 1, least = most < LEAST_LOG_CHUNK ? most : LEAST_LOG_CHUNK;
    levels l = {.rows = {axis->n}, .columns = axis->outer * axis->inner, .log_chunk = most, .count = 1};
    while (l.log_chunk > least && l.columns * ((axis->n >> l.log_chunk) + 1) < wanted) l.log_chunk--;
    for (uint64_t place = 0; l.rows[l.count - 1] >> l.log_chunk; l.count++) {
        l.rows[l.count] = l.rows[l.count - 1] >> l.log_chunk;
        l.place[l.count] = place;
        place += l.rows[l.count] * l.columns;
    }
    return l;
}

static size_t nodes_bytes(const opi_job *job, const levels *l)
{
    return l->count < 2 ? 0 : (size_t)(l->place[l->count - 1] + l->rows[l->count - 1] * l->columns) * element(job);
}

/* For each bit of the number of rows a node of each column. */
static size_t digits_bytes(const opi_job *job, const levels *l)
{
    return l->count < 2 ? 0 : (size_t)(64 - (unsigned)__builtin_clzll(l->rows[0])) * l->columns * element(job);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_gpu_write_shape(source, job->shape, element(job));
    opi_gpu_define(source, "OPI_DEPTH", depth_of(job));
    opi_gpu_write_op(source, job->task->op);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_kernels(source, "tree");
    opi_gpu_write_kernels(source, "columns");
}

static oplus_status get_program(opi_job *job)
{
    const oplus_op *const op = job->task->op;
    choose_shape(job);
    opi_key key = opi_key_begin("columns", job->shape);
    opi_key_number(&key, depth_of(job));
    return opi_program_of_op(&job->g->programs, job->call, op, key, write_source, job, &job->program);
}

oplus_status opi_columns_prepare(opi_job *job, uint64_t n)
{
    static const char *const of_reduce[] = {"opi_columns_reduce", "opi_columns_fold"};
    static const char *const of_scan[] = {"opi_columns_scan", "opi_columns_reduce"};
    const bool scans = job->task->what == OPI_SCAN_AXIS;
    (void)n;
    OPI_TRY(get_program(job));
    const levels l = levels_of(job);
    OPI_TRY(
        opi_kernels_make(&job->g->programs, job->call, job->program, scans ? of_scan : of_reduce, l.count < 2 ? 1 : 2));
    if (l.count < 2) return OPLUS_OK;
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->nodes, nodes_bytes(job, &l)));
    return scans ? OPLUS_OK : opi_gpu_reserve(job->g, job->call, &job->g->work, digits_bytes(job, &l));
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static const char *nodes_at(const opi_job *job, const levels *l, int v)
{
    return (const char *)job->g->nodes.mem + l->place[v] * element(job);
}

static uint64_t groups_of(const opi_job *job, uint64_t columns)
{
    return (columns + ((uint64_t)1 << job->shape.log_w) - 1) >> job->shape.log_w;
}

static oplus_status launch(const opi_job *job, const char *kernel, uint64_t groups, opi_arguments *a)
{
    if (job->task->op->param_type) opi_add(a, opi_memory(job->param));
    return opi_gpu_launch(job, kernel, groups, a->list, a->count);
}

/* Level v, whose rows are at `in`: its whole chunks become the rows of level v + 1, and the rest digits; or, with an `out`,
 * everything becomes one row there.  whole_alone: there need be no digits. */
static oplus_status reduce_level(const opi_job *job, const levels *l, int v, const char *in, bool whole_alone,
                                 const char *out)
{
    const uint64_t inner = job->task->axis.inner, rows = l->rows[v], chunks = rows >> l->log_chunk;
    const bool rest = rows & (((uint64_t)1 << l->log_chunk) - 1) && !whole_alone;
    const char *const nodes = v + 1 < l->count ? nodes_at(job, l, v + 1) : NULL;
    const char *const digits =
        whole_alone || out ? NULL
                           : (const char *)job->g->work.mem + (size_t)v * l->log_chunk * l->columns * element(job);
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(in));
    opi_add(&a, opi_value(rows));
    opi_add(&a, opi_value(inner));
    opi_add(&a, opi_value(l->columns));
    opi_add(&a, opi_value(l->log_chunk));
    opi_add(&a, opi_memory(nodes));
    opi_add(&a, opi_memory(digits));
    opi_add(&a, opi_memory(out));
    return launch(job, "opi_columns_reduce", groups_of(job, l->columns) * (out ? 1 : chunks + rest), &a);
}

static oplus_status reduce(const opi_job *job, const levels *l, const opi_part *part)
{
    const char *const in = part->address[OPI_IN], *const out = part->address[OPI_AXIS_OUT];
    if (l->count < 2) return reduce_level(job, l, 0, in, false, out);
    for (int v = 0; v < l->count; v++) OPI_TRY(reduce_level(job, l, v, v > 0 ? nodes_at(job, l, v) : in, false, NULL));
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(job->g->work.mem));
    opi_add(&a, opi_value(l->rows[0]));
    opi_add(&a, opi_value(l->columns));
    opi_add(&a, opi_memory(out));
    return launch(job, "opi_columns_fold", groups_of(job, l->columns), &a);
}

/* Scans level v; the next one already has its results. */
static oplus_status scan_level(const opi_job *job, const levels *l, int v, const char *in, const char *out)
{
    const uint64_t inner = job->task->axis.inner, rows = l->rows[v];
    const uint64_t chunks = ((rows - 1) >> l->log_chunk) + 1;
    const uint32_t flags = v > 0 ? OPI_KEEP : job->task->exclusive ? OPI_EXCLUSIVE : 0;
    const char *const ends = v + 1 < l->count ? nodes_at(job, l, v + 1) : NULL;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(in));
    opi_add(&a, opi_value(rows));
    opi_add(&a, opi_value(inner));
    opi_add(&a, opi_value(l->columns));
    opi_add(&a, opi_value(l->log_chunk));
    opi_add(&a, opi_memory(ends));
    opi_add(&a, opi_memory(out));
    opi_add(&a, opi_value(flags));
    return launch(job, "opi_columns_scan", groups_of(job, l->columns) * chunks, &a);
}

static oplus_status scan(const opi_job *job, const levels *l, const opi_part *part)
{
    const char *const in = part->address[OPI_IN];
    for (int v = 0; v + 1 < l->count; v++)
        OPI_TRY(reduce_level(job, l, v, v > 0 ? nodes_at(job, l, v) : in, true, NULL));
    for (int v = l->count; --v > 0;) OPI_TRY(scan_level(job, l, v, nodes_at(job, l, v), nodes_at(job, l, v)));
    return scan_level(job, l, 0, in, part->address[OPI_AXIS_OUT]);
}

oplus_status opi_columns_run(opi_job *job, const opi_part *part)
{
    const levels l = levels_of(job);
    return (job->task->what == OPI_SCAN_AXIS ? scan : reduce)(job, &l, part);
}
