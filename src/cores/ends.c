#ifdef __clang_analyzer__
#define OPLUS_DEBUG /* no loops of the operator: clang 14 takes impossible paths through them */
#endif
#include "cores/ends.h"

/* 2^63 stays what it is, whatever is added: so the sum of all counts tells of each that is not allowed. */
/* cppcheck-suppress unknownMacro */
OPLUS_OP(opi_sum_counts, uint64_t, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, {
    const uint64_t sum = a + b;
    return (a | b | sum) >> 63 ? (uint64_t)1 << 63 : sum;
})

/* cppcheck-suppress unknownMacro */
OPLUS_MAP(opi_count_u32, uint64_t, uint32_t, { return a; })
OPLUS_MAP(opi_count_u64, uint64_t, uint64_t, { return a >> 63 ? (uint64_t)1 << 63 : a; })
OPLUS_MAP(opi_count_i32, uint64_t, int32_t, { return a < 0 ? (uint64_t)1 << 63 : (uint64_t)a; })
OPLUS_MAP(opi_count_i64, uint64_t, int64_t, { return a < 0 ? (uint64_t)1 << 63 : (uint64_t)a; })
OPLUS_MAP_INDEXED(opi_negative_i32, uint64_t, int32_t, { return a < 0 ? i : ~(uint64_t)0; })
OPLUS_MAP_INDEXED(opi_negative_i64, uint64_t, int64_t, { return a < 0 ? i : ~(uint64_t)0; })

const oplus_fn *opi_count_of(oplus_scalar scalar)
{
    switch (scalar) {
    case OPLUS_U32:
        return &opi_count_u32_fn;
    case OPLUS_I32:
        return &opi_count_i32_fn;
    case OPLUS_I64:
        return &opi_count_i64_fn;
    default:
        return &opi_count_u64_fn;
    }
}

const oplus_fn *opi_negative_of(oplus_scalar scalar)
{
    return scalar == OPLUS_I32 ? &opi_negative_i32_fn : scalar == OPLUS_I64 ? &opi_negative_i64_fn : NULL;
}

/* So many counts of 32 bits have a sum of less than 2^63; the built-in sum is faster. */
const oplus_op *opi_sum_of_counts(oplus_scalar scalar, size_t n)
{
    return scalar == OPLUS_U32 && n <= (size_t)1 << 31 ? &oplus_sum_u64 : &opi_sum_counts_op;
}
