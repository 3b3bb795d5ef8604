/* The functions of texts, generic over the types of their arguments: abs(a) of a float is a float, and so on.  This is
 * one text for C, OpenCL C and CUDA; they define OPI_GENERIC and OPI_CALL_... (prelude.c, opencl.cl, cuda.cl).
 *
 * Before the body of a macro OPI_TEXT is 0: there the functions are those of C, and only fmin and fmax are made
 * here.  A kernel may have bodies of both kinds: then this text comes twice, with 0 first. */

/* --- bodies ------------------------------------------------------------------------------------------------------- */

#ifndef OPI_FMIN_FMAX /* else the body of a macro stands before this text */
/* Of a NaN (signalling or not) and a number the result is the number; -0 < +0.  C libraries and devices differ in
 * both. */
#define OPI_LESSER                                                                                                     \
    {                                                                                                                  \
        return x != x ? y : y != y ? x : x < y ? x : y < x ? y : x != 0 ? x : -(-x - y);                               \
    }
#define OPI_GREATER                                                                                                    \
    {                                                                                                                  \
        return x != x ? y : y != y ? x : x < y ? y : y < x ? x : x != 0 ? x : x + y;                                   \
    }
#define OPI_FMIN_FMAX(s, T)                                                                                            \
    OPI_GENERIC(T, opi_g_fmin, s, (T x, T y)) OPI_LESSER                                                               \
    OPI_GENERIC(T, opi_g_fmax, s, (T x, T y)) OPI_GREATER
OPI_FMIN_FMAX(f32, float)
#if OPI_F64
OPI_FMIN_FMAX(f64, double)
#endif
#endif

#undef fminf
#undef fmaxf
#define fminf(x, y) OPI_CALL_F32(fmin, x, y)
#define fmaxf(x, y) OPI_CALL_F32(fmax, x, y)
#if OPI_F64 && !OPI_TEXT
#undef fmin
#undef fmax
#define fmin(x, y) OPI_CALL_F64(fmin, x, y)
#define fmax(x, y) OPI_CALL_F64(fmax, x, y)
#endif

#if OPI_TEXT
#define OPI_ROUNDED_INTEGER(s, T)                                                                                      \
    OPI_GENERIC(T, opi_g_floor, s, (T x)) { return x; }                                                                \
    OPI_GENERIC(T, opi_g_ceil, s, (T x)) { return x; }                                                                 \
    OPI_GENERIC(T, opi_g_trunc, s, (T x)) { return x; }                                                                \
    OPI_GENERIC(T, opi_g_round, s, (T x)) { return x; }                                                                \
    OPI_GENERIC(T, opi_g_rint, s, (T x)) { return x; }                                                                 \
    OPI_GENERIC(T, opi_g_min, s, (T x, T y)) { return x < y ? x : y; }                                                 \
    OPI_GENERIC(T, opi_g_max, s, (T x, T y)) { return x < y ? y : x; }
#define OPI_SIGNED_FUNCTIONS(s, T)                                                                                     \
    OPI_GENERIC(T, opi_g_abs, s, (T x)) { return (T)(x < 0 ? 0 - (uint64_t)x : (uint64_t)x); }                         \
    OPI_GENERIC(T, opi_g_sign, s, (T x)) { return (T)((x > 0) - (x < 0)); }                                            \
    OPI_ROUNDED_INTEGER(s, T)
#define OPI_UNSIGNED_FUNCTIONS(s, T)                                                                                   \
    OPI_GENERIC(T, opi_g_abs, s, (T x)) { return x; }                                                                  \
    OPI_GENERIC(T, opi_g_sign, s, (T x)) { return (T)(x > 0); }                                                        \
    OPI_ROUNDED_INTEGER(s, T)
OPI_FOR_SIGNED(OPI_SIGNED_FUNCTIONS)
OPI_FOR_UNSIGNED(OPI_UNSIGNED_FUNCTIONS)

/* min and max as the built-in operators: the result of a NaN is a NaN.  A dialect may have instructions for them. */
#ifndef OPI_FLOAT_MIN
#define OPI_FLOAT_MIN(x, y) (x < y ? x : y < x ? y : x != y ? x + y : x != 0 ? x : -(-x - y))
#define OPI_FLOAT_MAX(x, y) (x < y ? y : y < x ? x : x != y ? x + y : x != 0 ? x : x + y)
#endif
#define OPI_FLOAT_1(s, T, name, c) OPI_GENERIC(T, opi_g_##name, s, (T x)) { return c(x); }
#define OPI_FLOAT_2(s, T, name, c) OPI_GENERIC(T, opi_g_##name, s, (T x, T y)) { return c(x, y); }
#define OPI_FLOAT_FUNCTIONS(s, T, _)                                                                                   \
    OPI_GENERIC(T, opi_g_min, s, (T x, T y)) { return OPI_FLOAT_MIN(x, y); }                                           \
    OPI_GENERIC(T, opi_g_max, s, (T x, T y)) { return OPI_FLOAT_MAX(x, y); }                                           \
    OPI_GENERIC(T, opi_g_sign, s, (T x)) { return x > 0 ? 1 : x < 0 ? -1 : x; }                                        \
    OPI_GENERIC(T, opi_g_fma, s, (T x, T y, T z)) { return _(fma)(x, y, z); }                                          \
    OPI_GENERIC(T, opi_g_ldexp, s, (T x, int n)) { return _(ldexp)(x, n); }                                            \
    OPI_FLOAT_1(s, T, abs, _(fabs))                                                                                    \
    OPI_FLOAT_1(s, T, fabs, _(fabs))                                                                                   \
    OPI_FLOAT_1(s, T, sqrt, _(sqrt))                                                                                   \
    OPI_FLOAT_1(s, T, floor, _(floor))                                                                                 \
    OPI_FLOAT_1(s, T, ceil, _(ceil))                                                                                   \
    OPI_FLOAT_1(s, T, trunc, _(trunc))                                                                                 \
    OPI_FLOAT_1(s, T, round, _(round))                                                                                 \
    OPI_FLOAT_1(s, T, rint, _(rint))                                                                                   \
    OPI_FLOAT_1(s, T, exp, _(exp))                                                                                     \
    OPI_FLOAT_1(s, T, exp2, _(exp2))                                                                                   \
    OPI_FLOAT_1(s, T, expm1, _(expm1))                                                                                 \
    OPI_FLOAT_1(s, T, log, _(log))                                                                                     \
    OPI_FLOAT_1(s, T, log2, _(log2))                                                                                   \
    OPI_FLOAT_1(s, T, log10, _(log10))                                                                                 \
    OPI_FLOAT_1(s, T, log1p, _(log1p))                                                                                 \
    OPI_FLOAT_1(s, T, sin, _(sin))                                                                                     \
    OPI_FLOAT_1(s, T, cos, _(cos))                                                                                     \
    OPI_FLOAT_1(s, T, tan, _(tan))                                                                                     \
    OPI_FLOAT_1(s, T, asin, _(asin))                                                                                   \
    OPI_FLOAT_1(s, T, acos, _(acos))                                                                                   \
    OPI_FLOAT_1(s, T, atan, _(atan))                                                                                   \
    OPI_FLOAT_1(s, T, sinh, _(sinh))                                                                                   \
    OPI_FLOAT_1(s, T, cosh, _(cosh))                                                                                   \
    OPI_FLOAT_1(s, T, tanh, _(tanh))                                                                                   \
    OPI_FLOAT_1(s, T, cbrt, _(cbrt))                                                                                   \
    OPI_FLOAT_1(s, T, erf, _(erf))                                                                                     \
    OPI_FLOAT_1(s, T, asinh, _(asinh))                                                                                 \
    OPI_FLOAT_1(s, T, acosh, _(acosh))                                                                                 \
    OPI_FLOAT_1(s, T, atanh, _(atanh))                                                                                 \
    OPI_FLOAT_1(s, T, erfc, _(erfc))                                                                                   \
    OPI_FLOAT_1(s, T, tgamma, _(tgamma))                                                                               \
    OPI_FLOAT_1(s, T, lgamma, _(lgamma))                                                                               \
    OPI_FLOAT_2(s, T, fmod, _(fmod))                                                                                   \
    OPI_FLOAT_2(s, T, pow, _(pow))                                                                                     \
    OPI_FLOAT_2(s, T, atan2, _(atan2))                                                                                 \
    OPI_FLOAT_2(s, T, hypot, _(hypot))                                                                                 \
    OPI_FLOAT_2(s, T, copysign, _(copysign))
#define OPI_SINGLE(name) name##f
#define OPI_DOUBLE(name) name
OPI_FLOAT_FUNCTIONS(f32, float, OPI_SINGLE)
#if OPI_F64
OPI_FLOAT_FUNCTIONS(f64, double, OPI_DOUBLE)
#endif
#ifdef OPI_MIXED_TYPES
OPI_MIXED_TYPES
#endif

/* --- names -------------------------------------------------------------------------------------------------------- */

#undef abs
#undef sign
#undef min
#undef max
#undef floor
#undef ceil
#undef trunc
#undef round
#undef rint
#define abs(x)    OPI_CALL_1(abs, x)
#define sign(x)   OPI_CALL_1(sign, x)
#define min(x, y) OPI_CALL_2(min, x, y)
#define max(x, y) OPI_CALL_2(max, x, y)
#define floor(x)  OPI_CALL_1(floor, x)
#define ceil(x)   OPI_CALL_1(ceil, x)
#define trunc(x)  OPI_CALL_1(trunc, x)
#define round(x)  OPI_CALL_1(round, x)
#define rint(x)   OPI_CALL_1(rint, x)

/* Of floats the results are floats; of doubles and integers they are doubles. */
#undef fabs
#undef sqrt
#undef exp
#undef exp2
#undef expm1
#undef log
#undef log2
#undef log10
#undef log1p
#undef sin
#undef cos
#undef tan
#undef asin
#undef acos
#undef atan
#undef sinh
#undef cosh
#undef tanh
#undef cbrt
#undef erf
#undef asinh
#undef acosh
#undef atanh
#undef erfc
#undef tgamma
#undef lgamma
#undef ldexp
#define fabs(x)     OPI_CALL_REAL_1(fabs, x)
#define sqrt(x)     OPI_CALL_REAL_1(sqrt, x)
#define exp(x)      OPI_CALL_REAL_1(exp, x)
#define exp2(x)     OPI_CALL_REAL_1(exp2, x)
#define expm1(x)    OPI_CALL_REAL_1(expm1, x)
#define log(x)      OPI_CALL_REAL_1(log, x)
#define log2(x)     OPI_CALL_REAL_1(log2, x)
#define log10(x)    OPI_CALL_REAL_1(log10, x)
#define log1p(x)    OPI_CALL_REAL_1(log1p, x)
#define sin(x)      OPI_CALL_REAL_1(sin, x)
#define cos(x)      OPI_CALL_REAL_1(cos, x)
#define tan(x)      OPI_CALL_REAL_1(tan, x)
#define asin(x)     OPI_CALL_REAL_1(asin, x)
#define acos(x)     OPI_CALL_REAL_1(acos, x)
#define atan(x)     OPI_CALL_REAL_1(atan, x)
#define sinh(x)     OPI_CALL_REAL_1(sinh, x)
#define cosh(x)     OPI_CALL_REAL_1(cosh, x)
#define tanh(x)     OPI_CALL_REAL_1(tanh, x)
#define cbrt(x)     OPI_CALL_REAL_1(cbrt, x)
#define erf(x)      OPI_CALL_REAL_1(erf, x)
#define asinh(x)    OPI_CALL_REAL_1(asinh, x)
#define acosh(x)    OPI_CALL_REAL_1(acosh, x)
#define atanh(x)    OPI_CALL_REAL_1(atanh, x)
#define erfc(x)     OPI_CALL_REAL_1(erfc, x)
#define tgamma(x)   OPI_CALL_REAL_1(tgamma, x)
#define lgamma(x)   OPI_CALL_REAL_1(lgamma, x)
#define ldexp(x, n) OPI_CALL_LDEXP(ldexp, x, n)

/* The results have the type of x + y if that is float or double; else they are doubles. */
#undef fmod
#undef pow
#undef atan2
#undef hypot
#undef copysign
#undef fmin
#undef fmax
#undef fma
#define fmod(x, y)     OPI_CALL_REAL_2(fmod, x, y)
#define pow(x, y)      OPI_CALL_REAL_2(pow, x, y)
#define atan2(x, y)    OPI_CALL_REAL_2(atan2, x, y)
#define hypot(x, y)    OPI_CALL_REAL_2(hypot, x, y)
#define copysign(x, y) OPI_CALL_REAL_2(copysign, x, y)
#define fmin(x, y)     OPI_CALL_REAL_2(fmin, x, y)
#define fmax(x, y)     OPI_CALL_REAL_2(fmax, x, y)
#define fma(x, y, z)   OPI_CALL_REAL_3(fma, x, y, z)
#endif
