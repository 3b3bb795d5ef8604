/* The way "mixed" of a segmented sort: short segments go by the way "short" (short.c), whose kernel leaves the long ones alone.
 * What these cost is in proportion to their own elements:
 *
 *   few    each is an ordinary sort where it lies
 *   many   their elements are copied to where they lie together, with the numbers of their segments; sorted; sorted stably by
 *          these, unless key and number are one; and copied back
 *
 * The caller's arrays are written last, when nothing can fail any more for lack of memory or of a program. */
#include "base/error.h"
#include "cores/merge.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segsort/segsort.h"
#include "task/make.h"

#include <assert.h>

enum { EACH = 8 /* as in mixed.cl */ };

/* --- what there is ------------------------------------------------------------------------------------------------ */

static const opi_task *task_of(const opi_segsorting *s) { return s->job.task; }

static bool has_few(const opi_segsorting *s) { return s->large.count <= OPI_FEW_LONG; }

static bool has_short(const opi_segsorting *s) { return s->large.elements < s->n; }

static const oplus_type *value_of(const opi_segsorting *s) { return task_of(s)->segments.value; }

static bool offsets_are_there(const opi_segsorting *s) { return s->side[OPI_SEGSORT_OFFSETS] == OPI_SIDE_DEVICE; }

/* Whether only the device knows where the long segments are. */
static bool is_listed(const opi_segsorting *s) { return !has_few(s) || offsets_are_there(s); }

bool opi_segsort_mixed_can(const opi_job *job, uint64_t n)
{
    const opi_segsorting *const s = (const opi_segsorting *)job;
    (void)n;
    if (s->large.count == 0 || s->large.count == OPI_NOT_KNOWN) return false;
    if (has_few(s) && !has_short(s)) return true;
    return task_of(s)->segments.length == 0 && opi_segsort_short_takes(s) &&
           task_of(s)->segments.offsets.segments < UINT64_MAX - s->n;
}

/* If most elements are in many long segments, what the way "two-sorts" does with the others costs less than copies; where
 * keys are packed, these cost little. */
bool opi_segsort_mixed_suits(const opi_job *job, uint64_t n)
{
    const opi_segsorting *const s = (const opi_segsorting *)job;
    const bool packs = opi_segsort_packed_bits(s, s->large.count) > 0;
    (void)n;
    return has_few(s) || s->large.elements <= (packs ? s->n - s->n / 8 : s->n / 2);
}

void opi_segsort_mixed_divide(opi_segsorting *s, char *base, size_t *at)
{
    const size_t m = (size_t)s->large.elements;
    s->cuts = has_short(s) ? opi_segsort_room(base, at, opi_segsort_short_bytes(s)) : NULL;
    s->list = is_listed(s) ? opi_segsort_room(base, at, opi_offsets_list_bytes(s->large.count)) : NULL;
    if (has_few(s)) return;
    s->place = m <= UINT32_MAX ? &oplus_u32 : &oplus_u64;
    s->number = opi_segsort_number_for(s->large.count - 1);
    s->sorted = opi_segsort_room(base, at, m * (s->packed ? s->packed->size : task_of(s)->segments.key->size));
    if (s->packed) return;
    s->numbers = opi_segsort_room(base, at, m * s->number->size);
    if (!value_of(s)) return;
    s->own_values = opi_segsort_room(base, at, m * value_of(s)->size);
    s->natural = opi_segsort_room(base, at, m * s->number->size);
    s->order = opi_segsort_room(base, at, m * s->place->size);
}

static oplus_status list_long(const opi_segsorting *s)
{
    return opi_offsets_list(&s->job, s->at[OPI_SEGSORT_OFFSETS], offsets_are_there(s), OPI_SHORT_SEGMENT + 1,
                            s->large.count, s->list);
}

static oplus_status sort_short(const opi_segsorting *s) { return has_short(s) ? opi_segsort_short_sort(s) : OPLUS_OK; }

/* --- few long segments -------------------------------------------------------------------------------------------- */

/* Where they are, if only the device knows. */
static oplus_status fetch(const opi_segsorting *s, opi_long_segments *large)
{
    uint64_t list[2 * OPI_FEW_LONG + 1];
    const size_t count = (size_t)s->large.count;
    if (!is_listed(s)) return OPLUS_OK;
    OPI_TRY(list_long(s));
    OPI_TRY(opi_gpu_fetch(s->job.g, s->job.call, list, s->list, opi_offsets_list_bytes(count)));
    for (size_t i = 0; i < count; i++) {
        large->few[i].begin = list[count + 1 + i];
        large->few[i].n = list[i + 1] - list[i];
    }
    return OPLUS_OK;
}

/* The task of sorting n elements from `begin` on. */
static void make_sort(const opi_segsorting *s, size_t begin, size_t n, opi_task *sort)
{
    const oplus_type *const key = task_of(s)->segments.key, *const value = value_of(s);
    const oplus_order order = task_of(s)->segments.order;
    char *const keys = s->at[OPI_SEGSORT_KEYS] + begin * key->size;
    char *const values = value ? s->at[OPI_SEGSORT_VALUES] + begin * value->size : NULL;
    if (task_of(s)->segments.places)
        opi_task_argsort(sort, key, order, keys, n, value, values);
    else
        opi_task_sort(sort, key, order, keys, value, values, n);
}

static oplus_status sort_each(const opi_segsorting *s, const opi_long_segments *large)
{
    for (size_t i = 0; i < large->count; i++) {
        opi_task sort;
        make_sort(s, (size_t)large->few[i].begin, (size_t)large->few[i].n, &sort);
        OPI_TRY(opi_segsort_part(s, &sort, opi_gpu_sort));
    }
    return OPLUS_OK;
}

/* Rehearses the sorts: so they have all memory and all programs before the first one writes. */
static oplus_status prepare(const opi_segsorting *s, const opi_long_segments *large)
{
    opi_accelerator *const g = s->job.g;
    opi_rehearsal seen = {0};
    if (g->rehearsal) return OPLUS_OK;
    g->rehearsal = &seen;
    const oplus_status status = sort_each(s, large);
    g->rehearsal = NULL;
    return status;
}

static oplus_status sort_few(const opi_segsorting *s)
{
    opi_long_segments large = s->large;
    OPI_TRY(fetch(s, &large));
    OPI_TRY(prepare(s, &large));
    OPI_TRY(sort_short(s));
    return sort_each(s, &large);
}

/* --- many long segments ------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_segsorting *const s = context;
    const size_t key = task_of(s)->segments.key->size;
    opi_gpu_write_shape(source, s->job.shape, key);
    opi_gpu_define(source, "OPI_VALUE_SIZE", value_of(s) ? value_of(s)->size : 0);
    opi_gpu_define(source, "OPI_INDEX_SIZE", s->place->size);
    opi_gpu_define(source, "OPI_NUMBER_SIZE", s->number->size);
    opi_gpu_define(source, "OPI_OFFSET_SIZE", sizeof(uint64_t));
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "segment");
    opi_segsort_write_packed(source, s);
    opi_gpu_write_kernels(source, "with_key");
    opi_gpu_write_kernels(source, "mixed");
}

/* The shape is that of the way "short", which has it set. */
static oplus_status get_copies(opi_segsorting *s)
{
    opi_key key = opi_key_begin("long segments", s->job.shape);
    opi_key_number(&key, task_of(s)->segments.key->size);
    opi_key_number(&key, value_of(s) ? value_of(s)->size : 0);
    opi_key_number(&key, s->place->size);
    opi_key_number(&key, s->number->size);
    opi_key_number(&key, s->packed ? s->packed->size : 0);
    return opi_program_get(&s->job.g->programs, s->job.call, "copies of long segments", key.hash, write_source, s,
                           &s->copies);
}

static oplus_status launch(const opi_segsorting *s, const char *kernel, const opi_gpu_argument *list)
{
    const uint64_t each = (uint64_t)EACH << s->job.shape.log_w;
    return opi_gpu_launch_of(&s->job, s->copies, kernel, (s->large.elements + each - 1) / each,
                             1u << s->job.shape.log_w, list, 8);
}

static oplus_status gather(const opi_segsorting *s)
{
    const uint64_t count = s->large.count, m = s->large.elements;
    const char *const numbers = value_of(s) ? s->natural : s->numbers;
    const char *const values = value_of(s) ? s->at[OPI_SEGSORT_VALUES] : NULL;
    const opi_gpu_argument list[] = {opi_memory(s->list),
                                     opi_value(count),
                                     opi_value(m),
                                     opi_memory(s->at[OPI_SEGSORT_KEYS]),
                                     opi_memory(values),
                                     opi_memory(s->sorted),
                                     opi_memory(s->own_values),
                                     opi_memory(numbers)};
    return launch(s, "opi_long_gather", list);
}

static oplus_status scatter(const opi_segsorting *s)
{
    const uint64_t count = s->large.count, m = s->large.elements;
    char *const values = value_of(s) ? s->at[OPI_SEGSORT_VALUES] : NULL;
    const opi_gpu_argument list[] = {opi_memory(s->list),
                                     opi_value(count),
                                     opi_value(m),
                                     opi_memory(s->order),
                                     opi_memory(s->sorted),
                                     opi_memory(s->own_values),
                                     opi_memory(s->at[OPI_SEGSORT_KEYS]),
                                     opi_memory(values)};
    return launch(s, "opi_long_scatter", list);
}

/* Keys alone, which are copied together with the numbers of their segments. */
static oplus_status sort_many_packed(const opi_segsorting *s)
{
    const opi_key_order order = opi_key_order_of(task_of(s)->segments.key, task_of(s)->segments.order);
    const opi_gpu_argument count = opi_value(s->large.count), m = opi_value(s->large.elements);
    const opi_gpu_argument list = opi_memory(s->list), keys = opi_memory(s->at[OPI_SEGSORT_KEYS]);
    const opi_gpu_argument packed = opi_memory(s->sorted), unused = opi_value(s->unused);
    const opi_gpu_argument negative = opi_value(order.float_mask), flip = opi_value(order.flip);
    const opi_gpu_argument in[] = {list, count, m, keys, negative, flip, unused, packed};
    const opi_gpu_argument out[] = {list, count, m, packed, negative, flip, unused, keys};
    OPI_TRY(list_long(s));
    OPI_TRY(launch(s, "opi_long_gather_packed", in));
    OPI_TRY(opi_segsort_sort_packed(s, (size_t)s->large.elements));
    OPI_TRY(sort_short(s));
    return launch(s, "opi_long_scatter_packed", out);
}

/* The keys that have been copied, and the numbers with them. */
static oplus_status order_keys(const opi_segsorting *s)
{
    const oplus_type *const key = task_of(s)->segments.key;
    const size_t m = (size_t)s->large.elements;
    opi_task sort;
    opi_task_sort(&sort, key, task_of(s)->segments.order, s->sorted, s->number, s->numbers, m);
    OPI_TRY(opi_segsort_part(s, &sort, opi_gpu_sort));
    opi_task_sort(&sort, s->number, OPLUS_ASCENDING, s->numbers, key, s->sorted, m);
    return opi_segsort_part(s, &sort, opi_gpu_sort);
}

/* Which of the keys and values that have been copied belongs at each place. */
static oplus_status order_pairs(const opi_segsorting *s)
{
    const size_t m = (size_t)s->large.elements;
    opi_task task;
    opi_task_argsort(&task, task_of(s)->segments.key, task_of(s)->segments.order, s->sorted, m, s->place, s->order);
    OPI_TRY(opi_segsort_part(s, &task, opi_gpu_sort));
    const opi_indices order = {s->order, m, s->place, m, true};
    opi_task_take(&task, s->number->size, s->natural, &order, s->numbers);
    OPI_TRY(opi_segsort_part(s, &task, opi_gpu_take));
    opi_task_sort(&task, s->number, OPLUS_ASCENDING, s->numbers, s->place, s->order, m);
    return opi_segsort_part(s, &task, opi_gpu_sort);
}

static oplus_status sort_many(const opi_segsorting *s)
{
    assert(s->list && s->number && s->place); /* opi_segsort_mixed_divide sets them */
    if (s->packed) return sort_many_packed(s);
    OPI_TRY(list_long(s));
    OPI_TRY(gather(s));
    OPI_TRY(value_of(s) ? order_pairs(s) : order_keys(s));
    OPI_TRY(sort_short(s));
    return scatter(s);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

oplus_status opi_segsort_mixed_run(opi_job *job, const opi_part *part)
{
    opi_segsorting *const s = (opi_segsorting *)job;
    size_t at = 0;
    (void)part;                             /* it is all */
    opi_segsort_mixed_divide(s, NULL, &at); /* sets types, which the programs are made for */
    if (has_short(s) || !has_few(s)) OPI_TRY(opi_segsort_short_get(s));
    if (has_few(s)) return opi_segsort_do(s, sort_few);
    OPI_TRY(get_copies(s));
    return opi_segsort_do(s, sort_many);
}
