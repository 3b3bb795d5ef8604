/* Timing: all contenders of a problem in turn, round after round. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench.h"

enum { BENCH_MAX_ROUNDS = 101, BENCH_MAX_RESULTS = 32 };

typedef struct bench_result {
    const bench_contender *contender;
    double median, best; /* seconds a call */
    int samples;         /* 1: far behind after the warm-up, and left out of the rounds */
    bool wrong;          /* its result differs from the plain loop's */
    double time[BENCH_MAX_ROUNDS];
} bench_result;

typedef struct bench_results {
    size_t count;
    double bytes; /* of the problem */
    bench_result of[BENCH_MAX_RESULTS];
} bench_results;

typedef struct bench_plan {
    int rounds;
    double batch; /* seconds: a call that is shorter is repeated */
    bool peers;   /* or only ourselves, the loop and the limit */
} bench_plan;

/* Measures every contender of problem's primitive and type, with problem->threads threads. */
void bench_measure(bench_problem *problem, const bench_plan *plan, bench_results *results);

/* The fastest right one of a role; of sorts, those with (unstable: without) a stable result, or any; NULL if none. */
typedef enum bench_class { BENCH_CLASS_ANY, BENCH_CLASS_STABLE, BENCH_CLASS_UNSTABLE } bench_class;
const bench_result *bench_best(const bench_results *results, bench_role role, bench_class class);

double bench_now(void); /* seconds */

#endif
