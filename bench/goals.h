/* The figures to beat, row by row: which case, which peers, by how much. */
#ifndef BENCH_GOALS_H
#define BENCH_GOALS_H

#include <stdio.h>

#include "device.h"
#include "log.h"
#include "options.h"

/* Measures the goals of the chosen primitives (quick: on a sixteenth of the data) and prints them as a Markdown table. */
void bench_goals(FILE *file, bench_log *log, const bench_options *options);

/* The same for an accelerator (quick: on 2^20 elements at most). */
void bench_device_goals(FILE *file, bench_log *log, const bench_accelerator *accelerator, const bench_options *options);

/* Measures what a call of the chosen primitives costs on a few elements, beside the plain loop; threads: of the device. */
void bench_latency(FILE *file, bench_log *log, const bench_options *options, int threads);

/* Opens the device that has so many threads, or ends the command. */
struct oplus_device *bench_device(int threads);

#endif
