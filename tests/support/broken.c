#include "support/broken.h"

#include "base/error.h"
#include "cores/cores.h"
#include "ranks/rank.h"

#include <stdio.h>
#include <string.h>

/* Ranks may be threads. */
static _Thread_local opi_machine broken;
static _Thread_local const opi_machine *whole;
static _Thread_local size_t steps_left;

static oplus_status step(const char *call)
{
    if (steps_left-- > 0) return OPLUS_OK;
    steps_left = SIZE_MAX;
    return opi_fail(OPLUS_ERR_DEVICE, "%s: the device is broken", call);
}

static oplus_status run(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry)
{
    OPI_TRY(step(call));
    return whole->run(dev, call, task, carry);
}

static oplus_status summarise(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                              opi_ticket *ticket)
{
    OPI_TRY(step(call));
    return whole->summarise(dev, call, task, carry, ticket);
}

static oplus_status apply(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                          opi_ticket *ticket)
{
    OPI_TRY(step(call));
    return whole->apply(dev, call, task, carry, ticket);
}

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    OPI_TRY(step(call));
    return whole->alloc(dev, call, bytes, mem);
}

/* A device without such memory gives memory of the host. */
static oplus_status pinned_alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    OPI_TRY(step(call));
    if (whole->pinned_alloc) return whole->pinned_alloc(dev, call, bytes, mem);
    return opi_cores_machine.alloc(dev, call, bytes, mem);
}

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    OPI_TRY(step(call));
    return whole->copy(dev, call, dst, src, bytes);
}

void break_device(oplus_device *dev, size_t at)
{
    opi_rank_trim(dev); /* so that memory is requested again */
    whole = dev->machine;
    broken = *whole;
    broken.run = run;
    broken.summarise = summarise;
    broken.apply = apply;
    broken.alloc = alloc;
    broken.pinned_alloc = pinned_alloc;
    if (!broken.pinned_free) broken.pinned_free = opi_cores_machine.free;
    broken.copy = copy;
    broken.is_host = false;
    steps_left = at;
    dev->machine = &broken;
}

void mend_device(oplus_device *dev)
{
    opi_rank_trim(dev);
    dev->machine = whole;
}

bool break_each_step(oplus_device *dev, const oplus_comm *comm, rank_body body, const void *tried, size_t *step,
                     const void *whole, int bad, finding *f)
{
    const char *const words = comm->rank == bad ? "the device is broken" : "on rank";
    for (;; ++*step) {
        finding seen = {""};
        if (body(dev, comm, tried, &seen)) return true;
        if (strstr(seen.text, words) == NULL) {
            *f = seen;
            return false;
        }
        if (!body(dev, comm, whole, f)) return false;
    }
}

bool steps_were(size_t steps, size_t least, finding *f)
{
    if (steps >= least) return true;
    snprintf(f->text, sizeof f->text, "only %zu steps can break", steps);
    return false;
}
