/* A segmented sort on an accelerator, and its way "two-sorts"; the ways "short" and "mixed" are in short.c and mixed.c.
 *
 * Keys alone are sorted together with the numbers of their segments, and then stably by these; where a key and such a number
 * have at most 64 bits, both are one number, and one sort is enough (packed.cl).  Of pairs there is an argsort of all keys, and
 * a stable sort of these indices by segment.  So it takes the same time whatever the segments are.  The primitives that do
 * this are those of public calls.  An argsort of segments, which have one length, writes these indices, as places in their
 * segments. */
#include "gpu/segsort/segsort.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/cores.h"
#include "cores/merge.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"
#include "task/make.h"

#include <assert.h>

enum {
    KEYS = OPI_SEGSORT_KEYS,
    OFFSETS = OPI_SEGSORT_OFFSETS,
    VALUES = OPI_SEGSORT_VALUES,
    ARRAYS = OPI_SEGSORT_ARRAYS,
    LOG_W = 8,
    EACH = 8, /* as in segment_of.cl */
    FEW_SEGMENTS =
        256 /* of which the second of two sorts is one pass of bytes: together they cost less than one of packed keys */
};

typedef opi_segsorting segsorting;

/* --- memory ------------------------------------------------------------------------------------------------------- */

static const opi_array *array(const segsorting *s, int k) { return opi_segsort_array(s, k); }

static int arrays(const segsorting *s) { return s->job.task->arrays; }

static bool is_argsort(const segsorting *s) { return s->job.task->segments.places; }

static bool is_keys_alone(const segsorting *s) { return arrays(s) < ARRAYS; }

static size_t bytes_of(const segsorting *s, int k) { return array(s, k)->items * array(s, k)->size; }

static bool is_copied(const segsorting *s, int k) { return bytes_of(s, k) > 0 && s->side[k] != OPI_SIDE_DEVICE; }

char *opi_segsort_room(char *base, size_t *at, size_t bytes)
{
    const size_t own = *at;
    *at += opi_round_up(bytes, OPI_CACHE_LINE);
    return base ? base + own : NULL;
}

/* Divides memory; returns how many bytes it must have. */
static size_t divide(segsorting *s, char *base)
{
    const size_t value = arrays(s) == ARRAYS ? array(s, VALUES)->size : 0;
    size_t at = 0;
    for (int k = 0; k < arrays(s); k++)
        s->at[k] = is_copied(s, k) ? opi_segsort_room(base, &at, bytes_of(s, k)) : (char *)array(s, k)->mem;
    if (s->is_mixed) {
        opi_segsort_mixed_divide(s, base, &at);
        return at;
    }
    if (s->is_short) {
        s->cuts = opi_segsort_room(base, &at, opi_segsort_short_bytes(s));
        return at;
    }
    if (s->packed) {
        s->sorted = opi_segsort_room(base, &at, s->n * s->packed->size);
        return at;
    }
    s->order = is_keys_alone(s) ? NULL : opi_segsort_room(base, &at, s->n * s->place->size);
    s->natural = is_keys_alone(s) ? NULL : opi_segsort_room(base, &at, s->n * s->number->size);
    s->numbers = opi_segsort_room(base, &at, s->n * s->number->size);
    s->sorted = is_argsort(s) ? NULL : opi_segsort_room(base, &at, s->n * opi_larger(array(s, KEYS)->size, value));
    return at;
}

static oplus_status reserve(segsorting *s)
{
    opi_accelerator *const g = s->job.g;
    OPI_TRY(opi_gpu_reserve(g, s->job.call, &g->binned, divide(s, NULL)));
    divide(s, g->binned.mem);
    return OPLUS_OK;
}

/* --- the segments of elements ------------------------------------------------------------------------------------- */

/* Of what an argsort writes, in bytes. */
static size_t place_bytes(const segsorting *s) { return is_argsort(s) ? array(s, VALUES)->size : sizeof(uint32_t); }

static void write_source(opi_gpu_source *source, const void *context)
{
    const segsorting *const s = context;
    opi_gpu_write_shape(source, s->job.shape, s->place->size);
    opi_gpu_define(source, "OPI_INDEX_SIZE", s->place->size);
    opi_gpu_define(source, "OPI_OFFSET_SIZE", array(s, OFFSETS)->size);
    opi_gpu_define(source, "OPI_NUMBER_SIZE", s->number->size);
    opi_gpu_define(source, "OPI_PLACE_SIZE", place_bytes(s));
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "segment");
    opi_segsort_write_packed(source, s);
    opi_gpu_write_kernels(source, "segment_of");
}

static oplus_status get_program(segsorting *s)
{
    opi_job *const job = &s->job;
    job->shape = (opi_shape){.log_w = LOG_W};
    while (job->shape.log_w > 0 && 1u << job->shape.log_w > job->g->gpu->facts.group) job->shape.log_w--;
    opi_key key = opi_key_begin("segment of", job->shape);
    opi_key_number(&key, s->place->size);
    opi_key_number(&key, array(s, OFFSETS)->size);
    opi_key_number(&key, s->number->size);
    opi_key_number(&key, place_bytes(s));
    opi_key_number(&key, s->packed ? s->packed->size : 0);
    opi_key_number(&key, array(s, KEYS)->size);
    return opi_program_get(&job->g->programs, job->call, "the segments of elements", key.hash, write_source, s,
                           &job->program);
}

static uint64_t groups_of(const segsorting *s) { return ((s->n - 1) >> s->job.shape.log_w) + 1; }

oplus_status opi_segsort_part(const segsorting *s, const opi_task *task, oplus_status (*primitive)(opi_job *job))
{
    return primitive(&(opi_job){.g = s->job.g, .call = s->job.call, .task = task});
}

/* out[i] becomes in[order[i]]. */
static oplus_status take(const segsorting *s, size_t size, const void *in, void *out)
{
    assert(s->place); /* opi_gpu_segsort sets it */
    const opi_indices order = {s->order, s->n, s->place, s->n, true};
    opi_task task;
    opi_task_take(&task, size, in, &order, out);
    return opi_segsort_part(s, &task, opi_gpu_take);
}

/* Launches a kernel of which a work-group does EACH elements a work-item. */
static oplus_status launch_each(const segsorting *s, const char *kernel, const opi_gpu_argument *list, int count)
{
    const uint64_t each = (uint64_t)EACH << s->job.shape.log_w;
    return opi_gpu_launch(&s->job, kernel, (s->n + each - 1) / each, list, count);
}

/* Of elements as they lie, or, if segments have one length, in an order. */
static oplus_status write_numbers(const segsorting *s, const char *order, char *to)
{
    const opi_job *const job = &s->job;
    const uint64_t n = s->n, first = s->first, segments = job->task->segments.offsets.segments;
    const uint64_t length = job->task->segments.length;
    const opi_gpu_argument even[] = {opi_memory(order), opi_value(n), opi_value(length), opi_memory(to)};
    const opi_gpu_argument list[] = {opi_value(n), opi_value(first), opi_memory(s->at[OFFSETS]), opi_value(segments),
                                     opi_memory(to)};
    if (length > 0) return opi_gpu_launch(job, "opi_segment_of_even", groups_of(s), even, 4);
    return launch_each(s, "opi_segment_of", list, 5);
}

/* The segments of the elements in their order. */
static oplus_status find_segments(const segsorting *s)
{
    if (s->job.task->segments.length > 0) return write_numbers(s, s->order, s->numbers);
    OPI_TRY(write_numbers(s, NULL, s->natural));
    return take(s, s->number->size, s->natural, s->numbers);
}

/* What an argsort writes. */
static oplus_status write_places(const segsorting *s)
{
    const uint64_t n = s->n, length = s->job.task->segments.length;
    const opi_gpu_argument list[] = {opi_memory(s->order), opi_value(n), opi_value(length), opi_memory(s->at[VALUES])};
    return opi_gpu_launch(&s->job, "opi_places_in_segments", groups_of(s), list, 4);
}

/* --- the order ---------------------------------------------------------------------------------------------------- */

static char *from_first(const segsorting *s, int k) { return opi_segsort_from_first(s, k); }

static oplus_status find_order(const segsorting *s)
{
    const opi_task *const task = s->job.task;
    opi_task sort;
    opi_task_argsort(&sort, task->segments.key, task->segments.order, from_first(s, KEYS), s->n, s->place, s->order);
    OPI_TRY(opi_segsort_part(s, &sort, opi_gpu_sort));
    if (task->segments.offsets.segments == 1) return OPLUS_OK;
    OPI_TRY(find_segments(s));
    opi_task_sort(&sort, s->number, OPLUS_ASCENDING, s->numbers, s->place, s->order, s->n);
    return opi_segsort_part(s, &sort, opi_gpu_sort);
}

/* Puts keys or values into the order. */
static oplus_status put_in_order(const segsorting *s, int k)
{
    const size_t size = array(s, k)->size;
    OPI_TRY(take(s, size, from_first(s, k), s->sorted));
    return opi_gpu_move(s->job.g, s->job.call, from_first(s, k), s->sorted, s->n * size);
}

static oplus_status sort_pairs(const segsorting *s)
{
    OPI_TRY(find_order(s));
    if (is_argsort(s)) return write_places(s);
    OPI_TRY(put_in_order(s, KEYS));
    return put_in_order(s, VALUES);
}

/* A key and the number of its segment are one number. */
static oplus_status sort_packed(const segsorting *s)
{
    const opi_task *const task = s->job.task;
    const opi_key_order order = opi_key_order_of(task->segments.key, task->segments.order);
    const opi_gpu_argument pack[] = {opi_value(s->n),
                                     opi_value(s->first),
                                     opi_memory(s->at[OFFSETS]),
                                     opi_value(task->segments.offsets.segments),
                                     opi_value(task->segments.length),
                                     opi_memory(from_first(s, KEYS)),
                                     opi_value(order.float_mask),
                                     opi_value(order.flip),
                                     opi_value(s->unused),
                                     opi_memory(s->sorted)};
    const opi_gpu_argument unpack[] = {opi_memory(s->sorted), opi_value(s->n),      opi_value(order.float_mask),
                                       opi_value(order.flip), opi_value(s->unused), opi_memory(from_first(s, KEYS))};
    OPI_TRY(launch_each(s, "opi_pack_segments", pack, 10));
    OPI_TRY(opi_segsort_sort_packed(s, s->n));
    return launch_each(s, "opi_unpack_segments", unpack, 6);
}

/* The caller's keys are written last. */
static oplus_status sort_keys(const segsorting *s)
{
    if (s->packed) return sort_packed(s);
    const opi_task *const task = s->job.task;
    const bool several = task->segments.offsets.segments > 1;
    const size_t bytes = s->n * array(s, KEYS)->size;
    opi_task sort;
    OPI_TRY(opi_gpu_move(s->job.g, s->job.call, s->sorted, from_first(s, KEYS), bytes));
    if (several) OPI_TRY(write_numbers(s, NULL, s->numbers));
    opi_task_sort(&sort, task->segments.key, task->segments.order, s->sorted, several ? s->number : NULL,
                  several ? s->numbers : NULL, s->n);
    OPI_TRY(opi_segsort_part(s, &sort, opi_gpu_sort));
    if (several) {
        opi_task_sort(&sort, s->number, OPLUS_ASCENDING, s->numbers, task->segments.key, s->sorted, s->n);
        OPI_TRY(opi_segsort_part(s, &sort, opi_gpu_sort));
    }
    return opi_gpu_move(s->job.g, s->job.call, from_first(s, KEYS), s->sorted, bytes);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

oplus_status opi_segsort_do(opi_segsorting *s, oplus_status (*sort)(const opi_segsorting *s))
{
    const opi_job *const job = &s->job;
    OPI_TRY(reserve(s));
    for (int k = 0; k < arrays(s); k++)
        if (is_copied(s, k) && array(s, k)->access != OPI_WRITES)
            OPI_TRY(opi_transfer_up(job->g, job->call, s->side[k], s->at[k], array(s, k)->mem, bytes_of(s, k)));
    OPI_TRY(sort(s));
    for (int k = 0; k < arrays(s); k++)
        if (is_copied(s, k) && array(s, k)->access != OPI_READS)
            OPI_TRY(
                opi_transfer_down(job->g, job->call, s->side[k], (char *)array(s, k)->mem, s->at[k], bytes_of(s, k)));
    return OPLUS_OK;
}

oplus_status opi_segsort_two_run(opi_job *job, const opi_part *part)
{
    segsorting *const s = (segsorting *)job;
    (void)part; /* it is all */
    OPI_TRY(get_program(s));
    return opi_segsort_do(s, is_keys_alone(s) ? sort_keys : sort_pairs);
}

const oplus_type *opi_segsort_number_for(uint64_t most)
{
    return most <= UINT8_MAX    ? &oplus_u8
           : most <= UINT16_MAX ? &oplus_u16
           : most <= UINT32_MAX ? &oplus_u32
                                : &oplus_u64;
}

unsigned opi_segsort_packed_bits(const opi_segsorting *s, uint64_t segments)
{
    unsigned bits = 8 * (unsigned)array(s, KEYS)->size;
    for (uint64_t most = segments - 1; most > 0; most /= 2) bits++;
    return is_keys_alone(s) && segments > FEW_SEGMENTS && bits <= 64 ? bits : 0;
}

void opi_segsort_pack(opi_segsorting *s, uint64_t segments)
{
    const unsigned bits = opi_segsort_packed_bits(s, segments);
    s->packed = bits == 0 ? NULL : bits <= 32 ? &oplus_u32 : &oplus_u64;
    s->unused = bits == 0 ? 0 : 8 * (unsigned)s->packed->size - bits;
}

void opi_segsort_write_packed(opi_gpu_source *source, const opi_segsorting *s)
{
    opi_gpu_define(source, "OPI_KEY_SIZE", array(s, KEYS)->size);
    opi_gpu_define(source, "OPI_PACKED_SIZE", s->packed ? s->packed->size : 0);
    opi_gpu_write_kernels(source, "key");
    opi_gpu_write_kernels(source, "key_order");
    opi_gpu_write_kernels(source, "packed");
}

oplus_status opi_segsort_sort_packed(const opi_segsorting *s, size_t m)
{
    opi_task sort;
    opi_task_sort(&sort, s->packed, OPLUS_ASCENDING, s->sorted, NULL, NULL, m);
    return opi_segsort_part(s, &sort, opi_gpu_sort);
}

/* Whether all arrays lie on the host, and do not fit the device: then the cores do the task. */
static bool is_too_large(segsorting *s)
{
    for (int k = 0; k < arrays(s); k++)
        if (s->side[k] == OPI_SIDE_DEVICE) return false;
    return divide(s, NULL) > opi_smaller(s->job.g->memory_bytes / 2, s->job.g->gpu->facts.largest);
}

/* Segments that have one length. */
static opi_long_segments large_of_even(const opi_task *task)
{
    const uint64_t length = task->segments.length, segments = task->segments.offsets.segments;
    opi_long_segments large = {0};
    if (length <= OPI_SHORT_SEGMENT) return large;
    large.count = segments;
    large.elements = task->n;
    for (uint64_t s = 0; s < segments && s < OPI_FEW_LONG; s++) {
        large.few[s].begin = s * length;
        large.few[s].n = length;
    }
    return large;
}

/* --- a guess ------------------------------------------------------------------------------------------------------ */

/* If offsets lie on the device, only a launch finds out whether they are in order, and whether a segment is long.  Nobody
 * waits for that where all arrays lie there: the way "short" is enqueued, and its kernel does nothing if it is not the one. */
static bool can_guess(const segsorting *s)
{
    if (s->job.g->rehearsal || s->job.task->n < 2) return false;
    for (int k = 0; k < arrays(s); k++)
        if (s->side[k] != OPI_SIDE_DEVICE) return false;
    return opi_way_of(&s->job, s->n)->run == opi_segsort_short_run;
}

static oplus_status guess(void *context, const char *seen)
{
    segsorting *const s = context;
    OPI_TRY(opi_segsort_short_get(s));
    OPI_TRY(reserve(s));
    s->seen = seen;
    const oplus_status status = opi_segsort_short_sort(s);
    s->seen = NULL;
    return status;
}

/* Looks at the offsets; *is_done: and all is sorted. */
static oplus_status check_offsets(segsorting *s, opi_offsets_facts *facts, bool *is_done)
{
    const opi_meanwhile meanwhile = {guess, s};
    s->n = s->job.task->n; /* at most */
    const bool guesses = can_guess(s);
    s->is_short = guesses;
    OPI_TRY(
        opi_offsets_check_while(&s->job, s->side[OFFSETS], OPI_SHORT_SEGMENT + 1, guesses ? &meanwhile : NULL, facts));
    *is_done = guesses && facts->large.count == 0;
    return OPLUS_OK;
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_segsort(opi_job *job)
{
    const opi_task *const task = job->task;
    const char *const names[] = {"keys", "offsets", task->segments.places ? "indices" : "values"};
    segsorting s = {.job = *job};
    opi_offsets_facts facts = {0, task->n, {0}};
    for (int k = KEYS; k <= VALUES && k < arrays(&s); k++)
        if (array(&s, k)->mem)
            OPI_TRY(opi_gpu_side_of(job->g, job->call, names[k], array(&s, k)->mem, bytes_of(&s, k), &s.side[k]));
    if (task->segments.length > 0) {
        facts.large = large_of_even(task);
    } else {
        bool is_done = false;
        const oplus_status status = check_offsets(&s, &facts, &is_done);
        if (status != OPLUS_OK || is_done) return opi_gpu_settle(job->g, job->call, status);
    }
    s.first = (size_t)facts.first;
    s.n = (size_t)(facts.end - facts.first);
    s.large = facts.large;
    if (s.n < 2 && !is_argsort(&s)) return OPLUS_OK;
    s.place = s.n <= UINT32_MAX ? &oplus_u32 : &oplus_u64;
    s.number = opi_segsort_number_for(task->segments.offsets.segments - 1);
    const opi_way *const way = opi_way_of(&s.job, s.n);
    s.is_short = way->run == opi_segsort_short_run;
    s.is_mixed = way->run == opi_segsort_mixed_run;
    opi_segsort_pack(&s, s.is_mixed ? s.large.count : task->segments.offsets.segments);
    if (is_too_large(&s)) return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, task, NULL);
    return opi_gpu_settle(job->g, job->call, opi_way_run_all(&s.job));
}
