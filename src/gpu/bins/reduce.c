/* A reduce by index on an accelerator: copies of the elements are sorted by their bins, and each bin is a segment, which is
 * reduced.  The primitives that do this are those of public calls. */
#include "gpu/bins/bins.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"
#include "task/make.h"

#include <string.h>

typedef struct sorting {
    opi_job job;                        /* must be first */
    opi_gpu_side indices_side, in_side; /* of the indices, of the elements */
    size_t n, bins;
    const oplus_type *place; /* of a bin: &oplus_u32 or &oplus_u64 */
    /* --- scratch memory on the device --- */
    char *indices;     /* of the host, copied; NULL: they lie on the device */
    char *places;      /* the bin of each element, then sorted */
    char *elements;    /* the elements, then in the order of their bins */
    char *wanted;      /* 0, 1, ..., bins - 1 */
    uint64_t *offsets; /* where each bin begins, and where the last one ends */
    char *fault;
} sorting;

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Room in the memory at `base`, behind *at; base NULL: it is only measured. */
static char *room(char *base, size_t *at, size_t bytes)
{
    const size_t own = *at;
    *at += opi_round_up(bytes, OPI_CACHE_LINE);
    return base ? base + own : NULL;
}

/* Divides memory; returns how many bytes it must have. */
static size_t divide(sorting *s, char *base)
{
    const opi_task *const task = s->job.task;
    size_t at = 0;
    s->fault = room(base, &at, sizeof(opi_wrong_index));
    s->indices = s->indices_side == OPI_SIDE_DEVICE ? NULL : room(base, &at, s->n * task->bins.type->size);
    s->places = room(base, &at, s->n * s->place->size);
    s->elements = room(base, &at, s->n * task->op->type->size);
    s->wanted = room(base, &at, s->bins * s->place->size);
    s->offsets = (uint64_t *)(void *)room(base, &at, (s->bins + 1) * sizeof(uint64_t));
    return at;
}

static oplus_status reserve(sorting *s)
{
    opi_accelerator *const g = s->job.g;
    OPI_TRY(opi_gpu_reserve(g, s->job.call, &g->binned, divide(s, NULL)));
    divide(s, g->binned.mem);
    return OPLUS_OK;
}

/* --- 1. the bin of each element ----------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const sorting *const s = context;
    opi_gpu_bins_write(source, &s->job);
    opi_gpu_define(source, "OPI_PLACE_SIZE", s->place->size);
    opi_gpu_write_kernels(source, "place");
}

static oplus_status get_program(sorting *s)
{
    opi_job *const job = &s->job;
    job->shape = opi_shape_for(&job->g->gpu->facts, job->task->bins.type->size, 0);
    opi_key key = opi_gpu_bins_key("place", job);
    opi_key_number(&key, s->place->size);
    return opi_program_get(&job->g->programs, job->call, "the kernel of places in bins", key.hash, write_source, s,
                           &job->program);
}

static oplus_status find_places(sorting *s)
{
    static const opi_wrong_index none = {0, 0};
    opi_job *const job = &s->job;
    const opi_array *const indices = &job->task->array[OPI_INDICES];
    const uint64_t n = s->n, bins = s->bins;
    const char *in = indices->mem;
    if (s->indices) {
        OPI_TRY(opi_transfer_up(job->g, job->call, s->indices_side, s->indices, indices->mem, s->n * indices->size));
        in = s->indices;
    }
    const opi_gpu_argument list[] = {opi_memory(in), opi_value(n), opi_value(bins), opi_memory(s->places),
                                     opi_memory(s->fault)};
    OPI_TRY(opi_gpu_put(job->g, job->call, s->fault, &none, sizeof none));
    OPI_TRY(opi_gpu_launch(job, "opi_place_in_bins", (n + opi_tile(job->shape) - 1) / opi_tile(job->shape), list, 5));
    return opi_gpu_bins_refuse(&job->task->bins) ? opi_gpu_bins_look(job, s->fault) : OPLUS_OK;
}

/* --- 2. the elements in the order of their bins ------------------------------------------------------------------- */

static opi_job job_of(const sorting *s, const opi_task *task)
{
    return (opi_job){.g = s->job.g, .call = s->job.call, .task = task};
}

static oplus_status bring_elements(const sorting *s)
{
    const opi_job *const job = &s->job;
    const void *const in = job->task->array[OPI_BINNED].mem;
    const size_t bytes = s->n * job->task->op->type->size;
    if (s->in_side == OPI_SIDE_DEVICE) return opi_gpu_move(job->g, job->call, s->elements, in, bytes);
    return opi_transfer_up(job->g, job->call, s->in_side, s->elements, in, bytes);
}

static oplus_status sort(const sorting *s)
{
    opi_task task;
    OPI_TRY(bring_elements(s));
    opi_task_sort(&task, s->place, OPLUS_ASCENDING, s->places, s->job.task->op->type, s->elements, s->n);
    opi_job job = job_of(s, &task);
    return opi_gpu_sort(&job);
}

/* --- 3. where each bin begins ------------------------------------------------------------------------------------- */

static oplus_status bring_wanted(const sorting *s)
{
    const opi_job *const job = &s->job;
    opi_buffer *const copy = &job->g->dev.cores->array;
    const size_t bytes = s->bins * s->place->size;
    if (!opi_buffer_reserve(copy, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the numbers of %zu bins; free some, or ask for fewer",
                        job->call, s->bins);
    for (size_t b = 0; b < s->bins; b++)
        if (s->place->size == sizeof(uint32_t))
            ((uint32_t *)copy->mem)[b] = (uint32_t)b;
        else
            ((uint64_t *)copy->mem)[b] = b;
    return opi_gpu_put(job->g, job->call, s->wanted, copy->mem, bytes);
}

/* Elements that are in no bin are behind all others. */
static oplus_status find_offsets(const sorting *s)
{
    static const uint64_t first = 0;
    opi_task task;
    OPI_TRY(bring_wanted(s));
    OPI_TRY(opi_gpu_put(s->job.g, s->job.call, s->offsets, &first, sizeof first));
    opi_task_bounds(&task, s->place, OPLUS_ASCENDING, NULL, s->places, s->n, true, s->wanted, s->bins, sizeof first,
                    s->offsets + 1);
    opi_job job = job_of(s, &task);
    return opi_gpu_order(&job);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static oplus_status reduce(const sorting *s)
{
    opi_task task;
    const opi_offsets offsets = {s->offsets, s->bins, sizeof *s->offsets, s->n};
    opi_task_segreduce(&task, s->job.task->op, s->elements, s->n, &oplus_u64, &offsets,
                       (void *)s->job.task->array[OPI_BINNED_OUT].mem);
    opi_job job = job_of(s, &task);
    return opi_gpu_segreduce(&job);
}

/* Without elements all bins begin at 0. */
static oplus_status clear_offsets(const sorting *s)
{
    const opi_job *const job = &s->job;
    opi_buffer *const zeros = &job->g->dev.cores->array;
    const size_t bytes = (s->bins + 1) * sizeof *s->offsets;
    if (!opi_buffer_reserve(zeros, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the offsets of %zu bins; free some, or ask for fewer",
                        job->call, s->bins);
    memset(zeros->mem, 0, bytes);
    return opi_gpu_put(job->g, job->call, s->offsets, zeros->mem, bytes);
}

oplus_status opi_by_sort_run(opi_job *job, const opi_part *part)
{
    sorting *const s = (sorting *)job;
    (void)part; /* it is all */
    OPI_TRY(get_program(s));
    OPI_TRY(reserve(s));
    if (s->n == 0) {
        OPI_TRY(clear_offsets(s));
    } else {
        OPI_TRY(find_places(s));
        OPI_TRY(sort(s));
        OPI_TRY(find_offsets(s));
    }
    return reduce(s);
}

/* Arrays of the host are read there faster than they are copied to the device. */
oplus_status opi_gpu_reduce_by_index(opi_job *job)
{
    static const char *const names[] = {"indices", "in", "out"};
    const opi_task *const task = job->task;
    sorting s = {.job = *job, .n = task->n, .bins = (size_t)task->bins.n};
    opi_gpu_side side[3];
    bool is_host = true;
    for (int k = 0; k < 3; k++) {
        const opi_array *const array = &task->array[k];
        OPI_TRY(opi_gpu_side_of(job->g, job->call, names[k], array->mem, array->items * array->size, &side[k]));
        is_host &= side[k] != OPI_SIDE_DEVICE;
    }
    if (is_host) return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, task, NULL);
    s.indices_side = side[OPI_INDICES];
    s.in_side = side[OPI_BINNED];
    s.place = task->bins.n < UINT32_MAX ? &oplus_u32 : &oplus_u64;
    return opi_gpu_settle(job->g, job->call, opi_way_run_all(&s.job));
}
