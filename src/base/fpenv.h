/* The floating-point mode that equal bits need: round to nearest, denormals kept, no traps.  A caller's program may
 * have set another (fast-math start-up code sets flush-to-zero, feenableexcept traps).  Every public call that
 * computes, compiles or asks a driver begins with OPI_OWN_MODE, which saves the caller's mode, sets this one, and
 * restores the caller's at each return; threads of a driver that are born in the call inherit this mode.  Workers do
 * the same. */
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

/* Restores a mode.  Reads the present mode first, as a library that was opened meanwhile may have set its own. */
static inline void opi_fpenv_leave(opi_fpenv mode)
{
    const unsigned now = _mm_getcsr();
    if (((mode ^ now) & ~(unsigned)OPI_MXCSR_FLAGS) != 0)
        _mm_setcsr((mode & ~(unsigned)OPI_MXCSR_FLAGS) | (now & OPI_MXCSR_FLAGS));
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
    opi_fpenv now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    if (mode != now) __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}

#else
#include <fenv.h>

typedef fenv_t opi_fpenv;

static inline opi_fpenv opi_fpenv_enter(void)
{
    opi_fpenv mode;
    feholdexcept(&mode); /* no traps */
    fesetround(FE_TONEAREST);
    return mode;
}

static inline void opi_fpenv_leave(opi_fpenv mode) { fesetenv(&mode); }

#endif

static inline void opi_fpenv_restore(const opi_fpenv *mode) { opi_fpenv_leave(*mode); }

#define OPI_OWN_MODE                                                                                                   \
    const opi_fpenv callers_mode __attribute__((cleanup(opi_fpenv_restore), unused)) = opi_fpenv_enter()

#endif
