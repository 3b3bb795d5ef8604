/* What is printed: the machine, one line for each case, and everything as CSV. devices: the table has rows of
 * accelerators; then the times of their calls replace the column of the plain loop. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "log.h"

void bench_print_about(FILE *file, const bench_log *log);
void bench_print_head(FILE *file, bool devices);
void bench_print_case(FILE *file, const bench_case *measured, bool all, bool devices);
/* "2 threads", "cuda:0", "cuda:0, host's arrays"; into size characters of text. */
void bench_case_where(const bench_case *measured, char *text, size_t size);
void bench_log_print_csv(FILE *file, const void *log);

#endif
