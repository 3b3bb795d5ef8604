/* Argmin and argmax along an axis, on the cores. */
#ifndef OPI_CORES_EXTREME_AXIS_H
#define OPI_CORES_EXTREME_AXIS_H

#include "cores/cores.h"

oplus_status opi_extreme_axis_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_extreme_axis_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
