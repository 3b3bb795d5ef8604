/* Opening and closing devices, and their memory. */
#include "base/error.h"
#include "front/check.h"
#include "tree/sweep.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 4096 };

static const char *const choices = "\"serial\", \"threads\", \"threads:N\" or \"auto\"";

const char *oplus_version(void)
{
#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
    return TEXT(OPLUS_VERSION_MAJOR) "." TEXT(OPLUS_VERSION_MINOR) "." TEXT(OPLUS_VERSION_PATCH);
}

/* --- which device a name means ------------------------------------------------------------------------------------ */

static bool is_named(const char *where, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(where, prefix, length) == 0 && (where[length] == '\0' || where[length] == ':');
}

/* The number of threads that `where` asks for; 1 is the serial tree. */
static oplus_status workers_of(const char *where, int *workers)
{
    if (strcmp(where, "serial") == 0) {
        *workers = 1;
        return OPLUS_OK;
    }
    if (strcmp(where, "threads") == 0 || strcmp(where, "auto") == 0) {
        *workers = omp_get_max_threads();
        if (*workers > MOST_THREADS) *workers = MOST_THREADS;
        return OPLUS_OK;
    }
    if (is_named(where, "threads")) {
        const char *const digits = where + strlen("threads:");
        char *end;
        errno = 0;
        const long n = strtol(digits, &end, 10);
        if (*digits < '0' || *digits > '9' || *end || errno || n < 1 || n > MOST_THREADS)
            return opi_fail(OPLUS_ERR_ARGUMENT, "oplus_open: where is \"%s\"; the number of threads must be 1 to %d",
                            where, (int)MOST_THREADS);
        *workers = (int)n;
        return OPLUS_OK;
    }
    if (is_named(where, "cuda") || is_named(where, "opencl"))
        return opi_fail(OPLUS_ERR_DEVICE,
                        "oplus_open: where is \"%s\", but this version of oplus has no such devices; use %s", where,
                        choices);
    return opi_fail(OPLUS_ERR_DEVICE, "oplus_open: where is \"%s\", which is no device; use %s", where, choices);
}

oplus_status oplus_open(const char *where, oplus_device **dev)
{
    int workers = 1;
    if (!dev) return opi_fail(OPLUS_ERR_ARGUMENT, "oplus_open: dev is NULL; give the address of an oplus_device *");
    *dev = NULL;
    OPI_TRY(workers_of(where ? where : "auto", &workers));
    const opi_isa *isa;
    OPI_TRY(opi_isa_choose(__func__, &isa));

    oplus_device *const opened = calloc(1, sizeof *opened);
    if (!opened)
        return opi_fail(OPLUS_ERR_MEMORY, "oplus_open: no memory for a device handle (%zu bytes)", sizeof *opened);
    opened->workers = workers;
    opened->isa = isa;
    if (workers == 1) {
        opened->sweep = opi_serial_sweep;
        snprintf(opened->name, sizeof opened->name, "serial %s", isa->name);
    } else {
        opened->sweep = opi_threads_sweep;
        snprintf(opened->name, sizeof opened->name, "threads:%d %s", workers, isa->name);
    }
    *dev = opened;
    return OPLUS_OK;
}

void oplus_close(oplus_device *dev)
{
    if (!dev) return;
    opi_buffer_release(&dev->workspace);
    opi_buffer_release(&dev->carry);
    opi_buffer_release(&dev->array);
    free(dev);
}

const char *oplus_device_name(const oplus_device *dev) { return dev ? dev->name : "NULL"; }

oplus_status oplus_sync(oplus_device *dev)
{
    return opi_check_device(__func__, dev); /* cores are done when a call returns */
}

oplus_status oplus_trim(oplus_device *dev)
{
    OPI_TRY(opi_check_device(__func__, dev));
    opi_buffer_release(&dev->workspace);
    opi_buffer_release(&dev->carry);
    opi_buffer_release(&dev->array);
    return OPLUS_OK;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

oplus_status oplus_alloc(oplus_device *dev, size_t bytes, void **mem)
{
    OPI_TRY(opi_check_device(__func__, dev));
    if (!mem) return opi_fail(OPLUS_ERR_ARGUMENT, "oplus_alloc: mem is NULL; give the address of a pointer");
    *mem = bytes ? opi_alloc(bytes) : NULL;
    if (bytes && !*mem)
        return opi_fail(OPLUS_ERR_MEMORY, "oplus_alloc: no memory for %zu bytes; free some or ask for less", bytes);
    return OPLUS_OK;
}

void oplus_free(oplus_device *dev, void *mem)
{
    (void)dev;
    opi_free(mem);
}

oplus_status oplus_copy(oplus_device *dev, void *dst, const void *src, size_t bytes)
{
    OPI_TRY(opi_check_device(__func__, dev));
    if (bytes && (!dst || !src))
        return opi_fail(OPLUS_ERR_ARGUMENT, "oplus_copy: %s is NULL; give memory of %zu bytes", dst ? "src" : "dst",
                        bytes);
    OPI_TRY(opi_check_overlap(__func__, "src", src, bytes, "dst", dst, bytes, true));
    if (bytes && dst != src) memcpy(dst, src, bytes);
    return OPLUS_OK;
}
