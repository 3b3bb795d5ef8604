/* The contenders that come with the benchmark, and the instruction set they were compiled for. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "bench.h"

/* Loops at the speed of the machine need its instruction set, and a packaged program is compiled for all machines: the
 * files limits.c, loops.c, ours.c and cliff_loops.c are compiled once for each set that the library distinguishes. */
typedef struct bench_kernels {
    const char *isa;
    const bench_contender *limits, *ours, *loops; /* each ends where run is NULL */
    const struct bench_cliff *cliffs;             /* see cliffs.h */
} bench_kernels;

/* Those for the set that the library uses on this machine (OPLUS_ISA tells it another). */
const bench_kernels *bench_kernels_here(void);

/* Compiler and flags, for the report. */
const char *bench_kernels_built(void);

/* How limits.c, loops.c, ours.c and cliff_loops.c name their tables. */
#define BENCH_TWIN_(table, isa) bench_##table##_##isa
#define BENCH_TWIN(table, isa)  BENCH_TWIN_(table, isa)

#endif
