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

/* Those for the set that the library uses on this machine (OPLUS_ISA selects another one). */
const bench_kernels *bench_kernels_here(void);

/* Compiler and flags, for the report. */
const char *bench_kernels_built(void);

/* X(type id, suffix, C type, type in which sums wrap around) */
#define BENCH_FOR_NUMBERS(X)                                                                                           \
    X(F32, f32, float, float)                                                                                          \
    X(F64, f64, double, double)                                                                                        \
    X(I32, i32, int32_t, uint32_t)                                                                                     \
    X(I64, i64, int64_t, uint64_t)                                                                                     \
    X(U32, u32, uint32_t, uint32_t)                                                                                    \
    X(U64, u64, uint64_t, uint64_t)

/* The same for types that are only transposed: no sums. */
#define BENCH_FOR_MOVED(X)                                                                                             \
    X(AFFINE, affine, bench_affine, )                                                                                  \
    X(AFFINE64, affine64, bench_affine64, )                                                                            \
    X(U8, u8, uint8_t, )                                                                                               \
    X(U16, u16, uint16_t, )                                                                                            \
    X(TRIPLE, triple, bench_triple, )                                                                                  \
    X(PIXEL, pixel, bench_pixel, )                                                                                     \
    X(POINT, point, bench_point, )

/* How limits.c, loops.c, ours.c and cliff_loops.c name their tables. */
#define BENCH_TWIN_(table, isa) bench_##table##_##isa
#define BENCH_TWIN(table, isa)  BENCH_TWIN_(table, isa)

#endif
