/* The processor of the host: one thread or several, and the host's memory. */
#include "base/error.h"
#include "cores/run.h"

#include <string.h>

static oplus_status run(oplus_device *dev, const char *call, const opi_sweep *sweep, void *carry)
{
    if (!carry && sweep->finish) {
        if (!opi_buffer_reserve(&dev->carry, sweep->carry_bytes))
            return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", call, sweep->carry_bytes);
        carry = dev->carry.mem;
        sweep->start(sweep, 0, carry);
    }
    oplus_status status = OPLUS_OK;
    if (sweep->meeting)
        status = opi_meeting_sweep(dev, sweep, carry);
    else
        status = dev->workers == 1 ? opi_serial_sweep(dev, sweep, carry) : opi_threads_sweep(dev, sweep, carry);
    if (status == OPLUS_OK && sweep->finish) sweep->finish(sweep, carry, sweep->result);
    return status;
}

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    (void)dev;
    *mem = opi_alloc(bytes);
    if (*mem) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes; free some or ask for less", call, bytes);
}

static void release(oplus_device *dev, void *mem)
{
    (void)dev;
    opi_free(mem);
}

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    (void)dev;
    (void)call;
    if (dst != src) memcpy(dst, src, bytes);
    return OPLUS_OK;
}

static oplus_status sync(oplus_device *dev, const char *call)
{
    (void)dev;
    (void)call;
    return OPLUS_OK; /* cores are done when a call returns */
}

static void trim(oplus_device *dev) { (void)dev; }

const opi_tree opi_cores = {
    .run = run, .alloc = alloc, .free = release, .copy = copy, .sync = sync, .trim = trim, .close = trim};
