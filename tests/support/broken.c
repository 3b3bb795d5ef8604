#include "support/broken.h"

#include "base/error.h"
#include "cores/device.h"

#include <stdio.h>
#include <string.h>

/* Ranks may be threads. */
static _Thread_local opi_tree broken;
static _Thread_local const opi_tree *whole;
static _Thread_local size_t steps_left;

static oplus_status step(const char *call)
{
    if (steps_left-- > 0) return OPLUS_OK;
    steps_left = SIZE_MAX;
    return opi_fail(OPLUS_ERR_DEVICE, "%s: the device is broken", call);
}

static oplus_status run(oplus_device *dev, const char *call, const opi_sweep *sweep, void *carry)
{
    OPI_TRY(step(call));
    return whole->run(dev, call, sweep, carry);
}

static oplus_status transpose(oplus_device *dev, const char *call, size_t size, const void *in, size_t rows,
                              size_t cols, void *out)
{
    OPI_TRY(step(call));
    return whole->transpose(dev, call, size, in, rows, cols, out);
}

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    OPI_TRY(step(call));
    return whole->alloc(dev, call, bytes, mem);
}

/* Where a device has none, the memory of the host. */
static oplus_status pinned_alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    OPI_TRY(step(call));
    return whole->pinned_alloc ? whole->pinned_alloc(dev, call, bytes, mem) : opi_cores.alloc(dev, call, bytes, mem);
}

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    OPI_TRY(step(call));
    return whole->copy(dev, call, dst, src, bytes);
}

void break_device(oplus_device *dev, size_t at)
{
    opi_kept_release(dev); /* so that memory is asked for anew */
    whole = dev->tree;
    broken = *whole;
    broken.run = run;
    if (broken.transpose) broken.transpose = transpose;
    broken.alloc = alloc;
    broken.pinned_alloc = pinned_alloc;
    if (!broken.pinned_free) broken.pinned_free = opi_cores.free;
    broken.copy = copy;
    steps_left = at;
    dev->tree = &broken;
}

void mend_device(oplus_device *dev)
{
    opi_kept_release(dev);
    dev->tree = whole;
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
