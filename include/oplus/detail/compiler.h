/* SPDX-License-Identifier: Apache-2.0 */
/** @file compiler.h
 *  What the headers ask of a compiler, so that bits do not depend on it. */
#ifndef OPLUS_DETAIL_COMPILER_H
#define OPLUS_DETAIL_COMPILER_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- what would break the promise of equal bits --------------------------------------------------------------- */

#ifndef OPLUS_WAIVE_SAME_BITS
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||                         \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "oplus: -ffast-math (or a part of it) changes results; compile without it, or define OPLUS_WAIVE_SAME_BITS"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16 /* 16: as 0, with a true _Float16 */
#error "oplus: this target keeps excess precision (x87); use -msse2 -mfpmath=sse, or define OPLUS_WAIVE_SAME_BITS"
#endif
#endif

#if !defined(__OPTIMIZE__) && !defined(OPLUS_WAIVE_SPEED) && !defined(OPLUS_DEBUG)
#warning "oplus: without optimisation the loops around operators are ten times slower: add -O2, or -DOPLUS_WAIVE_SPEED"
#endif

/* Operators are compiled without contraction of a * b + c into a fused operation, under all flags of gcc and clang but
 * clang's own -ffp-contract=fast, which oplus_selfcheck reports: gcc takes an attribute, clang a pragma in the
 * function's body.  gcc's SLP vectoriser makes the tree-shaped code of the library's own vectors slow, but joins the
 * members of a user's struct. */
#if defined(__clang__)
#define OPLUS_STRICT_        __attribute__((unused))
#define OPLUS_CONTRACT_OFF_  _Pragma("STDC FP_CONTRACT OFF")
#define OPLUS_HELPER_STRICT_ OPLUS_CONTRACT_OFF_ /* of a function whose body is not ours to begin */
#define OPLUS_IVDEP_
#elif defined(__OPTIMIZE__) && !defined(OPLUS_DEBUG)
#ifdef OPLUS_TRUSTED_
#define OPLUS_STRICT_ __attribute__((unused, optimize("O3", "fp-contract=off", "no-tree-slp-vectorize")))
#else
#define OPLUS_STRICT_ __attribute__((unused, optimize("O3", "fp-contract=off")))
#endif
#define OPLUS_CONTRACT_OFF_
#define OPLUS_HELPER_STRICT_
#define OPLUS_IVDEP_ _Pragma("GCC ivdep")
#else
#define OPLUS_STRICT_ __attribute__((unused, optimize("fp-contract=off")))
#define OPLUS_CONTRACT_OFF_
#define OPLUS_HELPER_STRICT_
#define OPLUS_IVDEP_
#endif

/* gcc for x86 with FMA or AVX-512 has a trap that -ffp-contract=off does not close (seen with gcc 12): where
 * neighbouring members are x*y - z*w and x*w + z*y, as in a complex product, its vectoriser fuses them (vfmaddsub);
 * also neighbours in an array of a body's own that a loop there fills, so that functions of scalars are compiled
 * without both too (OPLUS_UNFUSED_).  -fno-tree-slp-vectorize does not close it: that is of code outside of loops.  So
 * the loops around a struct are compiled without AVX, which is also faster than 256-bit vectors that de-interleave
 * structs across lanes (a reduce of 8-byte structs in cache: 17 against 10 GB/s; gcc 12, 2026-11-21, Xeon with
 * AVX-512).  With AVX-512, scalars and operators flagged OPLUS_WIDE get a second set of loops for all that the target
 * has. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX__) && !defined(OPLUS_TRUSTED_)
#define OPLUS_NARROW_  __attribute__((target("no-avx")))
#define OPLUS_UNFUSED_ __attribute__((target("no-fma,no-avx512f")))
#ifdef __AVX512F__
#define OPLUS_TWO_SETS_
#endif
#else
#define OPLUS_NARROW_
#define OPLUS_UNFUSED_
#endif

#define OPLUS_UNUSED_      __attribute__((unused))
#define OPLUS_PREFETCH_(p) __builtin_prefetch(p, 0, 3)

/* With OPLUS_DEBUG the body of an operator or a function is a function that is called once an element and not optimised,
 * so that a debugger stops in it and knows a and b; the typed loops are left out.  The bits are the same. */
#ifndef OPLUS_DEBUG
#define OPLUS_BODY_ OPLUS_NARROW_ OPLUS_STRICT_ static inline
#elif defined(__clang__)
#define OPLUS_BODY_ __attribute__((unused, noinline, optnone)) static
#else
#define OPLUS_BODY_ __attribute__((unused, noinline, optimize("O0", "fp-contract=off"))) static
#endif
#define OPLUS_INLINE_ OPLUS_NARROW_ static inline __attribute__((always_inline, unused))
#ifndef OPLUS_API
#define OPLUS_API __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
#define OPLUS_ALIGNOF_(T)                        alignof(T)
#define OPLUS_STATIC_ASSERT_(condition, message) static_assert(condition, message)
#define OPLUS_RESTRICT_                          __restrict
#define OPLUS_BOOL_                              bool
#else
#define OPLUS_ALIGNOF_(T)                        _Alignof(T)
#define OPLUS_STATIC_ASSERT_(condition, message) _Static_assert(condition, message)
#define OPLUS_RESTRICT_                          restrict
#define OPLUS_BOOL_                              _Bool
#endif
#endif
