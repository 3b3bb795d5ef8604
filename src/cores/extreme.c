/* Extremes.  The loops of the minimum and the maximum go over a piece, as fast as memory; only if its extreme is less than all
 * before it is the piece, which is in a first-level cache then, searched for the place. */
#include "cores/extreme.h"

#include "task/extreme.h"

enum {
    PIECE_BYTES = 16 << 10, /* stays in a first-level cache until it is searched */
    BLOCK_BYTES = 256 << 10,
    STEP = 64 /* elements that are compared before one looks whether any was equal */
};

/* --- where it is -------------------------------------------------------------------------------------------------- */

/* The first i < n with IS(x[i]), which exists. */
#define FIRST(name, T, IS)                                                                                             \
    static size_t name(const void *in, const void *value, size_t n)                                                    \
    {                                                                                                                  \
        const T *const x = in;                                                                                         \
        T v;                                                                                                           \
        size_t i = 0;                                                                                                  \
        memcpy(&v, value, sizeof v);                                                                                   \
        (void)v;                                                                                                       \
        for (; n - i > STEP; i += STEP) {                                                                              \
            T any = 0;                                                                                                 \
            for (size_t k = i; k < i + STEP; k++) any |= (T)(IS(x[k]));                                                \
            if (any) break;                                                                                            \
        }                                                                                                              \
        while (!(IS(x[i]))) i++;                                                                                       \
        return i;                                                                                                      \
    }
#define EQUALS(element)   (element) == v
#define IS_NAN32(element) ((element)&0x7fffffffu) > 0x7f800000u
#define IS_NAN64(element) ((element)&0x7fffffffffffffffu) > 0x7ff0000000000000u
FIRST(first_8, uint8_t, EQUALS)
FIRST(first_16, uint16_t, EQUALS)
FIRST(first_32, uint32_t, EQUALS)
FIRST(first_64, uint64_t, EQUALS)
FIRST(first_nan_32, uint32_t, IS_NAN32)
FIRST(first_nan_64, uint64_t, IS_NAN64)

/* The place of the first of n elements that has this extreme value; is_nan: of the first NaN. */
static size_t first_of(const void *in, const void *value, size_t n, size_t size, bool is_nan)
{
    switch (size) {
    case 1:
        return first_8(in, value, n);
    case 2:
        return first_16(in, value, n);
    case 4:
        return (is_nan ? first_nan_32 : first_32)(in, value, n);
    default:
        return (is_nan ? first_nan_64 : first_64)(in, value, n);
    }
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep;
    (void)at;
    *(opi_extreme *)carry = opi_extreme_of_nothing();
}

static void see(const opi_extreme_sweep *plan, int s, size_t begin, size_t n, opi_extreme *found)
{
    const size_t size = plan->type->size;
    const char *const x = plan->in + begin * size;
    uint64_t value; /* of any type */
    memcpy(&value, plan->op[s]->identity, size);
    plan->loop[s]->reduce(x, n, &value);
    const uint64_t key = opi_extreme_key(plan->type, &value, s == 1);
    if (key >= found->side[s].key && found->side[s].at != OPI_NOWHERE) return;
    const bool is_nan = opi_is_floating(plan->type->scalar) && key == 0;
    found->side[s].key = key;
    found->side[s].at = begin + first_of(x, &value, n, size, is_nan);
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_extreme_sweep *plan = (const opi_extreme_sweep *)sweep;
    (void)scratch;
    for (size_t i = begin, n; i < end; i += n) {
        n = end - i < plan->piece ? end - i : plan->piece;
        for (int s = 0; s < 2; s++)
            if (plan->sides >> s & 1) see(plan, s, i, n, carry);
    }
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    opi_extreme_join(left, right);
}

static void finish(const opi_sweep *sweep, void *carry, void *out)
{
    (void)out; /* the task's own */
    opi_extreme_give(((const opi_extreme_sweep *)sweep)->task, carry);
}

/* The operators by the type of the elements. */
#define OF_TYPES(name)                                                                                                 \
    {                                                                                                                  \
        [OPLUS_I8] = &oplus_##name##_i8, [OPLUS_I16] = &oplus_##name##_i16, [OPLUS_I32] = &oplus_##name##_i32,         \
        [OPLUS_I64] = &oplus_##name##_i64, [OPLUS_U8] = &oplus_##name##_u8, [OPLUS_U16] = &oplus_##name##_u16,         \
        [OPLUS_U32] = &oplus_##name##_u32, [OPLUS_U64] = &oplus_##name##_u64, [OPLUS_F32] = &oplus_##name##_f32,       \
        [OPLUS_F64] = &oplus_##name##_f64,                                                                             \
    }
static const oplus_op *const extremes[2][OPLUS_F64 + 1] = {OF_TYPES(min), OF_TYPES(max)};

void opi_extreme_plan(opi_extreme_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const oplus_type *const type = task->extreme.type;
    opi_sweep_clear(&plan->sweep);
    plan->in = task->array[OPI_IN].mem;
    plan->type = type;
    plan->sides = task->extreme.sides;
    plan->task = task;
    plan->piece = opi_elements_in(PIECE_BYTES, type->size);
    for (int s = 0; s < 2; s++) {
        plan->op[s] = extremes[s][type->scalar];
        plan->loop[s] = &isa->builtin[plan->op[s]->builtin - 1];
    }
    plan->sweep.n = task->n;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, type->size);
    plan->sweep.bytes = task->n * type->size;
    plan->sweep.carry_bytes = sizeof(opi_extreme);
    plan->sweep.start = start;
    plan->sweep.aggregate = aggregate;
    plan->sweep.join = join;
    plan->sweep.finish = finish;
}
