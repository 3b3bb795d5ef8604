#include "type/scalars.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* On some targets the alignment of a member is not _Alignof its type: it is the offset of a member after a char. */
#define BEHIND_A_CHAR(suffix, T, scalar)                                                                               \
    struct behind_a_char_##suffix {                                                                                    \
        char c;                                                                                                        \
        T x;                                                                                                           \
    };
OPLUS_FOR_SCALARS(BEHIND_A_CHAR)

static double read_f32(const char *text) { return (double)strtof(text, NULL); }

static double get_f32(const void *from)
{
    float value;
    memcpy(&value, from, sizeof value);
    return (double)value;
}

static void put_f32(void *to, double value) { memcpy(to, &(float){(float)value}, sizeof(float)); }

static double read_f64(const char *text) { return strtod(text, NULL); }

static double get_f64(const void *from)
{
    double value;
    memcpy(&value, from, sizeof value);
    return value;
}

static void put_f64(void *to, double value) { memcpy(to, &value, sizeof value); }

#define PLACE(suffix, T) #T, sizeof(T), offsetof(struct behind_a_char_##suffix, x)

const opi_scalar opi_scalars[OPI_SCALARS] = {
    [OPLUS_RECORD] = {.number = OPI_NO_NUMBER},
    [OPLUS_I8] = {PLACE(i8, int8_t), OPI_SIGNED, .rank = 0},
    [OPLUS_I16] = {PLACE(i16, int16_t), OPI_SIGNED, .rank = 0},
    [OPLUS_I32] = {PLACE(i32, int32_t), OPI_SIGNED, .rank = 1},
    [OPLUS_I64] = {PLACE(i64, int64_t), OPI_SIGNED, .rank = 3},
    [OPLUS_U8] = {PLACE(u8, uint8_t), OPI_UNSIGNED, .rank = 0},
    [OPLUS_U16] = {PLACE(u16, uint16_t), OPI_UNSIGNED, .rank = 0},
    [OPLUS_U32] = {PLACE(u32, uint32_t), OPI_UNSIGNED, .rank = 2},
    [OPLUS_U64] = {PLACE(u64, uint64_t), OPI_UNSIGNED, .rank = 4},
    [OPLUS_F32] = {PLACE(f32, float), OPI_FLOATING, 5, "OPI_QUIET_F32", FLT_DECIMAL_DIG, FLT_EPSILON, FLT_TRUE_MIN,
                   read_f32, get_f32, put_f32},
    [OPLUS_F64] = {PLACE(f64, double), OPI_FLOATING, 6, "OPI_QUIET_F64", DBL_DECIMAL_DIG, DBL_EPSILON, DBL_TRUE_MIN,
                   read_f64, get_f64, put_f64},
};
