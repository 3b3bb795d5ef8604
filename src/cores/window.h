/* Windows on the cores (task/window.h). */
#ifndef OPI_CORES_WINDOW_H
#define OPI_CORES_WINDOW_H

#include "cores/cores.h"

oplus_status opi_window_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_window_explain(opi_cores *cores, const opi_task *task, opi_saying *to);

#endif
