/* SPDX-License-Identifier: Apache-2.0 */
/** @file op.h
 *  Define an element type, an operator or a function once; use it on every device.
 *
 *  One text gives an inlined C function, typed loops that your compiler vectorises (leaf.h), and the string that a
 *  run-time compiler needs for a GPU.  This header compiles as C11 and as C++17 with gcc >= 12 and clang >= 14.
 *
 *  To stop in an operator with a debugger, compile the program with -DOPLUS_DEBUG -g: on cores the function is then
 *  called once for each element, and is not optimised.  Results have the same bits. */
#ifndef OPLUS_OP_H
#define OPLUS_OP_H

#include <oplus/leaf.h>
#include <oplus/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a descriptor was made.  This decides what its members text, file and line mean. */
typedef enum oplus_origin {
    OPLUS_FILLED_IN = 0, /**< the program filled it in by hand: text is the body of a C function; file may be NULL */
    OPLUS_BY_MACRO,      /**< OPLUS_OP, OPLUS_MAP or a similar macro made it: the body is in `file` at `line` */
    OPLUS_FROM_TEXT      /**< oplus_op_make or oplus_fn_make made it: file is NULL; text is the C body they made */
} oplus_origin;

/* --- operators ------------------------------------------------------------------------------------------------ */

/** What an operator promises beyond being associative; rounding does not break associativity here. */
enum {
    OPLUS_COMMUTATIVE = 1, /**< a (+) b has the same bits as b (+) a */
    OPLUS_EXACT = 2,       /**< associative to the bit, as integer sums and maxima are: every order of joins gives the
                                same bits */
    OPLUS_WIDE = 4         /**< for a struct: no two neighbouring members are x*y - z*w and x*w + z*y, so that gcc may
                                use its widest vectors (see leaf.h); oplus_op_check finds a false claim */
};

/** An associative operator on elements of one type.
 *
 *  Make one with OPLUS_OP.  Or fill in `abi`, `name`, `type` and `combine` (for an operator with a parameter:
 *  param_type, param and `combine_with`) and leave all other members zero: everything works, with one function call
 *  for each element. */
typedef struct oplus_op {
    unsigned abi;           /**< OPLUS_ABI */
    const char *name;       /**< name of the operator, for messages */
    const oplus_type *type; /**< type of the elements */
    const void *identity;   /**< the identity, one element; NULL: the operator has none */
    unsigned flags;         /**< 0, or OPLUS_COMMUTATIVE, OPLUS_EXACT, OPLUS_WIDE joined by | */
    oplus_origin origin;    /**< how the operator was made; 0 if you fill it in by hand */
    const char *text;       /**< the body in C, over a (earlier) and b (later); NULL: no GPU can run it */
    const char *file;       /**< the source file of the text, for messages of a compiler; may be NULL */
    int line;               /**< the line of the text in `file` */
    unsigned builtin;       /**< for the library's own operators; 0 in every other */
    void (*combine)(void *out, const void *a, const void *b); /**< *out = *a (+) *b; out may be a or b */
    const oplus_leaves *leaves;                               /**< the typed loops; may be NULL */
    const oplus_type *param_type;                             /**< type of the parameter; NULL: there is none */
    const void *param;                                        /**< value of the parameter; see oplus_op_with */
    /** Takes the place of `combine`, which is then NULL, in an operator with a parameter: *out = *a (+) *b, with the
     *  parameter at param. */
    void (*combine_with)(void *out, const void *a, const void *b, const void *param);
    const oplus_leaves_with *leaves_with; /**< takes the place of `leaves` if there is a parameter; may be NULL */
    struct oplus_late *late; /**< the library's: for an operator from text, what is compiled when cores first run it */
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
 *  The function must be defined for every two values: the library may call it on any two and drop the result, as a
 *  segmented scan does at a head.  All other names that the macro defines begin with oplus_.
 *
 *  @param name      name of the C function
 *  @param T         a scalar type (float, int32_t, bool, unsigned long, ...) or a name given to OPLUS_STRUCT
 *  @param identity  the members of the element e with e (+) x = x = x (+) e, in parentheses; those of an array in
 *                   braces: ({1, 0, 0, 1})
 *  @param flags     0, or OPLUS_COMMUTATIVE, OPLUS_EXACT, OPLUS_WIDE joined by |
 *  @param ...       the body, in braces; a is the earlier element, b the later */
#define OPLUS_OP(name, T, identity, flags, ...)                                                                        \
    static const T oplus_##name##_identity_ OPLUS_UNUSED_ = {OPLUS_PUT_THE_IDENTITY_IN_PARENTHESES_ identity};         \
    OPLUS_DEFINE_OP_(name, T, &oplus_##name##_identity_, flags, #__VA_ARGS__, __VA_ARGS__)

/** As OPLUS_OP, for an operator without an identity (a semigroup).  A reduce of no elements and an exclusive scan are
 *  then OPLUS_ERR_ARGUMENT. */
#define OPLUS_SEMIGROUP(name, T, flags, ...) OPLUS_DEFINE_OP_(name, T, NULL, flags, #__VA_ARGS__, __VA_ARGS__)

/** Defines an operator with a captured parameter p, a scalar or a small struct: `T name(T a, T b, P p)` and `name_op`.
 *  oplus_op_with binds the parameter:
 *
 *      OPLUS_OP_WITH(add_modulo, uint64_t, uint64_t, (0), OPLUS_EXACT | OPLUS_COMMUTATIVE, { return (a + b) % p; })
 *      const uint64_t seven = 7;
 *      oplus_op add7 = oplus_op_with(&add_modulo_op, &seven);
 *
 *  The operator must be associative for each p that is bound, on the elements that are used with that p.
 *
 *  @param name      name of the C function
 *  @param T         the type of the elements, as in OPLUS_OP
 *  @param P         the type of the parameter: a scalar type or a name given to OPLUS_STRUCT
 *  @param identity  as in OPLUS_OP, the same for every p.  If it depends on p, use OPLUS_SEMIGROUP_WITH and set the
 *                   member `identity` of what oplus_op_with returns
 *  @param flags     as in OPLUS_OP; they must hold for every p
 *  @param ...       the body, in braces, over a, b and p */
#define OPLUS_OP_WITH(name, T, P, identity, flags, ...)                                                                \
    static const T oplus_##name##_identity_ OPLUS_UNUSED_ = {OPLUS_PUT_THE_IDENTITY_IN_PARENTHESES_ identity};         \
    OPLUS_DEFINE_OP_WITH_(name, T, P, &oplus_##name##_identity_, flags, #__VA_ARGS__, __VA_ARGS__)

/** As OPLUS_OP_WITH, for an operator without an identity. */
#define OPLUS_SEMIGROUP_WITH(name, T, P, flags, ...)                                                                   \
    OPLUS_DEFINE_OP_WITH_(name, T, P, NULL, flags, #__VA_ARGS__, __VA_ARGS__)

/** Returns the operator with its captured parameter `p` bound to *param.
 *
 *  *param is not copied: it must live until each call that uses the operator has returned (oplus_carry_open copies
 *  it). oplus_op_bind does the same for other languages. */
static inline oplus_op oplus_op_with(const oplus_op *op, const void *param)
{
    oplus_op bound = *op;
    bound.param = param;
    return bound;
}

/** Marks a function of yours that a body calls, so that the compiler can inline it there and it rounds as the body
 *  does:
 *
 *      OPLUS_HELPER float larger(float a, float b) { return a < b ? b : a; }
 *
 *  With AVX, gcc inlines no function without this mark, as it compiles bodies without AVX (see leaf.h).  Use it at
 *  file scope: under clang it also switches contraction off for the rest of the file (STDC FP_CONTRACT). */
#define OPLUS_HELPER OPLUS_HELPER_STRICT_ OPLUS_BODY_

/* --- functions ------------------------------------------------------------------------------------------------ */

enum { OPLUS_MAX_ARITY = 8 };

/** A function of one element of each input, for oplus_map and (as a predicate) oplus_filter. */
typedef struct oplus_fn {
    unsigned abi;                             /**< OPLUS_ABI */
    const char *name;                         /**< name of the function, for messages */
    const oplus_type *result;                 /**< type of the result; of a predicate oplus_u8, and the value 0 or 1 */
    unsigned arity;                           /**< number of inputs, 1 to OPLUS_MAX_ARITY */
    int predicate;                            /**< not 0: the text gives a bool, which becomes the result 0 or 1 */
    const oplus_type *input[OPLUS_MAX_ARITY]; /**< type of the elements of each input */
    int indexed;                  /**< not 0: the function has the index i of the elements; see oplus_from */
    const oplus_type *param_type; /**< type of the parameter; NULL: there is none */
    const void *param;            /**< value of the parameter; see oplus_with */
    uint64_t first;               /**< the index i of the first elements of a call; see oplus_from */
    oplus_origin origin;          /**< how the function was made; 0 if you fill it in by hand */
    const char *text;             /**< the body in C; NULL: no GPU can run it */
    const char *file;             /**< the source file of the text; may be NULL */
    int line;                     /**< the line of the text in `file` */
    /** The loop on cores: out[i] = f(in[0][i], in[1][i], ...) for n elements, with the parameter at param.  If the
     *  function is indexed, in[arity] points to the index of the first elements, a uint64_t. */
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out);
    struct oplus_late *late; /**< the library's: for a function from text, what takes the place of `leaf` */
} oplus_fn;

/** Returns the function with its captured parameter `p` bound to *param.
 *
 *  *param is not copied: it must live until each call that uses the function has returned. */
static inline oplus_fn oplus_with(const oplus_fn *fn, const void *param)
{
    oplus_fn bound = *fn;
    bound.param = param;
    return bound;
}

/** Returns the function with `first` as the index i of the first elements that a call gets, in place of 0: where an
 *  array comes in parts, such as those of a stream or of the ranks of a cluster, and i must count from the beginning of
 *  the whole:
 *
 *      const oplus_fn part = oplus_from(&ramp_fn, done);
 *      oplus_map(dev, &part, OPLUS_IN(x + done), n, out + done);
 *
 *  It does nothing to a function that does not use i. */
static inline oplus_fn oplus_from(const oplus_fn *fn, uint64_t first)
{
    oplus_fn part = *fn;
    part.first = first;
    return part;
}

/** Defines a function of one input a, `R name(A a)`, and its descriptor `name_fn`:
 *
 *      OPLUS_MAP(square, float, float, { return a * a; }) */
#define OPLUS_MAP(name, R, A, ...)                                                                                     \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_), __VA_ARGS__)                                                               \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0)), name(oplus_my_in0[oplus_my_i]))                                         \
    OPLUS_FN_OBJECT_(name, R, 0, oplus_none_, 1, (A), (&OPLUS_TYPE_(A)), NULL, #__VA_ARGS__)

/** As OPLUS_MAP, with two inputs a, b:
 *
 *      OPLUS_ZIP(axpy2, float, float, float, { return 2.0f * a + b; }) */
#define OPLUS_ZIP(name, R, A, B, ...)                                                                                  \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_), __VA_ARGS__)                                            \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0) OPLUS_INPUT_(B, 1)),                                                      \
                name(oplus_my_in0[oplus_my_i], oplus_my_in1[oplus_my_i]))                                              \
    OPLUS_FN_OBJECT_(name, R, 0, oplus_none_, 2, (A, B), (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B)), NULL, #__VA_ARGS__)

/** As OPLUS_MAP, with three inputs a, b, c. */
#define OPLUS_ZIP3(name, R, A, B, C, ...)                                                                              \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_, C c OPLUS_UNUSED_), __VA_ARGS__)                         \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0) OPLUS_INPUT_(B, 1) OPLUS_INPUT_(C, 2)),                                   \
                name(oplus_my_in0[oplus_my_i], oplus_my_in1[oplus_my_i], oplus_my_in2[oplus_my_i]))                    \
    OPLUS_FN_OBJECT_(name, R, 0, oplus_none_, 3, (A, B, C), (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B), &OPLUS_TYPE_(C)), NULL, \
                     #__VA_ARGS__)

/** As OPLUS_MAP, with four inputs a, b, c, d. */
#define OPLUS_ZIP4(name, R, A, B, C, D, ...)                                                                           \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_, C c OPLUS_UNUSED_, D d OPLUS_UNUSED_), __VA_ARGS__)      \
    OPLUS_LEAF_(                                                                                                       \
        name, R, (OPLUS_INPUT_(A, 0) OPLUS_INPUT_(B, 1) OPLUS_INPUT_(C, 2) OPLUS_INPUT_(D, 3)),                        \
        name(oplus_my_in0[oplus_my_i], oplus_my_in1[oplus_my_i], oplus_my_in2[oplus_my_i], oplus_my_in3[oplus_my_i]))  \
    OPLUS_FN_OBJECT_(name, R, 0, oplus_none_, 4, (A, B, C, D),                                                         \
                     (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B), &OPLUS_TYPE_(C), &OPLUS_TYPE_(D)), NULL, #__VA_ARGS__)

/** As OPLUS_MAP, with one input a and a captured parameter p, a scalar or a small struct, which oplus_with binds:
 *
 *      OPLUS_MAP_WITH(scale, float, float, float, { return a * p; })
 *      oplus_fn half = oplus_with(&scale_fn, &(float){0.5f}); */
#define OPLUS_MAP_WITH(name, R, A, P, ...)                                                                             \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, P p OPLUS_UNUSED_), __VA_ARGS__)                                            \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0) OPLUS_PARAM_(P)), name(oplus_my_in0[oplus_my_i], oplus_my_p))             \
    OPLUS_FN_OBJECT_(name, R, 0, P, 1, (A), (&OPLUS_TYPE_(A)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/** As OPLUS_MAP_WITH, with two inputs a, b and a captured parameter p. */
#define OPLUS_ZIP_WITH(name, R, A, B, P, ...)                                                                          \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_, P p OPLUS_UNUSED_), __VA_ARGS__)                         \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0) OPLUS_INPUT_(B, 1) OPLUS_PARAM_(P)),                                      \
                name(oplus_my_in0[oplus_my_i], oplus_my_in1[oplus_my_i], oplus_my_p))                                  \
    OPLUS_FN_OBJECT_(name, R, 0, P, 2, (A, B), (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/** As OPLUS_MAP, with one input a and the index i of the element in the array: `R name(A a, uint64_t i)`.
 *
 *      OPLUS_MAP_INDEXED(ramp, double, double, { return a * (double)i; })
 *
 *  i counts the elements of the array that the call gets, from 0, wherever and in how many parts it is computed;
 *  oplus_from lets it begin elsewhere.  It is unsigned: with an int64_t that may be negative, write (int64_t)i. */
#define OPLUS_MAP_INDEXED(name, R, A, ...)                                                                             \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, uint64_t i OPLUS_UNUSED_), __VA_ARGS__)                                     \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0) OPLUS_INDEX_(1)), name(oplus_my_in0[oplus_my_i], OPLUS_MY_INDEX_))        \
    OPLUS_INDEXED_FN_OBJECT_(name, R, 0, oplus_none_, 1, (A), (&OPLUS_TYPE_(A)), NULL, #__VA_ARGS__)

/** As OPLUS_MAP_INDEXED, with two inputs a, b. */
#define OPLUS_ZIP_INDEXED(name, R, A, B, ...)                                                                          \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, B b OPLUS_UNUSED_, uint64_t i OPLUS_UNUSED_), __VA_ARGS__)                  \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0) OPLUS_INPUT_(B, 1) OPLUS_INDEX_(2)),                                      \
                name(oplus_my_in0[oplus_my_i], oplus_my_in1[oplus_my_i], OPLUS_MY_INDEX_))                             \
    OPLUS_INDEXED_FN_OBJECT_(name, R, 0, oplus_none_, 2, (A, B), (&OPLUS_TYPE_(A), &OPLUS_TYPE_(B)), NULL, #__VA_ARGS__)

/** As OPLUS_MAP_INDEXED, with an input a, a captured parameter p, which oplus_with binds, and the index i, in this
 *  order. */
#define OPLUS_MAP_INDEXED_WITH(name, R, A, P, ...)                                                                     \
    OPLUS_FN_(R, name, (A a OPLUS_UNUSED_, P p OPLUS_UNUSED_, uint64_t i OPLUS_UNUSED_), __VA_ARGS__)                  \
    OPLUS_LEAF_(name, R, (OPLUS_INPUT_(A, 0) OPLUS_PARAM_(P) OPLUS_INDEX_(1)),                                         \
                name(oplus_my_in0[oplus_my_i], oplus_my_p, OPLUS_MY_INDEX_))                                           \
    OPLUS_INDEXED_FN_OBJECT_(name, R, 0, P, 1, (A), (&OPLUS_TYPE_(A)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/** Defines a predicate for oplus_filter, `bool name(A a)`, and its descriptor `name_fn`:
 *
 *      OPLUS_PREDICATE(negative, float, { return a < 0; })
 *
 *  The value that the body returns is converted to bool: every value but 0 keeps the element, also 0.5, a NaN and
 *  1ull << 40. */
#define OPLUS_PREDICATE(name, A, ...)                                                                                  \
    OPLUS_FN_(OPLUS_BOOL_, name, (A a OPLUS_UNUSED_), __VA_ARGS__)                                                     \
    OPLUS_LEAF_(name, uint8_t, (OPLUS_INPUT_(A, 0) OPLUS_ZERO_), OPLUS_FLAG_(name(oplus_my_in0[oplus_my_i])))          \
    OPLUS_FN_OBJECT_(name, uint8_t, 1, oplus_none_, 1, (A), (&OPLUS_TYPE_(A)), NULL, #__VA_ARGS__)

/** As OPLUS_PREDICATE, with an input a and a captured parameter p, which oplus_with binds. */
#define OPLUS_PREDICATE_WITH(name, A, P, ...)                                                                          \
    OPLUS_FN_(OPLUS_BOOL_, name, (A a OPLUS_UNUSED_, P p OPLUS_UNUSED_), __VA_ARGS__)                                  \
    OPLUS_LEAF_(name, uint8_t, (OPLUS_INPUT_(A, 0) OPLUS_PARAM_(P) OPLUS_ZERO_),                                       \
                OPLUS_FLAG_(name(oplus_my_in0[oplus_my_i], oplus_my_p)))                                               \
    OPLUS_FN_OBJECT_(name, uint8_t, 1, P, 1, (A), (&OPLUS_TYPE_(A)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/** As OPLUS_PREDICATE, with an input a and the index i of the element, as in OPLUS_MAP_INDEXED:
 *
 *      OPLUS_PREDICATE_INDEXED(third, float, { return i % 3 == 0; }) */
#define OPLUS_PREDICATE_INDEXED(name, A, ...)                                                                          \
    OPLUS_FN_(OPLUS_BOOL_, name, (A a OPLUS_UNUSED_, uint64_t i OPLUS_UNUSED_), __VA_ARGS__)                           \
    OPLUS_LEAF_(name, uint8_t, (OPLUS_INPUT_(A, 0) OPLUS_INDEX_(1) OPLUS_ZERO_),                                       \
                OPLUS_FLAG_(name(oplus_my_in0[oplus_my_i], OPLUS_MY_INDEX_)))                                          \
    OPLUS_INDEXED_FN_OBJECT_(name, uint8_t, 1, oplus_none_, 1, (A), (&OPLUS_TYPE_(A)), NULL, #__VA_ARGS__)

/** As OPLUS_PREDICATE_INDEXED, with an input a, a captured parameter p, and the index i, in this order. */
#define OPLUS_PREDICATE_INDEXED_WITH(name, A, P, ...)                                                                  \
    OPLUS_FN_(OPLUS_BOOL_, name, (A a OPLUS_UNUSED_, P p OPLUS_UNUSED_, uint64_t i OPLUS_UNUSED_), __VA_ARGS__)        \
    OPLUS_LEAF_(name, uint8_t, (OPLUS_INPUT_(A, 0) OPLUS_PARAM_(P) OPLUS_INDEX_(1) OPLUS_ZERO_),                       \
                OPLUS_FLAG_(name(oplus_my_in0[oplus_my_i], oplus_my_p, OPLUS_MY_INDEX_)))                              \
    OPLUS_INDEXED_FN_OBJECT_(name, uint8_t, 1, P, 1, (A), (&OPLUS_TYPE_(A)), &OPLUS_TYPE_(P), #__VA_ARGS__)

/* --- how the macros work -------------------------------------------------------------------------------------- */

/* The types in a descriptor, for the checks of typed.h: in C, typedefs named after it; in C++, a type of its own. */
typedef struct oplus_none_ {
    char none;
} oplus_none_; /* stands for a parameter, or an input, that does not exist */
#ifdef __cplusplus
#define OPLUS_OP_TYPES_(op, T, P)
#define OPLUS_FN_TYPES_(fn, R, P, arity, ...)
#define OPLUS_OP_TYPE_(T, P)            oplus_typed_op<T, P>
#define OPLUS_FN_TYPE_(R, P, ...)       oplus_typed_fn<R(__VA_ARGS__), P>
#define OPLUS_TYPED_(Typed, Plain, ...) Typed(Plain{__VA_ARGS__})
extern "C++" {
/** An operator on elements of type T, with a parameter of type P: the type of what OPLUS_OP defines, and of the
 *  built-in operators. */
template <class T, class P = oplus_none_> struct oplus_typed_op : oplus_op {
    explicit constexpr oplus_typed_op(const oplus_op &op) : oplus_op(op) {}
};
/** A function of type Call, as in float(float, float), with a parameter of type P: the type of what OPLUS_MAP and the
 *  macros like it define. */
template <class Call, class P = oplus_none_> struct oplus_typed_fn : oplus_fn {
    explicit constexpr oplus_typed_fn(const oplus_fn &fn) : oplus_fn(fn) {}
};
}
#else
#define OPLUS_OP_TYPES_(op, T, P)                                                                                      \
    typedef T oplus_element_of_##op;                                                                                   \
    typedef P oplus_param_of_##op;
#define OPLUS_FN_TYPES_(fn, R, P, arity, ...)                                                                          \
    typedef R oplus_result_of_##fn;                                                                                    \
    typedef P oplus_param_of_##fn;                                                                                     \
    enum { oplus_arity_of_##fn = arity };                                                                              \
    OPLUS_FN_INPUTS_(fn, __VA_ARGS__, oplus_none_, oplus_none_, oplus_none_, )
#define OPLUS_FN_INPUTS_(fn, A, B, C, D, ...)                                                                          \
    typedef A oplus_input0_of_##fn;                                                                                    \
    typedef B oplus_input1_of_##fn;                                                                                    \
    typedef C oplus_input2_of_##fn;                                                                                    \
    typedef D oplus_input3_of_##fn;
#define OPLUS_OP_TYPE_(T, P)      oplus_op
#define OPLUS_FN_TYPE_(R, P, ...) oplus_fn
#define OPLUS_TYPED_(Typed, Plain, ...)                                                                                \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#endif

#define OPLUS_FN_(R, name, parameters, ...)                                                                            \
    OPLUS_BODY_ R name parameters { OPLUS_CONTRACT_OFF_ __VA_ARGS__ }

#define OPLUS_DEFINE_OP_(name, T, identity, flags, text, ...)                                                          \
    OPLUS_FN_(T, name, (T a OPLUS_UNUSED_, T b OPLUS_UNUSED_), __VA_ARGS__)                                            \
    OPLUS_TYPED_LEAVES_(name, T)                                                                                       \
    OPLUS_OP_OBJECT_(name, T, oplus_none_, identity, flags, text, oplus_##name##_combine_,                             \
                     OPLUS_CHOOSE_LEAVES_(name, T, flags), NULL, NULL, NULL)
#define OPLUS_DEFINE_OP_WITH_(name, T, P, identity, flags, text, ...)                                                  \
    OPLUS_FN_(T, name, (T a OPLUS_UNUSED_, T b OPLUS_UNUSED_, P p OPLUS_UNUSED_), __VA_ARGS__)                         \
    OPLUS_TYPED_LEAVES_WITH_(name, T, P)                                                                               \
    OPLUS_OP_OBJECT_(name, T, P, identity, flags, text, NULL, NULL, &OPLUS_TYPE_(P), oplus_##name##_combine_,          \
                     OPLUS_CHOOSE_LEAVES_(name, T, flags))
#define OPLUS_OP_OBJECT_(name, T, P, identity, flags, text, combine, leaves, param_type, combine_with, leaves_with)    \
    OPLUS_OP_TYPES_(name##_op, T, P)                                                                                   \
    static const OPLUS_OP_TYPE_(T, P) name##_op OPLUS_UNUSED_ = OPLUS_TYPED_(                                          \
        OPLUS_OP_TYPE_(T, P), oplus_op, OPLUS_ABI, #name, &OPLUS_TYPE_(T), identity, (flags), OPLUS_BY_MACRO, text,    \
        __FILE__, __LINE__, 0, combine, leaves, param_type, NULL, combine_with, leaves_with, NULL);

/* Addresses of inputs, and the parameter, are read before the loop: a compiler must assume that writing a result of
 * bytes may change them.  The result of a predicate is compared with a 0 that the compiler cannot see: of `a & 1` gcc
 * 12 would make a conversion to bool, which it does not vectorise. */
#define OPLUS_INPUT_(A, k)  const A *const oplus_my_in##k = (const A *)oplus_my_in[k];
#define OPLUS_PARAM_(P)     const P oplus_my_p = *(const P *)oplus_my_param;
#define OPLUS_INDEX_(arity) const uint64_t oplus_my_from = *(const uint64_t *)oplus_my_in[arity];
#define OPLUS_MY_INDEX_     oplus_my_from + oplus_my_i
#define OPLUS_ZERO_                                                                                                    \
    unsigned oplus_my_zero = 0;                                                                                        \
    __asm__("" : "+r"(oplus_my_zero));
#define OPLUS_FLAG_(keep) (uint8_t)((keep) > oplus_my_zero)
#define OPLUS_LEAF_(name, R, inputs, call)                                                                             \
    OPLUS_UNFUSED_ OPLUS_STRICT_ static void OPLUS_LEAF_LOOP_(oplus_##name##_leaf_, R, inputs, call)
#define OPLUS_LEAF_LOOP_(function, R, inputs, call)                                                                    \
    function(const void *const *oplus_my_in, const void *oplus_my_param, size_t oplus_my_n, void *oplus_my_out)        \
    {                                                                                                                  \
        OPLUS_UNPAREN_ inputs;                                                                                         \
        (void)oplus_my_param;                                                                                          \
        OPLUS_IVDEP_ for (size_t oplus_my_i = 0; oplus_my_i < oplus_my_n;                                              \
                          oplus_my_i++)((R *)oplus_my_out)[oplus_my_i] = call;                                         \
    }
/* For five inputs and more: if one array is given for all inputs, it is read once (8 inputs of floats in cache, with
 * vectors of 256 bits: 0.18 ns an element instead of 0.25; Zen 4, gcc 12).  For four inputs this is no faster. */
#define OPLUS_LEAF_OF_MANY_(name, R, arity, inputs, call)                                                              \
    OPLUS_UNFUSED_ OPLUS_STRICT_ static inline __attribute__((always_inline)) void OPLUS_LEAF_LOOP_(                   \
        oplus_##name##_loop_, R, inputs, call)                                                                         \
        OPLUS_UNFUSED_ OPLUS_STRICT_ static void oplus_##name##_leaf_(                                                 \
            const void *const *oplus_my_in, const void *oplus_my_param, size_t oplus_my_n, void *oplus_my_out)         \
    {                                                                                                                  \
        const void *oplus_my_first[arity];                                                                             \
        int oplus_my_same = 1;                                                                                         \
        for (int oplus_my_k = 0; oplus_my_k < (arity); oplus_my_k++) {                                                 \
            oplus_my_first[oplus_my_k] = oplus_my_in[0];                                                               \
            oplus_my_same &= oplus_my_in[oplus_my_k] == oplus_my_in[0];                                                \
        }                                                                                                              \
        if (oplus_my_same)                                                                                             \
            oplus_##name##_loop_(oplus_my_first, oplus_my_param, oplus_my_n, oplus_my_out);                            \
        else                                                                                                           \
            oplus_##name##_loop_(oplus_my_in, oplus_my_param, oplus_my_n, oplus_my_out);                               \
    }
#define OPLUS_FN_OBJECT_(name, R, predicate, P, arity, types, inputs, param_type, text)                                \
    OPLUS_DEFINE_FN_(name, R, predicate, P, arity, types, inputs, 0, param_type, text)
#define OPLUS_INDEXED_FN_OBJECT_(name, R, predicate, P, arity, types, inputs, param_type, text)                        \
    OPLUS_DEFINE_FN_(name, R, predicate, P, arity, types, inputs, 1, param_type, text)
#define OPLUS_DEFINE_FN_(name, R, predicate, P, arity, types, inputs, indexed, param_type, text)                       \
    OPLUS_FN_TYPES_(name##_fn, R, P, arity, OPLUS_UNPAREN_ types)                                                      \
    static const OPLUS_FN_TYPE_(R, P, OPLUS_UNPAREN_ types) name##_fn OPLUS_UNUSED_ =                                  \
        OPLUS_TYPED_(OPLUS_FN_TYPE_(R, P, OPLUS_UNPAREN_ types), oplus_fn, OPLUS_ABI, #name, &OPLUS_TYPE_(R), arity,   \
                     predicate, {OPLUS_UNPAREN_ inputs}, indexed, param_type, NULL, 0, OPLUS_BY_MACRO, text, __FILE__, \
                     __LINE__, oplus_##name##_leaf_, NULL);

#ifdef __cplusplus
}
#endif
#endif
