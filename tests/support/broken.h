/* A device that breaks: of what a call asks of it - sweeps, transposes, memory, copies - the step of that number fails.
 * For calls over ranks, in which a rank that fails must not leave the others waiting. */
#ifndef TEST_BROKEN_H
#define TEST_BROKEN_H

#include <oplus/oplus.h>

/* Of this thread one at a time; step: from 0. */
void break_device(oplus_device *dev, size_t step);
/* Whole again. */
void mend_device(oplus_device *dev);

#endif
