/* Opening and closing devices, and their memory. */
#include "base/error.h"
#include "auto/auto.h"
#include "front/check.h"
#include "cores/cores.h"
#include "cores/count.h"
#include "gpus/gpus.h"
#include "ranks/rank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const choices =
    "\"serial\", \"threads\", \"threads:N\", \"openmp:N\", \"gpu\", \"cuda:N\", \"cuda:N-M\", \"opencl:N\" or \"auto\"";

/* --- which device a name means ------------------------------------------------------------------------------------ */

static bool is_named(const char *where, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(where, prefix, length) == 0 && (where[length] == '\0' || where[length] == ':');
}

/* Reads the number of threads in "threads:8" or "openmp:8"; without a number it is chosen. */
static oplus_status workers_of(const char *where, int *workers)
{
    const char *const colon = strchr(where, ':'), *const digits = colon ? colon + 1 : "";
    char *end;
    if (!colon) {
        *workers = opi_cores_count();
        return OPLUS_OK;
    }
    errno = 0;
    const long n = strtol(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || errno || n < 1 || n > OPI_MOST_THREADS)
        return opi_fail(OPLUS_ERR_ARGUMENT, "oplus_open: where is \"%s\"; the number of threads must be 1 to %d", where,
                        (int)OPI_MOST_THREADS);
    *workers = (int)n;
    return OPLUS_OK;
}

static oplus_status open_cores(const char *call, const char *where, oplus_device **dev)
{
    int workers = 1;
    opi_cores *cores;
    const bool openmp = is_named(where, "openmp");
    if (openmp || is_named(where, "threads"))
        OPI_TRY(workers_of(where, &workers));
    else if (strcmp(where, "serial") != 0)
        return opi_fail(OPLUS_ERR_DEVICE, "oplus_open: where is \"%s\", which is no device; use %s", where, choices);
    OPI_TRY(opi_cores_open(call, workers, &cores));
    const oplus_status status = openmp ? opi_cores_use_openmp(call, cores) : OPLUS_OK;
    if (status == OPLUS_OK)
        *dev = &cores->dev;
    else
        opi_cores_close(cores);
    return status;
}

enum { WHY_BYTES = 320 };

/* Says in words why a driver gives no GPU: it has nothing, or only processors, or a GPU that cannot be opened (failure:
 * why).  Returns whether it has a GPU that cannot be opened. */
static bool say_what_there_is(const opi_driver *driver, const char *failure, char there[WHY_BYTES])
{
    enum { MOST = 8 };
    opi_gpu_facts facts[MOST];
    char why[200] = "";
    const int all = driver->list(facts, MOST, why, sizeof why), listed = all < MOST ? all : MOST;
    bool other = false;
    size_t used = 0;
    for (int i = 0; i < listed; i++) other |= !facts[i].host_cores;
    for (int i = 0; i < listed && !other && used < WHY_BYTES; i++)
        used += (size_t)snprintf(there + used, WHY_BYTES - used, "; %s (%s) is none", facts[i].where, facts[i].name);
    const char *const words = other ? failure : why;
    if (other || listed < 1)
        snprintf(there, WHY_BYTES, "; %s: %.*s", driver->name, opi_cut(words, WHY_BYTES - 16), words);
    return other;
}

/* Opens the first GPU of CUDA, or else of OpenCL. */
static oplus_status open_gpu(const char *call, oplus_device **dev)
{
    static const struct {
        const char *where;
        const opi_driver *driver;
    } places[] = {{"cuda", &opi_cuda}, {"opencl:gpu", &opi_opencl}};
    enum { PLACES = sizeof places / sizeof *places };
    char there[PLACES][WHY_BYTES] = {"", ""};
    bool any = false;
    for (size_t i = 0; i < PLACES; i++) {
        bool known;
        char failure[WHY_BYTES];
        const oplus_status status = opi_gpu_open(call, places[i].where, NULL, dev, &known);
        if (status != OPLUS_ERR_DEVICE) return status;
        const char *const said = opi_last_error(), *const behind_call = strstr(said, ": ");
        snprintf(failure, sizeof failure, "%s", behind_call ? behind_call + 2 : said);
        any |= say_what_there_is(places[i].driver, failure, there[i]);
    }
    return opi_fail(OPLUS_ERR_DEVICE, "%s: where is \"gpu\", but %s%.*s%.*s; or use \"threads\"", call,
                    any ? "none opens" : "there is no GPU", opi_cut(there[0], WHY_BYTES - 1), there[0],
                    opi_cut(there[1], WHY_BYTES - 1), there[1]);
}

static oplus_status open_as(const char *call, const char *where, void *queue, oplus_device **dev)
{
    bool known;
    OPI_TRY(opi_gpus_open(call, where, queue, dev, &known));
    if (known) return OPLUS_OK;
    OPI_TRY(opi_gpu_open(call, where, queue, dev, &known));
    if (known) return OPLUS_OK;
    if (!queue && strcmp(where, "gpu") == 0) return open_gpu(call, dev);
    if (!queue && strcmp(where, "auto") == 0) return opi_auto_open(call, opi_cores_count(), dev);
    if (queue)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: where is \"%s\", which has no queues; give \"cuda\" and a CUstream, or \"opencl\" and a "
                        "cl_command_queue",
                        call, where);
    return open_cores(call, where, dev);
}

static oplus_status open_device(const char *call, const char *where, void *queue, oplus_device **dev)
{
    if (!dev) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: dev is NULL; give the address of an oplus_device *", call);
    *dev = NULL;
    return open_as(call, where ? where : "auto", queue, dev);
}

oplus_status oplus_open(const char *where, oplus_device **dev)
{
    OPI_OWN_MODE;
    return open_device(__func__, where, NULL, dev);
}

oplus_status oplus_open_on(const char *where, void *queue, oplus_device **dev)
{
    OPI_OWN_MODE;
    if (queue && where) return open_device(__func__, where, queue, dev);
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s is NULL; give \"cuda\" and a CUstream, or \"opencl\" and a cl_command_queue", __func__,
                    where ? "queue" : "where");
}

void oplus_close(oplus_device *dev)
{
    OPI_OWN_MODE;
    if (!dev) return;
    opi_rank_close(dev);
    dev->machine->close(dev);
}

const char *oplus_device_name(const oplus_device *dev) { return dev ? dev->name : "NULL"; }

oplus_status oplus_sync(oplus_device *dev)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    return dev->machine->sync(dev, __func__);
}

oplus_status oplus_trim(oplus_device *dev)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    opi_rank_trim(dev);
    dev->machine->trim(dev);
    return OPLUS_OK;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

oplus_status oplus_alloc(oplus_device *dev, size_t bytes, void **mem)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    if (!mem) return opi_fail(OPLUS_ERR_ARGUMENT, "oplus_alloc: mem is NULL; give the address of a pointer");
    *mem = NULL;
    return bytes ? dev->machine->alloc(dev, __func__, bytes, mem) : OPLUS_OK;
}

void oplus_free(oplus_device *dev, void *mem)
{
    OPI_OWN_MODE;
    if (mem) (dev ? dev->machine : &opi_cores_machine)->free(dev, mem);
}

oplus_status oplus_wrap(oplus_device *dev, void *native, size_t bytes, void **mem)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    if (!native || !mem || bytes == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s; give a cl_mem or CUdeviceptr, its bytes, and the address of a pointer", __func__,
                        !native ? "native is NULL"
                        : !mem  ? "mem is NULL"
                                : "bytes is 0");
    *mem = NULL;
    if (dev->machine->wrap) return dev->machine->wrap(dev, __func__, native, bytes, mem);
    return opi_fail(OPLUS_ERR_UNSUPPORTED,
                    "%s: %s has no memory of its own; open \"cuda\" or \"opencl\", or use host memory as it is",
                    __func__, dev->name);
}

oplus_status oplus_copy(oplus_device *dev, void *dst, const void *src, size_t bytes)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    if (bytes && (!dst || !src))
        return opi_fail(OPLUS_ERR_ARGUMENT, "oplus_copy: %s is NULL; give memory of %zu bytes", dst ? "src" : "dst",
                        bytes);
    OPI_TRY(opi_check_overlap(__func__, "src", src, bytes, "dst", dst, bytes, true));
    return bytes ? dev->machine->copy(dev, __func__, dst, src, bytes) : OPLUS_OK;
}
