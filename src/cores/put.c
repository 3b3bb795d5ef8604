#include "cores/put.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/put_buckets.h"
#include "cores/take.h"
#include "cores/ways.h"
#include "task/explain.h"

#include <string.h>

enum {
    PIECE = 1024,            /* indices at a time */
    SMALL_BYTES = 256 << 10, /* that one worker moves */
    MOST_PARTS = 16          /* of the output: each worker reads all indices, so that more of them hardly help */
};

/* --- the loops ---------------------------------------------------------------------------------------------------- */

typedef struct sixteen {
    char bytes[16];
} sixteen;

/* Puts n elements whose places are all in the part of the output that begins at `begin` and has `some` elements (whole),
 * or those of them whose place is.  Of small elements the others are put, too, where nobody reads them: which ones they
 * are, a processor cannot predict. */
#define PUT(name, T, I)                                                                                                \
    static void name(const char *in, const I *at, size_t n, bool whole, uint64_t begin, uint64_t some, char *out)      \
    {                                                                                                                  \
        T nowhere;                                                                                                     \
        char *const to[2] = {(char *)&nowhere, out};                                                                   \
        if (whole)                                                                                                     \
            for (size_t k = 0; k < n; k++) memcpy(out + at[k] * sizeof(T), in + k * sizeof(T), sizeof(T));             \
        else                                                                                                           \
            for (size_t k = 0; k < n; k++) {                                                                           \
                const bool mine = at[k] - begin < some;                                                                \
                const size_t offset = at[k] * sizeof(T) & -(size_t)mine;                                               \
                memcpy(to[mine] + offset, in + k * sizeof(T), sizeof(T));                                              \
            }                                                                                                          \
    }
#define PUT_SIZES(I, bits)                                                                                             \
    PUT(put_1_##bits, uint8_t, I)                                                                                      \
    PUT(put_2_##bits, uint16_t, I)                                                                                     \
    PUT(put_4_##bits, uint32_t, I)                                                                                     \
    PUT(put_8_##bits, uint64_t, I)                                                                                     \
    PUT(put_16_##bits, sixteen, I)                                                                                     \
    static void put_##bits(const char *in, size_t size, const I *at, size_t n, bool whole, uint64_t begin,             \
                           uint64_t some, char *out)                                                                   \
    {                                                                                                                  \
        switch (size) {                                                                                                \
        case 1:                                                                                                        \
            put_1_##bits(in, at, n, whole, begin, some, out);                                                          \
            break;                                                                                                     \
        case 2:                                                                                                        \
            put_2_##bits(in, at, n, whole, begin, some, out);                                                          \
            break;                                                                                                     \
        case 4:                                                                                                        \
            put_4_##bits(in, at, n, whole, begin, some, out);                                                          \
            break;                                                                                                     \
        case 8:                                                                                                        \
            put_8_##bits(in, at, n, whole, begin, some, out);                                                          \
            break;                                                                                                     \
        case 16:                                                                                                       \
            put_16_##bits(in, at, n, whole, begin, some, out);                                                         \
            break;                                                                                                     \
        default:                                                                                                       \
            for (size_t k = 0; k < n; k++)                                                                             \
                if (at[k] - begin < some) memcpy(out + at[k] * size, in + k * size, size);                             \
        }                                                                                                              \
    }
PUT_SIZES(uint32_t, 32)
PUT_SIZES(uint64_t, 64)

static void put_clipped(const opi_put_sweep *plan, size_t k, size_t n, uint64_t begin, uint64_t some)
{
    const opi_indices *const indices = &plan->indices;
    const uint64_t sign = opi_index_sign(indices);
    uint64_t at[PIECE];
    for (size_t i = 0; i < n; i++) at[i] = opi_index_clipped(opi_index(indices, k + i), sign, indices->n);
    put_64(plan->in + k * plan->size, plan->size, at, n, some == indices->n, begin, some, plan->out);
}

/* whole: the part is the whole output, and no index is out of range.
 *
 * Negative indices, read as integers without sign, are in no part of the output, as all that are out of range: but for
 * one of 32 bits where the output has more than 2^31 elements. */
static void put_piece(const opi_put_sweep *plan, size_t k, size_t n, bool whole, uint64_t begin, uint64_t some)
{
    const opi_indices *const indices = &plan->indices;
    const char *const in = plan->in + k * plan->size;
    if (indices->type->size == sizeof(uint32_t))
        put_32(in, plan->size, (const uint32_t *)indices->at + k, n, whole, begin, some, plan->out);
    else
        put_64(in, plan->size, (const uint64_t *)indices->at + k, n, whole, begin, some, plan->out);
}

/* The first part's worker looks whether indices are out of range. */
static bool any_wrong(opi_put_sweep *plan, size_t k, size_t n)
{
    const bool wrong = opi_indices_any_wrong(plan->isa, &plan->indices, k, n);
    if (wrong && plan->wrong == SIZE_MAX) plan->wrong = opi_indices_first_wrong(&plan->indices, k);
    return wrong;
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    opi_put_sweep *const plan = (opi_put_sweep *)sweep;
    const opi_indices *const indices = &plan->indices;
    (void)carry;
    (void)total;
    (void)aggregated;
    (void)scratch;
    for (size_t k = 0, n; k < indices->count; k += n) {
        n = opi_smaller(PIECE, indices->count - k);
        if (indices->clip) {
            put_clipped(plan, k, n, begin, end - begin);
        } else {
            const bool wrong = begin == 0 && any_wrong(plan, k, n);
            put_piece(plan, k, n, end - begin == indices->n && !wrong, begin, end - begin);
        }
    }
}

size_t opi_put_bytes(const opi_task *task)
{
    return task->n * (2 * task->array[OPI_TABLE].size + task->indices.type->size);
}

void opi_put_plan(opi_put_sweep *plan, const opi_isa *isa, size_t workers, const opi_task *task)
{
    const size_t size = task->array[OPI_TABLE].size, n = (size_t)task->indices.n;
    /* To look at an index takes as long as to put a small element. */
    const bool is_alone = size <= OPI_PUT_SMALL || opi_put_bytes(task) < SMALL_BYTES;
    const size_t parts = is_alone ? 1 : opi_smaller(workers, MOST_PARTS);
    const size_t line = opi_elements_in(OPI_CACHE_LINE, size);
    opi_sweep_clear(&plan->sweep);
    plan->isa = isa;
    plan->indices = task->indices;
    plan->size = size;
    plan->in = task->array[OPI_PUT_IN].mem;
    plan->out = (char *)task->array[OPI_TABLE].mem;
    plan->wrong = SIZE_MAX;
    plan->sweep.n = n;
    plan->sweep.block = opi_round_up((n + parts - 1) / parts, line);
    plan->sweep.bytes = opi_put_bytes(task);
    plan->sweep.apply = apply;
}

static bool has_buckets(opi_cores *cores, const opi_task *task)
{
    return opi_put_suits_buckets(task) && opi_buffer_reserve(&cores->array, opi_put_bucket_bytes(task));
}

oplus_status opi_put_run(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_put_sweep plan;
    if (has_buckets(cores, task)) {
        OPI_TRY(opi_put_by_buckets(cores, call, task, &plan.wrong));
    } else {
        opi_put_plan(&plan, cores->isa, opi_cores_threads(cores, opi_put_bytes(task)), task);
        OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, NULL));
    }
    return plan.wrong == SIZE_MAX ? OPLUS_OK : opi_indices_refuse(call, &task->indices, plan.wrong);
}

void opi_put_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    opi_put_sweep plan;
    if (opi_put_suits_buckets(task)) {
        opi_say(to, "way: buckets, on %s\n",
                opi_cores_threads(cores, opi_put_bytes(task)) > 1 ? "all threads" : "one thread");
        opi_say_way(to, true, "buckets", "elements are sorted into buckets of neighbouring places, which fit a cache");
        opi_say(to, "scratch: ");
        opi_say_bytes(to, (double)opi_put_bucket_bytes(task));
        opi_say(to, "\n");
    } else {
        opi_put_plan(&plan, cores->isa, opi_cores_threads(cores, opi_put_bytes(task)), task);
        opi_cores_explain_sweep(cores, &plan.sweep, to);
    }
}
