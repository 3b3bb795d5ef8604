/* Threads that read and write text: as many as compute, so that `serial` is one thread altogether. */
#ifndef TOOL_THREADS_H
#define TOOL_THREADS_H

#include <oplus/oplus.h>

/* 1 until set: as many as that device has; beside an accelerator, all that OpenMP may use. */
void tool_threads_as(const oplus_device *dev);
void tool_threads_set(int n);
/* As set, or fewer where threads cannot start. */
int tool_threads(void);

/* Does items 0 to n - 1, each once, on so many threads, of which the caller is one; begins them in order, and returns
 * when all are done.  Threads that are late take none.  Not from inside an item. */
void tool_threads_run(void (*item)(void *of, size_t i), void *of, size_t n);

#endif
