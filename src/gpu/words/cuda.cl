/* The dialect of CUDA C++, as NVRTC compiles it without headers.  See opencl.cl. */
#define OPI_KERNEL       extern "C" __global__
#define OPI_ABSENT       template <int> __global__ /* in place of OPI_KERNEL: not compiled now (gpu/program.c) */
#define OPI_WHOLE_KERNEL extern "C" __global__ __launch_bounds__(OPI_W)
#define OPI_RESIDENT_KERNEL extern "C" __global__ __launch_bounds__(OPI_W, OPI_RESIDENTS)
#define OPI_INCREMENT(place) atomicAdd(place, 1u)
#define OPI_ADD(place, value) atomicAdd(place, value)
#define OPI_RAISE(place, value) atomicMax(place, value)
#define OPI_FUNCTION     static __device__ __forceinline__
#define OPI_INLINED      OPI_FUNCTION
#define OPI_ROLLED       _Pragma("unroll 1")
#define OPI_RESTRICT     __restrict__
#define OPI_CALLED       static __device__ __noinline__
#define OPI_GLOBAL
#define OPI_CONSTANT     static __constant__ const
#define OPI_LOCAL
#define OPI_LOCAL_MEMORY __shared__
#define OPI_PARAM(name)  unsigned char *name##_memory, const unsigned long name##_at
#define OPI_AT(T, name)  ((T *)(name##_memory + name##_at))
#define OPI_GIVEN(name)  (name##_memory != 0)
#define OPI_BEYOND(p)    ((uint32_t)((unsigned long)(p) & 15))
#define OPI_ALIGNED(p)   (OPI_BEYOND(p) == 0)
#define OPI_SELF         ((uint32_t)threadIdx.x)
#define OPI_GROUP        ((uint64_t)blockIdx.x)
#define OPI_GROUPS       ((uint64_t)gridDim.x)
#define OPI_ANY(condition)          __any_sync(0xffffffffu, condition)
#define OPI_SHUFFLE(word, lane)     __shfl_sync(0xffffffffu, word, lane)
#define OPI_SHUFFLE_XOR(word, mask) __shfl_xor_sync(0xffffffffu, word, mask)
#define OPI_SHUFFLE_DOWN(word, by)  __shfl_down_sync(0xffffffffu, word, by)
#define OPI_BARRIER()    __syncthreads()
#define OPI_BARRIER_ALL() __syncthreads()
#define OPI_FENCE()      __threadfence()
/* The kernel of an early launch (opi_launch) begins so: it waits until the launches before it have ended. */
#if __CUDA_ARCH__ >= 900
#define OPI_AFTER_LAUNCHES() asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define OPI_AFTER_LAUNCHES()
#endif
#if __CUDA_ARCH__ >= 800
#define OPI_COPY_WORD(to, from)                                                                                        \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)   \
                 : "memory")
#define OPI_COPIES_END() asm volatile("cp.async.commit_group;" ::: "memory")
#define OPI_COPIES_WAIT(but) asm volatile("cp.async.wait_group %0;" ::"n"(but) : "memory")
#else
#define OPI_COPY_WORD(to, from) *(to) = *(from)
#define OPI_COPIES_END()
#define OPI_COPIES_WAIT(but)
#endif

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef uint4 opi_vector;
#define _Bool bool

#define OPI_F32_OF(bits) __uint_as_float((uint32_t)(bits))
#define OPI_F64_OF(bits) __longlong_as_double((long long)(bits))
#define OPI_BITS_OF_F32(x) __float_as_uint(x)
#define OPI_BITS_OF_F64(x) ((uint64_t)__double_as_longlong(x))

#define OPI_READ_CONSTANT(T, words) (*(const T *)(words))
#define OPI_QUIET_F32(x) if ((x) != (x)) x = OPI_F32_OF(0x7fc00000u);
#define OPI_QUIET_F64(x) if ((x) != (x)) x = OPI_F64_OF(0x7ff8000000000000ul);

/* The least and the greatest of two floats as the built-in operators define them: a NaN if there is one, and -0 < +0.
 * Zeros are in this order for the instruction, too.  That of doubles leaves out a NaN. */
#if __CUDA_ARCH__ >= 800
#define OPI_FLOAT_ORDER(name, instruction)                                                                             \
    OPI_FUNCTION float opi_float_##name(float a, float b)                                                              \
    {                                                                                                                  \
        float of_both;                                                                                                 \
        asm(instruction ".NaN.f32 %0, %1, %2;" : "=f"(of_both) : "f"(a), "f"(b));                                      \
        return of_both;                                                                                                \
    }                                                                                                                  \
    OPI_FUNCTION double opi_float_##name(double a, double b)                                                           \
    {                                                                                                                  \
        double of_both;                                                                                                \
        asm(instruction ".f64 %0, %1, %2;" : "=d"(of_both) : "d"(a), "d"(b));                                          \
        return a != a || b != b ? OPI_F64_OF(0x7ff8000000000000ul) : of_both;                                          \
    }
OPI_FLOAT_ORDER(min, "min")
OPI_FLOAT_ORDER(max, "max")
#define OPI_FLOAT_MIN(x, y) opi_float_min(x, y)
#define OPI_FLOAT_MAX(x, y) opi_float_max(x, y)
#define OPI_BODY_oplus_min_f32 { return OPI_FLOAT_MIN(a, b); }
#define OPI_BODY_oplus_max_f32 { return OPI_FLOAT_MAX(a, b); }
#define OPI_BODY_oplus_min_f64 { return OPI_FLOAT_MIN(a, b); }
#define OPI_BODY_oplus_max_f64 { return OPI_FLOAT_MAX(a, b); }
#endif

/* --- C's names, for the texts of users ---------------------------------------------------------------------------- */

#define INT8_MIN   ((int8_t)-128)
#define INT8_MAX   ((int8_t)127)
#define UINT8_MAX  ((uint8_t)255)
#define INT16_MIN  ((int16_t)-32768)
#define INT16_MAX  ((int16_t)32767)
#define UINT16_MAX ((uint16_t)65535)
#define INT32_MIN  (-2147483647 - 1)
#define INT32_MAX  2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN  (-9223372036854775807L - 1)
#define INT64_MAX  9223372036854775807L
#define UINT64_MAX 18446744073709551615ul
#define SCHAR_MIN  (-128)
#define SCHAR_MAX  127
#define UCHAR_MAX  255
#define SHRT_MIN   (-32768)
#define SHRT_MAX   32767
#define USHRT_MAX  65535
#define INT_MIN    INT32_MIN
#define INT_MAX    INT32_MAX
#define UINT_MAX   UINT32_MAX
#define LONG_MIN   INT64_MIN
#define LONG_MAX   INT64_MAX
#define ULONG_MAX  UINT64_MAX
#define INFINITY   OPI_F32_OF(0x7f800000u)
#define HUGE_VALF  INFINITY
#define HUGE_VAL   OPI_F64_OF(0x7ff0000000000000ul)
#define NAN        OPI_F32_OF(0x7fc00000u)
#define FLT_MAX     3.402823466e+38f
#define FLT_MIN     1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX     1.7976931348623158e+308
#define DBL_MIN     2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define M_PI        3.14159265358979323846
#define M_PI_2      1.57079632679489661923
#define M_PI_4      0.78539816339744830962
#define M_E         2.7182818284590452354
#define M_SQRT2     1.41421356237309504880
#define M_LN2       0.69314718055994530942

/* As in C, a function without f computes in double, and abs gives an int.  C++ would choose by the type of the
 * argument. */
OPI_FUNCTION int opi_abs(int x) { return x < 0 ? -x : x; }
#define abs(x) opi_abs(x)
#define sqrt(x) sqrt((double)(x))
#define fabs(x) fabs((double)(x))
#define floor(x) floor((double)(x))
#define ceil(x) ceil((double)(x))
#define trunc(x) trunc((double)(x))
#define round(x) round((double)(x))
#define rint(x) rint((double)(x))
#define exp(x) exp((double)(x))
#define exp2(x) exp2((double)(x))
#define log(x) log((double)(x))
#define log2(x) log2((double)(x))
#define log10(x) log10((double)(x))
#define sin(x) sin((double)(x))
#define cos(x) cos((double)(x))
#define tan(x) tan((double)(x))
#define asin(x) asin((double)(x))
#define acos(x) acos((double)(x))
#define atan(x) atan((double)(x))
#define sinh(x) sinh((double)(x))
#define cosh(x) cosh((double)(x))
#define tanh(x) tanh((double)(x))
#define cbrt(x) cbrt((double)(x))
#define expm1(x) expm1((double)(x))
#define log1p(x) log1p((double)(x))
#define erf(x) erf((double)(x))
#define asinh(x) asinh((double)(x))
#define acosh(x) acosh((double)(x))
#define atanh(x) atanh((double)(x))
#define erfc(x) erfc((double)(x))
#define tgamma(x) tgamma((double)(x))
#define lgamma(x) lgamma((double)(x))
#define fmod(x, y) fmod((double)(x), (double)(y))
#define pow(x, y) pow((double)(x), (double)(y))
#define atan2(x, y) atan2((double)(x), (double)(y))
#define hypot(x, y) hypot((double)(x), (double)(y))
#define copysign(x, y) copysign((double)(x), (double)(y))
#define fma(x, y, z) fma((double)(x), (double)(y), (double)(z))
#define ldexp(x, n) ldexp((double)(x), n)

/* --- the functions of texts: what generic.cl is made of (src/text); it comes behind this text if it is needed ----- */

#define OPI_GENERIC(R, f, s, parameters) OPI_FUNCTION R f parameters
#define OPI_FOR_SIGNED(X)             X(i8, int8_t) X(i16, int16_t) X(i32, int32_t) X(i64, int64_t) X(ll, long long)
#define OPI_FOR_UNSIGNED(X)                                                                                            \
    X(u8, uint8_t) X(u16, uint16_t) X(u32, uint32_t) X(u64, uint64_t) X(ull, unsigned long long)
#define OPI_CALL_F32(f, x, y)         opi_g_##f((float)(x), (float)(y))
#define OPI_CALL_F64(f, x, y)         opi_g_##f((double)(x), (double)(y))
#define OPI_CALL_1(f, x)              opi_g_##f(x)
#define OPI_CALL_2(f, x, y)           opi_mixed_##f(x, y)
#define OPI_CALL_REAL_1(f, x)         opi_g_##f(opi_real(x))
#define OPI_CALL_REAL_2(f, x, y)      opi_g_##f(OPI_AS((x) + (y), x), OPI_AS((x) + (y), y))
#define OPI_CALL_REAL_3(f, x, y, z)                                                                                    \
    opi_g_##f(OPI_AS((x) + (y) + (z), x), OPI_AS((x) + (y) + (z), y), OPI_AS((x) + (y) + (z), z))
#define OPI_CALL_LDEXP(f, x, n)       opi_g_##f(opi_real(x), n)
#define OPI_AS(like, x)               ((decltype(opi_real(like)))(x)) /* in one step: -3 must not become unsigned first */

#define OPI_REAL(s, T) OPI_GENERIC(double, opi_real, s, (T x)) { return (double)x; }
OPI_GENERIC(float, opi_real, f32, (float x)) { return x; }
OPI_GENERIC(double, opi_real, f64, (double x)) { return x; }
OPI_FOR_SIGNED(OPI_REAL)
OPI_FOR_UNSIGNED(OPI_REAL)

/* min and max of two types: the result has the type to which C converts both. */
template <class A, class B> struct opi_common { typedef decltype(A() + B()) type; };
template <class A> struct opi_common<A, A> { typedef A type; };
#define OPI_MIXED_2(f)                                                                                                 \
    template <class A, class B> OPI_FUNCTION auto opi_mixed_##f(A x, B y)                                              \
    {                                                                                                                  \
        typedef typename opi_common<A, B>::type opi_joined;                                                                 \
        return opi_g_##f((opi_joined)x, (opi_joined)y);                                                                          \
    }
#define OPI_MIXED_TYPES OPI_MIXED_2(min) OPI_MIXED_2(max)
