/* Several accelerators have one order: what a call enqueues begins after all that earlier calls have enqueued. */
#ifndef OPI_GPUS_ORDER_H
#define OPI_GPUS_ORDER_H

#include "gpus/gpus.h"

static inline unsigned opi_gpus_only(unsigned worker) { return 1u << worker; }
static inline unsigned opi_gpus_everyone(const opi_gpus *g) { return (1u << g->count) - 1; }

/* To be called before work is enqueued on the workers in `set`, a bit for each: it begins after all work so far. */
oplus_status opi_gpus_begin(opi_gpus *g, const char *call, unsigned set);
/* Says that any worker may have got work of its own (to make it ready) since the last call of these functions. */
void opi_gpus_all_are_busy(opi_gpus *g);
/* Both, for all workers. */
oplus_status opi_gpus_begin_all(opi_gpus *g, const char *call);
/* Makes the workers that have work wait for each other, so that each may be given more that needs what all have done. */
oplus_status opi_gpus_join(opi_gpus *g, const char *call);
/* Makes one worker wait for all others, so that it may be given more that needs what all have done.  Who comes later waits for
 * that worker alone. */
oplus_status opi_gpus_gather(opi_gpus *g, const char *call, unsigned worker);
/* Says that the host has waited for all work, so that nothing need wait for it. */
static inline void opi_gpus_idle(opi_gpus *g) { g->busy = 0; }
/* A number that grows with all that is enqueued on the workers. */
uint64_t opi_gpus_enqueued(const opi_gpus *g);
/* Waits on the host for what the workers compute, and takes no fault away that a later call is to tell. */
void opi_gpus_wait(opi_gpus *g, const char *call);
/* Looks at all workers by `of`; the first failure counts, in the words of the worker that has it. */
oplus_status opi_gpus_faults(const opi_gpus *g, const char *call,
                             oplus_status (*of)(opi_accelerator *g, const char *call));
/* Waits on the host for all workers; the first failure counts, in the words of the worker that has it. */
oplus_status opi_gpus_sync(opi_gpus *g, const char *call);

#endif
