#include "cores/take.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PIECE = 1024, /* indices, at most */
    PIECE_BYTES = 4 << 10,
    BLOCK_BYTES = 64 << 10
};

/* --- indices out of range ----------------------------------------------------------------------------------------- */

oplus_status opi_indices_refuse(const char *call, const opi_indices *indices, size_t k)
{
    char text[24];
    const uint64_t value = opi_index(indices, k);
    if (indices->type->scalar == OPLUS_I32)
        snprintf(text, sizeof text, "%" PRId32, (int32_t)(uint32_t)value);
    else
        snprintf(text, sizeof text, indices->type->scalar == OPLUS_I64 ? "%" PRId64 : "%" PRIu64, value);
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: indices[%zu] is %s and n is %" PRIu64 "; give indices from 0 to %" PRIu64 ", or OPLUS_CLIP",
                    call, k, text, indices->n, indices->n - 1);
}

bool opi_indices_any_wrong(const opi_isa *isa, const opi_indices *indices, size_t begin, size_t n)
{
    const uint64_t largest = opi_index_largest(indices);
    return indices->type->size == sizeof(uint32_t) ? isa->exceed_u32((const uint32_t *)indices->at + begin, n, largest)
                                                   : isa->exceed_u64((const uint64_t *)indices->at + begin, n, largest);
}

size_t opi_indices_first_wrong(const opi_indices *indices, size_t begin)
{
    const uint64_t largest = opi_index_largest(indices);
    while (begin + 1 < indices->count && opi_index(indices, begin) <= largest) begin++;
    return begin;
}

/* Blocks are done in any order: the first index out of range is the smallest one that any of them finds. */
static void remember_wrong(opi_take_sweep *plan, size_t begin)
{
    const size_t first = opi_indices_first_wrong(&plan->indices, begin);
    size_t known = atomic_load(&plan->wrong);
    while (first < known && !atomic_compare_exchange_weak(&plan->wrong, &known, first)) continue;
}

/* --- the loops ---------------------------------------------------------------------------------------------------- */

typedef struct sixteen {
    char bytes[16];
} sixteen;

/* Elements of a known size: their type may be aligned to less than T is. */
#define TAKE(name, T, I)                                                                                               \
    static void name(const char *in, const I *at, size_t n, char *out)                                                 \
    {                                                                                                                  \
        for (size_t k = 0; k < n; k++) memcpy(out + k * sizeof(T), in + at[k] * sizeof(T), sizeof(T));                 \
    }
#define TAKE_SIZES(I, bits)                                                                                            \
    TAKE(take_1_##bits, uint8_t, I)                                                                                    \
    TAKE(take_2_##bits, uint16_t, I)                                                                                   \
    TAKE(take_4_##bits, uint32_t, I)                                                                                   \
    TAKE(take_8_##bits, uint64_t, I)                                                                                   \
    TAKE(take_16_##bits, sixteen, I)                                                                                   \
    static void take_##bits(const char *in, size_t size, const I *at, size_t n, char *out)                             \
    {                                                                                                                  \
        switch (size) {                                                                                                \
        case 1:                                                                                                        \
            take_1_##bits(in, at, n, out);                                                                             \
            break;                                                                                                     \
        case 2:                                                                                                        \
            take_2_##bits(in, at, n, out);                                                                             \
            break;                                                                                                     \
        case 4:                                                                                                        \
            take_4_##bits(in, at, n, out);                                                                             \
            break;                                                                                                     \
        case 8:                                                                                                        \
            take_8_##bits(in, at, n, out);                                                                             \
            break;                                                                                                     \
        case 16:                                                                                                       \
            take_16_##bits(in, at, n, out);                                                                            \
            break;                                                                                                     \
        default:                                                                                                       \
            for (size_t k = 0; k < n; k++) memcpy(out + k * size, in + at[k] * size, size);                            \
        }                                                                                                              \
    }
TAKE_SIZES(uint32_t, 32)
TAKE_SIZES(uint64_t, 64)

/* Takes the elements of a piece by clipped indices. */
static void take_clipped(const opi_take_sweep *plan, size_t begin, size_t n, char *to)
{
    const opi_indices *const indices = &plan->indices;
    const uint64_t sign = opi_index_sign(indices);
    uint64_t at[PIECE];
    for (size_t k = 0; k < n; k++) at[k] = opi_index_clipped(opi_index(indices, begin + k), sign, indices->n);
    take_64(plan->in, plan->size, at, n, to);
}

static void take_piece(opi_take_sweep *plan, size_t begin, size_t n, char *to)
{
    const opi_indices *const indices = &plan->indices;
    if (indices->clip)
        take_clipped(plan, begin, n, to);
    else if (opi_indices_any_wrong(plan->isa, indices, begin, n))
        remember_wrong(plan, begin);
    else if (indices->type->size == sizeof(uint32_t))
        take_32(plan->in, plan->size, (const uint32_t *)indices->at + begin, n, to);
    else
        take_64(plan->in, plan->size, (const uint64_t *)indices->at + begin, n, to);
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    opi_take_sweep *const plan = (opi_take_sweep *)sweep;
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t i = begin, n; i < end; i += n) {
        n = opi_smaller(plan->piece, end - i);
        char *const out = plan->out + i * plan->size;
        take_piece(plan, i, n, plan->streaming ? scratch : out);
        if (plan->streaming) plan->isa->stream(out, scratch, n * plan->size, NULL);
    }
    if (plan->streaming) plan->isa->fence();
}

void opi_take_plan(opi_take_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const size_t size = task->array[OPI_TABLE].size, n = task->n;
    opi_sweep_clear(&plan->sweep);
    plan->isa = isa;
    plan->indices = task->indices;
    plan->size = size;
    plan->in = task->array[OPI_TABLE].mem;
    plan->out = (char *)task->array[OPI_TAKEN_OUT].mem;
    plan->piece = opi_smaller(PIECE, opi_elements_in(PIECE_BYTES, size));
    plan->streaming = n * size >= OPI_STREAMING_BYTES;
    atomic_init(&plan->wrong, SIZE_MAX);
    plan->sweep.n = n;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, size);
    plan->sweep.bytes = n * (2 * size + task->indices.type->size);
    plan->sweep.scratch_bytes = plan->streaming ? plan->piece * size : 0;
    plan->sweep.apply = apply;
}

oplus_status opi_take_run(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_take_sweep plan;
    opi_take_plan(&plan, cores->isa, task);
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, NULL));
    const size_t wrong = atomic_load(&plan.wrong);
    return wrong == SIZE_MAX ? OPLUS_OK : opi_indices_refuse(call, &task->indices, wrong);
}
