/* Cliffs: shapes of a problem on which an implementation made for large n may be slow.  Each is compared with the
 * plain loop that a C programmer would write for it, on one thread. */
#ifndef BENCH_CLIFFS_H
#define BENCH_CLIFFS_H

#include <stdio.h>

#include <oplus/oplus.h>

#include "bench.h"

enum { BENCH_CLIFF_INPUTS = 8 };

typedef struct bench_cliff_data {
    oplus_device *dev;
    size_t n, rows, cols, segments;
    const void *in[BENCH_CLIFF_INPUTS];
    const uint8_t *heads;
    const size_t *offsets;
    void *out;
    size_t kept;
} bench_cliff_data;

/* What a scalar inside an element is, so that its data can be made. */
typedef enum bench_cliff_member {
    BENCH_CLIFF_BYTES,
    BENCH_CLIFF_F32,
    BENCH_CLIFF_F64,
    BENCH_CLIFF_I64
} bench_cliff_member;

/* A primitive on a type, by oplus and by a loop; a table of them ends where ours is NULL. */
typedef struct bench_cliff {
    bench_primitive primitive;
    const char *type; /* "u32", "struct of 12" */
    size_t size;
    bench_cliff_member member;
    bool maps; /* elements are affine maps (a, b): a is 1 or -1 */
    void (*ours)(bench_cliff_data *), (*loop)(bench_cliff_data *);
} bench_cliff;

/* Measures the cliffs of the chosen primitives (an array of BENCH_PRIMITIVE_COUNT) and prints a table in Markdown.
 * False: some result of oplus was not equal to the loop's. */
bool bench_cliffs(FILE *file, const bool *chosen, int rounds, bool quick);

#endif
