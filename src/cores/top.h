/* The k first keys in an order. */
#ifndef OPI_CORES_TOP_H
#define OPI_CORES_TOP_H

#include "cores/cores.h"

oplus_status opi_top_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_top_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
