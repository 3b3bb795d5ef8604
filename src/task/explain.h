/* A task in words, in place of being done: oplus_explain. */
#ifndef OPI_TASK_EXPLAIN_H
#define OPI_TASK_EXPLAIN_H

#include "task/machine.h"

/* What is asked, and then what the machine says of it, into dev->explained. */
oplus_status opi_explain_task(oplus_device *dev, const char *call, const opi_task *task);

/* Bytes that a task reads and writes in memory. */
double opi_task_bytes(const opi_task *task);

/* A line of a table of ways: "  > tiles      three launches: ..." */
void opi_say_way(opi_saying *to, bool taken, const char *name, const char *words);

#endif
