/* SPDX-License-Identifier: Apache-2.0 */
/** @file type.h
 *  Types of elements: scalars, structs, and how the macros of op.h find the descriptor of a type by its name. */
#ifndef OPLUS_TYPE_H
#define OPLUS_TYPE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <type_traits>
#endif

#include <oplus/leaf.h>

#ifdef __cplusplus
/* The value -3 as a scalar of any type: see OPLUS_SAMPLE_. */
struct oplus_sample_scalar_ {
    template <class T, class = std::enable_if_t<std::is_scalar<T>::value>> constexpr operator T() const
    {
        if constexpr (std::is_pointer<T>::value)
            return reinterpret_cast<T>(static_cast<intptr_t>(-3));
        else
            return static_cast<T>(-3);
    }
};

extern "C" {
#endif

/* --- types ---------------------------------------------------------------------------------------------------- */

/** The version of the structs in these headers that a program hands to the library: types, operators, functions,
 *  transports, and structs that the library fills in.  Each of them has a first member abi with this value.  The
 *  macros set it; in a struct that you fill in by hand, set it yourself: `oplus_op op = {.abi = OPLUS_ABI, .name =
 *  "max", ...}`.
 *
 *  The number grows when a member is added or moved.  The library compares it with its own: if a program was compiled
 *  with the headers of another version, its calls return OPLUS_ERR_ARGUMENT, and no member is read at a wrong
 *  place. */
#define OPLUS_ABI 1u

/** The scalar types, and records.  The library needs to know them to order keys and to recognise a NaN. */
typedef enum oplus_scalar {
    OPLUS_RECORD = 0, /**< a struct: see oplus_type::text */
    OPLUS_I8,
    OPLUS_I16,
    OPLUS_I32,
    OPLUS_I64,
    OPLUS_U8,
    OPLUS_U16,
    OPLUS_U32,
    OPLUS_U64,
    OPLUS_F32,
    OPLUS_F64
} oplus_scalar;

/** A plain C type of elements.  Two descriptors with the same text are the same type, whatever their addresses and
 *  names.
 *
 *  Arrays of the type must be aligned to `align`.  Operators and functions that a macro defines on it take and return
 *  elements by value, on the stack: an element has at most 64 KiB.  An operator that has only `combine` takes elements
 *  of any size.  A carry holds 260 elements. */
typedef struct oplus_type {
    unsigned abi;        /**< OPLUS_ABI */
    const char *name;    /**< name of the type as written in C: "float", "affine" */
    const char *text;    /**< the members of a struct, "float a; float b;"; NULL for a scalar, and for a struct whose
                              members the library need not know: NaNs in it then keep their bits */
    size_t size;         /**< size of an element, in bytes */
    size_t align;        /**< alignment of an element, in bytes: a power of two, at most 64 */
    oplus_scalar scalar; /**< which scalar type it is; OPLUS_RECORD for a struct */
    const void *sample;  /**< shows where the compiler put the scalars of a struct; OPLUS_STRUCT and OPLUS_DESCRIBE set
                              it, elsewhere it is NULL */
} oplus_type;

/** X(suffix, C type, oplus_scalar) for every scalar type, as in X(f32, float, OPLUS_F32). */
#define OPLUS_FOR_SCALARS(X)                                                                                           \
    X(i8, int8_t, OPLUS_I8)                                                                                            \
    X(i16, int16_t, OPLUS_I16)                                                                                         \
    X(i32, int32_t, OPLUS_I32)                                                                                         \
    X(i64, int64_t, OPLUS_I64)                                                                                         \
    X(u8, uint8_t, OPLUS_U8)                                                                                           \
    X(u16, uint16_t, OPLUS_U16)                                                                                        \
    X(u32, uint32_t, OPLUS_U32)                                                                                        \
    X(u64, uint64_t, OPLUS_U64)                                                                                        \
    X(f32, float, OPLUS_F32)                                                                                           \
    X(f64, double, OPLUS_F64)

/** @{ @brief The descriptors of the scalar types. */
extern OPLUS_API const oplus_type oplus_i8, oplus_i16, oplus_i32, oplus_i64;
extern OPLUS_API const oplus_type oplus_u8, oplus_u16, oplus_u32, oplus_u64;
extern OPLUS_API const oplus_type oplus_f32, oplus_f64;
extern OPLUS_API const oplus_type oplus_bool; /* its scalar is OPLUS_U8; a body that returns bool gives 0 or 1 */
/** @} */

/** Defines `struct name` with the given members, its typedef, and its descriptor `name_type`.
 *
 *      OPLUS_STRUCT(affine, float a; float b;)
 *
 *  Members are scalars, arrays, structs and arrays of structs; the size of an array may be a macro or an expression of
 *  numbers.  If the struct has at most 256 scalars, then on cores the size may also be an enumeration constant, and a
 *  member may have any type of yours; a GPU does not know such names.  NaNs in a union keep their bits. */
#define OPLUS_STRUCT(name, ...)                                                                                        \
    typedef struct name {                                                                                              \
        __VA_ARGS__                                                                                                    \
    } name;                                                                                                            \
    OPLUS_DESCRIBE_(name, OPLUS_TEXT_(__VA_ARGS__))

/** Defines the descriptor `name_type` of a struct that is declared elsewhere; repeat its members exactly.
 *  If size or alignment differ, the program does not compile. */
#define OPLUS_DESCRIBE(name, ...)                                                                                      \
    struct oplus_##name##_described_ {                                                                                 \
        __VA_ARGS__                                                                                                    \
    };                                                                                                                 \
    OPLUS_STATIC_ASSERT_(sizeof(struct oplus_##name##_described_) == sizeof(name) &&                                   \
                             OPLUS_ALIGNOF_(struct oplus_##name##_described_) == OPLUS_ALIGNOF_(name),                 \
                         "the members do not describe this type");                                                     \
    OPLUS_DESCRIBE_(name, OPLUS_TEXT_(__VA_ARGS__))

/* --- from a name to its descriptor ------------------------------------------------------------------------------ */

/* OPLUS_TYPE_(T) is the descriptor of T, a constant.  For a struct it is the object oplus_described_T that
 * OPLUS_STRUCT has defined.  The name of a scalar may have several words; oplus_described_ and the first word make a
 * macro, which gives a comma and that word.  The comma tells the two cases apart. */
#define OPLUS_TYPE_(T)                          OPLUS_TYPE_OF_(oplus_described_##T)
#define OPLUS_TYPE_OF_(...)                     OPLUS_THIRD_(__VA_ARGS__, OPLUS_TYPE_SCALAR_, OPLUS_TYPE_STRUCT_, )(__VA_ARGS__)
#define OPLUS_TYPE_STRUCT_(own)                 own
#define OPLUS_THIRD_(first, second, third, ...) third

#define oplus_described_bool      , bool
#define oplus_described__Bool     , _Bool
#define oplus_described_char      , char
#define oplus_described_short     , short
#define oplus_described_int       , int
#define oplus_described_long      , long
#define oplus_described_signed    , signed
#define oplus_described_unsigned  , unsigned
#define oplus_described_float     , float
#define oplus_described_double    , double
#define oplus_described_int8_t    , int8_t
#define oplus_described_int16_t   , int16_t
#define oplus_described_int32_t   , int32_t
#define oplus_described_int64_t   , int64_t
#define oplus_described_uint8_t   , uint8_t
#define oplus_described_uint16_t  , uint16_t
#define oplus_described_uint32_t  , uint32_t
#define oplus_described_uint64_t  , uint64_t
#define oplus_described_size_t    , size_t
#define oplus_described_ptrdiff_t , ptrdiff_t
#define oplus_described_intptr_t  , intptr_t
#define oplus_described_uintptr_t , uintptr_t

#ifdef __cplusplus
extern "C++" {
/* Some compilers have floats of 2 bytes, and integers of 16. */
template <class T> constexpr bool oplus_is_number_of_()
{
    if constexpr (std::is_floating_point<T>::value) return sizeof(T) == 4 || sizeof(T) == 8;
    if constexpr (std::is_integral<T>::value) return sizeof(T) <= 8;
    return false;
}
template <class T> constexpr bool oplus_is_number_ = oplus_is_number_of_<T>();
template <class T> constexpr const oplus_type *oplus_scalar_type_()
{
    static_assert(oplus_is_number_<T>, "oplus: no such element type; write bool, an integer type, float or double");
    if constexpr (std::is_same<T, bool>::value) return &oplus_bool;
    if constexpr (std::is_floating_point<T>::value) return sizeof(T) == 4 ? &oplus_f32 : &oplus_f64;
    if constexpr (std::is_signed<T>::value)
        return sizeof(T) == 1 ? &oplus_i8 : sizeof(T) == 2 ? &oplus_i16 : sizeof(T) == 4 ? &oplus_i32 : &oplus_i64;
    return sizeof(T) == 1 ? &oplus_u8 : sizeof(T) == 2 ? &oplus_u16 : sizeof(T) == 4 ? &oplus_u32 : &oplus_u64;
}
}
#define OPLUS_TYPE_SCALAR_(none, T) (*oplus_scalar_type_<T>())
#define OPLUS_IS_SCALAR_(T)         std::is_arithmetic<T>::value
#else
/* clang-format off */
#if CHAR_MIN < 0
#define OPLUS_CHAR_(X)  X(oplus_i8, OPLUS_I8)
#else
#define OPLUS_CHAR_(X)  X(oplus_u8, OPLUS_U8)
#endif
#if LONG_MAX > INT_MAX
#define OPLUS_LONG_(X)  X(oplus_i64, OPLUS_I64)
#define OPLUS_ULONG_(X) X(oplus_u64, OPLUS_U64)
#else
#define OPLUS_LONG_(X)  X(oplus_i32, OPLUS_I32)
#define OPLUS_ULONG_(X) X(oplus_u32, OPLUS_U32)
#endif
/* X(descriptor, oplus_scalar) for the scalar type of a value; for every other type, the arguments after X. */
#define OPLUS_BY_SCALAR_(value, X, ...) \
    _Generic((value), _Bool: X(oplus_bool, OPLUS_U8), char: OPLUS_CHAR_(X), \
             signed char: X(oplus_i8, OPLUS_I8), unsigned char: X(oplus_u8, OPLUS_U8), \
             short: X(oplus_i16, OPLUS_I16), unsigned short: X(oplus_u16, OPLUS_U16), \
             int: X(oplus_i32, OPLUS_I32), unsigned: X(oplus_u32, OPLUS_U32), \
             long: OPLUS_LONG_(X), unsigned long: OPLUS_ULONG_(X), \
             long long: X(oplus_i64, OPLUS_I64), unsigned long long: X(oplus_u64, OPLUS_U64), \
             float: X(oplus_f32, OPLUS_F32), double: X(oplus_f64, OPLUS_F64) __VA_ARGS__)
/* clang-format on */
#define OPLUS_ADDRESS_(type, scalar) &type
#define OPLUS_ONE_(type, scalar)     1
#define OPLUS_TYPE_SCALAR_(none, T)  (*OPLUS_BY_SCALAR_(*(T *)0, OPLUS_ADDRESS_, ))
#define OPLUS_IS_SCALAR_(T)          OPLUS_BY_SCALAR_(*(T *)0, OPLUS_ONE_, , default : 0)
#endif

/* --- the descriptor of a struct ----------------------------------------------------------------------------------- */

/* The text of the members after their macros have been expanded, as a GPU does not know these macros. */
#define OPLUS_TEXT_(...) #__VA_ARGS__

/* A sample makes the compiler show where the scalars of a struct are: its first 256 scalars are -3.  The byte behind
 * the struct is -3 too if the struct has no more than 256 scalars. */
#ifdef __cplusplus
#define OPLUS_SAMPLE_SCALAR_ oplus_sample_scalar_()
#define OPLUS_QUIETLY_                                                                                                 \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"")                              \
        _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#else
#define OPLUS_SAMPLE_SCALAR_ -3
#define OPLUS_QUIETLY_                                                                                                 \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"")                              \
        _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")                                             \
            _Pragma("GCC diagnostic ignored \"-Wint-conversion\"")                                                     \
                _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"")                                                \
                    _Pragma("GCC diagnostic ignored \"-Wconversion\"")
#endif
#define OPLUS_ALOUD_      _Pragma("GCC diagnostic pop")
#define OPLUS_SAMPLE_4_   OPLUS_SAMPLE_SCALAR_, OPLUS_SAMPLE_SCALAR_, OPLUS_SAMPLE_SCALAR_, OPLUS_SAMPLE_SCALAR_
#define OPLUS_SAMPLE_16_  OPLUS_SAMPLE_4_, OPLUS_SAMPLE_4_, OPLUS_SAMPLE_4_, OPLUS_SAMPLE_4_
#define OPLUS_SAMPLE_64_  OPLUS_SAMPLE_16_, OPLUS_SAMPLE_16_, OPLUS_SAMPLE_16_, OPLUS_SAMPLE_16_
#define OPLUS_SAMPLE_257_ OPLUS_SAMPLE_SCALAR_, OPLUS_SAMPLE_64_, OPLUS_SAMPLE_64_, OPLUS_SAMPLE_64_, OPLUS_SAMPLE_64_
#define OPLUS_SAMPLE_(object, name)                                                                                    \
    OPLUS_QUIETLY_ static const struct oplus_##object##_sample_ {                                                      \
        name x;                                                                                                        \
        signed char rest[256];                                                                                         \
    } oplus_##object##_sample_ OPLUS_UNUSED_ = {OPLUS_SAMPLE_257_};                                                    \
    OPLUS_ALOUD_

#define OPLUS_TYPE_OBJECT_(object, name, text)                                                                         \
    static const oplus_type object OPLUS_UNUSED_ = {                                                                   \
        OPLUS_ABI, #name, text, sizeof(name), OPLUS_ALIGNOF_(name), OPLUS_RECORD, &oplus_##name##_sample_};
#define OPLUS_DESCRIBE_(name, text)                                                                                    \
    OPLUS_SAMPLE_(name, name)                                                                                          \
    OPLUS_TYPE_OBJECT_(name##_type, name, text)                                                                        \
    OPLUS_TYPE_OBJECT_(oplus_described_##name, name, text)

#ifdef __cplusplus
}
#endif
#endif
