#include "gpus/order.h"

#include "base/error.h"

#include <stdio.h>

/* --- waiting on the devices --------------------------------------------------------------------------------------- */

/* Of each worker, what it has been given so far; NULL: nobody waits for it. */
typedef struct marks {
    void *of[OPI_MOST_WORKERS];
} marks;

static oplus_status mark_one(opi_gpu *gpu, const char *call, void **mark)
{
    OPI_INSIDE(gpu, call, gpu->driver->mark(gpu, call, OPI_QUEUE_COMPUTE, mark));
}

/* Makes the later work of worker w wait for the marks of all others. */
static oplus_status follow(const opi_gpus *g, const char *call, unsigned w, const marks *m)
{
    opi_gpu *const later = opi_gpu_driver_of(g->worker[w]);
    OPI_TRY(opi_enter(later, call));
    oplus_status status = OPLUS_OK;
    for (unsigned k = 0; k < g->count && status == OPLUS_OK; k++)
        if (k != w && m->of[k]) status = later->driver->after(later, call, OPI_QUEUE_COMPUTE, m->of[k]);
    return opi_leave(later, call, status);
}

/* Makes the later work of the workers in `set` wait for all work of the busy ones so far.  Each device is entered once to mark
 * and once to wait. */
static oplus_status wait_for_all(opi_gpus *g, const char *call, unsigned set)
{
    marks m = {{NULL}};
    oplus_status status = OPLUS_OK;
    bool any = false;
    for (unsigned w = 0; w < g->count && status == OPLUS_OK; w++) {
        opi_gpu *const gpu = opi_gpu_driver_of(g->worker[w]);
        const unsigned only = opi_gpus_only(w);
        if (!gpu || !(g->busy & only) || !(set & ~only)) continue;
        status = mark_one(gpu, call, &m.of[w]);
        any = true;
    }
    for (unsigned w = 0; any && w < g->count && status == OPLUS_OK; w++)
        if (set & opi_gpus_only(w) && opi_gpu_driver_of(g->worker[w])) status = follow(g, call, w, &m);
    for (unsigned w = 0; w < g->count; w++)
        if (m.of[w]) opi_gpu_driver_of(g->worker[w])->driver->drop(opi_gpu_driver_of(g->worker[w]), m.of[w]);
    return status;
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

void opi_gpus_all_are_busy(opi_gpus *g)
{
    g->busy = opi_gpus_everyone(g);
    g->joined = false;
}

oplus_status opi_gpus_begin_all(opi_gpus *g, const char *call)
{
    opi_gpus_all_are_busy(g);
    return opi_gpus_begin(g, call, g->busy);
}

oplus_status opi_gpus_join(opi_gpus *g, const char *call)
{
    if (g->joined) return OPLUS_OK;
    OPI_TRY(wait_for_all(g, call, g->busy));
    g->joined = true;
    return OPLUS_OK;
}

oplus_status opi_gpus_gather(opi_gpus *g, const char *call, unsigned worker)
{
    OPI_TRY(wait_for_all(g, call, opi_gpus_only(worker)));
    g->busy = opi_gpus_only(worker);
    g->joined = false;
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
