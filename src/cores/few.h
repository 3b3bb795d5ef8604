/* Calls of few elements. */
#ifndef OPI_FEW_H
#define OPI_FEW_H

#include "cores/cores.h"

/* Does a map, a filter, a reduce or a scan of few elements that nothing precedes, on the caller's thread and with the
 * stack's memory: nothing is cut into blocks, nothing is carried, and a call of one element takes a quarter less than
 * with a sweep.  The leaves are those of a sweep, and so are the bits.  False: the task is none of these, and nothing
 * was done. */
bool opi_few_run(const opi_cores *cores, const opi_task *task);

#endif
