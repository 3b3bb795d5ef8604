/* A device that breaks: of what a call asks of it (tasks, summaries, memory, copies) the step of that number fails.
 * For calls over ranks, in which a rank that fails must not leave the others waiting. */
#ifndef TEST_BROKEN_H
#define TEST_BROKEN_H

#include "support/team.h"

/* Of this thread one at a time; step: from 0. */
void break_device(oplus_device *dev, size_t step);
/* Whole again. */
void mend_device(oplus_device *dev);

/* Whatever breaks on the bad rank, all of them return, and then it works again: step by step, until none is left to
 * break.  body does what `tried` says with a device that breaks at *step on that rank, and what `whole` says with one
 * that does not. */
bool break_each_step(oplus_device *dev, const oplus_comm *comm, rank_body body, const void *tried, size_t *step,
                     const void *whole, int bad, finding *f);
/* Whether there were so many at least. */
bool steps_were(size_t steps, size_t least, finding *f);

#endif
