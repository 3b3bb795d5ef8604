/* The way "short" of a segmented sort: no segment has more than OPI_SHORT_SEGMENT elements, so that a work-group has some whole
 * ones in its own memory, and sorts them there.  The arrays are read and written once.  The way "mixed" (mixed.c) does its
 * short segments so. */
#include "base/error.h"
#include "cores/merge.h"
#include "gpu/launch.h"
#include "gpu/segsort/segsort.h"

enum {
    LOG_W = 8,
    LOG_PLACES = 11,       /* of a work-group: so many segments and elements together, */
    LARGE_LOG_PLACES = 12, /* if keys have up to 4 bytes, and no values, and there are many */
    LEAST_LOG_PLACES = 9,  /* if local memory is small */
    LARGE_A_UNIT = 4,      /* large work-groups for each multiprocessor, at least */
    PLACES = 32,           /* of local memory, */
    WITH_GAP = 33,         /* which have a gap behind them (short.cl) */
    MOST_VALUE = 8,        /* bytes of a value that a work-item keeps in registers */
    RESIDENTS = 4          /* work-groups of a multiprocessor, by their registers */
};

/* --- what there is ------------------------------------------------------------------------------------------------ */

static const opi_task *task_of(const opi_segsorting *s) { return s->job.task; }

static bool is_argsort(const opi_segsorting *s) { return task_of(s)->segments.places; }

/* Of what moves with a key; 0: nothing. */
static size_t value_bytes(const opi_segsorting *s)
{
    return task_of(s)->arrays == OPI_SEGSORT_ARRAYS ? opi_segsort_array(s, OPI_SEGSORT_VALUES)->size : 0;
}

static uint64_t segments_of(const opi_segsorting *s) { return task_of(s)->segments.offsets.segments; }

/* Work-items of a group. */
static unsigned log_w(const opi_segsorting *s)
{
    unsigned log = LOG_W;
    while (log > 0 && 1u << log > s->job.g->gpu->facts.group) log--;
    return log;
}

/* The local memory of a group that has 2^log places: keys, where they were, and what is noted of their segments. */
static size_t local_bytes(const opi_segsorting *s, unsigned log)
{
    const size_t room = opi_round_up(((size_t)1 << log) + OPI_SHORT_SEGMENT, (size_t)1 << log_w(s));
    const size_t moved = task_of(s)->segments.key->size + (value_bytes(s) > 0 ? sizeof(uint16_t) : 0);
    return room * moved / PLACES * WITH_GAP + room * sizeof(uint32_t) + OPI_LOCAL_SPARE;
}

/* Whether work-groups have so many places that a work-item sorts more than one run; then fewer begin and end. */
static bool are_large(const opi_segsorting *s)
{
    const uint64_t groups = (s->n + segments_of(s)) >> LARGE_LOG_PLACES;
    return value_bytes(s) == 0 && task_of(s)->segments.key->size <= sizeof(uint32_t) &&
           groups >= (uint64_t)LARGE_A_UNIT * opi_units(s->job.g);
}

/* Places of a work-group, whose local memory holds so many elements and the longest segment. */
static unsigned log_places(const opi_segsorting *s)
{
    unsigned log = are_large(s) ? LARGE_LOG_PLACES : LOG_PLACES;
    while (log > LEAST_LOG_PLACES && local_bytes(s, log) > s->job.g->gpu->facts.local) log--;
    return log;
}

static uint64_t windows_of(const opi_segsorting *s) { return ((s->n + segments_of(s) - 1) >> log_places(s)) + 1; }

/* Where each group begins: a segment and an element. */
size_t opi_segsort_short_bytes(const opi_segsorting *s) { return (windows_of(s) + 1) * 2 * sizeof(uint64_t); }

static bool has_room(const opi_segsorting *s) { return local_bytes(s, LEAST_LOG_PLACES) <= s->job.g->gpu->facts.local; }

/* Values are moved as integers of their size; the addresses of structs may be multiples of less than that. */
bool opi_segsort_short_takes(const opi_segsorting *s)
{
    const size_t value = value_bytes(s);
    if (!has_room(s)) return false;
    if (value == 0) return true;
    if (value > MOST_VALUE || (value & (value - 1)) != 0) return false;
    const bool copied = s->side[OPI_SEGSORT_VALUES] != OPI_SIDE_DEVICE;
    return copied || (uintptr_t)opi_segsort_array(s, OPI_SEGSORT_VALUES)->mem % value == 0;
}

bool opi_segsort_short_can(const opi_job *job, uint64_t n)
{
    const opi_segsorting *const s = (const opi_segsorting *)job;
    (void)n;
    return s->large.count == 0 && opi_segsort_short_takes(s) && segments_of(s) < UINT64_MAX - s->n;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_segsorting *const s = context;
    const size_t key = task_of(s)->segments.key->size;
    opi_gpu_write_shape(source, s->job.shape, key);
    opi_gpu_define(source, "OPI_KEY_SIZE", key);
    opi_gpu_define(source, "OPI_VALUE_SIZE", value_bytes(s));
    opi_gpu_define(source, "OPI_PLACES_ONLY", is_argsort(s));
    opi_gpu_define(source, "OPI_MIXED", s->is_mixed);
    opi_gpu_define(source, "OPI_OFFSET_SIZE", opi_segsort_array(s, OPI_SEGSORT_OFFSETS)->size);
    opi_gpu_define(source, "OPI_LOG_PLACES", log_places(s));
    opi_gpu_define(source, "OPI_RESIDENTS", RESIDENTS);
    opi_gpu_define(source, "OPI_HOST_CORES", source->gpu->facts.host_cores);
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "key");
    opi_gpu_write_kernels(source, "key_order");
    opi_gpu_write_kernels(source, "with_key");
    opi_gpu_write_kernels(source, "short");
}

oplus_status opi_segsort_short_get(opi_segsorting *s)
{
    opi_job *const job = &s->job;
    job->shape = (opi_shape){.log_w = log_w(s)};
    opi_key key = opi_key_begin("short segments", job->shape);
    opi_key_number(&key, task_of(s)->segments.key->size);
    opi_key_number(&key, value_bytes(s));
    opi_key_number(&key, is_argsort(s));
    opi_key_number(&key, s->is_mixed);
    opi_key_number(&key, log_places(s));
    opi_key_number(&key, opi_segsort_array(s, OPI_SEGSORT_OFFSETS)->size);
    return opi_program_get(&job->g->programs, job->call, "the sort of short segments", key.hash, write_source, s,
                           &job->program);
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

oplus_status opi_segsort_short_sort(const opi_segsorting *s)
{
    const opi_key_order order = opi_key_order_of(task_of(s)->segments.key, task_of(s)->segments.order);
    const uint64_t segments = segments_of(s), length = task_of(s)->segments.length, windows = windows_of(s);
    const void *const values = value_bytes(s) > 0 ? s->at[OPI_SEGSORT_VALUES] : NULL;
    const opi_gpu_argument cut[] = {opi_memory(s->at[OPI_SEGSORT_OFFSETS]), opi_value(length), opi_value(segments),
                                    opi_value(windows), opi_memory(s->cuts)};
    const opi_gpu_argument list[] = {opi_memory(s->at[OPI_SEGSORT_KEYS]),
                                     opi_memory(s->at[OPI_SEGSORT_OFFSETS]),
                                     opi_value(length),
                                     opi_memory(s->cuts),
                                     opi_value(order.float_mask),
                                     opi_value(order.flip),
                                     opi_memory(values),
                                     opi_memory(s->seen)};
    OPI_TRY(opi_gpu_launch(&s->job, "opi_short_cuts", (windows >> s->job.shape.log_w) + 1, cut, 5));
    return opi_gpu_launch(&s->job, "opi_short_sort", windows, list, 8);
}

oplus_status opi_segsort_short_run(opi_job *job, const opi_part *part)
{
    opi_segsorting *const s = (opi_segsorting *)job;
    (void)part; /* it is all */
    OPI_TRY(opi_segsort_short_get(s));
    return opi_segsort_do(s, opi_segsort_short_sort);
}
