/* Windows on an accelerator: a launch for each step, and before them the scan of the first w - 1 elements. */
#include "gpu/window/window.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/param.h"
#include "gpu/ways.h"
#include "gpu/whole.h"
#include "task/make.h"
#include "task/window.h"

enum {
    ITEM_BYTES = 32, /* of a work-item's elements, */
    MOST_LOG_E = 3,  /* ... of which there are at most 2^3, */
    HOST_LOG_E = 2,  /* ... or on the host's processor 2^2 */
    LOG_W = 8,
    HOST_LOG_W = 6,
    LOCAL_BYTES = 16 << 10, /* of a tile */
    LEAST_LOG_TILE = 2,
    STRIP_BYTES = 128 /* of neighbours in a row of a tile, in a step that does not read the input */
};

/* How tiles are cut. */
typedef struct cut {
    opi_shape shape;
    bool on_host;         /* the device is the host's processor */
    unsigned log_columns; /* of a strip above level 0 */
    unsigned first, more; /* levels of the first step, and of another one */
} cut;

static size_t element(const opi_job *job) { return job->task->op->type->size; }

static cut cut_of(const opi_job *job)
{
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    const size_t local = opi_smaller(facts->local / 2, LOCAL_BYTES), size = element(job);
    cut c = {.on_host = opi_shape_for(facts, 1, 1).log_w == 0};
    c.shape.log_w = c.on_host ? HOST_LOG_W : LOG_W;
    while (c.shape.log_w > 0 && (1u << c.shape.log_w > facts->group || size << c.shape.log_w > local)) c.shape.log_w--;
    const unsigned most = c.on_host ? HOST_LOG_E : MOST_LOG_E;
    while (c.shape.log_e < most &&
           (size << (c.shape.log_e + 1) <= ITEM_BYTES || opi_log_tile(c.shape) < LEAST_LOG_TILE))
        c.shape.log_e++;
    const unsigned tile = opi_log_tile(c.shape);
    while (size << (c.log_columns + 1) <= STRIP_BYTES && c.log_columns + 3 <= tile) c.log_columns++;
    c.first = tile - 1;
    c.more = tile - c.log_columns - 1;
    return c;
}

/* Whether a tile fits local memory: of very large elements it does not. */
static bool has_room(const opi_job *job)
{
    return element(job) << opi_log_tile(cut_of(job).shape) <= job->g->gpu->facts.local;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    const cut c = cut_of(job);
    opi_gpu_write_shape(source, c.shape, element(job));
    opi_gpu_define(source, "OPI_LOG_COLUMNS", c.log_columns);
    opi_gpu_define(source, "OPI_LEVELS", c.first);
    opi_gpu_define(source, "OPI_RESIDENTS", element(job) <= 4 ? 2 : 1); /* what is kept takes many registers */
    opi_gpu_define(source, "OPI_ON_HOST", c.on_host);
    opi_gpu_write_op(source, job->task->op);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_kernels(source, "tree");
    opi_deal_write_shares(job->deal, source);
    opi_gpu_write_kernels(source, "window");
}

/* How many arrays of n elements there are between steps. */
static int arrays_of(const opi_job *job, const cut *c)
{
    opi_window_step steps[OPI_WINDOW_STEPS];
    int arrays;
    opi_window_steps(job->task->n, job->task->window, c->first, c->more, steps, &arrays);
    return arrays;
}

static oplus_status reserve(const opi_job *job, int arrays)
{
    size_t bytes;
    if (arrays == 0) return OPLUS_OK;
    if (__builtin_mul_overflow(job->task->n * element(job), (size_t)arrays, &bytes))
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: windows of w = %zu need %d times the memory of in; ask for shorter windows", job->call,
                        job->task->window, arrays);
    return opi_gpu_reserve(job->g, job->call, &job->g->array[1], bytes);
}

oplus_status opi_window_prepare(opi_job *job, uint64_t n)
{
    static const char *const kernels[] = {"opi_window"};
    const cut c = cut_of(job);
    if (opi_window_head(job->task) == n) return OPLUS_OK;
    job->shape = c.shape;
    opi_key key = opi_key_begin("window", c.shape);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | (uint64_t)c.log_columns << 1 | c.on_host);
    OPI_TRY(opi_program_of_op(&job->g->programs, job->call, job->task->op, key, write_source, job, &job->program));
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels, 1));
    return reserve(job, arrays_of(job, &c));
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static uint64_t quotient_up(uint64_t a, uint64_t b) { return a / b + (a % b > 0); }

static oplus_status launch(const opi_job *job, const opi_part *part, const cut *c, const opi_window_step *step)
{
    const size_t bytes = job->task->n * element(job), whole = (job->task->window - 1) * element(job);
    const char *const scratch = job->g->array[1].mem;
    const char *const in = step->from == 0 ? part->address[OPI_IN] : scratch + (size_t)(step->from - 1) * bytes;
    const char *const out =
        step->to == 0 ? part->address[OPI_WINDOW_OUT] + whole : scratch + (size_t)(step->to - 1) * bytes;
    const uint64_t n = job->task->n - (((uint64_t)1 << step->level) - 1), count = step->count, ahead = step->ahead;
    const unsigned log_columns = step->level == 0 ? 0 : c->log_columns;
    const uint64_t rows = (opi_tile(c->shape) >> log_columns) - step->digits + 1; /* of results, in a tile */
    const uint64_t tiles = quotient_up(quotient_up(count, (uint64_t)1 << step->level), rows);
    const uint32_t level = step->level, digits = step->digits;
    const uint32_t flags = (step->follows ? OPI_FOLLOWS : 0u) | (step->last ? 0u : OPI_KEEP);
    const opi_shares shares = opi_deal_shares(job->deal, tiles, rows * element(job));
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(in));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_value(count));
    opi_add(&a, opi_value(level));
    opi_add(&a, opi_value(digits));
    opi_add(&a, opi_value(ahead));
    opi_add(&a, opi_memory(out));
    opi_add(&a, opi_value(flags));
    if (job->deal) opi_add(&a, opi_value(shares));
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, "opi_window", job->deal ? shares.slots : tiles << (step->level - log_columns), a.list,
                          a.count);
}

static oplus_status run_head(const opi_job *job, const opi_part *part)
{
    opi_task head;
    opi_task_scan(&head, job->task->op, OPLUS_INCLUSIVE, part->address[OPI_IN], NULL, opi_window_head(job->task), 0,
                  (void *)part->address[OPI_WINDOW_OUT]);
    return head.n == 0 ? OPLUS_OK : opi_gpu_scan(&(opi_job){.g = job->g, .call = job->call, .task = &head});
}

oplus_status opi_window_tiles(opi_job *job, const opi_part *part)
{
    opi_window_step steps[OPI_WINDOW_STEPS];
    const cut c = cut_of(job);
    int arrays;
    OPI_TRY(run_head(job, part));
    if (opi_window_head(job->task) == part->n) return OPLUS_OK;
    const int count = opi_window_steps(part->n, job->task->window, c.first, c.more, steps, &arrays);
    for (int i = 0; i < count; i++) OPI_TRY(launch(job, part, &c, &steps[i]));
    return OPLUS_OK;
}

/* --- dealt out (gpu/deals.h) ---------------------------------------------------------------------------------------- */

/* All is done in one step, whose tiles need nothing of each other. */
bool opi_window_deals(opi_job *job)
{
    opi_window_step steps[OPI_WINDOW_STEPS];
    const cut c = cut_of(job);
    int arrays;
    if (opi_window_head(job->task) == job->task->n || !has_room(job)) return false;
    return opi_window_steps(job->task->n, job->task->window, c.first, c.more, steps, &arrays) == 1;
}

/* The head is a scan of less than a tile. */
oplus_status opi_window_prepare_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    opi_rehearsal seen = {.way = NULL}, *const before = job->g->rehearsal;
    OPI_TRY(opi_gpu_param(job->g, job->call, NULL, job->task->op, &job->param));
    OPI_TRY(opi_window_prepare(job, job->task->n));
    if (job->deal->own > 0) return OPLUS_OK;
    job->g->rehearsal = &seen;
    const oplus_status status = run_head(job, &part);
    job->g->rehearsal = before;
    return status;
}

oplus_status opi_window_run_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    opi_window_step steps[OPI_WINDOW_STEPS];
    const cut c = cut_of(job);
    int arrays;
    if (job->deal->own == 0) OPI_TRY(run_head(job, &part));
    OPI_TRY(opi_gpu_param(job->g, job->call, NULL, job->task->op, &job->param));
    OPI_TRY(opi_window_prepare(job, part.n));
    opi_window_steps(part.n, job->task->window, c.first, c.more, steps, &arrays);
    return launch(job, &part, &c, &steps[0]);
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

/* Whether the arrays, all of them the host's, and the scratch memory do not fit the device. */
static bool is_too_large(const opi_job *job, const opi_whole *whole)
{
    const cut c = cut_of(job);
    const size_t arrays = opi_window_head(job->task) < job->task->n ? (size_t)arrays_of(job, &c) : 0;
    const size_t room = job->g->memory_bytes / (2 + arrays), largest = job->g->gpu->facts.largest;
    return opi_whole_is_too_large(job, whole, 2 * opi_smaller(room, largest / opi_larger(arrays, 2)));
}

oplus_status opi_gpu_window(opi_job *job)
{
    static const char *const names[] = {"in", "out"};
    const bool fits = has_room(job);
    opi_whole whole;
    OPI_TRY(opi_whole_look(job, names, &whole));
    if (!fits && !whole.is_host)
        return opi_fail(OPLUS_ERR_UNSUPPORTED,
                        "%s: elements of %zu bytes are too large for windows on %s; give arrays of the host, whose "
                        "cores then do it",
                        job->call, element(job), job->g->gpu->facts.where);
    if (!fits || is_too_large(job, &whole))
        return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
    OPI_TRY(opi_gpu_param(job->g, job->call, NULL, job->task->op, &job->param));
    return opi_whole_run(job, &whole);
}
