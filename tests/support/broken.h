/* A device that breaks: of everything that a call asks of it (tasks, summaries, memory, copies), the step with a chosen
 * number fails.  For calls over ranks: a rank that fails must not leave the others waiting. */
#ifndef TEST_BROKEN_H
#define TEST_BROKEN_H

#include "support/team.h"

/* Breaks this thread's device; one at a time.  step: counted from 0. */
void break_device(oplus_device *dev, size_t step);
/* Mends the device. */
void mend_device(oplus_device *dev);

/* Whatever breaks on the bad rank, all ranks return, and afterwards calls work again.  This is tried step by step,
 * until no step is left to break.  body does what `tried` says with a device that breaks at *step on the bad rank, and
 * what `whole` says with a device that does not break. */
bool break_each_step(oplus_device *dev, const oplus_comm *comm, rank_body body, const void *tried, size_t *step,
                     const void *whole, int bad, finding *f);
/* Checks that there were at least so many steps. */
bool steps_were(size_t steps, size_t least, finding *f);

#endif
