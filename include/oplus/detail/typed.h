/* SPDX-License-Identifier: Apache-2.0 */
/* How the macros of typed.h check types, in C and in C++, and what the compiler then says. */
#ifndef OPLUS_DETAIL_TYPED_H
#define OPLUS_DETAIL_TYPED_H

#include <oplus/oplus.h>

#ifdef __cplusplus
#include <tuple>
#include <type_traits>
#endif

/* --- what the compiler says --------------------------------------------------------------------------------------- */

#define OPLUS_SAYS_OP_    "oplus: an operator with a parameter is written OPLUS_WITH(op, &parameter), of its type"
#define OPLUS_SAYS_FN_    "oplus: a function with a parameter is written OPLUS_WITH(fn, &parameter), of its type"
#define OPLUS_SAYS_IN_    "oplus: the elements of an input are not of the type of the operator (cast a void *)"
#define OPLUS_SAYS_OUT_   "oplus: the output has no elements of the type of the operator, to be written (cast a void *)"
#define OPLUS_SAYS_HEADS_ "oplus: heads are bytes: of uint8_t, unsigned char or bool"
#define OPLUS_SAYS_OFFSETS_                                                                                            \
    "oplus: offsets and indices are of uint32_t, uint64_t, int32_t or int64_t; size_t is one of them"
#define OPLUS_SAYS_LIST_  "oplus: the inputs stand in parentheses, a single one too: (x)"
#define OPLUS_SAYS_ARITY_ "oplus: the function takes another number of inputs"
#define OPLUS_SAYS_INPUT_ "oplus: the elements of an input are not of the type that the function takes (cast a void *)"
#define OPLUS_SAYS_RESULT_                                                                                             \
    "oplus: the output has no elements of the result of the function, to be written (cast a void *)"
#define OPLUS_SAYS_KEEP_ "oplus: this is no predicate; define it with OPLUS_PREDICATE"
#define OPLUS_SAYS_KEPT_ "oplus: the output of a filter has the type of its input, and the number kept is a size_t"
#define OPLUS_SAYS_KEYS_ "oplus: keys are scalars; sort records as the values of OPLUS_SORT_PAIRS"
#define OPLUS_SAYS_ANY_  "oplus: of what type are the elements, to be written? cast a void *; of m[][n] give &m[0][0]"
#define OPLUS_SAYS_SAME_ "oplus: input and output are not of the same type"
#define OPLUS_SAYS_PASSES_                                                                                             \
    "oplus: what one of them gives is not of the type that the next one takes: function, operator or predicate"
#define OPLUS_SAYS_SCALARS_ "oplus: the elements are scalars; for structs, take an operator or a function of your own"
#define OPLUS_SAYS_NUMBER_  "oplus: an index or a number of elements is written to a size_t"
#define OPLUS_SAYS_LESS_    "oplus: this compares no two elements; define it with OPLUS_ZIP, with a result of uint8_t"
#define OPLUS_SAYS_NEIGHBOURS_                                                                                         \
    "oplus: a function of neighbours takes 2 or 3 elements; define it with OPLUS_ZIP or OPLUS_ZIP3"
#define OPLUS_SAYS_MASK_ "oplus: a mask is of bytes, also if it has bits: of uint8_t, unsigned char or bool"

/* --- how the macros work ------------------------------------------------------------------------------------------ */

#define OPLUS_JOIN_(a, b)                                OPLUS_JOIN_NOW_(a, b)
#define OPLUS_JOIN_NOW_(a, b)                            a##b
#define OPLUS_SECOND_OF_(...)                            OPLUS_SECOND_(__VA_ARGS__)
#define OPLUS_SECOND_(first, second, ...)                second
#define OPLUS_COUNT_(...)                                OPLUS_NINTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, )
#define OPLUS_NINTH_(a, b, c, d, e, f, g, h, ninth, ...) ninth
#define OPLUS_IS_LIST_(...)                              , 1
#define OPLUS_NO_INPUT_                                  ((oplus_none_ *)0)
#define OPLUS_CHECK_INPUTS_(...)                                                                                       \
    OPLUS_CHECK_FOUR_(__VA_ARGS__, OPLUS_NO_INPUT_, OPLUS_NO_INPUT_, OPLUS_NO_INPUT_, OPLUS_NO_INPUT_)

#ifndef __cplusplus
/* The assertion stands inside a struct of which only the size is asked: it makes no code. */
#define OPLUS_REQUIRE_(condition, message)                                                                             \
    (void)sizeof(struct {                                                                                              \
        int oplus_my_member;                                                                                           \
        _Static_assert(condition, message);                                                                            \
    })

/* The argument op or fn of the macros above is a name; or a choice by type (_Generic), as OPLUS_SUM makes it, and of
 * functions only OPLUS_MOMENTS_OF; or OPLUS_WITH(name, p).  OPLUS_WITH itself is not a macro in C: names joined with it, such as
 * oplus_element_of_OPLUS_WITH, are. */
#define oplus_element_of__Generic(value, ...) __typeof__(value)
#define oplus_param_of__Generic(...)          oplus_none_
#define OPLUS_OP_IS__Generic(...)             , _Generic(__VA_ARGS__)
#define oplus_result_of__Generic(...)         oplus_moments
#define oplus_arity_of__Generic(...)          1
#define oplus_input0_of__Generic(value, ...)  __typeof__(value)
#define oplus_input1_of__Generic(...)         oplus_none_
#define oplus_input2_of__Generic(...)         oplus_none_
#define oplus_input3_of__Generic(...)         oplus_none_
#define OPLUS_FN_IS__Generic(...)             , _Generic(__VA_ARGS__)
#define oplus_element_of_OPLUS_WITH(op, p)    oplus_element_of_##op
#define oplus_result_of_OPLUS_WITH(fn, p)     oplus_result_of_##fn
#define oplus_arity_of_OPLUS_WITH(fn, p)      oplus_arity_of_##fn
#define oplus_input0_of_OPLUS_WITH(fn, p)     oplus_input0_of_##fn
#define oplus_input1_of_OPLUS_WITH(fn, p)     oplus_input1_of_##fn
#define oplus_input2_of_OPLUS_WITH(fn, p)     oplus_input2_of_##fn
#define oplus_input3_of_OPLUS_WITH(fn, p)     oplus_input3_of_##fn
#define OPLUS_OP_IS_OPLUS_WITH(op, p)         , ((const oplus_op[1]){oplus_op_with(&op, p)})
#define OPLUS_FN_IS_OPLUS_WITH(fn, p)         , ((const oplus_fn[1]){oplus_with(&fn, p)})
#define OPLUS_BOUND_OPLUS_WITH(fn, p)         , OPLUS_READS_(oplus_param_of_##fn, p)
#define OPLUS_OP_AT_(op)                      OPLUS_SECOND_OF_(OPLUS_JOIN_(OPLUS_OP_IS_, op), &op, )
#define OPLUS_FN_AT_(fn)                      OPLUS_SECOND_OF_(OPLUS_JOIN_(OPLUS_FN_IS_, fn), &fn, )
#define OPLUS_BOUND_(fn)                                                                                               \
    OPLUS_SECOND_OF_(OPLUS_JOIN_(OPLUS_BOUND_, fn),                                                                    \
                     __builtin_types_compatible_p(OPLUS_JOIN_(oplus_param_of_, fn), oplus_none_), )

/* Whether elements at p may be read as T (OPLUS_READS_), or written as T (OPLUS_WRITES_): they have the same type, or
 * are scalars of the same size and sign.  A bool may be read as a byte, but a byte may not be read as a bool, nor a
 * bool be written as a byte. */
#define OPLUS_VALUE_(p)             (*_Generic((p), void * : (void **)0, const void * : (void **)0, default : (p)))
#define OPLUS_CODE_(type, scalar)   scalar
#define OPLUS_CODE_OF_(value, none) OPLUS_BY_SCALAR_(value, OPLUS_CODE_, , default : none)
#define OPLUS_IS_BOOL_(value)       _Generic((value), _Bool : 1, default : 0)
#define OPLUS_LIKE_(T, p)                                                                                              \
    (__builtin_types_compatible_p(__typeof__(OPLUS_VALUE_(p)), T) ||                                                   \
     OPLUS_CODE_OF_(OPLUS_VALUE_(p), -1) == OPLUS_CODE_OF_(*(T *)0, -2))
#define OPLUS_WRITABLE_(p) _Generic(1 ? (p) : (void *)1, void * : 1, default : 0)
#define OPLUS_READS_(T, p) (OPLUS_LIKE_(T, p) && (OPLUS_IS_BOOL_(OPLUS_VALUE_(p)) || !OPLUS_IS_BOOL_(*(T *)0)))
#define OPLUS_WRITES_(T, p)                                                                                            \
    (OPLUS_LIKE_(T, p) && OPLUS_WRITABLE_(p) && (OPLUS_IS_BOOL_(*(T *)0) || !OPLUS_IS_BOOL_(OPLUS_VALUE_(p))))

#define OPLUS_CHECK_OP_(op)     OPLUS_REQUIRE_(OPLUS_BOUND_(op), OPLUS_SAYS_OP_)
#define OPLUS_CHECK_FN_(fn)     OPLUS_REQUIRE_(OPLUS_BOUND_(fn), OPLUS_SAYS_FN_)
#define OPLUS_CHECK_IN_(op, in) OPLUS_REQUIRE_(OPLUS_READS_(OPLUS_JOIN_(oplus_element_of_, op), in), OPLUS_SAYS_IN_)
#define OPLUS_CHECK_OUT_(op, out)                                                                                      \
    OPLUS_REQUIRE_(OPLUS_WRITES_(OPLUS_JOIN_(oplus_element_of_, op), out), OPLUS_SAYS_OUT_)
#define OPLUS_CHECK_HEADS_(heads) OPLUS_REQUIRE_(OPLUS_LIKE_(uint8_t, heads), OPLUS_SAYS_HEADS_)
#define OPLUS_CHECK_OFFSETS_(offsets)                                                                                  \
    OPLUS_REQUIRE_(OPLUS_LIKE_(uint32_t, offsets) || OPLUS_LIKE_(uint64_t, offsets) ||                                 \
                       OPLUS_LIKE_(int32_t, offsets) || OPLUS_LIKE_(int64_t, offsets),                                 \
                   OPLUS_SAYS_OFFSETS_)
#define OPLUS_CHECK_LIST_(in)         OPLUS_REQUIRE_(OPLUS_SECOND_OF_(OPLUS_IS_LIST_ in, 0, ), OPLUS_SAYS_LIST_)
#define OPLUS_CHECK_ARITY_(fn, count) OPLUS_REQUIRE_(count == (int)OPLUS_JOIN_(oplus_arity_of_, fn), OPLUS_SAYS_ARITY_)
#define OPLUS_CHECK_FOUR_(fn, p, q, r, s, ...)                                                                         \
    OPLUS_REQUIRE_(                                                                                                    \
        OPLUS_READS_(OPLUS_JOIN_(oplus_input0_of_, fn), p) && OPLUS_READS_(OPLUS_JOIN_(oplus_input1_of_, fn), q) &&    \
            OPLUS_READS_(OPLUS_JOIN_(oplus_input2_of_, fn), r) && OPLUS_READS_(OPLUS_JOIN_(oplus_input3_of_, fn), s),  \
        OPLUS_SAYS_INPUT_)
#define OPLUS_CHECK_RESULT_(fn, out)                                                                                   \
    OPLUS_REQUIRE_(OPLUS_WRITES_(OPLUS_JOIN_(oplus_result_of_, fn), out), OPLUS_SAYS_RESULT_)
#define OPLUS_CHECK_KEEP_(fn)                                                                                          \
    OPLUS_REQUIRE_(__builtin_types_compatible_p(OPLUS_JOIN_(oplus_result_of_, fn), uint8_t) &&                         \
                       OPLUS_JOIN_(oplus_arity_of_, fn) == 1,                                                          \
                   OPLUS_SAYS_KEEP_)
#define OPLUS_CHECK_KEPT_(in, out, kept)                                                                               \
    OPLUS_REQUIRE_(OPLUS_WRITES_(__typeof__(OPLUS_VALUE_(in)), out) && _Generic((kept), size_t * : 1, default : 0),    \
                   OPLUS_SAYS_KEPT_)
#define OPLUS_CHECK_KEYS_(keys)                                                                                        \
    OPLUS_REQUIRE_(OPLUS_CODE_OF_(OPLUS_VALUE_(keys), 0) != 0 && OPLUS_WRITABLE_(keys), OPLUS_SAYS_KEYS_)
#define OPLUS_CHECK_ANY_(p)                                                                                            \
    OPLUS_REQUIRE_(OPLUS_WRITABLE_(p) && !_Generic((p), void * : 1, const void * : 1, default : 0) &&                  \
                       __builtin_types_compatible_p(__typeof__(((void)0, OPLUS_VALUE_(p))),                            \
                                                    __typeof__(OPLUS_VALUE_(p))), /* no array */                       \
                   OPLUS_SAYS_ANY_)
#define OPLUS_CHECK_SAME_(in, out) OPLUS_REQUIRE_(OPLUS_LIKE_(__typeof__(OPLUS_VALUE_(out)), in), OPLUS_SAYS_SAME_)
#define OPLUS_CHECK_BEFORE_(fn, in)                                                                                    \
    OPLUS_CHECK_LIST_(in), OPLUS_CHECK_FN_(fn), OPLUS_CHECK_ARITY_(fn, OPLUS_COUNT_ in),                               \
        OPLUS_CHECK_INPUTS_(fn, OPLUS_UNPAREN_ in)
/* Whether a value of type R is one that T takes. */
#define OPLUS_CHECK_PASSES_(R, T) OPLUS_REQUIRE_(OPLUS_READS_(T, (R *)0), OPLUS_SAYS_PASSES_)
#define OPLUS_CHECK_JOINS_(before, op)                                                                                 \
    OPLUS_CHECK_PASSES_(OPLUS_JOIN_(oplus_result_of_, before), OPLUS_JOIN_(oplus_element_of_, op))
#define OPLUS_CHECK_AFTER_(op, after)                                                                                  \
    OPLUS_CHECK_PASSES_(OPLUS_JOIN_(oplus_element_of_, op), OPLUS_JOIN_(oplus_input0_of_, after))
#define OPLUS_CHECK_TESTS_(before, keep)                                                                               \
    OPLUS_CHECK_PASSES_(OPLUS_JOIN_(oplus_result_of_, before), OPLUS_JOIN_(oplus_input0_of_, keep))
#define OPLUS_CHECK_SCALARS_(in) OPLUS_REQUIRE_(OPLUS_CODE_OF_(OPLUS_VALUE_(in), 0) != 0, OPLUS_SAYS_SCALARS_)
#define OPLUS_CHECK_NUMBER_(at)  OPLUS_REQUIRE_(_Generic((at), size_t * : 1, default : 0), OPLUS_SAYS_NUMBER_)
#define OPLUS_CHECK_LESS_(fn, a, b)                                                                                    \
    OPLUS_CHECK_FN_(fn),                                                                                               \
        OPLUS_REQUIRE_(__builtin_types_compatible_p(OPLUS_JOIN_(oplus_result_of_, fn), uint8_t) &&                     \
                           OPLUS_JOIN_(oplus_arity_of_, fn) == 2,                                                      \
                       OPLUS_SAYS_LESS_),                                                                              \
        OPLUS_CHECK_INPUTS_(fn, a, b)
#define OPLUS_CHECK_NEIGHBOURS_(fn, ends, in)                                                                          \
    OPLUS_CHECK_FN_(fn),                                                                                               \
        OPLUS_REQUIRE_(OPLUS_JOIN_(oplus_arity_of_, fn) == 2 || OPLUS_JOIN_(oplus_arity_of_, fn) == 3,                 \
                       OPLUS_SAYS_NEIGHBOURS_),                                                                        \
        OPLUS_REQUIRE_(                                                                                                \
            OPLUS_READS_(OPLUS_JOIN_(oplus_input0_of_, fn), in) &&                                                     \
                OPLUS_READS_(OPLUS_JOIN_(oplus_input1_of_, fn), in) &&                                                 \
                (OPLUS_JOIN_(oplus_arity_of_, fn) == 2 || OPLUS_READS_(OPLUS_JOIN_(oplus_input2_of_, fn), in)) &&      \
                (_Generic((ends), void * : 1, default : 0) || OPLUS_READS_(OPLUS_JOIN_(oplus_input0_of_, fn), ends)),  \
            OPLUS_SAYS_INPUT_)
#define OPLUS_CHECK_MASK_(mask) OPLUS_REQUIRE_(OPLUS_LIKE_(uint8_t, mask), OPLUS_SAYS_MASK_)

/* The descriptor of the type that p points to.  For a type that is no scalar it has only size and alignment, which are
 * enough to move elements. */
#define OPLUS_TYPE_AT_(p)                                                                                              \
    OPLUS_BY_SCALAR_(OPLUS_VALUE_(p), OPLUS_ADDRESS_, , default                                                        \
                     : (const oplus_type[1]){{OPLUS_ABI, "element", NULL, sizeof OPLUS_VALUE_(p),                      \
                                              _Alignof(__typeof__(OPLUS_VALUE_(p))), OPLUS_RECORD, NULL}})
#else
#define OPLUS_WITH(descriptor, p) oplus_bound_(descriptor, p)
#define OPLUS_OP_AT_(op)          oplus_at_(op)
#define OPLUS_FN_AT_(fn)          oplus_at_(fn)
#define OPLUS_TYPE_AT_(p)         oplus_type_at_(p)
#define OPLUS_OF_(descriptor)     oplus_of_<decltype(oplus_at_(descriptor))>
#define OPLUS_TRY_(check, ...)    (void)sizeof(check<__VA_ARGS__>)

#define OPLUS_CHECK_OP_(op)           OPLUS_TRY_(oplus_check_op_, typename OPLUS_OF_(op)::param)
#define OPLUS_CHECK_FN_(fn)           OPLUS_TRY_(oplus_check_fn_, typename OPLUS_OF_(fn)::param)
#define OPLUS_CHECK_IN_(op, in)       OPLUS_TRY_(oplus_check_in_, typename OPLUS_OF_(op)::element, decltype((in)))
#define OPLUS_CHECK_OUT_(op, out)     OPLUS_TRY_(oplus_check_out_, typename OPLUS_OF_(op)::element, decltype((out)))
#define OPLUS_CHECK_HEADS_(heads)     OPLUS_TRY_(oplus_check_heads_, decltype((heads)))
#define OPLUS_CHECK_OFFSETS_(offsets) OPLUS_TRY_(oplus_check_offsets_, decltype((offsets)))
#define OPLUS_CHECK_LIST_(in)         OPLUS_TRY_(oplus_check_list_, OPLUS_SECOND_OF_(OPLUS_IS_LIST_ in, 0, ))
#define OPLUS_CHECK_ARITY_(fn, count) OPLUS_TRY_(oplus_check_arity_, count == OPLUS_OF_(fn)::arity)
#define OPLUS_CHECK_FOUR_(fn, p, q, r, s, ...)                                                                         \
    OPLUS_TRY_(oplus_check_inputs_, OPLUS_OF_(fn), decltype((p)), decltype((q)), decltype((r)), decltype((s)))
#define OPLUS_CHECK_RESULT_(fn, out) OPLUS_TRY_(oplus_check_result_, typename OPLUS_OF_(fn)::result, decltype((out)))
#define OPLUS_CHECK_KEEP_(fn)        OPLUS_TRY_(oplus_check_keep_, typename OPLUS_OF_(fn)::result, OPLUS_OF_(fn)::arity)
#define OPLUS_CHECK_KEPT_(in, out, kept)                                                                               \
    OPLUS_TRY_(oplus_check_kept_, decltype((in)), decltype((out)), decltype((kept)))
#define OPLUS_CHECK_KEYS_(keys)    OPLUS_TRY_(oplus_check_keys_, decltype((keys)))
#define OPLUS_CHECK_ANY_(p)        OPLUS_TRY_(oplus_check_any_, decltype((p)))
#define OPLUS_CHECK_SAME_(in, out) OPLUS_TRY_(oplus_check_same_, decltype((in)), decltype((out)))
#define OPLUS_CHECK_BEFORE_(fn, in)                                                                                    \
    OPLUS_CHECK_LIST_(in), OPLUS_CHECK_FN_(fn), OPLUS_CHECK_ARITY_(fn, OPLUS_COUNT_ in),                               \
        OPLUS_CHECK_INPUTS_(fn, OPLUS_UNPAREN_ in)
#define OPLUS_CHECK_JOINS_(before, op)                                                                                 \
    OPLUS_TRY_(oplus_check_passes_, typename OPLUS_OF_(before)::result, typename OPLUS_OF_(op)::element)
#define OPLUS_CHECK_AFTER_(op, after)                                                                                  \
    OPLUS_TRY_(oplus_check_passes_, typename OPLUS_OF_(op)::element, typename OPLUS_OF_(after)::template input<0>)
#define OPLUS_CHECK_TESTS_(before, keep)                                                                               \
    OPLUS_TRY_(oplus_check_passes_, typename OPLUS_OF_(before)::result, typename OPLUS_OF_(keep)::template input<0>)
#define OPLUS_CHECK_SCALARS_(in) OPLUS_TRY_(oplus_check_scalars_, decltype((in)))
#define OPLUS_CHECK_NUMBER_(at)  OPLUS_TRY_(oplus_check_number_, decltype((at)))
#define OPLUS_CHECK_LESS_(fn, a, b)                                                                                    \
    OPLUS_CHECK_FN_(fn), OPLUS_TRY_(oplus_check_less_, typename OPLUS_OF_(fn)::result, OPLUS_OF_(fn)::arity),          \
        OPLUS_CHECK_INPUTS_(fn, a, b)
#define OPLUS_CHECK_NEIGHBOURS_(fn, ends, in)                                                                          \
    OPLUS_CHECK_FN_(fn), OPLUS_TRY_(oplus_check_neighbours_, OPLUS_OF_(fn), decltype((ends)), decltype((in)))
#define OPLUS_CHECK_MASK_(mask) OPLUS_TRY_(oplus_check_mask_, decltype((mask)))

extern "C++" {
template <size_t n> struct oplus_inputs_ {
    const void *at[n];
};
template <class... P> constexpr oplus_inputs_<sizeof...(P)> oplus_inputs_of_(P... p) { return {{p...}}; }

/* The type of an array's elements, without const; and whether they may be read as T, or written. */
template <class P> using oplus_at_t_ = std::remove_pointer_t<std::decay_t<P>>;
template <class P> using oplus_element_t_ = std::remove_cv_t<oplus_at_t_<P>>;
template <class T> constexpr int oplus_code_()
{
    if constexpr (oplus_is_number_<T>)
        return (std::is_floating_point<T>::value ? 100 : std::is_signed<T>::value ? 200 : 300) + int(sizeof(T));
    else
        return 0;
}
template <class T, class P>
constexpr bool oplus_like_ = std::is_pointer<std::decay_t<P>>::value &&
                             (std::is_same<T, oplus_element_t_<P>>::value ||
                              (oplus_code_<T>() > 0 && oplus_code_<T>() == oplus_code_<oplus_element_t_<P>>()));
template <class T> constexpr bool oplus_is_bool_ = std::is_same<T, bool>::value;
template <class P> constexpr bool oplus_is_void_ = std::is_void<oplus_at_t_<P>>::value;
template <class P>
constexpr bool oplus_writable_ =
    std::is_pointer<std::decay_t<P>>::value && !std::is_const<oplus_at_t_<P>>::value && !oplus_is_void_<P>;
template <class T, class P>
constexpr bool oplus_reads_ = oplus_like_<T, P> && (oplus_is_bool_<oplus_element_t_<P>> || !oplus_is_bool_<T>);
template <class T, class P>
constexpr bool oplus_writes_ = oplus_like_<T, P> &&oplus_writable_<P> &&
                               (oplus_is_bool_<T> || !oplus_is_bool_<oplus_element_t_<P>>);

/* The address of a descriptor, and the types in it. */
template <class T, class P> const oplus_typed_op<T, P> *oplus_at_(const oplus_typed_op<T, P> &op) { return &op; }
template <class T, class P> const oplus_typed_op<T, P> *oplus_at_(const oplus_typed_op<T, P> *op) { return op; }
template <class C, class P> const oplus_typed_fn<C, P> *oplus_at_(const oplus_typed_fn<C, P> &fn) { return &fn; }
template <class C, class P> const oplus_typed_fn<C, P> *oplus_at_(const oplus_typed_fn<C, P> *fn) { return fn; }
template <class Other> Other oplus_at_(const Other &);
template <class Other> struct oplus_of_ {
    static_assert(sizeof(Other) == 0, "oplus: name a descriptor that OPLUS_OP, OPLUS_MAP or a macro like them has "
                                      "defined; a lambda has no text that a GPU could compile, and an operator made at "
                                      "run time has no C++ type: call the plain function with it");
};
template <class T, class P> struct oplus_of_<const oplus_typed_op<T, P> *> {
    typedef T element;
    typedef P param;
};
template <class R, class P, class... A> struct oplus_of_<const oplus_typed_fn<R(A...), P> *> {
    typedef R result;
    typedef P param;
    static constexpr size_t arity = sizeof...(A);
    template <size_t k> using input = std::tuple_element_t<k, std::tuple<A..., oplus_none_, oplus_none_, oplus_none_>>;
};

template <class P> struct oplus_check_op_ {
    static_assert(std::is_same<P, oplus_none_>::value, OPLUS_SAYS_OP_);
};
template <class P> struct oplus_check_fn_ {
    static_assert(std::is_same<P, oplus_none_>::value, OPLUS_SAYS_FN_);
};
template <class T, class P> struct oplus_check_in_ {
    static_assert(oplus_reads_<T, P>, OPLUS_SAYS_IN_);
};
template <class T, class P> struct oplus_check_out_ {
    static_assert(oplus_writes_<T, P>, OPLUS_SAYS_OUT_);
};
template <class P> struct oplus_check_heads_ {
    static_assert(oplus_like_<uint8_t, P>, OPLUS_SAYS_HEADS_);
};
template <class P> struct oplus_check_offsets_ {
    static_assert(oplus_like_<uint32_t, P> || oplus_like_<uint64_t, P> || oplus_like_<int32_t, P> ||
                      oplus_like_<int64_t, P>,
                  OPLUS_SAYS_OFFSETS_);
};
template <int list> struct oplus_check_list_ {
    static_assert(list, OPLUS_SAYS_LIST_);
};
template <bool same> struct oplus_check_arity_ {
    static_assert(same, OPLUS_SAYS_ARITY_);
};
template <class F, class P, class Q, class R, class S> struct oplus_check_inputs_ {
    static_assert(oplus_reads_<typename F::template input<0>, P> && oplus_reads_<typename F::template input<1>, Q> &&
                      oplus_reads_<typename F::template input<2>, R> && oplus_reads_<typename F::template input<3>, S>,
                  OPLUS_SAYS_INPUT_);
};
template <class T, class P> struct oplus_check_result_ {
    static_assert(oplus_writes_<T, P>, OPLUS_SAYS_RESULT_);
};
template <class R, size_t arity> struct oplus_check_keep_ {
    static_assert(std::is_same<R, uint8_t>::value && arity == 1, OPLUS_SAYS_KEEP_);
};
template <class P, class Q, class K> struct oplus_check_kept_ {
    static_assert(oplus_writes_<oplus_element_t_<P>, Q> && std::is_same<std::decay_t<K>, size_t *>::value,
                  OPLUS_SAYS_KEPT_);
};
template <class P> struct oplus_check_keys_ {
    static_assert(oplus_code_<oplus_element_t_<P>>() > 0 && oplus_writable_<P>, OPLUS_SAYS_KEYS_);
};
template <class P> struct oplus_check_any_ {
    static_assert(oplus_writable_<P> && !std::is_array<oplus_at_t_<P>>::value, OPLUS_SAYS_ANY_);
};
template <class P, class Q> struct oplus_check_same_ {
    static_assert(oplus_like_<oplus_element_t_<Q>, P>, OPLUS_SAYS_SAME_);
};
template <class R, class T> struct oplus_check_passes_ {
    static_assert(oplus_reads_<T, R *>, OPLUS_SAYS_PASSES_);
};
template <class P> struct oplus_check_scalars_ {
    static_assert(oplus_code_<oplus_element_t_<P>>() > 0, OPLUS_SAYS_SCALARS_);
};
template <class P> struct oplus_check_number_ {
    static_assert(std::is_same<std::decay_t<P>, size_t *>::value, OPLUS_SAYS_NUMBER_);
};
template <class R, size_t arity> struct oplus_check_less_ {
    static_assert(std::is_same<R, uint8_t>::value && arity == 2, OPLUS_SAYS_LESS_);
};
template <class F, class E, class P> struct oplus_check_neighbours_ {
    static_assert(F::arity == 2 || F::arity == 3, OPLUS_SAYS_NEIGHBOURS_);
    static_assert(oplus_reads_<typename F::template input<0>, P> && oplus_reads_<typename F::template input<1>, P> &&
                      (F::arity == 2 || oplus_reads_<typename F::template input<2>, P>)&&(
                          !std::is_pointer<std::decay_t<E>>::value || oplus_reads_<typename F::template input<0>, E>),
                  OPLUS_SAYS_INPUT_);
};
template <class P> struct oplus_check_mask_ {
    static_assert(oplus_like_<uint8_t, P>, OPLUS_SAYS_MASK_);
};

template <class T, class P, class Q> oplus_typed_op<T> oplus_bound_(const oplus_typed_op<T, P> &op, const Q *p)
{
    static_assert(oplus_reads_<P, const Q *>, OPLUS_SAYS_OP_);
    return oplus_typed_op<T>(oplus_op_with(&op, p));
}
template <class C, class P, class Q> oplus_typed_fn<C> oplus_bound_(const oplus_typed_fn<C, P> &fn, const Q *p)
{
    static_assert(oplus_reads_<P, const Q *>, OPLUS_SAYS_FN_);
    return oplus_typed_fn<C>(oplus_with(&fn, p));
}
template <class T> const oplus_type *oplus_type_at_(const T *)
{
    if constexpr (oplus_is_number_<T>)
        return oplus_scalar_type_<T>();
    else {
        static constexpr oplus_type type = {OPLUS_ABI,  "element",    nullptr, sizeof(T),
                                            alignof(T), OPLUS_RECORD, nullptr};
        return &type;
    }
}
}
#endif
#endif
