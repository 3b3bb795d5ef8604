/* SPDX-License-Identifier: Apache-2.0 */
/** @file text.h
 *  Types, operators and functions given as text, for other languages and for what is known only at run time. */
#ifndef OPLUS_TEXT_H
#define OPLUS_TEXT_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name The second door
 *
 *  For other languages, and for operators known only at run time (docs/text.md).  A text is
 *  - an expression over a (earlier) and b (later): `a > b ? a : b`;
 *  - or statements that set the result r, which begins as zeros: `r.x = a.x * b.x; r.y = a.y;`;
 *  - or a body that returns: `if (a < b) return a; return b;`.
 *  It may call what <math.h>, <stdlib.h> and <string.h> declare, and is C, run with the rights of this process: never
 *  take a text from someone you do not trust.
 *
 *  For cores it is compiled when they first run it, by the system's C compiler (OPLUS_CC in the environment, else cc, gcc or clang: 0.1 to 0.5 s) for
 *  this processor, with the flags that equal bits need, into typed loops as OPLUS_OP makes them.  The result is cached
 *  (OPLUS_CACHE_DIR, else $XDG_CACHE_HOME/oplus, else ~/.cache/oplus; OPLUS_CACHE=0: nowhere) under a key of the
 *  whole source, the flags and the compiler's version; from then on a call takes milliseconds.
 *
 *  What is made is the caller's to free, once no call and no carry uses it; what was passed in need not live on.
 *  Any thread may call these.  @{ */

/** The type of that name: "f32" or "float", "i64" or "int64_t", ..., "c64", "c128"; NULL if there is none. */
OPLUS_API const oplus_type *oplus_type_named(const char *name);

/** The built-in operator "sum", "prod", "min", "max", "and", "or", "xor", "land" or "lor" on a type; NULL if there is
 *  none. */
OPLUS_API const oplus_op *oplus_op_named(const char *name, const oplus_type *type);

/** One member of a type. */
typedef struct oplus_member {
    char name[32];       /**< cut if longer; "" in a scalar type */
    oplus_scalar scalar; /**< what it is, or its elements are */
    size_t offset;       /**< bytes from the start of the struct */
    size_t count;        /**< elements of an array (of all dimensions), else 1 */
} oplus_member;

/** Lists the members of a type, in order, and returns their number; a scalar type has one, named "".  A struct inside
 *  gives its own: "p.x", or "p[1].x" in an array.
 *
 *  -1 if the type has more than `capacity`, or its text is not understood: it has names in it that C does not define, a
 *  pointer, a union or a bit-field. */
OPLUS_API int oplus_type_members(const oplus_type *type, oplus_member *members, int capacity);

/** Makes a struct type.
 *
 *  @param name     an identifier of C, by which texts may call it
 *  @param members  "float scale; float shift;": scalars and arrays of them, up to 64 and 64 KiB; the last ; may be
 *                  missing
 *  @param type     set to the type; free it with oplus_type_free
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_type_make(const char *name, const char *members, oplus_type **type);

/** A flag of oplus_op_make alone: oplus_op_check is to try 64 samples (oplus_samples), and a counterexample to what is
 *  promised is OPLUS_ERR_ARGUMENT.  Another process tries them, which lives for 2 seconds at most, so that an operator
 *  that traps or never ends does no harm; the answer is kept in the cache.  What cannot be tried like this,
 *  as an operator whose parameter is yet to be bound, is made. */
enum { OPLUS_CHECK = 8 };

/** Makes an operator from a text over a and b, and a parameter p if it takes one.
 *
 *  @param name      for messages; NULL: the text
 *  @param type      of the elements: a scalar, or a struct with the text of its members
 *  @param identity  one element, which is copied, or NULL where there is none
 *  @param flags     as in OPLUS_OP, and OPLUS_CHECK
 *  @param param_type  of the parameter p, to be bound by oplus_op_bind or oplus_op_with; NULL: there is none
 *  @param text      see above
 *  @param combine   used where there is no compiler, with the bound parameter or NULL: everything works then, through a
 *                   call an element.  NULL: no compiler is an error of the call that needs one.
 *  @param op        set to the operator; free it with oplus_op_free
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY; with OPLUS_CHECK, what oplus_op_compile returns too, as the
 *          first call on cores does. */
OPLUS_API oplus_status oplus_op_make(const char *name, const oplus_type *type, const void *identity, unsigned flags,
                                     const oplus_type *param_type, const char *text,
                                     void (*combine)(void *out, const void *a, const void *b, const void *param),
                                     oplus_op **op);

/** What oplus_samples is to try, joined by |. */
enum {
    OPLUS_SAMPLES_SPECIAL = 1, /**< NaN, infinities and -0 too */
    OPLUS_SAMPLES_MODEST = 2   /**< signed integers so small that sums of products of three of them do not overflow */
};

/** Fills `out` with n samples for oplus_op_check, the same every time: small numbers first, fractions, extremes, then
 *  random ones; of a struct, all members alike at first, then mixed.
 *
 *  @param type   of the samples
 *  @param which  0, or OPLUS_SAMPLES_SPECIAL, OPLUS_SAMPLES_MODEST joined by |
 *  @param n      how many
 *  @param out    room for n elements
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_UNSUPPORTED: the members of the type are not known. */
OPLUS_API oplus_status oplus_samples(const oplus_type *type, unsigned which, size_t n, void *out);

/** Tells the type of what a text gives, for oplus_fn_make: of `a * 0.5` over integers f64, of `a + b` over two i8 i32.
 *
 *  It is the C type of the expression; of several, behind `return` and `r =`, the one to which C converts them all.  Of
 *  a text that sets members of r, or r by its address, it is the type of the first input.  A bool is u8, a long long
 *  i64.  The first time a compiler is asked (tens of milliseconds); the answer is kept in the cache.
 *
 *  @param arity       how many inputs, 1 to OPLUS_MAX_ARITY
 *  @param input       the type of each input
 *  @param param_type  of the parameter p; NULL: there is none
 *  @param text        as in oplus_fn_make
 *  @param type        set to a scalar's descriptor, or to that of an input or the parameter, for as long as that lives
 *  @return as oplus_fn_make; a text that has no form, or does not compile, may also be found there. */
OPLUS_API oplus_status oplus_text_type(unsigned arity, const oplus_type *const *input, const oplus_type *param_type,
                                       const char *text, const oplus_type **type);

/** Makes a function for oplus_map, or a predicate for oplus_filter, from a text over its inputs a, b, c, ... h.
 *
 *  @param name        for messages; NULL: the text
 *  @param result      the type of the result; NULL: a predicate (anything but 0 keeps the element)
 *  @param arity       how many inputs, 1 to OPLUS_MAX_ARITY; oplus_filter takes a predicate of one, oplus_map of any
 *  @param input       the type of each input
 *  @param param_type  of the parameter p, to be bound by oplus_fn_bind or oplus_with; NULL: there is none
 *  @param text        see above
 *  @param fn          set to the function; free it with oplus_fn_free
 *  @return as oplus_op_make. */
OPLUS_API oplus_status oplus_fn_make(const char *name, const oplus_type *result, unsigned arity,
                                     const oplus_type *const *input, const oplus_type *param_type, const char *text,
                                     oplus_fn **fn);

/** Compiles what was made from a text for the cores now, and not when they first run it: so that what is wrong with the
 *  text is said here, and the first call need not wait.  An accelerator does not need it.
 *
 *  @return OPLUS_OK, also of what no text made; OPLUS_ERR_ARGUMENT: NULL; OPLUS_ERR_COMPILE: the text does not compile (the
 *          compiler's words are in oplus_last_error) or there is no compiler; OPLUS_ERR_IO: no place for temporary files,
 *          or for another process; OPLUS_ERR_UNSUPPORTED: as oplus_open, of OPLUS_ISA; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_op_compile(const oplus_op *op);
/** The same of a function. */
OPLUS_API oplus_status oplus_fn_compile(const oplus_fn *fn);

/** Binds the parameter p of a function, as oplus_with does, where a struct cannot be copied: for other languages.
 *
 *  @param fn     what is bound; it may have any parameter already, and must live until *bound is freed
 *  @param param  one value of fn->param_type, which is copied
 *  @param bound  set to the function with this parameter; free it with oplus_fn_free
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also where fn takes no parameter; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_fn_bind(const oplus_fn *fn, const void *param, oplus_fn **bound);

/** The same of an operator, as oplus_op_with.
 *
 *  @param op        what is bound; it may have any parameter already, and must live until *bound is freed
 *  @param param     one value of op->param_type, which is copied
 *  @param identity  where it depends on the parameter: one element, which is copied; NULL: that of op, if it has one
 *  @param bound     set to the operator with this parameter; free it with oplus_op_free
 *  @return as oplus_fn_bind. */
OPLUS_API oplus_status oplus_op_bind(const oplus_op *op, const void *param, const void *identity, oplus_op **bound);

/** Free what was made or bound.  NULL is allowed. */
OPLUS_API void oplus_type_free(oplus_type *type);
OPLUS_API void oplus_op_free(oplus_op *op);
OPLUS_API void oplus_fn_free(oplus_fn *fn);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
