/* SPDX-License-Identifier: Apache-2.0 */
/** @file op.h
 *  Define an element type, an operator or a function once; use it on every device.
 *
 *  From one text come an inlined C function, typed loops that your compiler vectorises (leaf.h), and the string
 *  that a run-time compiler needs for a GPU.  Compiles as C11 and as C++17 with gcc >= 12 and clang >= 14. */
#ifndef OPLUS_OP_H
#define OPLUS_OP_H

#include <stddef.h>
#include <stdint.h>

#include <oplus/leaf.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- types ---------------------------------------------------------------------------------------------------- */

/** What an element is, as far as the library must know: to order keys and to tell a NaN. */
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

/** A plain C element type.  Its text, not its address or name, identifies it.
 *
 *  Arrays of it must be aligned to `align`, at most 64.  Elements up to about 64 KiB are meant: a carry holds 260 of
 *  them, and a scan keeps 4 on the stack. */
typedef struct oplus_type {
    const char *name;    /**< as written in C: "float", "affine" */
    const char *text;    /**< the members of a struct, "float a; float b;"; NULL for a scalar */
    size_t size;         /**< bytes */
    size_t align;        /**< bytes, a power of two, at most 64 */
    oplus_scalar scalar; /**< OPLUS_RECORD for a struct */
} oplus_type;

/** X(suffix, C type, oplus_scalar) of every scalar type: f32, float, OPLUS_F32. */
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
/** @} */

/** Defines `struct name` with the given members, its typedef, and its descriptor `name_type`.
 *
 *      OPLUS_STRUCT(affine, float a; float b;) */
#define OPLUS_STRUCT(name, ...)                                                                                        \
    typedef struct name {                                                                                              \
        __VA_ARGS__                                                                                                    \
    } name;                                                                                                            \
    OPLUS_DESCRIBE_(name, #__VA_ARGS__)

/** Makes the descriptor `name_type` of a struct that is declared elsewhere; repeat its members exactly.
 *  A difference in size or alignment does not compile. */
#define OPLUS_DESCRIBE(name, ...)                                                                                      \
    struct oplus_##name##_described_ {                                                                                 \
        __VA_ARGS__                                                                                                    \
    };                                                                                                                 \
    OPLUS_STATIC_ASSERT_(sizeof(struct oplus_##name##_described_) == sizeof(name) &&                                   \
                             OPLUS_ALIGNOF_(struct oplus_##name##_described_) == OPLUS_ALIGNOF_(name),                 \
                         "the members do not describe this type");                                                     \
    OPLUS_DESCRIBE_(name, #__VA_ARGS__)

/* --- operators ------------------------------------------------------------------------------------------------ */

/** What is promised of an operator, beyond being associative.  Rounding does not count against it. */
enum {
    OPLUS_COMMUTATIVE = 1, /**< a (+) b has the same bits as b (+) a */
    OPLUS_EXACT = 2,       /**< associative to the bit, as integer sums and maxima are: any schedule gives the same */
    OPLUS_WIDE = 4         /**< of a struct: no neighbouring members are x*y - z*w and x*w + z*y, so that gcc's widest
                                vectors may be used (see leaf.h); oplus_op_check sees a false claim */
};

/** An associative operator on elements of one type.  Make one with OPLUS_OP; or fill in the members, all others
 *  zero, with `combine` alone: everything works, through a call an element. */
typedef struct oplus_op {
    const char *name;       /**< for messages */
    const oplus_type *type; /**< of the elements */
    const void *identity;   /**< one element, or NULL where there is none */
    unsigned flags;         /**< 0, or OPLUS_COMMUTATIVE, _EXACT, _WIDE joined by | */
    const char *text;       /**< the body in C, over a (earlier) and b (later); may be NULL */
    const char *file;       /**< where the text stands, for messages of a compiler; may be NULL */
    int line;               /**< in that file */
    unsigned builtin;       /**< 0 in an operator of yours */
    void (*combine)(void *out, const void *a, const void *b); /**< *out = *a (+) *b; out may be a or b */
    const oplus_leaves *leaves;                               /**< the typed loops; may be NULL */
} oplus_op;

/** Defines an operator: `T name(T a, T b)` and its descriptor `name_op`.
 *
 *      OPLUS_OP(compose, affine, (1, 0), 0, {
 *          affine r;
 *          r.a = a.a * b.a;
 *          r.b = a.b * b.a + b.b;
 *          return r;
 *      })
 *
 *  It may be called on any two values, and what it returns be dropped, as a segmented scan does at a head: it must be
 *  defined for all of them.  What else the macros define begins with oplus_.
 *
 *  @param name      of the C function
 *  @param T         one word: a scalar type (float, double, int32_t, ...) or a name given to OPLUS_STRUCT
 *  @param identity  the members of e with e (+) x = x = x (+) e, in parentheses; an array's in braces: ({1, 0, 0, 1})
 *  @param flags     0, or OPLUS_COMMUTATIVE, OPLUS_EXACT, OPLUS_WIDE joined by |
 *  @param ...       the body, in braces; a is the earlier element, b the later */
#define OPLUS_OP(name, T, identity, flags, ...)                                                                        \
    static const T oplus_##name##_identity_ OPLUS_UNUSED_ = {OPLUS_UNPAREN_ identity};                                 \
    OPLUS_DEFINE_OP_(name, T, &oplus_##name##_identity_, flags, #__VA_ARGS__, __VA_ARGS__)

/** The same without an identity: a semigroup.  Reduce of nothing and exclusive scan are then errors. */
#define OPLUS_SEMIGROUP(name, T, flags, ...) OPLUS_DEFINE_OP_(name, T, NULL, flags, #__VA_ARGS__, __VA_ARGS__)

/** Stands before a function of yours that a body calls, so that it can be inlined there, and rounds as the body does:
 *
 *      OPLUS_HELPER float larger(float a, float b) { return a < b ? b : a; }
 *
 *  gcc for AVX inlines no other, as it compiles bodies without AVX (see leaf.h).  Use it at file scope: under clang it
 *  also switches contraction off for the rest of the file (STDC FP_CONTRACT). */
#define OPLUS_HELPER OPLUS_HELPER_STRICT_ OPLUS_NARROW_ OPLUS_STRICT_ static inline

/* --- functions ------------------------------------------------------------------------------------------------ */

enum { OPLUS_MAX_ARITY = 8 };

/** A function of one element from each of its inputs, for oplus_map and (as a predicate) oplus_filter. */
typedef struct oplus_fn {
    const char *name;                         /**< for messages */
    const oplus_type *result;                 /**< of a predicate: oplus_u8, 0 or 1 */
    unsigned arity;                           /**< how many inputs, 1 to OPLUS_MAX_ARITY */
    const oplus_type *input[OPLUS_MAX_ARITY]; /**< of each input */
    const oplus_type *param_type;             /**< NULL: takes no parameter */
    const void *param;                        /**< its value; see oplus_with */
    const char *text;                         /**< the body in C; may be NULL */
    const char *file;                         /**< where the text stands; may be NULL */
    int line;                                 /**< in that file */
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out); /**< out[i] = f(in[0][i], ...) */
} oplus_fn;

/** The function with its captured parameter `p` bound to *param, which must live until the call has returned. */
static inline oplus_fn oplus_with(const oplus_fn *fn, const void *param)
{
    oplus_fn bound = *fn;
    bound.param = param;
    return bound;
}

/** `R name(A a)` and `name_fn`:  OPLUS_MAP(square, float, float, { return a * a; }) */
#define OPLUS_MAP(name, R, A, ...)                                                                                     \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_), __VA_ARGS__)                                                               \
    OPLUS_LEAF_(name, R, (OPLUS_IN_(A, 0)), name(in0_[i_]))                                                            \
    OPLUS_FN_OBJECT_(name, R, 1, (&OPLUS_TYPE_(A)), NULL, #__VA_ARGS__)

/** Two inputs a, b:  OPLUS_ZIP(axpy2, float, float, float, { return 2.0f * a + b; }) */
#define OPLUS_ZIP(name, R, A, B, ...)                                                                                  \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_), __VA_ARGS__)                                            \
    OPLUS_LEAF_(name, R, (OPLUS_IN_(A, 0) OPLUS_IN_(B, 1)), name(in0_[i_], in1_[i_]))                                  \
    OPLUS_FN_OBJECT_(name, R, 2, (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B)), NULL, #__VA_ARGS__)

/** Three inputs a, b, c. */
#define OPLUS_ZIP3(name, R, A, B, C, ...)                                                                              \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_, C c OPLUS_UNUSED_), __VA_ARGS__)                         \
    OPLUS_LEAF_(name, R, (OPLUS_IN_(A, 0) OPLUS_IN_(B, 1) OPLUS_IN_(C, 2)), name(in0_[i_], in1_[i_], in2_[i_]))        \
    OPLUS_FN_OBJECT_(name, R, 3, (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B), &OPLUS_TYPE_(C)), NULL, #__VA_ARGS__)

/** Four inputs a, b, c, d. */
#define OPLUS_ZIP4(name, R, A, B, C, D, ...)                                                                           \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_, C c OPLUS_UNUSED_, D d OPLUS_UNUSED_), __VA_ARGS__)      \
    OPLUS_LEAF_(name, R, (OPLUS_IN_(A, 0) OPLUS_IN_(B, 1) OPLUS_IN_(C, 2) OPLUS_IN_(D, 3)),                            \
                name(in0_[i_], in1_[i_], in2_[i_], in3_[i_]))                                                          \
    OPLUS_FN_OBJECT_(name, R, 4, (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B), &OPLUS_TYPE_(C), &OPLUS_TYPE_(D)), NULL,           \
                     #__VA_ARGS__)

/** One input a and a captured parameter p, a scalar or a small struct, bound by oplus_with:
 *
 *      OPLUS_MAP_WITH(scale, float, float, float, { return a * p; })
 *      oplus_fn half = oplus_with(&scale_fn, &(float){0.5f}); */
#define OPLUS_MAP_WITH(name, R, A, P, ...)                                                                             \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, P p OPLUS_UNUSED_), __VA_ARGS__)                                            \
    OPLUS_LEAF_(name, R, (OPLUS_IN_(A, 0) OPLUS_PARAM_(P)), name(in0_[i_], p_))                                        \
    OPLUS_FN_OBJECT_(name, R, 1, (&OPLUS_TYPE_(A)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/** Two inputs a, b and a captured parameter p. */
#define OPLUS_ZIP_WITH(name, R, A, B, P, ...)                                                                          \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_, P p OPLUS_UNUSED_), __VA_ARGS__)                         \
    OPLUS_LEAF_(name, R, (OPLUS_IN_(A, 0) OPLUS_IN_(B, 1) OPLUS_PARAM_(P)), name(in0_[i_], in1_[i_], p_))              \
    OPLUS_FN_OBJECT_(name, R, 2, (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/** `int name(A a)` and `name_fn` for oplus_filter:  OPLUS_PREDICATE(negative, float, { return a < 0; }) */
#define OPLUS_PREDICATE(name, A, ...)                                                                                  \
    OPLUS_FN_(int, name, (A a OPLUS_UNUSED_), __VA_ARGS__)                                                             \
    OPLUS_LEAF_(name, uint8_t, (OPLUS_IN_(A, 0)), (uint8_t)(name(in0_[i_]) ? 1 : 0))                                   \
    OPLUS_FN_OBJECT_(name, uint8_t, 1, (&OPLUS_TYPE_(A)), NULL, #__VA_ARGS__)

/** A predicate of a and a captured parameter p. */
#define OPLUS_PREDICATE_WITH(name, A, P, ...)                                                                          \
    OPLUS_FN_(int, name, (A a OPLUS_UNUSED_, P p OPLUS_UNUSED_), __VA_ARGS__)                                          \
    OPLUS_LEAF_(name, uint8_t, (OPLUS_IN_(A, 0) OPLUS_PARAM_(P)), (uint8_t)(name(in0_[i_], p_) ? 1 : 0))               \
    OPLUS_FN_OBJECT_(name, uint8_t, 1, (&OPLUS_TYPE_(A)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/* --- how the macros work -------------------------------------------------------------------------------------- */

#define OPLUS_UNPAREN_(...) __VA_ARGS__

/* A type is named by one word, or a macro for it, which must lead to its descriptor in a constant expression. */
#define OPLUS_TYPE_(T)      oplus_type_##T
#define oplus_type_float    oplus_f32
#define oplus_type_double   oplus_f64
#define oplus_type_int8_t   oplus_i8
#define oplus_type_int16_t  oplus_i16
#define oplus_type_int32_t  oplus_i32
#define oplus_type_int64_t  oplus_i64
#define oplus_type_uint8_t  oplus_u8
#define oplus_type_uint16_t oplus_u16
#define oplus_type_uint32_t oplus_u32
#define oplus_type_uint64_t oplus_u64
#define oplus_type_int      oplus_i32
#define oplus_type_unsigned oplus_u32
#if SIZE_MAX == UINT64_MAX
#define oplus_type_size_t oplus_u64
#else
#define oplus_type_size_t oplus_u32
#endif

#define OPLUS_TYPE_OBJECT_(object, name, text)                                                                         \
    static const oplus_type object OPLUS_UNUSED_ = {#name, text, sizeof(name), OPLUS_ALIGNOF_(name), OPLUS_RECORD};
#define OPLUS_DESCRIBE_(name, text)                                                                                    \
    OPLUS_TYPE_OBJECT_(name##_type, name, text)                                                                        \
    OPLUS_TYPE_OBJECT_(oplus_type_##name, name, text)

#define OPLUS_FN_(R, name, parameters, ...)                                                                            \
    OPLUS_NARROW_ OPLUS_STRICT_ static inline R name parameters { OPLUS_CONTRACT_OFF_ __VA_ARGS__ }

#define OPLUS_DEFINE_OP_(name, T, identity, flags, text, ...)                                                          \
    OPLUS_FN_(T, name, (T a OPLUS_UNUSED_, T b OPLUS_UNUSED_), __VA_ARGS__)                                            \
    OPLUS_TYPED_LEAVES_(name, T)                                                                                       \
    static const oplus_op name##_op OPLUS_UNUSED_ = {#name,                                                            \
                                                     &OPLUS_TYPE_(T),                                                  \
                                                     identity,                                                         \
                                                     (flags),                                                          \
                                                     text,                                                             \
                                                     __FILE__,                                                         \
                                                     __LINE__,                                                         \
                                                     0,                                                                \
                                                     oplus_##name##_combine_,                                          \
                                                     OPLUS_CHOOSE_LEAVES_(name, T, flags)};

/* Inputs and parameter are taken out of the loop: for all a compiler knows, a result that is a byte may change them.
 * A predicate gives `? 1 : 0` because gcc 12 does not vectorise `a & 1` compared with 0. */
#define OPLUS_IN_(A, k) const A *const in##k##_ = (const A *)in_[k];
#define OPLUS_PARAM_(P) const P p_ = *(const P *)param_;
#define OPLUS_LEAF_(name, R, inputs, call)                                                                             \
    OPLUS_UNFUSED_ OPLUS_STRICT_ static void oplus_##name##_leaf_(const void *const *in_, const void *param_,          \
                                                                  size_t n_, void *out_)                               \
    {                                                                                                                  \
        OPLUS_UNPAREN_ inputs;                                                                                         \
        (void)param_;                                                                                                  \
        OPLUS_IVDEP_ for (size_t i_ = 0; i_ < n_; i_++)((R *)out_)[i_] = call;                                         \
    }
#define OPLUS_FN_OBJECT_(name, R, arity, inputs, param_type, text)                                                     \
    static const oplus_fn name##_fn OPLUS_UNUSED_ = {                                                                  \
        #name, &OPLUS_TYPE_(R), arity,    {OPLUS_UNPAREN_ inputs}, param_type, NULL,                                   \
        text,  __FILE__,        __LINE__, oplus_##name##_leaf_};

#ifdef __cplusplus
}
#endif
#endif
