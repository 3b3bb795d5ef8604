/* Opening several accelerators as one device: "cuda:0-3", "cuda:0,2", "cuda:*". */
#include "base/error.h"
#include "gpus/gpus.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which accelerators a name means ------------------------------------------------------------------------------ */

typedef struct chosen {
    const opi_driver *driver;
    unsigned count;
    int number[OPI_MOST_WORKERS];
} chosen;

/* What follows "cuda:" in the name of several; NULL: it is not such a name. */
static const char *list_in(const char *where, const opi_driver **driver)
{
    for (size_t i = 0; opi_drivers[i]; i++) {
        const size_t length = strlen(opi_drivers[i]->name);
        if (strncmp(where, opi_drivers[i]->name, length) != 0 || where[length] != ':') continue;
        *driver = opi_drivers[i];
        return opi_drivers[i]->deal && strpbrk(where + length, "-,*") ? where + length + 1 : NULL;
    }
    return NULL;
}

static oplus_status add(const char *call, const char *where, chosen *all, long number)
{
    if (all->count == OPI_MOST_WORKERS)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: where is \"%.*s\", which are more than %d devices; name fewer", call,
                        opi_cut(where, 60), where, (int)OPI_MOST_WORKERS);
    all->number[all->count++] = (int)number;
    return OPLUS_OK;
}

static oplus_status refuse(const char *call, const char *where)
{
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: where is \"%.*s\", which names no devices; write \"cuda:0-3\", \"cuda:0,2\", or \"cuda:*\" for all", call,
        opi_cut(where, 60), where);
}

/* Reads a number; false: there is none. */
static bool read_number(const char **at, long *number)
{
    char *end;
    if (**at < '0' || **at > '9') return false;
    *number = strtol(*at, &end, 10);
    if (*number > INT_MAX) *number = INT_MAX;
    *at = end;
    return true;
}

/* Reads "0-3,5": ranges and numbers. */
static oplus_status read_list(const char *call, const char *where, const char *list, chosen *all)
{
    for (const char *at = list;; at++) {
        long first, last;
        if (!read_number(&at, &first)) return refuse(call, where);
        last = first;
        if (*at == '-') {
            at++;
            if (!read_number(&at, &last) || last < first) return refuse(call, where);
        }
        for (long number = first; number <= last; number++) OPI_TRY(add(call, where, all, number));
        if (*at == '\0') return OPLUS_OK;
        if (*at != ',') return refuse(call, where);
    }
}

/* All that there are; if there are none, the first, which then says why. */
static oplus_status list_all(const char *call, const char *where, chosen *all)
{
    char why[256] = "";
    const int found = all->driver->list(NULL, 0, why, sizeof why);
    for (int i = 0; i < (found > 0 ? found : 1); i++) OPI_TRY(add(call, where, all, i));
    return OPLUS_OK;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static oplus_status open_worker(const char *call, const chosen *all, unsigned w, oplus_device **dev)
{
    char name[32];
    bool known;
    snprintf(name, sizeof name, "%s:%d", all->driver->name, all->number[w]);
    return opi_gpu_open(call, name, NULL, dev, &known);
}

/* Lets every worker use the memory of every other one. */
static oplus_status link_all(const opi_gpus *g, const char *call)
{
    for (unsigned w = 0; w < g->count; w++) {
        opi_gpu *const gpu = opi_gpu_driver_of(g->worker[w]);
        oplus_status status = OPLUS_OK;
        OPI_TRY(opi_enter(gpu, call));
        for (unsigned other = 0; other < g->count && status == OPLUS_OK; other++)
            status = gpu->driver->reach(gpu, call, opi_gpu_driver_of(g->worker[other]));
        OPI_TRY(opi_leave(gpu, call, status));
    }
    return OPLUS_OK;
}

/* The page must suit all workers, and is a power of 2. */
static oplus_status find_page(opi_gpus *g, const char *call)
{
    g->page = (size_t)2 << 20;
    for (unsigned w = 0; w < g->count; w++) {
        opi_gpu *const gpu = opi_gpu_driver_of(g->worker[w]);
        size_t page = 0;
        OPI_TRY(opi_enter(gpu, call));
        OPI_TRY(opi_leave(gpu, call, gpu->driver->page(gpu, call, &page)));
        while (g->page < page) g->page *= 2;
    }
    return OPLUS_OK;
}

static void count_up(opi_gpus *g, const chosen *all)
{
    for (unsigned w = 0; w < g->count; w++) {
        unsigned same = 0;
        for (unsigned other = 0; other < g->count; other++) same += all->number[other] == all->number[w];
        if (same > g->share) g->share = same;
        g->memory += opi_gpu_driver_of(g->worker[w])->facts.memory / same;
    }
}

static oplus_status open_all(opi_gpus *g, const char *call, const chosen *all)
{
    for (unsigned w = 0; w < all->count; w++) {
        OPI_TRY(open_worker(call, all, w, &g->worker[w]));
        g->count++;
    }
    OPI_TRY(link_all(g, call));
    OPI_TRY(find_page(g, call));
    count_up(g, all);
    return OPLUS_OK;
}

static oplus_status open_together(const char *call, const char *where, const chosen *all, oplus_device **dev)
{
    opi_gpus *const g = calloc(1, sizeof *g);
    if (!g) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device (%zu bytes)", call, sizeof *g);
    const oplus_status status = open_all(g, call, all);
    if (status != OPLUS_OK) {
        char words[OPI_FAILURE_BYTES];
        snprintf(words, sizeof words, "%s", opi_last_error());
        for (unsigned w = 0; w < g->count; w++) g->worker[w]->machine->close(g->worker[w]);
        free(g);
        return opi_fail(status, "%s", words);
    }
    const opi_gpu *const gpu = opi_gpu_driver_of(g->worker[0]);
    assert(gpu && g->worker[0]);
    g->dev.machine = &opi_gpus_machine;
    g->dev.cores = g->worker[0]->cores;
    snprintf(g->dev.name, sizeof g->dev.name, "%.*s %u x %s", opi_cut(where, 40), where, g->count, gpu->facts.name);
    opi_ways_read(&g->wanted);
    *dev = &g->dev;
    return OPLUS_OK;
}

oplus_status opi_gpus_open(const char *call, const char *where, void *queue, oplus_device **dev, bool *known)
{
    chosen all = {.count = 0};
    const char *const list = list_in(where, &all.driver);
    *known = list != NULL;
    if (!list) return OPLUS_OK;
    if (queue)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: where is \"%.*s\", but a queue belongs to one device; name that device, or open several with "
            "oplus_open",
            call, opi_cut(where, 60), where);
    OPI_TRY(strcmp(list, "*") == 0 ? list_all(call, where, &all) : read_list(call, where, list, &all));
    return all.count == 1 ? open_worker(call, &all, 0, dev) : open_together(call, where, &all, dev);
}

opi_gpu *opi_gpus_driver_of(oplus_device *dev)
{
    return opi_gpu_driver_of(dev->machine == &opi_gpus_machine ? ((opi_gpus *)dev)->worker[0] : dev);
}
