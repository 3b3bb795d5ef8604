/* The options of the benchmark. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "lists.h"
#include "measure.h"

/* Where a device's arrays may be. */
enum { BENCH_ARRAYS_THERE, BENCH_ARRAYS_HERE, BENCH_ARRAY_PLACES };

typedef struct bench_options {
    bool primitive[BENCH_PRIMITIVE_COUNT], type[BENCH_TYPE_COUNT], pattern[BENCH_PATTERN_COUNT];
    size_t n[BENCH_MAX_LIST], n_count;
    int threads[BENCH_MAX_LIST];
    size_t threads_count;
    int company[BENCH_MAX_LIST]; /* numbers of busy processes */
    size_t company_count;
    bench_shape shape[BENCH_MAX_LIST]; /* of transposes */
    size_t shape_count;
    bench_shape segments[BENCH_MAX_LIST]; /* of segmented reduces */
    size_t segments_count;
    const char *device[BENCH_MAX_LIST];
    size_t device_count;
    bool place[BENCH_ARRAY_PLACES]; /* for a device's arrays */
    bench_plan plan;
    const char *csv, *json, *plot, *from, *peers;
    bool goals, latency, cliffs, pauses, quick, huge, all, no_peers, help;
    bool n_given, threads_given, type_given, pattern_given, rounds_given, place_given;
} bench_options;

/* Are cores measured?  They are, unless only devices are asked for. */
bool bench_options_cores(const bench_options *options);

/* Reads the command line, or ends the command: --help with code 0, a mistake with a message.  It also checks that
 * outputs can be written. */
void bench_options_parse(bench_options *options, int argc, char **argv);

#endif
