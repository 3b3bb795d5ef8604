/* What every module made from a text begins with, after op.h (which CMake puts before it; see cmake/embed.cmake).
 * A module refers to nothing of the library: the descriptors of types that the macros mention are its own. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define TYPE(suffix, T, scalar) const oplus_type oplus_##suffix = {#T, NULL, sizeof(T), _Alignof(T), scalar};
TYPE(i8, int8_t, OPLUS_I8)
TYPE(i16, int16_t, OPLUS_I16)
TYPE(i32, int32_t, OPLUS_I32)
TYPE(i64, int64_t, OPLUS_I64)
TYPE(u8, uint8_t, OPLUS_U8)
TYPE(u16, uint16_t, OPLUS_U16)
TYPE(u32, uint32_t, OPLUS_U32)
TYPE(u64, uint64_t, OPLUS_U64)
TYPE(f32, float, OPLUS_F32)
TYPE(f64, double, OPLUS_F64)
#undef TYPE

#define OPLUS_EXPORT_ __attribute__((visibility("default")))
