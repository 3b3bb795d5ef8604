#include "gpus/order.h"

#include "base/error.h"

#include <stdio.h>

/* --- waiting on the devices --------------------------------------------------------------------------------------- */

/* Makes the later work of the workers in `set` wait for all work of one worker so far. */
static oplus_status follow(opi_gpus *g, const char *call, unsigned set, opi_gpu *earlier)
{
    void *mark = NULL;
    OPI_TRY(opi_enter(earlier, call));
    oplus_status status = earlier->driver->mark(earlier, call, OPI_QUEUE_COMPUTE, &mark);
    for (unsigned w = 0; w < g->count && status == OPLUS_OK; w++) {
        opi_gpu *const later = opi_gpu_driver_of(g->worker[w]);
        if (later == earlier || !(set >> w & 1)) continue;
        status = opi_enter(later, call);
        if (status == OPLUS_OK)
            status = opi_leave(later, call, later->driver->after(later, call, OPI_QUEUE_COMPUTE, mark));
    }
    earlier->driver->drop(earlier, mark);
    return opi_leave(earlier, call, status);
}

static oplus_status wait_for_all(opi_gpus *g, const char *call, unsigned set)
{
    for (unsigned w = 0; w < g->count; w++) {
        opi_gpu *const gpu = opi_gpu_driver_of(g->worker[w]);
        const unsigned only = opi_gpus_only(w);
        if (gpu && (g->busy & only) && (set & ~only)) OPI_TRY(follow(g, call, set, gpu));
    }
    return OPLUS_OK;
}

oplus_status opi_gpus_begin(opi_gpus *g, const char *call, unsigned set)
{
    const bool ready = g->joined && (set & ~g->busy) == 0;
    if (!ready) {
        const oplus_status status = wait_for_all(g, call, set);
        if (status != OPLUS_OK) {
            g->busy |= set;
            g->joined = false;
            return status;
        }
    }
    g->busy = set;
    g->joined = false;
    return OPLUS_OK;
}

oplus_status opi_gpus_begin_all(opi_gpus *g, const char *call)
{
    g->busy = opi_gpus_everyone(g);
    g->joined = false;
    return opi_gpus_begin(g, call, g->busy);
}

oplus_status opi_gpus_join(opi_gpus *g, const char *call)
{
    if (g->joined) return OPLUS_OK;
    OPI_TRY(wait_for_all(g, call, g->busy));
    g->joined = true;
    return OPLUS_OK;
}

uint64_t opi_gpus_enqueued(const opi_gpus *g)
{
    uint64_t sum = 0;
    for (unsigned w = 0; w < g->count; w++)
        if (opi_gpu_driver_of(g->worker[w])) sum += ((const opi_accelerator *)g->worker[w])->enqueued;
    return sum;
}

/* --- waiting on the host ------------------------------------------------------------------------------------------ */

oplus_status opi_gpus_faults(const opi_gpus *g, const char *call,
                             oplus_status (*of)(opi_accelerator *g, const char *call))
{
    char words[OPI_FAILURE_BYTES] = "";
    oplus_status first = OPLUS_OK;
    for (unsigned w = 0; w < g->count; w++) {
        if (!opi_gpu_driver_of(g->worker[w])) continue;
        const oplus_status status = of((opi_accelerator *)g->worker[w], call);
        if (status == OPLUS_OK || first != OPLUS_OK) continue;
        first = status;
        snprintf(words, sizeof words, "%s", opi_last_error());
    }
    return first == OPLUS_OK ? OPLUS_OK : opi_fail(first, "%s", words);
}

oplus_status opi_gpus_sync(opi_gpus *g, const char *call)
{
    char words[OPI_FAILURE_BYTES] = "";
    oplus_status first = OPLUS_OK;
    for (unsigned w = 0; w < g->count; w++) {
        const oplus_status status = g->worker[w]->machine->sync(g->worker[w], call);
        if (status == OPLUS_OK || first != OPLUS_OK) continue;
        first = status;
        snprintf(words, sizeof words, "%s", opi_last_error());
    }
    if (first != OPLUS_OK) return opi_fail(first, "%s", words);
    opi_gpus_idle(g);
    return OPLUS_OK;
}

void opi_gpus_wait(opi_gpus *g, const char *call)
{
    for (unsigned w = 0; w < g->count; w++) {
        opi_gpu *const gpu = opi_gpu_driver_of(g->worker[w]);
        if (!gpu || opi_enter(gpu, call) != OPLUS_OK) continue; /* cores have nothing enqueued */
        gpu->driver->sync(gpu, call, OPI_QUEUE_COMPUTE);
        opi_leave(gpu, call, OPLUS_OK);
    }
}
