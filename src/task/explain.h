/* Explaining a task in words, and not doing it: oplus_explain. */
#ifndef OPI_TASK_EXPLAIN_H
#define OPI_TASK_EXPLAIN_H

#include "task/machine.h"

/* Writes the task in words, and then what the machine says about it, to dev->explained. */
oplus_status opi_explain_task(oplus_device *dev, const char *call, const opi_task *task);

/* How many bytes of memory a task reads and writes. */
double opi_task_bytes(const opi_task *task);

/* Writes a line of a table of ways: "  > tiles      three launches: ...", with > if the way is taken. */
void opi_say_way(opi_saying *to, bool taken, const char *name, const char *words);

#endif
