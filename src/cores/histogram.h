/* Counts the elements of each bin: each thread counts those of a part of the array, and the counts are added up. */
#ifndef OPI_HISTOGRAM_H
#define OPI_HISTOGRAM_H

#include "cores/cores.h"

oplus_status opi_histogram_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_histogram_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
