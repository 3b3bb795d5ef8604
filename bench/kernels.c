#include "kernels.h"

#include <string.h>

#include <oplus/oplus.h>

#include "cliffs.h"
#include "die.h"

/* --- what was compiled: BENCH_HAVE_ISA from CMake, least first ---------------------------------------------------- */

#define DECLARE(isa)                                                                                                   \
    extern const bench_contender bench_limits_##isa[], bench_ours_##isa[], bench_loops_##isa[];                        \
    extern const struct bench_cliff bench_cliffs_##isa[]
#define TWIN(isa)                                                                                                      \
    {                                                                                                                  \
#isa, bench_limits_##isa, bench_ours_##isa, bench_loops_##isa, bench_cliffs_##isa                              \
    }

#ifdef BENCH_HAVE_native
DECLARE(native);
#endif
#ifdef BENCH_HAVE_baseline
DECLARE(baseline);
#endif
#ifdef BENCH_HAVE_neon
DECLARE(neon);
#endif
#ifdef BENCH_HAVE_avx2
DECLARE(avx2);
#endif
#ifdef BENCH_HAVE_avx512
DECLARE(avx512);
#endif

static const bench_kernels twins[] = {
#ifdef BENCH_HAVE_native
    TWIN(native),
#endif
#ifdef BENCH_HAVE_baseline
    TWIN(baseline),
#endif
#ifdef BENCH_HAVE_neon
    TWIN(neon),
#endif
#ifdef BENCH_HAVE_avx2
    TWIN(avx2),
#endif
#ifdef BENCH_HAVE_avx512
    TWIN(avx512),
#endif
};

/* The library has already examined the processor: the names of its devices end in the name of an instruction set. */
const bench_kernels *bench_kernels_here(void)
{
    const size_t count = sizeof twins / sizeof *twins;
    oplus_device *dev;
    if (count == 1) return twins;
    if (oplus_open("serial", &dev) != OPLUS_OK) tool_die(TOOL_NO_DEVICE, "%s", oplus_last_error());
    const char *isa = strrchr(oplus_device_name(dev), ' ');
    const bench_kernels *best = twins;
    for (size_t i = 0; isa && i < count; i++)
        if (strcmp(isa + 1, twins[i].isa) == 0) best = &twins[i];
    oplus_close(dev);
    return best;
}

#ifdef __clang__
#define COMPILER "" /* the version string names it */
#else
#define COMPILER "gcc "
#endif

const char *bench_kernels_built(void) { return COMPILER __VERSION__ " " BENCH_FLAGS; }
