/* The dialect of OpenCL C 1.2.  Kernels use names that this file and cuda.cl both define.
 *
 * OPI_F64 is 1 if the device has double precision.  An array is two parameters of a kernel: a buffer, and how many
 * bytes after its start the array begins.  OPI_PARAM declares them, OPI_AT makes a pointer of them. */
#pragma OPENCL FP_CONTRACT OFF
#if OPI_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define OPI_KERNEL       kernel
#define OPI_WHOLE_KERNEL kernel __attribute__((reqd_work_group_size(OPI_W, 1, 1))) /* work-groups are never smaller */
#define OPI_AFTER_LAUNCHES() /* a launch begins when those before it have ended */
#define OPI_RESIDENT_KERNEL OPI_WHOLE_KERNEL /* at least OPI_RESIDENTS of its work-groups fit a multiprocessor */
#define OPI_INCREMENT(place) atomic_inc(place) /* of 32 bits */
#define OPI_ADD(place, value) atomic_add(place, value) /* of 32 bits */
#define OPI_RAISE(place, value) atomic_max(place, value) /* of 32 bits: the larger one stays there */
#define OPI_FUNCTION     static inline
/* A function that is called in several places with local memory.  If a compiler passes such a variable of a kernel on
 * as a constant, and does not put the function into the kernel, PoCL 3.1 no longer knows whose the variable is, and all
 * work-groups that run at the same time share it. */
#define OPI_INLINED      static inline __attribute__((always_inline))
#define OPI_ROLLED /* before a loop: do not unroll it */
#define OPI_RESTRICT     restrict /* for a pointer */
#define OPI_CALLED       static __attribute__((noinline))
#define OPI_GLOBAL       global
#define OPI_CONSTANT     constant
#define OPI_LOCAL        local /* for a pointer */
#define OPI_LOCAL_MEMORY local /* for a variable */
#define OPI_PARAM(name)  global uchar *name##_memory, const ulong name##_at
#define OPI_AT(T, name)  ((global T *)(name##_memory + name##_at))
#define OPI_GIVEN(name)  (name##_memory != 0)
#define OPI_BEYOND(p)    ((uint32_t)((size_t)(p) & 15)) /* how many bytes an address is beyond a multiple of 16 */
#define OPI_ALIGNED(p)   (OPI_BEYOND(p) == 0)
#define OPI_SELF         ((uint32_t)get_local_id(0))
#define OPI_GROUP        ((uint64_t)get_group_id(0))
#define OPI_GROUPS       ((uint64_t)get_num_groups(0))
#define OPI_BARRIER()    barrier(CLK_LOCAL_MEM_FENCE)
#define OPI_BARRIER_ALL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
/* Copies of words to local memory, which may take place later.  END ends a series of them.  WAIT waits until all series
 * but the last `but` have taken place; a barrier must follow. */
#define OPI_COPY_WORD(to, from) *(to) = *(from)
#define OPI_COPIES_END()
#define OPI_COPIES_WAIT(but)
#define OPI_FENCE()      mem_fence(CLK_GLOBAL_MEM_FENCE) /* what another work-group sees then, only CUDA promises */

#define _Bool bool
typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
typedef uint4 opi_vector; /* as large as the widest load */

#define OPI_F32_OF(bits) as_float((uint32_t)(bits))
#define OPI_F64_OF(bits) as_double((uint64_t)(bits))
#define OPI_BITS_OF_F32(x) as_uint(x)
#define OPI_BITS_OF_F64(x) as_ulong(x)

#define OPI_READ_CONSTANT(T, words) (*(constant const T *)(words))

/* Makes a NaN canonical: keeps the bits that all NaNs have, and sets the quiet bit.  A constant would be loaded only
 * where there is a NaN, by an instruction that is very slow on an Intel core while nothing else has touched the page of
 * the constant (PoCL 3.1 for AVX-512: a map of floats was seven times slower). */
#define OPI_QUIET_F32(x) if ((x) != (x)) x = OPI_F32_OF((OPI_BITS_OF_F32(x) & 0x7f800000u) | 0x00400000u);
#define OPI_QUIET_F64(x)                                                                                               \
    if ((x) != (x)) x = OPI_F64_OF((OPI_BITS_OF_F64(x) & 0x7ff0000000000000ul) | 0x0008000000000000ul);

/* --- C's names, for the texts of users ---------------------------------------------------------------------------- */

#define INT8_MIN   ((int8_t)-128)
#define INT8_MAX   ((int8_t)127)
#define UINT8_MAX  ((uint8_t)255)
#define INT16_MIN  ((int16_t)-32768)
#define INT16_MAX  ((int16_t)32767)
#define UINT16_MAX ((uint16_t)65535)
#define INT32_MIN  INT_MIN
#define INT32_MAX  INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN  LONG_MIN
#define INT64_MAX  LONG_MAX
#define UINT64_MAX ULONG_MAX

/* As in C, a function with f computes in float, a function without f in double, and abs gives an int. */
OPI_FUNCTION int opi_abs(int x) { return x < 0 ? -x : x; }
#undef abs
#define abs(x) opi_abs(x)
OPI_FUNCTION float sqrtf(float x) { return sqrt(x); }
OPI_FUNCTION float fabsf(float x) { return fabs(x); }
OPI_FUNCTION float floorf(float x) { return floor(x); }
OPI_FUNCTION float ceilf(float x) { return ceil(x); }
OPI_FUNCTION float truncf(float x) { return trunc(x); }
OPI_FUNCTION float roundf(float x) { return round(x); }
OPI_FUNCTION float rintf(float x) { return rint(x); }
OPI_FUNCTION float expf(float x) { return exp(x); }
OPI_FUNCTION float exp2f(float x) { return exp2(x); }
OPI_FUNCTION float logf(float x) { return log(x); }
OPI_FUNCTION float log2f(float x) { return log2(x); }
OPI_FUNCTION float log10f(float x) { return log10(x); }
OPI_FUNCTION float sinf(float x) { return sin(x); }
OPI_FUNCTION float cosf(float x) { return cos(x); }
OPI_FUNCTION float tanf(float x) { return tan(x); }
OPI_FUNCTION float asinf(float x) { return asin(x); }
OPI_FUNCTION float acosf(float x) { return acos(x); }
OPI_FUNCTION float atanf(float x) { return atan(x); }
OPI_FUNCTION float sinhf(float x) { return sinh(x); }
OPI_FUNCTION float coshf(float x) { return cosh(x); }
OPI_FUNCTION float tanhf(float x) { return tanh(x); }
OPI_FUNCTION float cbrtf(float x) { return cbrt(x); }
OPI_FUNCTION float expm1f(float x) { return expm1(x); }
OPI_FUNCTION float log1pf(float x) { return log1p(x); }
OPI_FUNCTION float erff(float x) { return erf(x); }
OPI_FUNCTION float asinhf(float x) { return asinh(x); }
OPI_FUNCTION float acoshf(float x) { return acosh(x); }
OPI_FUNCTION float atanhf(float x) { return atanh(x); }
OPI_FUNCTION float erfcf(float x) { return erfc(x); }
OPI_FUNCTION float tgammaf(float x) { return tgamma(x); }
OPI_FUNCTION float lgammaf(float x) { return lgamma(x); }
OPI_FUNCTION float fmodf(float x, float y) { return fmod(x, y); }
OPI_FUNCTION float powf(float x, float y) { return pow(x, y); }
OPI_FUNCTION float atan2f(float x, float y) { return atan2(x, y); }
OPI_FUNCTION float hypotf(float x, float y) { return hypot(x, y); }
OPI_FUNCTION float copysignf(float x, float y) { return copysign(x, y); }
OPI_FUNCTION float fmaf(float x, float y, float z) { return fma(x, y, z); }
OPI_FUNCTION float ldexpf(float x, int n) { return ldexp(x, n); }
#if OPI_F64 /* other names: drivers may have macros of these names (PoCL) */
OPI_FUNCTION double opi_sqrt(double x) { return sqrt(x); }
OPI_FUNCTION double opi_fabs(double x) { return fabs(x); }
OPI_FUNCTION double opi_floor(double x) { return floor(x); }
OPI_FUNCTION double opi_ceil(double x) { return ceil(x); }
OPI_FUNCTION double opi_trunc(double x) { return trunc(x); }
OPI_FUNCTION double opi_round(double x) { return round(x); }
OPI_FUNCTION double opi_rint(double x) { return rint(x); }
OPI_FUNCTION double opi_exp(double x) { return exp(x); }
OPI_FUNCTION double opi_exp2(double x) { return exp2(x); }
OPI_FUNCTION double opi_log(double x) { return log(x); }
OPI_FUNCTION double opi_log2(double x) { return log2(x); }
OPI_FUNCTION double opi_log10(double x) { return log10(x); }
OPI_FUNCTION double opi_sin(double x) { return sin(x); }
OPI_FUNCTION double opi_cos(double x) { return cos(x); }
OPI_FUNCTION double opi_tan(double x) { return tan(x); }
OPI_FUNCTION double opi_asin(double x) { return asin(x); }
OPI_FUNCTION double opi_acos(double x) { return acos(x); }
OPI_FUNCTION double opi_atan(double x) { return atan(x); }
OPI_FUNCTION double opi_sinh(double x) { return sinh(x); }
OPI_FUNCTION double opi_cosh(double x) { return cosh(x); }
OPI_FUNCTION double opi_tanh(double x) { return tanh(x); }
OPI_FUNCTION double opi_cbrt(double x) { return cbrt(x); }
OPI_FUNCTION double opi_expm1(double x) { return expm1(x); }
OPI_FUNCTION double opi_log1p(double x) { return log1p(x); }
OPI_FUNCTION double opi_erf(double x) { return erf(x); }
OPI_FUNCTION double opi_asinh(double x) { return asinh(x); }
OPI_FUNCTION double opi_acosh(double x) { return acosh(x); }
OPI_FUNCTION double opi_atanh(double x) { return atanh(x); }
OPI_FUNCTION double opi_erfc(double x) { return erfc(x); }
OPI_FUNCTION double opi_tgamma(double x) { return tgamma(x); }
OPI_FUNCTION double opi_lgamma(double x) { return lgamma(x); }
OPI_FUNCTION double opi_fmod(double x, double y) { return fmod(x, y); }
OPI_FUNCTION double opi_pow(double x, double y) { return pow(x, y); }
OPI_FUNCTION double opi_atan2(double x, double y) { return atan2(x, y); }
OPI_FUNCTION double opi_hypot(double x, double y) { return hypot(x, y); }
OPI_FUNCTION double opi_copysign(double x, double y) { return copysign(x, y); }
OPI_FUNCTION double opi_fma(double x, double y, double z) { return fma(x, y, z); }
OPI_FUNCTION double opi_ldexp(double x, int n) { return ldexp(x, n); }
#undef sqrt
#define sqrt(x) opi_sqrt(x)
#undef fabs
#define fabs(x) opi_fabs(x)
#undef floor
#define floor(x) opi_floor(x)
#undef ceil
#define ceil(x) opi_ceil(x)
#undef trunc
#define trunc(x) opi_trunc(x)
#undef round
#define round(x) opi_round(x)
#undef rint
#define rint(x) opi_rint(x)
#undef exp
#define exp(x) opi_exp(x)
#undef exp2
#define exp2(x) opi_exp2(x)
#undef log
#define log(x) opi_log(x)
#undef log2
#define log2(x) opi_log2(x)
#undef log10
#define log10(x) opi_log10(x)
#undef sin
#define sin(x) opi_sin(x)
#undef cos
#define cos(x) opi_cos(x)
#undef tan
#define tan(x) opi_tan(x)
#undef asin
#define asin(x) opi_asin(x)
#undef acos
#define acos(x) opi_acos(x)
#undef atan
#define atan(x) opi_atan(x)
#undef sinh
#define sinh(x) opi_sinh(x)
#undef cosh
#define cosh(x) opi_cosh(x)
#undef tanh
#define tanh(x) opi_tanh(x)
#undef cbrt
#define cbrt(x) opi_cbrt(x)
#undef expm1
#define expm1(x) opi_expm1(x)
#undef log1p
#define log1p(x) opi_log1p(x)
#undef erf
#define erf(x) opi_erf(x)
#undef asinh
#define asinh(x) opi_asinh(x)
#undef acosh
#define acosh(x) opi_acosh(x)
#undef atanh
#define atanh(x) opi_atanh(x)
#undef erfc
#define erfc(x) opi_erfc(x)
#undef tgamma
#define tgamma(x) opi_tgamma(x)
#undef lgamma
#define lgamma(x) opi_lgamma(x)
#undef fmod
#define fmod(x, y) opi_fmod(x, y)
#undef pow
#define pow(x, y) opi_pow(x, y)
#undef atan2
#define atan2(x, y) opi_atan2(x, y)
#undef hypot
#define hypot(x, y) opi_hypot(x, y)
#undef copysign
#define copysign(x, y) opi_copysign(x, y)
#undef fma
#define fma(x, y, z) opi_fma(x, y, z)
#undef ldexp
#define ldexp(x, n) opi_ldexp(x, n)
#endif

/* --- the functions of texts: what generic.cl is made of (src/text); it comes behind this text if it is needed ----- */

#define OPI_GENERIC(R, f, s, parameters) OPI_FUNCTION R __attribute__((overloadable)) f parameters
#define OPI_FOR_SIGNED(X)             X(i8, int8_t) X(i16, int16_t) X(i32, int32_t) X(i64, int64_t)
#define OPI_FOR_UNSIGNED(X)           X(u8, uint8_t) X(u16, uint16_t) X(u32, uint32_t) X(u64, uint64_t)
#define OPI_CALL_F32(f, x, y)         opi_g_##f((float)(x), (float)(y))
#define OPI_CALL_F64(f, x, y)         opi_g_##f((double)(x), (double)(y))
#define OPI_CALL_1(f, x)              opi_g_##f(x)
#define OPI_CALL_2(f, x, y)           opi_g_##f(x, y)
#define OPI_CALL_REAL_1(f, x)         opi_g_##f(opi_real(x))
#define OPI_CALL_REAL_2(f, x, y)      opi_g_##f(OPI_AS((x) + (y), x), OPI_AS((x) + (y), y))
#define OPI_CALL_REAL_3(f, x, y, z)                                                                                    \
    opi_g_##f(OPI_AS((x) + (y) + (z), x), OPI_AS((x) + (y) + (z), y), OPI_AS((x) + (y) + (z), z))
#define OPI_CALL_LDEXP(f, x, n)       opi_g_##f(opi_real(x), n)
#define OPI_AS(like, x)               ((__typeof__(opi_real(like)))(x)) /* in one step: -3 must not become unsigned first */

/* An integer is computed with as the widest type of float that the device has. */
#if OPI_F64
typedef double opi_widest;
#define OPI_MIXED_F64(A) OPI_MIXED(A, double)
OPI_GENERIC(double, opi_real, f64, (double x)) { return x; }
#else
typedef float opi_widest;
#define OPI_MIXED_F64(A)
#endif
#define OPI_REAL(s, T) OPI_GENERIC(opi_widest, opi_real, s, (T x)) { return (opi_widest)x; }
OPI_GENERIC(float, opi_real, f32, (float x)) { return x; }
OPI_FOR_SIGNED(OPI_REAL)
OPI_FOR_UNSIGNED(OPI_REAL)

/* min and max of two types: the result has the type to which C converts both. */
#define OPI_MIXED(A, B) OPI_MIXED_2(min, A, B) OPI_MIXED_2(min, B, A) OPI_MIXED_2(max, A, B) OPI_MIXED_2(max, B, A)
#define OPI_MIXED_2(f, A, B)                                                                                           \
    OPI_GENERIC(__typeof__((A)0 + (B)0), opi_g_##f, _, (A x, B y))                                                     \
    {                                                                                                                  \
        typedef __typeof__((A)0 + (B)0) opi_joined;                                                                         \
        return opi_g_##f((opi_joined)x, (opi_joined)y);                                                                          \
    }
#define OPI_MIXED_TYPES                                                                                                \
    OPI_MIXED(int8_t, int16_t) OPI_MIXED(int8_t, int32_t) OPI_MIXED(int8_t, int64_t) OPI_MIXED(int8_t, uint8_t)        \
    OPI_MIXED(int8_t, uint16_t) OPI_MIXED(int8_t, uint32_t) OPI_MIXED(int8_t, uint64_t) OPI_MIXED(int8_t, float)       \
    OPI_MIXED_F64(int8_t)                                                                                              \
    OPI_MIXED(int16_t, int32_t) OPI_MIXED(int16_t, int64_t) OPI_MIXED(int16_t, uint8_t) OPI_MIXED(int16_t,             \
    uint16_t) OPI_MIXED(int16_t, uint32_t) OPI_MIXED(int16_t, uint64_t) OPI_MIXED(int16_t, float)                      \
    OPI_MIXED_F64(int16_t)                                                                                             \
    OPI_MIXED(int32_t, int64_t) OPI_MIXED(int32_t, uint8_t) OPI_MIXED(int32_t, uint16_t) OPI_MIXED(int32_t,            \
    uint32_t) OPI_MIXED(int32_t, uint64_t) OPI_MIXED(int32_t, float) OPI_MIXED_F64(int32_t)                            \
    OPI_MIXED(int64_t, uint8_t) OPI_MIXED(int64_t, uint16_t) OPI_MIXED(int64_t, uint32_t) OPI_MIXED(int64_t,           \
    uint64_t) OPI_MIXED(int64_t, float) OPI_MIXED_F64(int64_t)                                                         \
    OPI_MIXED(uint8_t, uint16_t) OPI_MIXED(uint8_t, uint32_t) OPI_MIXED(uint8_t, uint64_t) OPI_MIXED(uint8_t,          \
    float) OPI_MIXED_F64(uint8_t)                                                                                      \
    OPI_MIXED(uint16_t, uint32_t) OPI_MIXED(uint16_t, uint64_t) OPI_MIXED(uint16_t, float)                             \
    OPI_MIXED_F64(uint16_t)                                                                                            \
    OPI_MIXED(uint32_t, uint64_t) OPI_MIXED(uint32_t, float) OPI_MIXED_F64(uint32_t)                                   \
    OPI_MIXED(uint64_t, float) OPI_MIXED_F64(uint64_t)                                                                 \
    OPI_MIXED_F64(float)
