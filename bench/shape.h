/* The shape of a problem's data: what the speed of some primitives depends on besides n. */
#ifndef BENCH_SHAPE_H
#define BENCH_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/* How keys lie before they are sorted.  X(id, name) */
#define BENCH_PATTERNS(X)                                                                                              \
    X(RANDOM, "random")                                                                                                \
    X(SORTED, "sorted")                                                                                                \
    X(REVERSED, "reversed")                                                                                            \
    X(EQUAL, "equal")   /* all keys are the same one */                                                                \
    X(FEW, "few")       /* 16 different keys */                                                                        \
    X(PIPE, "pipe")     /* an organ pipe: rising to the middle, then falling */                                        \
    X(NEARLY, "nearly") /* sorted, but one key of a hundred is a random one */                                         \
    X(POWER, "power")   /* a power law: one key of sqrt(k) is the k-th smallest or larger */

typedef enum bench_pattern {
#define BENCH_PATTERN_ID(id, name) BENCH_PATTERN_##id,
    BENCH_PATTERNS(BENCH_PATTERN_ID)
#undef BENCH_PATTERN_ID
        BENCH_PATTERN_COUNT
} bench_pattern;

/* Lengths of segments that are no mean; 0: segments begin at heads, as those of a segmented scan. */
#define BENCH_LENGTHS_POWER (-1.0) /* one of sqrt(k) segments has k elements or more, up to 1000 */
#define BENCH_LENGTHS_EMPTY (-2.0) /* all segments are empty */
#define BENCH_LENGTHS_MIXED (-3.0) /* one of a thousand has 10000 elements, half of all; the others 0 to 20 */

/* Zero: the usual data. */
typedef struct bench_shape {
    bench_pattern pattern; /* of a sort */
    double length;         /* of a segmented reduce: elements of a segment, on average */
    size_t rows, cols;     /* of a matrix; 0: the largest square that n allows */
} bench_shape;

enum { BENCH_SHAPE_TEXT = sizeof((bench_problem *)0)->shape };

const char *bench_pattern_name(bench_pattern pattern);
/* What differs from the usual data, in few words: "sorted", "segments of 10", "3 x 1000"; "" if nothing does. */
void bench_shape_print(char text[BENCH_SHAPE_TEXT], bench_primitive primitive, const bench_shape *shape);

/* Fills mem with n keys; state: of the random numbers (random.h). */
void bench_fill_keys(void *mem, bench_type type, size_t n, bench_pattern pattern, uint64_t *state);

/* The mean of the lengths that bench_random_length draws. */
double bench_mean_length(double length);
/* The length of a segment: 0 to twice the mean, if that is below 1 mostly 0, or by a law (BENCH_LENGTHS_...). */
size_t bench_random_length(double length, uint64_t *state);

#endif
