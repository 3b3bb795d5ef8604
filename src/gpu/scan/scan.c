/* Reduce and scan on an accelerator, segmented or not: their program, what precedes the first item, and what follows
 * the last one. */
#include "base/error.h"
#include "gpu/canon/look_back.h"
#include "gpu/canon/tiles.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/param.h"
#include "gpu/parts.h"
#include "gpu/scan/last.h"
#include "gpu/scan/scan.h"
#include "gpu/stage.h"
#include "gpu/ways.h"
#include "task/make.h"

#include <assert.h>

/* --- the program -------------------------------------------------------------------------------------------------- */

/* The node of a segmented scan is an element and its flag, laid out as C lays out a struct of the two. */
static size_t node_bytes(const opi_task *task)
{
    const oplus_type *const type = task->op->type;
    const size_t align = opi_larger(type->align, sizeof(uint32_t));
    return task->lifted ? opi_round_up(opi_round_up(type->size, sizeof(uint32_t)) + sizeof(uint32_t), align)
                        : type->size;
}

/* Whether the program is that of a reduce with the way "last": it is another one than a scan's, so that a first call
 * compiles what it needs. */
static bool has_last(const opi_job *job)
{
    return job->task->what == OPI_REDUCE && !job->task->lifted &&
           opi_last_is_for(&job->g->gpu->facts, job->shape, job->node);
}

/* How many work-groups that look back are to fit a multiprocessor, as measured on an H200 (docs/performance.md). */
static unsigned residents_of(const opi_job *job)
{
    if (job->task->lifted) return 1;
    return job->node == 4 ? 6 : job->node == 8 ? 4 : 1;
}

bool opi_scan_is_exchanged(const opi_task *task) { return task->backward && !(task->op->flags & OPLUS_COMMUTATIVE); }

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_gpu_write_shape(source, job->shape, job->task->op->type->size);
    opi_gpu_define(source, "OPI_LIFTED", job->task->lifted);
    opi_gpu_define(source, "OPI_HAS_LAST", has_last(job));
    opi_gpu_define(source, "OPI_BACKWARD", job->task->backward);
    opi_gpu_define(source, "OPI_EXCHANGED", opi_scan_is_exchanged(job->task));
    opi_gpu_write_parts(source, job->task);
    opi_gpu_write_kernels(source, job->task->lifted ? "lifted" : "plain");
    opi_gpu_write_tree(source, job->shape, job->task->op->type->size);
    opi_gpu_write_kernels(source, "range");
    opi_gpu_write_tile(source);
    opi_gpu_write_kernels(source, "spine");
    opi_gpu_write_kernels(source, "scan");
    if (has_last(job)) {
        opi_last_write(source, job);
    } else if (opi_look_back_fits(&job->g->gpu->facts, job->shape, job->task->op->type->size)) {
        opi_look_back_write(source, residents_of(job));
        opi_gpu_write_kernels(source, "scan_once");
    }
}

void opi_gpu_scan_measure(opi_job *job)
{
    job->node = node_bytes(job->task);
    job->shape = opi_shape_for(&job->g->gpu->facts, job->task->op->type->size, job->node);
}

static oplus_status get_program(opi_job *job)
{
    opi_gpu_scan_measure(job);
    opi_key key = opi_key_begin("scan", job->shape);
    opi_key_number(&key, job->task->lifted);
    opi_key_number(&key, has_last(job));
    opi_key_number(&key, job->deal != NULL);
    opi_key_number(&key, (uint64_t)job->task->backward << 1 | opi_scan_is_exchanged(job->task));
    return opi_program_of_task(&job->g->programs, job->call, job->task, key, write_source, job, &job->program);
}

/* Reserves host memory for an image of the carry. */
static oplus_status reserve_image(const opi_job *job)
{
    const size_t bytes = opi_image_bytes(job->node);
    if (opi_buffer_reserve(&job->g->image, bytes)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", job->call, bytes);
}

/* Prepares everything that does not depend on where the arrays are. */
static oplus_status prepare(opi_job *job)
{
    opi_accelerator *const g = job->g;
    OPI_TRY(get_program(job));
    OPI_TRY(opi_gpu_params(g, job->call, job->task, &job->param));
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->range, opi_image_bytes(job->node)));
    if (job->carry || g->rehearsal) OPI_TRY(reserve_image(job));
    if (!job->deal || job->deal->own == 0) OPI_TRY(opi_tiles_aim(job)); /* nobody else makes a result */
    job->at = job->task->first;
    return OPLUS_OK;
}

/* --- what is carried ---------------------------------------------------------------------------------------------- */

enum { MOST_ARGUMENT = 256 }; /* bytes of an argument of a kernel; any device takes so many */

/* A carry of one node, as the init of a fold is, is an argument of a launch, which nobody waits for. */
static oplus_status launch_carry(const opi_job *job, const opi_range_image *head)
{
    const uint32_t level = head->level[0];
    const opi_gpu_argument list[] = {
        opi_memory(job->g->range.mem), opi_value(head->end), opi_value(level), {false, head + 1, job->node}};
    return opi_gpu_launch_of(job, job->program, "opi_begin", 1, 1, list, 4);
}

/* Copies what precedes item 0 from the host. */
static oplus_status bring_carry(opi_job *job)
{
    void *const image = job->g->image.mem;
    job->fresh = !job->carry || job->carry->count == 0;
    if (job->fresh) return OPLUS_OK;
    opi_range_pack(job->carry, job->node, image);
    const opi_range_image *const head = image;
    if (head->count == 1 && job->node <= MOST_ARGUMENT) return launch_carry(job, head);
    return opi_gpu_put(job->g, job->call, job->g->range.mem, image, opi_image_bytes(job->node));
}

/* Copies what precedes item n to the host. */
static oplus_status take_carry(const opi_job *job)
{
    void *const image = job->g->image.mem;
    assert(job->carry);
    OPI_TRY(opi_gpu_fetch(job->g, job->call, image, job->g->range.mem, opi_image_bytes(job->node)));
    opi_range_unpack(job->carry, job->node, image);
    return OPLUS_OK;
}

/* A task that is dealt out has no carry. */
oplus_status opi_gpu_scan_ready(opi_job *job)
{
    job->fresh = true;
    return prepare(job);
}

/* Runs where the arrays are, or in pieces if they are the host's. */
static oplus_status run(opi_job *job, const opi_staging *staging)
{
    return staging->any ? opi_stage_run(job, staging, NULL, NULL) : opi_way_run_all(job);
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_scan(opi_job *job)
{
    opi_staging staging;
    if (job->task->n == 0) return opi_tiles_nothing(job);
    OPI_TRY(prepare(job));
    job->keep = job->carry && !job->task->result;
    OPI_TRY(bring_carry(job));
    OPI_TRY(opi_stage_look(job, &staging));
    OPI_TRY(run(job, &staging));
    if (job->task->result) return opi_tiles_take_result(job, staging.any);
    return job->keep ? take_carry(job) : OPLUS_OK;
}

/* The nodes of tiles are kept if no array comes in pieces: pieces use the same memory one after the other. */
oplus_status opi_gpu_scan_summarise(opi_job *job, opi_ticket *ticket)
{
    const opi_task reading = opi_task_reading(job->task);
    opi_staging whole, staging;
    OPI_TRY(prepare(job));
    OPI_TRY(opi_stage_look(job, &whole)); /* this also looks at the arrays that are written */
    opi_job summary = *job;
    summary.task = &reading;
    summary.keep = true;
    summary.keeps_nodes = !whole.any;
    if (!summary.keeps_nodes) OPI_TRY(get_program(&summary)); /* a reduce, which may go another way than the scan's */
    OPI_TRY(bring_carry(&summary));
    OPI_TRY(opi_stage_look(&summary, &staging));
    OPI_TRY(run(&summary, &staging));
    OPI_TRY(take_carry(&summary));
    if (summary.keeps_nodes) job->g->ticket = ticket->number = ++job->g->summaries;
    return OPLUS_OK;
}

oplus_status opi_gpu_scan_apply(opi_job *job, opi_ticket *ticket)
{
    opi_staging staging;
    OPI_TRY(prepare(job));
    OPI_TRY(bring_carry(job));
    OPI_TRY(opi_stage_look(job, &staging));
    job->has_nodes = ticket->number != 0 && ticket->number == job->g->ticket;
    ticket->number = 0;
    return run(job, &staging);
}
