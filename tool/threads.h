/* Threads that read and write text: as many as compute, so that `serial` is one thread altogether. */
#ifndef TOOL_THREADS_H
#define TOOL_THREADS_H

#include <oplus/oplus.h>

/* Sets the number of threads, which is 1 before, to that of the device; for an accelerator, to all that OpenMP may
 * use. */
void tool_threads_as(const oplus_device *dev);
void tool_threads_set(int n);
/* The number that is set, or fewer if threads cannot start. */
int tool_threads(void);

/* Does items 0 to n - 1, each once, on up to tool_threads() threads, the caller included; items begin in order, and
 * the call returns when all are done.  A thread that comes late gets no item.  Must not be called inside an item. */
void tool_threads_run(void (*item)(void *of, size_t i), void *of, size_t n);

#endif
