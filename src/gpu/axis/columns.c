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
    LEAST_CHUNKS = 4,      /* of an accelerator, if chunks are dealt out */
    STACK_BYTES = 256,     /* of the nodes that a work-item keeps: */
    LEAST_DEPTH = 5,       /* ... chunks of at least 2^4 rows, */
    MOST_DEPTH = 17,       /* ... and of 2^16 at most */
    LEAST_LOG_CHUNK = 8,   /* shorter chunks are not worth their nodes, if elements are small */
    NODES_AT_ONCE = 8,     /* that a work-item copies from another accelerator */
    DEALT_LOG_CHUNK = 5,   /* ... unless so few rows lie in one page of several accelerators */
    SCANNED_A_UNIT = 64,   /* columns for each multiprocessor that are scanned by one work-item each; */
    REDUCED_A_UNIT = 2048, /* parts of columns for each that are reduced, or scanned, as fast as memory, or nearly so */
    MOST_LEVELS = 16
};

/* One array of rows after the other, each the nodes of chunks of the one before. */
typedef struct levels {
    uint64_t rows[MOST_LEVELS], columns;
    uint64_t place[MOST_LEVELS]; /* of the nodes of level v > 0 in g->nodes, in elements */
    uint32_t log_chunk;
    int count;
} levels;

static bool scans(const opi_job *job) { return job->task->what == OPI_SCAN_AXIS; }

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

/* If there is one matrix, a chunk of it lies in one page, unless rows are too long for that. */
static unsigned log_chunk_in_page(const opi_job *job, unsigned log_chunk)
{
    const opi_axis *const axis = &job->task->axis;
    const uint64_t row = axis->inner * element(job);
    if (!job->deal || axis->outer > 1 || row << DEALT_LOG_CHUNK > job->deal->page) return log_chunk;
    while (log_chunk > DEALT_LOG_CHUNK && row << log_chunk > job->deal->page) log_chunk--;
    return log_chunk;
}

/* Chunks have as many rows as leave enough of them for the device, or the most that a work-item can have. */
static levels levels_of(const opi_job *job)
{
    const opi_axis *const axis = &job->task->axis;
    const uint64_t workers = job->deal ? job->deal->workers : 1;
    const uint64_t units = (uint64_t)opi_units(opi_deal_first(job)) * workers, columns = axis->outer * axis->inner;
    const bool is_enough = scans(job) && columns >= units * SCANNED_A_UNIT; /* a scan of chunks reads them twice */
    const uint64_t wanted = is_enough ? 0 : units * REDUCED_A_UNIT;
    const unsigned most = depth_of(job) - 1, least = most < LEAST_LOG_CHUNK ? most : LEAST_LOG_CHUNK;
    levels l = {.rows = {axis->n}, .columns = columns, .log_chunk = most, .count = 1};
    while (l.log_chunk > least && l.columns * ((axis->n >> l.log_chunk) + 1) < wanted) l.log_chunk--;
    l.log_chunk = log_chunk_in_page(job, l.log_chunk);
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

/* Whether chunks of one matrix are dealt out, and not strips. */
static bool are_chunks_dealt(const opi_job *job, uint64_t chunks)
{
    return job->deal && job->task->axis.outer == 1 && chunks >= (uint64_t)LEAST_CHUNKS * job->deal->workers;
}

static uint64_t chunk_bytes(const opi_job *job, const levels *l)
{
    return (job->task->axis.inner * element(job)) << l->log_chunk;
}

static uint64_t whole_chunks(const levels *l) { return l->rows[0] >> l->log_chunk; }

/* Of a scan each accelerator then keeps the nodes of its own chunks, and copies those of others: so all links are used, and not
 * those of accelerator 0 alone. */
static bool are_scattered(const opi_job *job, const levels *l)
{
    return scans(job) && l->count > 1 && are_chunks_dealt(job, whole_chunks(l));
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
    opi_deal_write_shares(job->deal, source);
    opi_gpu_define(source, "OPI_NODES_AT_ONCE", NODES_AT_ONCE);
    opi_gpu_write_kernels(source, "columns");
}

static oplus_status get_program(opi_job *job)
{
    const oplus_op *const op = job->task->op;
    choose_shape(job);
    opi_key key = opi_key_begin("columns", job->shape);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | depth_of(job));
    return opi_program_of_op(&job->g->programs, job->call, op, key, write_source, job, &job->program);
}

static oplus_status get_kernels(opi_job *job, levels *l)
{
    static const char *const of_reduce[] = {"opi_columns_reduce", "opi_columns_fold"};
    static const char *const of_scan[] = {"opi_columns_scan", "opi_columns_reduce", "opi_columns_gather"};
    OPI_TRY(get_program(job));
    *l = levels_of(job);
    return opi_kernels_make(&job->g->programs, job->call, job->program, scans(job) ? of_scan : of_reduce,
                            l->count < 2            ? 1
                            : are_scattered(job, l) ? 3
                                                    : 2);
}

oplus_status opi_columns_prepare(opi_job *job, uint64_t n)
{
    levels l;
    (void)n;
    OPI_TRY(get_kernels(job, &l));
    if (l.count < 2) return OPLUS_OK;
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->nodes, nodes_bytes(job, &l)));
    return scans(job) ? OPLUS_OK : opi_gpu_reserve(job->g, job->call, &job->g->work, digits_bytes(job, &l));
}

/* If the columns are dealt out, the nodes of the first level, and the digits, are in memory of accelerator 0 that all use; or
 * scattered (see above).  Of a scan each accelerator makes all that follows from them for itself. */
oplus_status opi_columns_prepare_dealt(opi_job *job)
{
    levels l;
    OPI_TRY(get_kernels(job, &l));
    if (l.count < 2) return OPLUS_OK;
    const size_t nodes = nodes_bytes(job, &l);
    if (scans(job)) OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->nodes, nodes));
    if (job->deal->own > 0 && !are_scattered(job, &l)) return OPLUS_OK;
    return opi_deal_reserve(job->deal, job->call, &job->g->pipeline.runs,
                            nodes + (scans(job) ? 0 : digits_bytes(job, &l)));
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

/* Where nodes and digits are. */
typedef struct room {
    char *first; /* the nodes of the first level's chunks, which are level 1, */
    char *nodes; /* and where they would be, if they were with those of the levels behind */
    char *digits;
} room;

static room room_of(const opi_job *job, const levels *l)
{
    opi_accelerator *const g = job->g;
    if (!job->deal) return (room){g->nodes.mem, g->nodes.mem, g->work.mem};
    if (l->count < 2) return (room){NULL, NULL, NULL};
    char *const all = (are_scattered(job, l) ? g : job->deal->all[0])->pipeline.runs.mem;
    return (room){all, scans(job) ? g->nodes.mem : all, all + nodes_bytes(job, l)};
}

/* The rows of level v > 0. */
static char *rows_at(const opi_job *job, const levels *l, const room *r, int v)
{
    return r->nodes + l->place[v] * element(job);
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

/* Which work-groups of level v, chunks by strips, are this accelerator's: those of chunks, if one matrix has several, or of
 * strips.  Levels behind the first one are not dealt out. */
static opi_shares shares_of(const opi_job *job, const levels *l, int v, uint64_t chunks)
{
    const opi_axis *const axis = &job->task->axis;
    const uint64_t strips = groups_of(job, l->columns), w = (uint64_t)1 << job->shape.log_w;
    const bool by_parts = are_chunks_dealt(job, chunks);
    opi_shares s;
    if (v > 0)
        s = opi_deal_shares(NULL, strips, 1);
    else if (by_parts)
        s = opi_deal_shares(job->deal, chunks, chunk_bytes(job, l));
    else
        s = opi_deal_shares(job->deal, strips, w * axis->n * element(job));
    s.by_parts = v == 0 && by_parts;
    return s;
}

/* Launches a kernel of level v. */
static oplus_status launch_level(const opi_job *job, const levels *l, const char *kernel, int v, uint64_t chunks,
                                 opi_arguments *a)
{
    const uint64_t strips = groups_of(job, l->columns);
    if (!job->deal) return launch(job, kernel, strips * chunks, a);
    const opi_shares shares = shares_of(job, l, v, chunks);
    opi_add(a, opi_value(shares));
    return launch(job, kernel, shares.slots * (shares.by_parts ? strips : chunks), a);
}

/* Level v, whose rows are at `in`: its whole chunks become the rows of level v + 1, and the rest digits; or, with an `out`,
 * everything becomes one row there.  whole_alone: there need be no digits. */
static oplus_status reduce_level(const opi_job *job, const levels *l, int v, const char *in, bool whole_alone,
                                 const char *out)
{
    const uint64_t inner = job->task->axis.inner, rows = l->rows[v], chunks = rows >> l->log_chunk;
    const bool rest = rows & (((uint64_t)1 << l->log_chunk) - 1) && !whole_alone;
    const room r = room_of(job, l);
    const char *const nodes = v + 1 >= l->count ? NULL : v == 0 ? r.first : rows_at(job, l, &r, v + 1);
    const char *const digits =
        whole_alone || out ? NULL : r.digits + (size_t)v * l->log_chunk * l->columns * element(job);
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(in));
    opi_add(&a, opi_value(rows));
    opi_add(&a, opi_value(inner));
    opi_add(&a, opi_value(l->columns));
    opi_add(&a, opi_value(l->log_chunk));
    opi_add(&a, opi_memory(nodes));
    opi_add(&a, opi_memory(digits));
    opi_add(&a, opi_memory(out));
    return launch_level(job, l, "opi_columns_reduce", v, out ? 1 : chunks + rest, &a);
}

/* What a reduce does behind the first level. */
static oplus_status reduce_rest(const opi_job *job, const levels *l, const char *out)
{
    const room r = room_of(job, l);
    for (int v = 1; v < l->count; v++) OPI_TRY(reduce_level(job, l, v, rows_at(job, l, &r, v), false, NULL));
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(r.digits));
    opi_add(&a, opi_value(l->rows[0]));
    opi_add(&a, opi_value(l->columns));
    opi_add(&a, opi_memory(out));
    return launch(job, "opi_columns_fold", groups_of(job, l->columns), &a);
}

static oplus_status reduce(const opi_job *job, const levels *l, const opi_part *part)
{
    const char *const in = part->address[OPI_IN], *const out = part->address[OPI_AXIS_OUT];
    if (l->count < 2) return reduce_level(job, l, 0, in, false, out);
    OPI_TRY(reduce_level(job, l, 0, in, false, NULL));
    return reduce_rest(job, l, out);
}

/* Scans level v; the next one already has its results. */
static oplus_status scan_level(const opi_job *job, const levels *l, int v, const char *in, const char *out)
{
    const uint64_t inner = job->task->axis.inner, rows = l->rows[v];
    const uint64_t chunks = ((rows - 1) >> l->log_chunk) + 1;
    const uint32_t flags = v > 0 ? OPI_KEEP : job->task->exclusive ? OPI_EXCLUSIVE : 0;
    const room r = room_of(job, l);
    const char *const ends = v + 1 < l->count ? rows_at(job, l, &r, v + 1) : NULL;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(in));
    opi_add(&a, opi_value(rows));
    opi_add(&a, opi_value(inner));
    opi_add(&a, opi_value(l->columns));
    opi_add(&a, opi_value(l->log_chunk));
    opi_add(&a, opi_memory(ends));
    opi_add(&a, opi_memory(out));
    opi_add(&a, opi_value(flags));
    return launch_level(job, l, "opi_columns_scan", v, chunks, &a);
}

/* Each begins with its neighbour's, so that no two read the same one's at the same time. */
static oplus_status gather_first(const opi_job *job, const levels *l)
{
    const uint64_t nodes = l->columns, pieces = (nodes - 1) / ((uint64_t)NODES_AT_ONCE << job->shape.log_w) + 1;
    for (unsigned k = 1; k < job->deal->workers; k++) {
        opi_deal other = *job->deal;
        other.own = (job->deal->own + k) % job->deal->workers;
        const opi_shares shares = opi_deal_shares(&other, whole_chunks(l), chunk_bytes(job, l));
        const opi_gpu_argument list[] = {opi_memory(other.all[other.own]->pipeline.runs.mem),
                                         opi_memory(job->g->pipeline.runs.mem), opi_value(nodes), opi_value(shares)};
        OPI_TRY(opi_gpu_launch(job, "opi_columns_gather", shares.slots * pieces, list, 4));
    }
    return OPLUS_OK;
}

/* What a scan does behind the first level, of whose chunks the nodes are known; then it scans that one, too. */
static oplus_status scan_rest(const opi_job *job, const levels *l, const opi_part *part)
{
    const room r = room_of(job, l);
    if (are_scattered(job, l)) OPI_TRY(gather_first(job, l));
    for (int v = 1; v + 1 < l->count; v++)
        OPI_TRY(reduce_level(job, l, v, v > 1 ? rows_at(job, l, &r, v) : r.first, true, NULL));
    for (int v = l->count; --v > 0;) {
        const char *const rows = rows_at(job, l, &r, v);
        OPI_TRY(scan_level(job, l, v, v > 1 ? rows : r.first, rows));
    }
    return scan_level(job, l, 0, part->address[OPI_IN], part->address[OPI_AXIS_OUT]);
}

static oplus_status scan(const opi_job *job, const levels *l, const opi_part *part)
{
    if (l->count > 1) OPI_TRY(reduce_level(job, l, 0, part->address[OPI_IN], true, NULL));
    return scan_rest(job, l, part);
}

/* --- the ways ------------------------------------------------------------------------------------------------------- */

oplus_status opi_columns_run(opi_job *job, const opi_part *part)
{
    const levels l = levels_of(job);
    return (scans(job) ? scan : reduce)(job, &l, part);
}

/* The first level's nodes, if there are any: all must have made theirs before one goes on. */
oplus_status opi_columns_look_dealt(opi_job *job, const opi_part *part)
{
    levels l;
    OPI_TRY(get_kernels(job, &l));
    return l.count < 2 ? OPLUS_OK : reduce_level(job, &l, 0, part->address[OPI_IN], scans(job), NULL);
}

oplus_status opi_columns_run_dealt(opi_job *job, const opi_part *part)
{
    const char *const out = part->address[OPI_AXIS_OUT];
    levels l;
    OPI_TRY(get_kernels(job, &l));
    if (scans(job)) return scan_rest(job, &l, part);
    if (l.count < 2) return reduce_level(job, &l, 0, part->address[OPI_IN], false, out);
    return job->deal->own == 0 ? reduce_rest(job, &l, out) : OPLUS_OK;
}
