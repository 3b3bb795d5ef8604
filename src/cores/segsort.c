/* A segmented sort on the cores.  How a segment is sorted depends on how long it is:
 *
 *   few     by insertion, in registers and the first-level cache
 *   some    as a bucket of a sort, in the cache of the worker that does it
 *   many    they are put on a list, and each is a sort of its own, by all threads
 *
 * Blocks have as many segments and elements together: neither a million empty segments nor a few long ones keep one
 * worker busy while the others wait. */
#include "cores/segsort.h"

#include "base/error.h"
#include "cores/merge.h"
#include "cores/sort.h"
#include "cores/sort_passes.h"
#include "cores/ways.h"
#include "task/explain.h"
#include "task/make.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

enum {
    FEW = 24,           /* elements */
    MANY = 1 << 16,     /* the same, or less if their values are large: */
    GATHERED = 1 << 20, /* bytes of values that a worker gathers */
    BLOCK = 1 << 14,    /* segments and elements */
    WORK_A_KEY = 8      /* to sort a key takes as long as to move it so many times */
};

#define T uint8_t
#include "cores/segsort_keys.h"
#define T uint16_t
#include "cores/segsort_keys.h"
#define T uint32_t
#include "cores/segsort_keys.h"
#define T uint64_t
#include "cores/segsort_keys.h"

typedef struct segsort_sweep {
    opi_sweep sweep; /* first: a leaf finds its sweep through it */
    const opi_task *task;
    uint64_t first; /* the first offset */
    opi_key_order order;
    opi_sort sort; /* of all elements, of which those of a segment are a part */
    size_t most;   /* elements of a segment that a worker sorts */
    size_t *many;  /* segments that have more, */
    atomic_size_t *many_count;
} segsort_sweep;

/* Where segment s begins. */
static uint64_t offset_of(const opi_task *task, size_t s)
{
    return task->segments.length > 0 ? (uint64_t)s * task->segments.length : opi_offset(&task->segments.offsets, s);
}

/* --- a segment ---------------------------------------------------------------------------------------------------- */

/* Calls what segsort_keys.h defines for the width of a key. */
#define OF_WIDTH(function, order, ...)                                                                                 \
    switch ((order)->size) {                                                                                           \
    case 1:                                                                                                            \
        function##_uint8_t(order, __VA_ARGS__);                                                                        \
        break;                                                                                                         \
    case 2:                                                                                                            \
        function##_uint16_t(order, __VA_ARGS__);                                                                       \
        break;                                                                                                         \
    case 4:                                                                                                            \
        function##_uint32_t(order, __VA_ARGS__);                                                                       \
        break;                                                                                                         \
    default:                                                                                                           \
        function##_uint64_t(order, __VA_ARGS__);                                                                       \
    }

static void move_few_values(unsigned char *values, size_t size, size_t n, const uint8_t *from, unsigned char *scratch)
{
    memcpy(scratch, values, n * size);
    for (size_t i = 0; i < n; i++) memcpy(values + i * size, scratch + from[i] * size, size);
}

static void put_few_places(unsigned char *places, size_t size, size_t n, const uint8_t *from)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t wide = from[i];
        const uint32_t narrow = from[i];
        memcpy(places + i * size, size == sizeof wide ? (const void *)&wide : &narrow, size);
    }
}

static size_t room_for_values(const segsort_sweep *plan)
{
    const size_t size = plan->sort.value_size;
    if (size == 0) return 0;
    return opi_round_up(size * (plan->sort.payload == OPI_SORT_INDEX ? plan->most : FEW), OPI_CACHE_LINE);
}

static size_t room_for_records(const segsort_sweep *plan)
{
    return opi_round_up(plan->most * plan->sort.format->bytes, OPI_CACHE_LINE);
}

/* Sorts the elements [begin, begin + n), at most plan->most.  scratch: for values, for records, then for a bucket. */
static void sort_segment(const segsort_sweep *plan, size_t begin, size_t n, unsigned char *scratch)
{
    opi_sort sort = plan->sort;
    sort.n = n;
    sort.keys += begin * sort.key_size;
    if (sort.value_size > 0) sort.values += begin * sort.value_size;
    if (n <= FEW && sort.value_size == 0) {
        OF_WIDTH(sort_few, &plan->order, sort.keys, n)
    } else if (n <= FEW && sort.payload == OPI_SORT_PLACE) {
        uint8_t from[FEW];
        OF_WIDTH(argsort_few, &plan->order, sort.keys, n, from)
        put_few_places(sort.values, sort.value_size, n, from);
    } else if (n <= FEW) {
        uint8_t from[FEW];
        OF_WIDTH(sort_few_pairs, &plan->order, sort.keys, n, from)
        move_few_values(sort.values, sort.value_size, n, from, scratch);
    } else {
        unsigned char *const records = scratch + room_for_values(plan), *const bucket =
                                                                            records + room_for_records(plan);
        sort.gathered = scratch;
        sort.records[0] = records;
        sort.bucket(&sort, (opi_sort_range){.end = n, .place = OPI_SORT_CALLER, .shift = sort.key_bits},
                    bucket + OPI_SORT_COUNTERS * sizeof(uint32_t), (uint32_t *)(void *)bucket);
        if (sort.payload == OPI_SORT_INDEX) memcpy(sort.values, sort.gathered, n * sort.value_size);
    }
}

/* --- the sweep: its items are segments and elements, each segment before its elements ----------------------------- */

/* Which item segment s is. */
static uint64_t item_of(const segsort_sweep *plan, size_t s) { return offset_of(plan->task, s) - plan->first + s; }

/* The first segment that is item `at` or a later one. */
static size_t segment_from(const segsort_sweep *plan, size_t at)
{
    size_t low = 0, high = plan->task->segments.offsets.segments;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const bool is_before = item_of(plan, middle) < at;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

static void sort_block(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const segsort_sweep *const plan = (const segsort_sweep *)sweep;
    const size_t last = segment_from(plan, end);
    (void)carry, (void)total, (void)aggregated;
    for (size_t s = segment_from(plan, begin); s < last; s++) {
        const size_t at = (size_t)offset_of(plan->task, s), n = (size_t)offset_of(plan->task, s + 1) - at;
        if (n > plan->most)
            plan->many[atomic_fetch_add(plan->many_count, 1)] = s;
        else if (n > 1 || (n == 1 && plan->sort.payload == OPI_SORT_PLACE))
            sort_segment(plan, at, n, scratch);
    }
}

static segsort_sweep plan_of(opi_cores *cores, const opi_task *task)
{
    const oplus_type *const key = task->segments.key, *const value = task->segments.value;
    const opi_offsets *const offsets = &task->segments.offsets;
    segsort_sweep plan = {.task = task,
                          .first = offset_of(task, 0),
                          .order = opi_key_order_of(key, task->segments.order),
                          .sort =
                              opi_sort_plan(cores->isa, key, task->segments.order, (void *)task->array[OPI_KEYS].mem,
                                            value, (void *)task->array[OPI_SEGMENT_VALUES].mem, task->n)};
    const size_t n = (size_t)(offset_of(task, offsets->segments) - plan.first);
    if (task->segments.places) opi_sort_make_places(&plan.sort, cores->isa);
    const size_t gathered = value ? opi_larger(opi_elements_in(GATHERED, value->size), FEW) : MANY;
    plan.most = opi_smaller(opi_larger(n, 1), opi_smaller(MANY, gathered));
    opi_sweep_clear(&plan.sweep);
    plan.sweep.n = n + offsets->segments;
    plan.sweep.block = BLOCK;
    plan.sweep.bytes =
        n * (plan.sort.key_size + plan.sort.value_size) * WORK_A_KEY + offsets->segments * offsets->bytes;
    plan.sweep.scratch_bytes =
        room_for_values(&plan) + 2 * room_for_records(&plan) + OPI_SORT_COUNTERS * sizeof(uint32_t);
    plan.sweep.apply = sort_block;
    return plan;
}

/* Sorts the segments that are on the list, each by all threads. */
static oplus_status sort_many(opi_cores *cores, const char *call, const opi_task *task, const size_t *many,
                              size_t count)
{
    const oplus_type *const key = task->segments.key, *const value = task->segments.value;
    for (size_t i = 0; i < count; i++) {
        opi_task sort;
        const size_t at = (size_t)offset_of(task, many[i]), n = (size_t)offset_of(task, many[i] + 1) - at;
        char *const keys = (char *)task->array[OPI_KEYS].mem, *const values =
                                                                  (char *)task->array[OPI_SEGMENT_VALUES].mem;
        opi_task_sort(&sort, key, task->segments.order, keys + at * key->size, value,
                      value ? values + at * value->size : NULL, n);
        sort.sort.places = task->segments.places;
        OPI_TRY(opi_sort_run(cores, call, &sort));
    }
    return OPLUS_OK;
}

oplus_status opi_segsort_run(opi_cores *cores, const char *call, const opi_task *task)
{
    const opi_offsets *const offsets = &task->segments.offsets;
    atomic_size_t count;
    if (task->segments.length == 0) OPI_TRY(opi_cores_check_offsets(cores, call, task, offsets));
    segsort_sweep plan = plan_of(cores, task);
    const size_t n = plan.sweep.n - offsets->segments, bytes = (n / plan.most + 1) * sizeof(size_t);
    if (n < 2 && !task->segments.places) return OPLUS_OK;
    if (!opi_buffer_reserve(&cores->carry, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a list of long segments (%zu bytes); free some", call,
                        bytes);
    atomic_init(&count, 0);
    plan.many = cores->carry.mem;
    plan.many_count = &count;
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, NULL));
    return sort_many(cores, call, task, plan.many, atomic_load(&count));
}

void opi_segsort_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    if (offset_of(task, 0) > offset_of(task, task->segments.offsets.segments)) return; /* they are wrong */
    const segsort_sweep plan = plan_of(cores, task);
    opi_say(to,
            "segments of up to %d elements are sorted by insertion, up to %zu by one thread each, longer ones by all\n",
            FEW, plan.most);
    opi_cores_explain_sweep(cores, &plan.sweep, to);
}
