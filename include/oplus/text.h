/* SPDX-License-Identifier: Apache-2.0 */
/** @file text.h
 *  Types, operators and functions given as text, for other languages and for operators known only at run time. */
#ifndef OPLUS_TEXT_H
#define OPLUS_TEXT_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Operators from text
 *
 *  For other languages, and for operators known only at run time (docs/text.md).  A text is C, and is one of:
 *  - an expression over a (earlier) and b (later): `a > b ? a : b`;
 *  - statements that set the result r, which begins as zeros: `r.x = a.x * b.x; r.y = a.y;`;
 *  - a body that returns: `if (a < b) return a; return b;`.
 *
 *  A text may call what <math.h>, <stdlib.h> and <string.h> declare.  It runs with the rights of this process: never
 *  take a text from someone you do not trust.
 *
 *  When cores first run a text, the system's C compiler compiles it for this processor (OPLUS_CC in the environment,
 *  else cc, gcc or clang: 0.1 to 0.5 s), with the flags that equal bits need, into typed loops as OPLUS_OP makes them.
 *  The result is cached (in OPLUS_CACHE_DIR, else $XDG_CACHE_HOME/oplus, else ~/.cache/oplus; with OPLUS_CACHE=0 not
 *  at all) under a key of the whole source, the flags and the compiler's version; loading it takes milliseconds.
 *
 *  The caller frees what these calls make, once no call and no carry uses it.  Arguments need not live longer than the
 *  call, where nothing else is said.  Any thread may make these calls.  @{ */

/** Returns the type with that name: "f32" or "float", "i64" or "int64_t", ..., "c64", "c128"; NULL if there is
 *  none. */
OPLUS_API const oplus_type *oplus_type_named(const char *name);

/** Returns the built-in operator "sum", "prod", "min", "max", "and", "or", "xor", "land" or "lor" on a type; NULL if
 *  there is none. */
OPLUS_API const oplus_op *oplus_op_named(const char *name, const oplus_type *type);

/** One member of a type. */
typedef struct oplus_member {
    char name[32];       /**< name of the member, cut if longer; "" for the one member of a scalar type */
    oplus_scalar scalar; /**< type of the member, or of the elements if it is an array */
    size_t offset;       /**< bytes from the start of the struct to the member */
    size_t count;        /**< number of elements of an array, over all its dimensions; 1 for a scalar */
} oplus_member;

/** Lists the members of a type, in order.  A scalar type has one member, named "".  A member that is a struct is
 *  listed by its own members: "p.x", or "p[1].x" in an array.
 *
 *  @param type      the type
 *  @param members   room for the members
 *  @param capacity  how many members there is room for
 *  @return the number of members; -1 if there are more than `capacity`, or if the library does not understand the text
 *          of the type: it contains names that C does not define, a pointer, a union or a bit-field. */
OPLUS_API int oplus_type_members(const oplus_type *type, oplus_member *members, int capacity);

/** Makes a struct type.
 *
 *  @param name     an identifier of C; texts may use it as the name of the type
 *  @param members  "float scale; float shift;": scalars and arrays of scalars, at most 64 members and 64 KiB; the last
 *                  ; may be missing
 *  @param type     set to the type; free it with oplus_type_free
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_type_make(const char *name, const char *members, oplus_type **type);

/** A flag for oplus_op_make only: oplus_op_check tries 64 samples (oplus_samples), and if one breaks a promise of the
 *  operator, oplus_op_make returns OPLUS_ERR_ARGUMENT.
 *
 *  Another process tries them, which lives for at most 2 seconds, so that an operator that traps or never ends does no
 *  harm; the cache keeps the answer.  An operator that cannot be tried like this, such as one whose parameter is not
 *  yet bound, is made without the check. */
enum { OPLUS_CHECK = 8 };

/** Makes an operator from a text over a and b, and a parameter p if it takes one.
 *
 *  @param name        name for messages; NULL: the text is the name
 *  @param type        type of the elements: a scalar, or a struct with the text of its members
 *  @param identity    the identity, one element, which is copied; NULL: there is none
 *  @param flags       as in OPLUS_OP, and OPLUS_CHECK
 *  @param param_type  type of the parameter p, which oplus_op_bind or oplus_op_with binds; NULL: there is none
 *  @param text        an expression, statements or a body; the beginning of text.h describes them
 *  @param combine     a function that cores call for each element if there is no compiler; its last argument is the
 *                     bound parameter, or NULL.  combine may be NULL: then a call that needs a compiler fails without
 *                     one
 *  @param op          set to the operator; free it with oplus_op_free
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY; with OPLUS_CHECK also what oplus_op_compile returns.
 *          Without OPLUS_CHECK, the first call on cores returns what oplus_op_compile would. */
OPLUS_API oplus_status oplus_op_make(const char *name, const oplus_type *type, const void *identity, unsigned flags,
                                     const oplus_type *param_type, const char *text,
                                     void (*combine)(void *out, const void *a, const void *b, const void *param),
                                     oplus_op **op);

/** Which samples oplus_samples gives; joined by |. */
enum {
    OPLUS_SAMPLES_SPECIAL = 1, /**< samples also contain NaN, infinities and -0 */
    OPLUS_SAMPLES_MODEST = 2   /**< signed integers are so small that sums of products of three do not overflow */
};

/** Fills `out` with n samples for oplus_op_check, the same every time: first small numbers, fractions and extremes,
 *  then random numbers.  In a struct all members have equal values at first, and mixed values later.
 *
 *  @param type   type of the samples
 *  @param which  0, or OPLUS_SAMPLES_SPECIAL, OPLUS_SAMPLES_MODEST joined by |
 *  @param n      number of samples
 *  @param out    room for n elements
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_UNSUPPORTED: the members of the type are not known. */
OPLUS_API oplus_status oplus_samples(const oplus_type *type, unsigned which, size_t n, void *out);

/** Finds the type of the result of a text, for oplus_fn_make: `a * 0.5` over integers gives f64, `a + b` over two i8
 *  gives i32.
 *
 *  The type is the C type of the expression; if there are several expressions, after `return` and `r =`, it is the
 *  type to which C converts them all.  If a text sets members of r, or takes the address of r, it is the type of the
 *  first input.  A bool gives u8, a long long i64.  The first call for a text asks a compiler (tens of milliseconds);
 *  the cache keeps the answer.
 *
 *  @param arity       number of inputs, 1 to OPLUS_MAX_ARITY
 *  @param input       the type of each input
 *  @param param_type  type of the parameter p; NULL: there is none
 *  @param text        as in oplus_fn_make
 *  @param type        set to the descriptor of a scalar, which always lives; or to that of an input or of the
 *                     parameter, which lives as long as the caller keeps it
 *  @return as oplus_fn_make; also an error if the text has none of the three forms, or does not compile. */
OPLUS_API oplus_status oplus_text_type(unsigned arity, const oplus_type *const *input, const oplus_type *param_type,
                                       const char *text, const oplus_type **type);

/** Makes a function for oplus_map, or a predicate for oplus_filter, from a text over its inputs a, b, c, ... h.
 *
 *  A text that uses the word i has the index of the elements in the array, a uint64_t, as OPLUS_MAP_INDEXED has:
 *  `a * (double)i`, `i % 3 == 0`.  The function is then `indexed`.
 *
 *  @param name        name for messages; NULL: the text is the name
 *  @param result      the type of the result; NULL: a predicate (every value but 0 keeps the element)
 *  @param arity       number of inputs, 1 to OPLUS_MAX_ARITY; oplus_filter takes a predicate of one input, oplus_map a
 *                     function or a predicate of any number
 *  @param input       the type of each input
 *  @param param_type  type of the parameter p, which oplus_fn_bind or oplus_with binds; NULL: there is none
 *  @param text        an expression, statements or a body; the beginning of text.h describes them
 *  @param fn          set to the function; free it with oplus_fn_free
 *  @return as oplus_op_make. */
OPLUS_API oplus_status oplus_fn_make(const char *name, const oplus_type *result, unsigned arity,
                                     const oplus_type *const *input, const oplus_type *param_type, const char *text,
                                     oplus_fn **fn);

/** Compiles an operator that was made from a text for cores now, and not when they first run it: errors in the text
 *  are found here, and the first call on cores does not wait.  An accelerator does not need this call.
 *
 *  @return OPLUS_OK, also if op was not made from a text; OPLUS_ERR_ARGUMENT: op is NULL; OPLUS_ERR_COMPILE: the text
 *          does not compile (oplus_last_error has the compiler's words) or there is no compiler; OPLUS_ERR_IO: there
 *          is no place for temporary files, or no process could be started; OPLUS_ERR_UNSUPPORTED: this processor
 *          lacks the instruction set in OPLUS_ISA; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_op_compile(const oplus_op *op);
/** Compiles a function that was made from a text for cores now; as oplus_op_compile. */
OPLUS_API oplus_status oplus_fn_compile(const oplus_fn *fn);

/** Binds the parameter p of a function, as oplus_with does; for other languages, which cannot copy a struct of C.
 *
 *  @param fn     the function; it may have a bound parameter already, and must live until *bound is freed
 *  @param param  one value of fn->param_type, which is copied
 *  @param bound  set to the function with this parameter; free it with oplus_fn_free
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also if fn takes no parameter; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_fn_bind(const oplus_fn *fn, const void *param, oplus_fn **bound);

/** Binds the parameter p of an operator, as oplus_op_with does; for other languages, which cannot copy a struct of C.
 *
 *  @param op        the operator; it may have a bound parameter already, and must live until *bound is freed
 *  @param param     one value of op->param_type, which is copied
 *  @param identity  the identity, one element, which is copied, if it depends on the parameter; NULL: the identity of
 *                   op, if op has one
 *  @param bound     set to the operator with this parameter; free it with oplus_op_free
 *  @return as oplus_fn_bind. */
OPLUS_API oplus_status oplus_op_bind(const oplus_op *op, const void *param, const void *identity, oplus_op **bound);

/** Frees a type that oplus_type_make made.  NULL is allowed. */
OPLUS_API void oplus_type_free(oplus_type *type);
/** Frees an operator that oplus_op_make or oplus_op_bind made.  NULL is allowed. */
OPLUS_API void oplus_op_free(oplus_op *op);
/** Frees a function that oplus_fn_make or oplus_fn_bind made.  NULL is allowed. */
OPLUS_API void oplus_fn_free(oplus_fn *fn);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
