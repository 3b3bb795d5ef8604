#include "cores/iota.h"

/* A function of no input, of a parameter p and the index i. */
#define FUNCTION(suffix, T, ...)                                                                                       \
    OPLUS_STRUCT(opi_line_##suffix, T start; T step;)                                                                  \
    OPLUS_FN_(T, iota_##suffix, (opi_line_##suffix p, uint64_t i), __VA_ARGS__)                                        \
    OPLUS_LEAF_(iota_##suffix, T, (OPLUS_PARAM_(opi_line_##suffix) OPLUS_INDEX_(0)),                                   \
                iota_##suffix(oplus_my_p, OPLUS_MY_INDEX_))                                                            \
    static const oplus_fn iota_of_##suffix = {.abi = OPLUS_ABI,                                                        \
                                              .name = "oplus_iota",                                                    \
                                              .result = &OPLUS_TYPE_(T),                                               \
                                              .indexed = 1,                                                            \
                                              .param_type = &opi_line_##suffix##_type,                                 \
                                              .text = #__VA_ARGS__,                                                    \
                                              .leaf = oplus_iota_##suffix##_leaf_};

/* Integers wrap around, which only unsigned ones may. */
#define INTEGERS(suffix, T) FUNCTION(suffix, T, { return (T)((uint64_t)p.start + i * (uint64_t)p.step); })
/* A signed i: processors convert it faster, and no array has 2^63 elements. */
#define FLOATS(suffix, T) FUNCTION(suffix, T, { return p.start + (T)(int64_t)i * p.step; })

/* cppcheck-suppress unknownMacro */
INTEGERS(i8, int8_t)
INTEGERS(i16, int16_t)
INTEGERS(i32, int32_t)
INTEGERS(i64, int64_t)
INTEGERS(u8, uint8_t)
INTEGERS(u16, uint16_t)
INTEGERS(u32, uint32_t)
INTEGERS(u64, uint64_t)
FLOATS(f32, float)
FLOATS(f64, double)

const oplus_fn *opi_iota_of(oplus_scalar scalar)
{
    static const oplus_fn *const functions[] = {
#define ROW(suffix, T, scalar) [scalar] = &iota_of_##suffix,
        OPLUS_FOR_SCALARS(ROW)
#undef ROW
    };
    return functions[scalar];
}
