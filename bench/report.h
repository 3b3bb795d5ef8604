/* What is printed: the machine, one line a case, and everything as CSV. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "measure.h"

void bench_print_machine(FILE *file, int argc, char **argv);
void bench_print_head(FILE *file);
void bench_print_case(FILE *file, const bench_problem *problem, const bench_results *results, bool all);
void bench_csv_head(FILE *csv);
void bench_csv_case(FILE *csv, const bench_problem *problem, const bench_results *results);

/* GB/s of a result, 0 of none. */
double bench_rate(const bench_results *results, const bench_result *result);

#endif
