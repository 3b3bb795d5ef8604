/* The floating-point mode that equal bits need: round to nearest, denormals kept.  A caller's program may have set
 * another (fast-math start-up code sets flush-to-zero); calls and workers that compute save it, set this, restore. */
#ifndef OPI_FPENV_H
#define OPI_FPENV_H

#if defined(__SSE__)
#include <xmmintrin.h>

typedef unsigned opi_fpenv;

enum { OPI_MXCSR_DEFAULT = 0x1f80, OPI_MXCSR_FLAGS = 0x3f };

static inline opi_fpenv opi_fpenv_enter(void)
{
    const opi_fpenv mode = _mm_getcsr();
    if ((mode & ~(unsigned)OPI_MXCSR_FLAGS) != OPI_MXCSR_DEFAULT)
        _mm_setcsr(OPI_MXCSR_DEFAULT | (mode & OPI_MXCSR_FLAGS));
    return mode;
}

static inline void opi_fpenv_leave(opi_fpenv mode)
{
    if ((mode & ~(unsigned)OPI_MXCSR_FLAGS) != OPI_MXCSR_DEFAULT)
        _mm_setcsr((mode & ~(unsigned)OPI_MXCSR_FLAGS) | (_mm_getcsr() & OPI_MXCSR_FLAGS));
}

#elif defined(__aarch64__)

typedef unsigned long opi_fpenv;

static inline opi_fpenv opi_fpenv_enter(void)
{
    opi_fpenv mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    if (mode != 0) __asm__ volatile("msr fpcr, %0" : : "r"(0ul));
    return mode;
}

static inline void opi_fpenv_leave(opi_fpenv mode)
{
    if (mode != 0) __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}

#else
#include <fenv.h>

typedef int opi_fpenv;

static inline opi_fpenv opi_fpenv_enter(void)
{
    const opi_fpenv mode = fegetround();
    if (mode != FE_TONEAREST) fesetround(FE_TONEAREST);
    return mode;
}

static inline void opi_fpenv_leave(opi_fpenv mode)
{
    if (mode != FE_TONEAREST) fesetround(mode);
}

#endif
#endif
