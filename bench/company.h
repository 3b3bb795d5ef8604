/* What calls on threads cost beside one thread: in company, and after pauses. */
#ifndef BENCH_COMPANY_H
#define BENCH_COMPANY_H

#include <stdio.h>

#include "options.h"

/* Prints what a call costs on one thread and on each number of threads, beside so many busy processes. */
void bench_company(FILE *file, const bench_options *options);
/* Prints how many times as fast as one thread each number of threads is: calls in a row, and after pauses. */
void bench_pauses(FILE *file, const bench_options *options);

#endif
