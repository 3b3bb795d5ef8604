/* Repeat on cores.  Places are divided among blocks, of which each repetition of an element is one, and the end of each
 * element another: so neither a large count nor many counts of 0 are work of one block alone.  The end of element s is place
 * s + ends[s]; a block searches for where it begins, and goes on from there. */
#include "cores/repeat.h"

#include "base/memory.h"

#include <string.h>

enum {
    PIECE_BYTES = 4 << 10,
    BLOCK_BYTES = 64 << 10,
    VECTOR = 32 /* bytes that are written at once, also behind the end of what is to be written */
};

/* --- pieces of the output ----------------------------------------------------------------------------------------- */

/* Elements of which some are a vector: what is repeated a few times is written without a branch. */
#define FILL(name, T)                                                                                                  \
    static inline char *name(const opi_repeat_sweep *plan, size_t s, size_t times, char *out)                          \
    {                                                                                                                  \
        T x, vector[VECTOR / sizeof(T)];                                                                               \
        char *const end = out + times * sizeof(T);                                                                     \
        memcpy(&x, plan->in + s * sizeof(T), sizeof x);                                                                \
        for (size_t k = 0; k < VECTOR / sizeof(T); k++) vector[k] = x;                                                 \
        do {                                                                                                           \
            memcpy(out, vector, VECTOR);                                                                               \
            out += VECTOR;                                                                                             \
        } while (out < end);                                                                                           \
        return end;                                                                                                    \
    }                                                                                                                  \
    PIECE(name)

static inline char *fill_any(const opi_repeat_sweep *plan, size_t s, size_t times, char *out)
{
    const size_t size = plan->size;
    for (size_t k = 0; k < times; k++, out += size) memcpy(out, plan->in + s * size, size);
    return out;
}

/* Writes the output from index `at` to `end`, where element *s is being repeated at first, and at last. */
#define PIECE(fill)                                                                                                    \
    static void fill##_piece(const opi_repeat_sweep *plan, size_t *s, size_t at, size_t end, char *to)                 \
    {                                                                                                                  \
        size_t own = *s;                                                                                               \
        for (uint64_t stop; at < end && (stop = plan->ends[own]) <= end; own++, at = (size_t)stop)                     \
            to = fill(plan, own, (size_t)stop - at, to);                                                               \
        if (at < end) fill(plan, own, end - at, to);                                                                   \
        *s = own;                                                                                                      \
    }

typedef struct sixteen {
    uint64_t word[2];
} sixteen;

FILL(fill_1, uint8_t)
FILL(fill_2, uint16_t)
FILL(fill_4, uint32_t)
FILL(fill_8, uint64_t)
/* cppcheck-suppress uninitvar */
FILL(fill_16, sixteen)
PIECE(fill_any)

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

/* How many elements have their ends before place t: the first repetitions of the next one may be before it, too. */
static size_t ended_before(const opi_repeat_sweep *plan, size_t t)
{
    size_t low = t > plan->total ? t - plan->total : 0, high = opi_smaller(t, plan->n);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (middle + plan->ends[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_repeat_sweep *const plan = (const opi_repeat_sweep *)sweep;
    const size_t size = plan->size, stop = end - ended_before(plan, end);
    size_t s = ended_before(plan, begin);
    (void)carry, (void)total, (void)aggregated;
    for (size_t at = begin - s, next; at < stop; at = next) {
        next = opi_smaller(at + plan->piece, stop);
        plan->fill(plan, &s, at, next, scratch);
        char *const out = plan->out + at * size;
        if (plan->streaming)
            plan->isa->stream(out, scratch, (next - at) * size, NULL);
        else
            memcpy(out, scratch, (next - at) * size);
    }
    if (plan->streaming) plan->isa->fence();
}

void opi_repeat_plan(opi_repeat_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const size_t size = task->array[OPI_REPEATED].size, n = task->array[OPI_REPEATED].items, total = task->n;
    opi_sweep_clear(&plan->sweep);
    plan->isa = isa;
    plan->fill = size == 1    ? fill_1_piece
                 : size == 2  ? fill_2_piece
                 : size == 4  ? fill_4_piece
                 : size == 8  ? fill_8_piece
                 : size == 16 ? fill_16_piece
                              : fill_any_piece;
    plan->size = size;
    plan->n = n;
    plan->total = total;
    plan->in = task->array[OPI_REPEATED].mem;
    plan->ends = task->array[OPI_ENDS].mem;
    plan->out = (char *)task->array[OPI_REPEAT_OUT].mem;
    plan->piece = opi_elements_in(PIECE_BYTES, size);
    plan->streaming = total * size >= OPI_STREAMING_BYTES;
    plan->sweep.n = total + n;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, size);
    plan->sweep.bytes = total * size + n * (size + sizeof(uint64_t));
    plan->sweep.scratch_bytes = plan->piece * size + VECTOR;
    plan->sweep.apply = apply;
}
