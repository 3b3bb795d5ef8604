/* Stable radix sort on an accelerator: copies from and to the host.
 *
 * The caller's arrays are written last.  Arrays of the host that do not fit the device together are sorted in pieces,
 * and merged on the host. */
#include "cores/sort.h"

#include "base/error.h"
#include "cores/cores.h"
#include "cores/merge.h"
#include "gpu/memory.h"
#include "gpu/sort/partition.h"
#include "gpu/sort/passes.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"

#include <assert.h>
#include <string.h>

enum { UNIT_MOST = 8 /* bytes that a kernel copies at once */ };

typedef struct sorting {
    opi_sorting s; /* must be first */
    opi_gpu_side keys_side, values_side;
} sorting;

/* Host memory that a call needs: indices, gathered values. */
typedef struct room {
    char *index, *values;
} room;

/* --- copies to the device, and back ------------------------------------------------------------------------------- */

/* Copies to the caller's array, or to where else the result is wanted. */
static oplus_status deliver(const opi_sorting *s, opi_gpu_side side, char *to, const char *from, size_t bytes)
{
    if (to == from || bytes == 0) return OPLUS_OK;
    return side == OPI_SIDE_DEVICE ? opi_gpu_move(s->job.g, s->job.call, to, from, bytes)
                                   : opi_transfer_down(s->job.g, s->job.call, side, to, from, bytes);
}

static uint64_t index_at(const opi_sorting *s, const char *index, uint64_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (s->payload == sizeof wide) {
        memcpy(&wide, index + i * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, index + i * sizeof narrow, sizeof narrow);
    return narrow;
}

/* Puts values of the host into their new order: gathers them, then copies them to where they are wanted. */
static oplus_status gather_on_host(const opi_sorting *s, const opi_place *from, const opi_place *sorted, uint64_t n,
                                   const room *room)
{
    const opi_job *const job = &s->job;
    OPI_TRY(opi_transfer_down(job->g, job->call, OPI_SIDE_HOST, room->index, sorted->values, n * s->payload));
    OPI_TRY(opi_gpu_sync(job->g, job->call, OPI_QUEUE_COMPUTE));
    if (job->g->rehearsal) return OPLUS_OK; /* a rehearsal has no indices */
    char *const gathered = s->to.values == from->values ? room->values : s->to.values;
    assert(gathered && from->values && room->index); /* there are values, and room for those of the host */
    for (uint64_t i = 0; i < n; i++)
        memcpy(gathered + i * s->value, from->values + index_at(s, room->index, i) * s->value, s->value);
    if (gathered != s->to.values) memcpy(s->to.values, gathered, n * s->value);
    return OPLUS_OK;
}

/* The same for values that stayed on the device. */
static oplus_status gather_there(const opi_sorting *s, const opi_place *from, const opi_place *sorted, uint64_t n,
                                 char *to)
{
    char *const gathered = s->job.g->array[2].mem;
    OPI_TRY(opi_sort_gather(s, from->values, sorted->values, n, gathered));
    return deliver(s, OPI_SIDE_DEVICE, to, gathered, n * s->value);
}

/* --- arrays that fit the device ----------------------------------------------------------------------------------- */

/* Sorts n elements of the caller's arrays into other arrays, or into the same. */
static oplus_status sort_there(sorting *all, opi_place from, uint64_t n, opi_place to, const room *room)
{
    opi_sorting *const s = &all->s;
    opi_job *const job = &s->job;
    const bool keys_here = all->keys_side == OPI_SIDE_DEVICE;
    const bool values_here = !s->payload || all->values_side == OPI_SIDE_DEVICE;
    s->staged = !keys_here;
    s->direct = keys_here && values_here && !s->indexed;
    OPI_TRY(opi_way_prepare(job, n));
    const bool direct = s->direct && opi_sort_ends_at_begin(s);
    if (s->indexed && values_here && !s->places)
        OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->array[2], n * s->value));

    /* --- 1. copy to the device --- */
    const opi_place home = opi_sort_scratch(s, n, 1);
    opi_place begin = {keys_here ? from.keys : home.keys, values_here ? from.values : home.values};
    if (s->indexed) begin.values = NULL; /* the first pass makes the indices */
    if (!keys_here)
        OPI_TRY(opi_transfer_up(job->g, job->call, all->keys_side, (char *)begin.keys, from.keys, n * s->key));
    if (!values_here && !s->indexed)
        OPI_TRY(opi_transfer_up(job->g, job->call, all->values_side, (char *)begin.values, from.values, n * s->value));

    /* --- 2. sort --- */
    opi_place sorted = direct ? to : opi_sort_scratch(s, n, opi_sort_last(s));
    if (s->places && values_here && opi_sort_passes_of(s) > 1)
        sorted.values = to.values; /* two passes or more end there */
    const opi_part part = {.address = {[OPI_KEYS] = begin.keys, [OPI_VALUES] = begin.values}, .n = n, .last = true};
    s->to = sorted;
    OPI_TRY(opi_way_run(job, &part));

    /* --- 3. copy back --- */
    s->to = to;
    if (s->indexed && !s->places)
        OPI_TRY(values_here ? gather_there(s, &from, &sorted, n, to.values)
                            : gather_on_host(s, &from, &sorted, n, room));
    else if (s->payload)
        OPI_TRY(deliver(s, all->values_side, to.values, sorted.values, n * s->value));
    return s->places ? OPLUS_OK : deliver(s, all->keys_side, to.keys, sorted.keys, n * s->key);
}

/* The same; afterwards no copy of the host's arrays is under way. */
static oplus_status sort_whole(sorting *all, opi_place from, uint64_t n, opi_place to, const room *room)
{
    const opi_job *const job = &all->s.job;
    const bool on_device = all->keys_side == OPI_SIDE_DEVICE && (!all->s.value || all->values_side == OPI_SIDE_DEVICE);
    const oplus_status status = sort_there(all, from, n, to, room);
    return on_device ? status : opi_gpu_settle(job->g, job->call, status);
}

/* --- arrays of the host ------------------------------------------------------------------------------------------- */

static oplus_status no_scratch(const opi_job *job)
{
    return opi_fail(OPLUS_ERR_MEMORY,
                    "%s: no scratch memory for n = %zu elements; free some, or sort in parts and merge", job->call,
                    job->task->n);
}

/* How many elements of the host's arrays the device has room for at once. */
static size_t fitting(const opi_sorting *s)
{
    const size_t largest = s->job.g->gpu->facts.largest, limit = s->job.g->memory_bytes / 2;
    return (opi_smaller(limit, largest) - OPI_CACHE_LINE) / (s->key + s->payload);
}

/* Merges the sorted runs bounds[0 .. runs] into `home`. */
static oplus_status merge_runs(const opi_sorting *s, opi_place from, size_t *bounds, size_t runs, opi_place home)
{
    const opi_key_order order = {s->key, s->negative, s->flip};
    opi_merge merge;
    if (s->job.g->rehearsal) return OPLUS_OK;
    opi_merge_plan(&merge, order, from.keys, s->value, from.values, bounds, runs, home.keys, home.values);
    return opi_cores_sweep(s->job.g->dev.cores, s->job.call, &merge.sweep, NULL);
}

/* Sorts runs of `run` elements one by one into separate memory, and merges them. */
static oplus_status sort_pieces(sorting *all, opi_place own, size_t n, size_t run)
{
    const opi_sorting *const s = &all->s;
    opi_buffer *const memory = &s->job.g->dev.cores->array;
    const size_t runs = (n + run - 1) / run;
    const size_t keys = opi_round_up(n * s->key, OPI_CACHE_LINE), values = opi_round_up(n * s->value, OPI_CACHE_LINE);
    const size_t list = opi_round_up((runs + 1) * sizeof(size_t), OPI_CACHE_LINE);
    if (!opi_buffer_reserve(memory, keys + values + list + run * s->payload)) return no_scratch(&s->job);
    char *const mem = memory->mem;
    const opi_place other = {mem, s->value ? mem + keys : NULL};
    size_t *const bounds = (size_t *)(void *)(mem + keys + values);
    const room room = {mem + keys + values + list, NULL};
    for (size_t i = 0; i < runs; i++) {
        const size_t begin = bounds[i] = i * run, items = opi_smaller(run, n - begin);
        const opi_place from = {own.keys + begin * s->key, s->value ? own.values + begin * s->value : NULL};
        const opi_place to = {other.keys + begin * s->key, s->value ? other.values + begin * s->value : NULL};
        OPI_TRY(sort_whole(all, from, items, to, &room));
    }
    bounds[runs] = n;
    return merge_runs(s, other, bounds, runs, own);
}

/* Indices of pieces could not be merged without the keys, and merges compare whole keys. */
static oplus_status sort_on_host(const opi_job *job)
{
    return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, job->task, NULL);
}

static oplus_status sort_all(sorting *all, opi_place own, size_t n)
{
    const opi_sorting *const s = &all->s;
    opi_buffer *const memory = &s->job.g->dev.cores->array;
    const bool keys_host = all->keys_side != OPI_SIDE_DEVICE, values_host = all->values_side != OPI_SIDE_DEVICE;
    room room = {NULL, NULL};
    if (keys_host && (!s->value || values_host) && n > fitting(s))
        return s->places || s->limited ? sort_on_host(&s->job) : sort_pieces(all, own, n, fitting(s));
    if (s->indexed && !s->places && values_host) {
        const size_t index = opi_round_up(n * s->payload, OPI_CACHE_LINE);
        if (!opi_buffer_reserve(memory, index + n * s->value)) return no_scratch(&s->job);
        room.index = memory->mem;
        room.values = room.index + index;
    }
    return sort_whole(all, own, n, own, &room);
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

static void describe(opi_sorting *s, const opi_sort *plan)
{
    const opi_task *const task = s->job.task;
    const oplus_type *const value = task->sort.value;
    s->negative = plan->float_mask;
    s->flip = plan->flip;
    s->key = task->sort.key->size;
    s->value = value ? value->size : 0;
    s->places = task->sort.places;
    s->low = task->sort.low;
    s->high = task->sort.high;
    s->limited = opi_sort_is_limited(task);
    s->indexed = value && (s->places || plan->payload == OPI_SORT_INDEX);
    s->payload = s->indexed && !s->places ? (task->n - 1 > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t)) : s->value;
    if (value) s->unit = opi_smaller(value->align, UNIT_MOST);
}

/* Finds out where the arrays lie, and describes the sort. */
static oplus_status look(sorting *all, opi_place own)
{
    opi_sorting *const s = &all->s;
    const opi_job *const job = &s->job;
    const opi_task *const task = job->task;
    const opi_sort plan = opi_sort_plan(job->g->dev.cores->isa, task->sort.key, task->sort.order, own.keys,
                                        task->sort.value, own.values, task->n);
    describe(s, &plan);
    const size_t per_element = 2 * s->key + s->value + sizeof(uint64_t);
    if (task->n > (size_t)PTRDIFF_MAX / per_element) return no_scratch(job);
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "keys", own.keys, task->n * s->key, &all->keys_side));
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "values", own.values, task->n * s->value, &all->values_side));
    opi_sort_shape(s);
    return OPLUS_OK;
}

static opi_place place_of(const opi_task *task)
{
    return (opi_place){(char *)task->array[OPI_KEYS].mem,
                       task->sort.value ? (char *)task->array[OPI_VALUES].mem : NULL};
}

oplus_status opi_gpu_sort(opi_job *job)
{
    const opi_task *const task = job->task;
    const opi_place own = place_of(task);
    sorting all = {.s = {.job = *job}};
    if (task->n < 2 && !task->sort.places) return OPLUS_OK;
    OPI_TRY(look(&all, own));
    return sort_all(&all, own, task->n);
}

oplus_status opi_gpu_sort_to(opi_job *job, void *keys, void *values)
{
    const opi_task *const task = job->task;
    const opi_place own = place_of(task), to = {keys, values};
    const room none = {NULL, NULL};
    sorting all = {.s = {.job = *job}};
    if (task->n == 0) return OPLUS_OK;
    OPI_TRY(look(&all, own));
    assert(all.keys_side == OPI_SIDE_DEVICE && (!values || all.values_side == OPI_SIDE_DEVICE));
    if (task->n == 1) { /* ways sort two or more */
        OPI_TRY(opi_gpu_move(job->g, job->call, keys, own.keys, all.s.key));
        return values ? opi_gpu_move(job->g, job->call, values, own.values, all.s.value) : OPLUS_OK;
    }
    return sort_there(&all, own, task->n, to, &none);
}

/* --- keys that are dealt out --------------------------------------------------------------------------------------- */

static bool are_aligned(const opi_deal *deal, const void *from)
{
    return ((uintptr_t)from | deal->beyond) % OPI_VECTOR_BYTES == 0;
}

static oplus_status sort_dealt(opi_sorting *s, const opi_deal *deal, const void *from)
{
    opi_job *const job = &s->job;
    opi_place *const to = &s->to;
    const opi_part part = {.address = {[OPI_KEYS] = from}, .n = job->task->n, .last = true};
    to->keys = (char *)job->task->array[OPI_KEYS].mem;
    job->deal = deal;
    OPI_TRY(opi_partition_prepare(job, part.n));
    return opi_partition_run(job, &part);
}

oplus_status opi_deal_sort(const opi_deal *deal, const char *call, const opi_task *own, const void *from, uint64_t n)
{
    opi_accelerator *const g = deal->all[deal->own];
    void *const keys = (void *)own->array[OPI_KEYS].mem;
    opi_sorting s = {.job = {.g = g, .call = call, .task = own}, .dealt = n};
    const opi_sort plan = opi_sort_plan(g->dev.cores->isa, own->sort.key, own->sort.order, keys, NULL, NULL, own->n);
    describe(&s, &plan);
    opi_sort_shape(&s);
    if (are_aligned(deal, from) && own->n > 1 && opi_way_of(&s.job, own->n)->run == opi_partition_run &&
        opi_partition_deals(&s.job, own->n))
        OPI_INSIDE(g->gpu, call, sort_dealt(&s, deal, from));
    OPI_TRY(opi_deal_gather(deal, call, keys, from, n * s.key));
    return g->dev.machine->run(&g->dev, call, own, NULL);
}
