#include "cores/put.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/take.h"
#include "cores/ways.h"

#include <string.h>

enum {
    PIECE = 1024,            /* indices at a time */
    SMALL_BYTES = 256 << 10, /* that one worker moves: each more would read all indices again */
    MOST_PARTS = 16          /* of the output: each worker reads all indices, so that more of them hardly help */
};

/* --- the loops ---------------------------------------------------------------------------------------------------- */

typedef struct sixteen {
    char bytes[16];
} sixteen;

/* Puts those of n elements whose place is one of begin ... begin + some - 1; `of` makes the place of an index. */
#define PUT(name, T, I, bytes)                                                                                         \
    static void name(const char *in, size_t size, const I *at, size_t n, uint64_t begin, uint64_t some, char *out)     \
    {                                                                                                                  \
        (void)size;                                                                                                    \
        for (size_t k = 0; k < n; k++)                                                                                 \
            if (at[k] - begin < some) memcpy(out + at[k] * (bytes), in + k * (bytes), bytes);                          \
    }
#define PUT_SIZES(I, bits)                                                                                             \
    PUT(put_1_##bits, uint8_t, I, 1)                                                                                   \
    PUT(put_2_##bits, uint16_t, I, 2)                                                                                  \
    PUT(put_4_##bits, uint32_t, I, 4)                                                                                  \
    PUT(put_8_##bits, uint64_t, I, 8)                                                                                  \
    PUT(put_16_##bits, sixteen, I, 16)                                                                                 \
    PUT(put_any_##bits, char, I, size)                                                                                 \
    static void put_##bits(const char *in, size_t size, const I *at, size_t n, uint64_t begin, uint64_t some,          \
                           char *out)                                                                                  \
    {                                                                                                                  \
        (size == 1    ? put_1_##bits                                                                                   \
         : size == 2  ? put_2_##bits                                                                                   \
         : size == 4  ? put_4_##bits                                                                                   \
         : size == 8  ? put_8_##bits                                                                                   \
         : size == 16 ? put_16_##bits                                                                                  \
                      : put_any_##bits)(in, size, at, n, begin, some, out);                                            \
    }
PUT_SIZES(uint32_t, 32)
PUT_SIZES(uint64_t, 64)

static void put_clipped(const opi_put_sweep *plan, size_t k, size_t n, uint64_t begin, uint64_t some)
{
    const opi_indices *const indices = &plan->indices;
    const uint64_t sign = opi_index_sign(indices);
    uint64_t at[PIECE];
    for (size_t i = 0; i < n; i++) at[i] = opi_index_clipped(opi_index(indices, k + i), sign, indices->n);
    put_64(plan->in + k * plan->size, plan->size, at, n, begin, some, plan->out);
}

/* Negative indices, read as integers without sign, are in no part of the output, as all that are out of range: but for
 * one of 32 bits where the output has more than 2^31 elements. */
static void put_piece(const opi_put_sweep *plan, size_t k, size_t n, uint64_t begin, uint64_t some)
{
    const opi_indices *const indices = &plan->indices;
    const char *const in = plan->in + k * plan->size;
    if (indices->clip)
        put_clipped(plan, k, n, begin, some);
    else if (indices->type->size == sizeof(uint32_t))
        put_32(in, plan->size, (const uint32_t *)indices->at + k, n, begin, some, plan->out);
    else
        put_64(in, plan->size, (const uint64_t *)indices->at + k, n, begin, some, plan->out);
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
        put_piece(plan, k, n, begin, end - begin);
        if (begin > 0 || indices->clip || plan->wrong < SIZE_MAX) continue;
        if (opi_indices_any_wrong(plan->isa, indices, k, n)) plan->wrong = opi_indices_first_wrong(indices, k);
    }
}

size_t opi_put_bytes(const opi_task *task)
{
    return task->n * (2 * task->array[OPI_TABLE].size + task->indices.type->size);
}

void opi_put_plan(opi_put_sweep *plan, const opi_isa *isa, size_t workers, const opi_task *task)
{
    const size_t size = task->array[OPI_TABLE].size, n = (size_t)task->indices.n;
    const size_t parts = opi_put_bytes(task) < SMALL_BYTES ? 1 : opi_smaller(workers, MOST_PARTS);
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

oplus_status opi_put_run(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_put_sweep plan;
    opi_put_plan(&plan, cores->isa, opi_cores_threads(cores, opi_put_bytes(task)), task);
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, NULL));
    return plan.wrong == SIZE_MAX ? OPLUS_OK : opi_indices_refuse(call, &task->indices, plan.wrong);
}
