/* What every module made from a text begins with, after op.h (which CMake puts before it; see cmake/embed.cmake).
 * A module refers to nothing of the library: the descriptors of types that the macros mention are its own. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define TYPE(suffix, T, scalar)                                                                                        \
    const oplus_type oplus_##suffix = {OPLUS_ABI, #T, NULL, sizeof(T), _Alignof(T), scalar, NULL};
OPLUS_FOR_SCALARS(TYPE)
const oplus_type oplus_bool = {OPLUS_ABI, "bool", NULL, sizeof(bool), _Alignof(bool), OPLUS_U8, NULL};
#undef TYPE

#define OPLUS_EXPORT_ __attribute__((visibility("default")))

/* clang-format off */
/* --- what a text gives (opi_source_probe): the kinds of its values lie one behind the other in a section --- */

extern const unsigned char __start_oplus_kinds[] __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop_oplus_kinds[] __attribute__((weak, visibility("hidden")));
#define OPLUS_KIND_(x)                                                                                                 \
    _Generic(x, OPLUS_STRUCT_KINDS_ _Bool : OPLUS_U8, char : CHAR_MIN < 0 ? OPLUS_I8 : OPLUS_U8, int8_t : OPLUS_I8,    \
             int16_t : OPLUS_I16, int : OPLUS_I32, long : OPLUS_I64, long long : OPLUS_I64, uint8_t : OPLUS_U8,        \
             uint16_t : OPLUS_U16,                                                                                     \
             unsigned : OPLUS_U32, unsigned long : OPLUS_U64, unsigned long long : OPLUS_U64, float : OPLUS_F32,       \
             double : OPLUS_F64, long double : OPLUS_F64, default : 0)
#define OPLUS_SEEN_(...)                                                                                               \
    ({                                                                                                                 \
        const __auto_type oplus_seen_ = (__VA_ARGS__);                                                                 \
        static const unsigned char oplus_kind_ __attribute__((used, section("oplus_kinds"))) =                         \
            OPLUS_KIND_(oplus_seen_);                                                                                  \
        oplus_seen_;                                                                                                   \
    })

/* --- the functions of generic.cl, which follows --- */

#define OPI_TEXT                            1
#define OPI_F64                             1
#define OPI_GENERIC(R, name, s, parameters) OPLUS_HELPER R name##_##s parameters
#define OPI_FOR_SIGNED(X)   X(i8, int8_t) X(i16, int16_t) X(i32, int32_t) X(i64, int64_t) X(ll, long long)
#define OPI_FOR_UNSIGNED(X) X(u8, uint8_t) X(u16, uint16_t) X(u32, uint32_t) X(u64, uint64_t) X(ull, unsigned long long)

/* Each argument is computed once, into a variable; n keeps its name apart from the variables of nested macros. */
#define OPI_LET(x, k, n)                const __auto_type opi_##k##_##n = (x);
#define OPI_CALL_F32(f, x, y)           opi_g_##f##_f32(x, y)
#define OPI_CALL_1(f, x)                OPI_1(opi_g_##f, OPI_PICK, x, __COUNTER__)
#define OPI_CALL_2(f, x, y)             OPI_2(opi_g_##f, OPI_PICK_2, x, y, __COUNTER__)
#define OPI_CALL_REAL_1(f, x)           OPI_1(opi_g_##f, OPI_PICK_REAL, x, __COUNTER__)
#define OPI_CALL_REAL_2(f, x, y)        OPI_2(opi_g_##f, OPI_PICK_REAL_2, x, y, __COUNTER__)
#define OPI_CALL_REAL_3(f, x, y, z)     OPI_3(opi_g_##f, x, y, z, __COUNTER__)
#define OPI_CALL_LDEXP(f, x, k)         OPI_LDEXP(opi_g_##f, x, k, __COUNTER__)
#define OPI_1(f, pick, x, n)            OPI_1_(f, pick, x, n)
#define OPI_1_(f, pick, x, n)           ({ OPI_LET(x, 0, n) pick(f, opi_0_##n)(opi_0_##n); })
#define OPI_2(f, pick, x, y, n)         OPI_2_(f, pick, x, y, n)
#define OPI_2_(f, pick, x, y, n)                                                                                       \
    ({ OPI_LET(x, 0, n) OPI_LET(y, 1, n) pick(f, opi_0_##n, opi_1_##n)(opi_0_##n, opi_1_##n); })
#define OPI_3(f, x, y, z, n)            OPI_3_(f, x, y, z, n)
#define OPI_3_(f, x, y, z, n)                                                                                          \
    ({ OPI_LET(x, 0, n) OPI_LET(y, 1, n) OPI_LET(z, 2, n)                                                              \
        OPI_PICK_REAL(f, opi_0_##n + opi_1_##n + opi_2_##n)(opi_0_##n, opi_1_##n, opi_2_##n); })
#define OPI_LDEXP(f, x, k, n)           OPI_LDEXP_(f, x, k, n)
#define OPI_LDEXP_(f, x, k, n)          ({ OPI_LET(x, 0, n) OPI_PICK_REAL(f, opi_0_##n)(opi_0_##n, k); })

/* Picks one of the functions f_i8, f_i16, ...  Two operands of one small type keep it; C promotes all others. */
#define OPI_PICK_REAL(f, x)      _Generic(x, float : f##_f32, default : f##_f64)
#define OPI_PICK_REAL_2(f, x, y) OPI_PICK_REAL(f, x + y)
#define OPI_LARGE(f)                                                                                                   \
    int : f##_i32, long : f##_i64, long long : f##_ll, unsigned : f##_u32, unsigned long : f##_u64,                    \
    unsigned long long : f##_ull, float : f##_f32, default : f##_f64
#define OPI_PICK(f, x)                                                                                                 \
    _Generic(x, _Bool : f##_i32, char : f##_i32, int8_t : f##_i8, int16_t : f##_i16, uint8_t : f##_u8,                 \
             uint16_t : f##_u16, OPI_LARGE(f))
#define OPI_PICK_LARGE(f, x, y)      _Generic(1 ? x : y, OPI_LARGE(f))
#define OPI_PICK_LIKE(f, T, s, x, y) T : _Generic(y, T : f##_##s, default : OPI_PICK_LARGE(f, x, y))
#define OPI_PICK_2(f, x, y)                                                                                            \
    _Generic(x, OPI_PICK_LIKE(f, int8_t, i8, x, y), OPI_PICK_LIKE(f, int16_t, i16, x, y),                              \
             OPI_PICK_LIKE(f, uint8_t, u8, x, y), OPI_PICK_LIKE(f, uint16_t, u16, x, y),                               \
             default : OPI_PICK_LARGE(f, x, y))
/* clang-format on */
