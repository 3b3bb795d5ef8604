/* What is printed: the machine, one line a case, and everything as CSV. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "log.h"

void bench_print_about(FILE *file, const bench_log *log);
void bench_print_head(FILE *file);
void bench_print_case(FILE *file, const bench_case *measured, bool all);
void bench_log_print_csv(FILE *file, const void *log);

#endif
