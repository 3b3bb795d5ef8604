/* Stable radix sort on an accelerator (src/gpu/sort/sort.cl).
 *
 * Elements go from one place in device memory to another with each digit, values of up to eight bytes with their keys;
 * larger ones are gathered in the end by an index that travels instead.  The caller's arrays are written last.  Arrays
 * of the host that do not fit the device together are sorted in pieces, and merged on the host. */
#include "base/error.h"
#include "cores/sort.h"
#include "gpu/groups.h"

#include <assert.h>
#include <string.h>

enum {
    DIGIT_BITS = 8, /* sort.cl */
    DIGITS = 1 << DIGIT_BITS,
    CHUNK_ALONE = 1 << 14, /* elements that one work-item sorts faster than several launches do */
    PARTS_A_UNIT = 8,      /* work-groups of a launch, for each multiprocessor */
    CHUNK_LEAST = 1 << 12, /* elements of a part that is a chunk */
    PART_MOST = 1 << 30,   /* elements of a part: they are counted in 32 bits */
    UNIT_MOST = 8          /* bytes: what a kernel copies at a time */
};

/* Where elements are: device memory, or the host's.  values NULL: there are none, or they are indices to be made. */
typedef struct place {
    char *keys, *values;
} place;

typedef struct sorting {
    opi_groups *g;
    const char *call;
    uint64_t negative, flip;    /* the order, as sort.cl has it */
    size_t key, value, payload; /* bytes: of a key, of a value, of what travels with a key */
    size_t unit;                /* of the integers that a value is made of */
    bool indexed;               /* an index travels instead of the value */
    opi_gpu_side keys_side, values_side;
    bool apart; /* results go to scratch memory, not to the caller's arrays */
    opi_shape shape;
    opi_program *program; /* for as many elements as one work-group sorts, or for more */
    bool small;
} sorting;

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const sorting *const s = context;
    opi_gpu_write_shape(source, s->shape, s->key);
    opi_gpu_define(source, "OPI_HOST_CORES", source->gpu->facts.host_cores);
    opi_gpu_define(source, "OPI_KEY_SIZE", s->key);
    opi_gpu_define(source, "OPI_VALUE_SIZE", s->payload);
    opi_gpu_define(source, "OPI_VALUE_UNIT", s->indexed ? s->payload : s->unit);
    opi_gpu_define(source, "OPI_INDEXED", s->indexed);
    opi_gpu_define(source, "OPI_FAR_UNIT", s->unit);
    opi_gpu_define(source, "OPI_ONE", s->small);
    opi_gpu_write_kernels(source, "sums");
    opi_gpu_write_kernels(source, "sort");
    opi_gpu_write_kernels(source, s->shape.log_w == 0 ? "sort_chunk" : "sort_group");
}

/* Bytes of a work-group's memory that the largest kernel takes, and some more. */
static size_t local_bytes(const sorting *s)
{
    const size_t items = (size_t)1 << s->shape.log_w, element = s->payload > s->key ? s->payload : s->key;
    const size_t tile = opi_tile(s->shape) * element, counters = items * (8 + 1) * sizeof(uint32_t);
    return (tile + counters) / 32 * 33 + DIGITS * (sizeof(uint64_t) + sizeof(uint32_t)) + 256;
}

static void choose_shape(sorting *s)
{
    const opi_gpu_facts *const facts = &s->g->gpu->facts;
    s->shape = opi_shape_for(facts, s->payload > s->key ? s->payload : s->key, 0);
    while (s->shape.log_w > 0 && local_bytes(s) > facts->local) s->shape.log_w--;
}

static bool takes_chunks(const sorting *s) { return s->shape.log_w == 0; }

/* The program for n elements: one for all would take twice as long to compile. */
static oplus_status get_program(sorting *s, uint64_t n)
{
    s->small = n <= (takes_chunks(s) ? CHUNK_ALONE : opi_tile(s->shape));
    opi_key key = opi_key_begin("sort", s->shape);
    opi_key_number(&key, s->key);
    opi_key_number(&key, s->payload);
    opi_key_number(&key, s->unit);
    opi_key_number(&key, (uint64_t)s->indexed << 1 | s->small);
    return opi_program_get(&s->g->programs, s->call, "the sort", key.hash, write_source, s, &s->program);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static oplus_status launch(const sorting *s, const char *kernel, uint64_t groups, const opi_gpu_argument *list,
                           int count)
{
    return opi_gpu_launch(s->g, s->call, s->program, kernel, groups, 1u << s->shape.log_w, list, count);
}

/* How n elements are dealt to work-groups: contiguous parts, of whole tiles but the last. */
static uint64_t part_of(const sorting *s, uint64_t n)
{
    const uint64_t most = (uint64_t)PARTS_A_UNIT * (s->g->gpu->facts.units ? s->g->gpu->facts.units : 1);
    const uint64_t grain = takes_chunks(s) ? CHUNK_LEAST : opi_tile(s->shape);
    const uint64_t part = opi_round_up((n + most - 1) / most, grain);
    return part < PART_MOST ? part : PART_MOST;
}

static uint64_t parts_of(const sorting *s, uint64_t n) { return (n + part_of(s, n) - 1) / part_of(s, n); }

static oplus_status launch_one(const sorting *s, place from, uint64_t n, place to, place other)
{
    const uint32_t bits = 8 * (uint32_t)s->key;
    const opi_gpu_argument list[] = {opi_memory(from.keys), opi_memory(from.values), opi_memory(to.keys),
                                     opi_memory(to.values), opi_memory(other.keys),  opi_memory(other.values),
                                     opi_value(n),          opi_value(s->negative),  opi_value(s->flip),
                                     opi_value(bits)};
    return launch(s, "opi_sort_one", 1, list, 10);
}

/* Three launches: from one place to another by the digit at `shift`. */
static oplus_status launch_pass(const sorting *s, place from, uint64_t n, place to, uint32_t shift)
{
    const uint64_t part = part_of(s, n), parts = parts_of(s, n);
    char *const counts = s->g->work.mem, *const totals = counts + DIGITS * parts * sizeof(uint64_t);

    const opi_gpu_argument histogram[] = {opi_memory(from.keys), opi_value(n),           opi_value(part),
                                          opi_memory(counts),    opi_value(s->negative), opi_value(s->flip),
                                          opi_value(shift)};
    OPI_TRY(launch(s, "opi_histogram", parts, histogram, 7));

    const opi_gpu_argument rows[] = {opi_memory(counts), opi_value(parts), opi_memory(totals)};
    OPI_TRY(launch(s, "opi_rows", DIGITS, rows, 3));

    const uint32_t bits = DIGIT_BITS;
    const opi_gpu_argument scatter[] = {
        opi_memory(from.keys),  opi_memory(from.values), opi_memory(to.keys), opi_memory(to.values),
        opi_value(n),           opi_value(part),         opi_memory(counts),  opi_memory(totals),
        opi_value(s->negative), opi_value(s->flip),      opi_value(shift),    opi_value(bits)};
    return launch(s, "opi_scatter", parts, scatter, 12);
}

/* --- in device memory --------------------------------------------------------------------------------------------- */

static size_t keys_bytes(const sorting *s, uint64_t n) { return opi_round_up(n * s->key, OPI_CACHE_LINE); }

/* Of one of the two places that elements go to and fro between. */
static size_t place_bytes(const sorting *s, uint64_t n) { return keys_bytes(s, n) + n * s->payload; }

static place scratch(const sorting *s, uint64_t n, unsigned i)
{
    char *const mem = s->g->array[i].mem;
    return (place){mem, s->payload ? mem + keys_bytes(s, n) : NULL};
}

static oplus_status reserve(const sorting *s, uint64_t n)
{
    for (int i = 0; i < 2; i++) OPI_TRY(opi_gpu_reserve(s->g, s->call, &s->g->array[i], place_bytes(s, n)));
    if (s->small) return OPLUS_OK;
    return opi_gpu_reserve(s->g, s->call, &s->g->work, DIGITS * (parts_of(s, n) + 1) * sizeof(uint64_t));
}

/* From one place to another, between them through both scratch places; `to` may be scratch(last_scratch). */
static unsigned last_scratch(const sorting *s) { return (unsigned)(s->key - 1) & 1; }

static oplus_status compute(const sorting *s, place from, uint64_t n, place to)
{
    const unsigned passes = (unsigned)s->key;
    if (s->small) return launch_one(s, from, n, to, scratch(s, n, !last_scratch(s)));
    for (unsigned p = 0; p < passes; p++) {
        const place next = p == passes - 1 ? to : scratch(s, n, p & 1);
        OPI_TRY(launch_pass(s, from, n, next, DIGIT_BITS * p));
        from = next;
    }
    return OPLUS_OK;
}

/* --- values that stayed ------------------------------------------------------------------------------------------- */

/* On the device: to[i] = from[index[i]]. */
static oplus_status gather(const sorting *s, const char *from, const char *index, uint64_t n, char *to)
{
    const uint64_t units = s->value / s->unit, all = n * units;
    const uint64_t part = takes_chunks(s) ? CHUNK_LEAST : opi_tile(s->shape);
    const opi_gpu_argument list[] = {opi_memory(from), opi_memory(index), opi_memory(to),
                                     opi_value(units), opi_value(all),    opi_value(part)};
    return launch(s, "opi_gather", (all + part - 1) / part, list, 6);
}

static uint64_t index_at(const sorting *s, const char *index, uint64_t i)
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

/* --- arrays that fit the device ----------------------------------------------------------------------------------- */

/* Host memory that a call needs: indices, gathered values. */
typedef struct room {
    char *index, *values;
} room;

static oplus_status upload(const sorting *s, char *to, const char *from, size_t bytes)
{
    return s->g->gpu->driver->upload(s->g->gpu, s->call, OPI_QUEUE_COMPUTE, to, from, bytes);
}

/* To the caller's array, or to where else the result is wanted. */
static oplus_status deliver(const sorting *s, opi_gpu_side side, char *to, const char *from, size_t bytes)
{
    const opi_driver *const driver = s->g->gpu->driver;
    if (to == from || bytes == 0) return OPLUS_OK;
    if (!s->apart) s->g->wrote = true;
    return side == OPI_SIDE_DEVICE ? driver->copy(s->g->gpu, s->call, OPI_QUEUE_COMPUTE, to, from, bytes)
                                   : driver->download(s->g->gpu, s->call, OPI_QUEUE_COMPUTE, to, from, bytes);
}

/* The values in their new order, where they stayed: gathered, then put where they are wanted. */
static oplus_status return_values(const sorting *s, const place *from, const place *sorted, uint64_t n, const place *to,
                                  const room *room)
{
    const opi_driver *const driver = s->g->gpu->driver;
    if (s->values_side == OPI_SIDE_DEVICE) {
        OPI_TRY(gather(s, from->values, sorted->values, n, s->g->array[2].mem));
        return deliver(s, OPI_SIDE_DEVICE, to->values, s->g->array[2].mem, n * s->value);
    }
    OPI_TRY(driver->download(s->g->gpu, s->call, OPI_QUEUE_COMPUTE, room->index, sorted->values, n * s->payload));
    OPI_TRY(driver->sync(s->g->gpu, s->call, OPI_QUEUE_COMPUTE));
    char *const gathered = to->values == from->values ? room->values : to->values;
    assert(gathered && from->values && room->index); /* there are values, and room for those of the host */
    for (uint64_t i = 0; i < n; i++)
        memcpy(gathered + i * s->value, from->values + index_at(s, room->index, i) * s->value, s->value);
    if (gathered == to->values) return OPLUS_OK;
    s->g->wrote = true;
    memcpy(to->values, gathered, n * s->value);
    return OPLUS_OK;
}

/* Sorts n elements from the caller's arrays into others, or into the same. */
static oplus_status sort_there(sorting *s, place from, uint64_t n, place to, const room *room)
{
    const bool keys_here = s->keys_side == OPI_SIDE_DEVICE;
    const bool values_here = !s->payload || s->values_side == OPI_SIDE_DEVICE;
    OPI_TRY(get_program(s, n));
    const bool can_end_at_begin = s->key > 1 || (s->small && !takes_chunks(s));
    const bool direct = keys_here && values_here && !s->indexed && can_end_at_begin;
    OPI_TRY(reserve(s, n));
    if (s->indexed && values_here) OPI_TRY(opi_gpu_reserve(s->g, s->call, &s->g->array[2], n * s->value));

    /* --- 1. bring --- */
    const place home = scratch(s, n, 1);
    place begin = {keys_here ? from.keys : home.keys, s->indexed || values_here ? from.values : home.values};
    if (s->indexed) begin.values = NULL; /* the first pass makes the indices */
    if (!keys_here) OPI_TRY(upload(s, begin.keys, from.keys, n * s->key));
    if (!values_here && !s->indexed) OPI_TRY(upload(s, begin.values, from.values, n * s->value));

    /* --- 2. sort --- */
    const place sorted = direct ? to : scratch(s, n, last_scratch(s));
    OPI_TRY(compute(s, begin, n, sorted));

    /* --- 3. take home --- */
    if (s->indexed) OPI_TRY(return_values(s, &from, &sorted, n, &to, room));
    if (s->payload && !s->indexed) OPI_TRY(deliver(s, s->values_side, to.values, sorted.values, n * s->value));
    return deliver(s, s->keys_side, to.keys, sorted.keys, n * s->key);
}

/* The same; nothing of the host's is under way afterwards. */
static oplus_status sort_whole(sorting *s, place from, uint64_t n, place to, const room *room)
{
    opi_gpu *const gpu = s->g->gpu;
    const bool on_device = s->keys_side == OPI_SIDE_DEVICE && (!s->value || s->values_side == OPI_SIDE_DEVICE);
    const oplus_status status = sort_there(s, from, n, to, room);
    if (on_device) return status;
    const oplus_status settled = gpu->driver->sync(gpu, s->call, OPI_QUEUE_COMPUTE);
    return status != OPLUS_OK ? status : settled;
}

/* --- pieces of the host's arrays, and their merge ----------------------------------------------------------------- */

/* Two sorted runs that lie one behind the other, [begin, middle) and [middle, end), become one elsewhere. */
typedef struct merging {
    uint64_t negative, flip;
    size_t value; /* bytes, or 0 */
    place from, to;
} merging;

#define DEFINE_MERGE(T)                                                                                                \
    static T order_##T(const merging *m, T key)                                                                        \
    {                                                                                                                  \
        return (T)(key ^ (key >> (8 * sizeof key - 1) ? (T)m->negative : (T)0) ^ (T)m->flip);                          \
    }                                                                                                                  \
    static void merge_##T(const merging *m, size_t begin, size_t middle, size_t end)                                   \
    {                                                                                                                  \
        const T *const from = (const T *)(const void *)m->from.keys;                                                   \
        T *const to = (T *)(void *)m->to.keys;                                                                         \
        for (size_t a = begin, b = middle, i = begin; i < end; i++) {                                                  \
            const bool later = a == middle || (b < end && order_##T(m, from[b]) < order_##T(m, from[a]));              \
            const size_t next = later ? b++ : a++;                                                                     \
            to[i] = from[next];                                                                                        \
            if (m->value) memcpy(m->to.values + i * m->value, m->from.values + next * m->value, m->value);             \
        }                                                                                                              \
    }
DEFINE_MERGE(uint8_t)
DEFINE_MERGE(uint16_t)
DEFINE_MERGE(uint32_t)
DEFINE_MERGE(uint64_t)

static void (*const merges[])(const merging *m, size_t begin, size_t middle, size_t end) = {
    [1] = merge_uint8_t, [2] = merge_uint16_t, [4] = merge_uint32_t, [8] = merge_uint64_t};

/* Runs of `run` elements in one of the places become one in `home`. */
static void merge_runs(const sorting *s, place from, place home, size_t n, size_t run)
{
    merging m = {s->negative, s->flip, s->value, from, home};
    for (; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = run < n - begin ? begin + run : n;
            const size_t end = run < n - middle ? middle + run : n;
            merges[s->key](&m, begin, middle, end);
        }
        const place swap = m.from;
        m.from = m.to;
        m.to = swap;
    }
    if (m.from.keys == home.keys) return;
    memcpy(home.keys, m.from.keys, n * s->key);
    if (s->value) memcpy(home.values, m.from.values, n * s->value);
}

static oplus_status sort_pieces(sorting *s, opi_buffer *memory, place own, size_t n, size_t run)
{
    const size_t keys = keys_bytes(s, n), values = opi_round_up(n * s->value, OPI_CACHE_LINE);
    if (!opi_buffer_reserve(memory, keys + values + run * s->payload))
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no scratch memory for n = %zu elements; free some, or sort in parts and merge", s->call,
                        n);
    char *const mem = memory->mem;
    s->apart = true;
    const place other = {mem, mem + keys};
    const room room = {mem + keys + values, NULL};
    for (size_t i = 0; i < n; i += run) {
        const size_t items = run < n - i ? run : n - i;
        const place from = {own.keys + i * s->key, s->value ? own.values + i * s->value : NULL};
        const place to = {other.keys + i * s->key, other.values + i * s->value};
        OPI_TRY(sort_whole(s, from, items, to, &room));
    }
    merge_runs(s, other, own, n, run);
    return OPLUS_OK;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

/* How many elements of the host's arrays the device takes at a time. */
static size_t fitting(const sorting *s)
{
    const size_t largest = s->g->gpu->facts.largest, limit = s->g->memory_bytes / 2;
    const size_t bytes = (limit < largest ? limit : largest) - OPI_CACHE_LINE;
    return bytes / (s->key + s->payload);
}

static oplus_status sort_host(sorting *s, opi_buffer *memory, place own, size_t n)
{
    const bool travels = !s->value || !s->indexed;
    room room = {NULL, NULL};
    const bool all_host = s->keys_side != OPI_SIDE_DEVICE && (!s->value || s->values_side != OPI_SIDE_DEVICE);
    if (all_host && n > fitting(s)) return sort_pieces(s, memory, own, n, fitting(s));
    if (!travels && s->values_side != OPI_SIDE_DEVICE) {
        const size_t index = opi_round_up(n * s->payload, OPI_CACHE_LINE);
        if (!opi_buffer_reserve(memory, index + n * s->value))
            return opi_fail(OPLUS_ERR_MEMORY,
                            "%s: no scratch memory for n = %zu elements; free some, or sort in parts and merge",
                            s->call, n);
        room.index = memory->mem;
        room.values = room.index + index;
    }
    return sort_whole(s, own, n, own, &room);
}

oplus_status opi_groups_sort(oplus_device *dev, const char *call, const oplus_type *key, oplus_order order, void *keys,
                             const oplus_type *value, void *values, size_t n)
{
    const opi_sort plan = opi_sort_plan(dev->isa, key, order, keys, value, values, n);
    sorting s = {.g = dev->groups,
                 .call = call,
                 .negative = plan.float_mask,
                 .flip = plan.flip,
                 .key = key->size,
                 .value = value ? value->size : 0};
    const size_t per_element = 2 * s.key + s.value + sizeof(uint64_t);
    if (n > (size_t)PTRDIFF_MAX / per_element)
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no scratch memory for n = %zu elements; free some, or sort in parts and merge", call, n);
    s.indexed = value && plan.payload == OPI_SORT_INDEX;
    s.payload = s.indexed ? (n - 1 > UINT32_MAX ? sizeof(uint64_t) : sizeof(uint32_t)) : s.value;
    if (value) s.unit = value->align < UNIT_MOST ? value->align : UNIT_MOST;
    OPI_TRY(opi_gpu_side_of(s.g, call, "keys", keys, n * s.key, &s.keys_side));
    OPI_TRY(opi_gpu_side_of(s.g, call, "values", values, n * s.value, &s.values_side));
    choose_shape(&s);
    return sort_host(&s, &dev->array, (place){keys, values}, n);
}
