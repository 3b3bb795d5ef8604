/* Timing: all contenders of a problem in turn, round after round. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench.h"
#include "peers.h"

enum { BENCH_MAX_ROUNDS = 101 };

/* What one contender did. */
typedef struct bench_result {
    const char *name, *peer; /* peer: the title of its module, or NULL */
    bench_role role;
    bool stable;         /* for a sort: equal keys stay in order */
    bool right;          /* its result is the plain loop's, bit for bit */
    int samples;         /* 1: far behind after the warm-up, and left out of the rounds */
    double median, best; /* seconds a call */
    double waited;       /* median seconds of a call with a wait; 0 on cores, where every call waits */
    double bytes;        /* bytes for its rate, if not the case's; else 0 */
    double *time;        /* of each sample, in ascending order */
} bench_result;

/* A problem that has been measured; the names' memory lives elsewhere. */
typedef struct bench_case {
    bench_primitive primitive;
    bench_type type;
    size_t n;
    char shape[48];     /* as the problem's */
    int threads;        /* of cores; 0 for an accelerator, */
    const char *device; /* whose name this is: "cuda:0"; else NULL */
    bool across;        /* its arrays are in the host's memory */
    double bytes;
    size_t count;
    bench_result *of;
} bench_case;

typedef struct bench_plan {
    int rounds;
    double batch;             /* seconds: a call that is shorter is repeated */
    double settle;            /* seconds between contenders on several threads */
    const bench_peers *peers; /* NULL: only oplus, the loop and the limit */
} bench_plan;

/* Measures every contender of problem's primitive, type and place, with problem->threads threads; where: the name of
 * the accelerator, or NULL. */
bench_case bench_measure(bench_problem *problem, const bench_plan *plan, const char *where);
void bench_case_free(bench_case *measured);

/* The fastest right contender of a role; for sorts, of the stable ones, the unstable ones, or all; NULL if there is
 * none. */
typedef enum bench_class { BENCH_CLASS_ANY, BENCH_CLASS_STABLE, BENCH_CLASS_UNSTABLE } bench_class;
const bench_result *bench_best(const bench_case *measured, bench_role role, bench_class class);

/* GB/s of a result, 0 for NULL; and GB/s of the fastest limit: a problem that only reads is compared with reads, if
 * there are any. */
double bench_rate(const bench_case *measured, const bench_result *result);
double bench_limit(const bench_case *measured);

#endif
