/* How many threads read and write text: as many as compute, so that `serial` is one thread altogether. */
#ifndef TOOL_THREADS_H
#define TOOL_THREADS_H

#include <oplus/oplus.h>

#include <stdbool.h>

/* 1 until set: as many as that device has; beside an accelerator, all that OpenMP may use. */
void tool_threads_as(const oplus_device *dev);
void tool_threads_set(int n);
/* As set, or fewer where threads cannot start. */
int tool_threads(void);

#endif
