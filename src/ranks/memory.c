/* Where arrays of a call lie, and memory for its own, which stays in the device for the next call: fresh pages cost as
 * much as writing them does. */
#include "ranks/ranks.h"

#include "base/error.h"

#include <assert.h>

oplus_status opi_ranks_home(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, oplus_device **home)
{
    const opi_tree *const tree = ranks->dev->tree;
    *home = NULL;
    if (!tree->look || !p || bytes == 0) return OPLUS_OK;
    return tree->look(ranks->dev, ranks->call, argument, p, bytes, home);
}

oplus_status opi_ranks_look(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, bool *device)
{
    oplus_device *home;
    OPI_TRY(opi_ranks_home(ranks, argument, p, bytes, &home));
    *device = home != NULL;
    return OPLUS_OK;
}

/* --- memory that the device keeps --------------------------------------------------------------------------------- */

static oplus_status make(oplus_device *dev, const char *call, opi_kept *kept, size_t bytes)
{
    const opi_tree *const tree = dev->tree;
    switch (kept->kind) {
    case OPI_MEMORY_PINNED:
        OPI_TRY(tree->pinned_alloc(dev, call, bytes, &kept->mem));
        break;
    case OPI_MEMORY_DEVICE:
        OPI_TRY(tree->alloc(dev, call, bytes, &kept->mem));
        break;
    case OPI_MEMORY_HOST:
        OPI_TRY(opi_cores.alloc(dev, call, bytes, &kept->mem));
        break;
    }
    kept->bytes = bytes;
    return OPLUS_OK;
}

static void release(oplus_device *dev, opi_kept *kept)
{
    if (!kept->mem) return;
    switch (kept->kind) {
    case OPI_MEMORY_PINNED:
        dev->tree->pinned_free(dev, kept->mem);
        break;
    case OPI_MEMORY_DEVICE:
        dev->tree->free(dev, kept->mem);
        break;
    case OPI_MEMORY_HOST:
        opi_cores.free(dev, kept->mem);
        break;
    }
    *kept = (opi_kept){.mem = NULL};
}

void opi_kept_release(oplus_device *dev)
{
    for (int i = 0; i < OPI_KEPT; i++)
        if (!dev->kept[i].lent) release(dev, &dev->kept[i]);
}

/* The smallest of that kind that is large enough; else one to be made anew: an empty place, or the largest of that
 * kind, or any. */
static opi_kept *choose(oplus_device *dev, opi_kind_of_memory kind, size_t bytes)
{
    opi_kept *fits = NULL, *other = NULL;
    int rank_of_other = -1;
    for (int i = 0; i < OPI_KEPT; i++) {
        opi_kept *const k = &dev->kept[i];
        if (k->lent) continue;
        const bool same = k->mem && k->kind == kind;
        if (same && k->bytes >= bytes && (!fits || k->bytes < fits->bytes)) fits = k;
        const int rank = same ? 2 : !k->mem ? 1 : 0; /* what grows leaves no small one behind */
        if (rank > rank_of_other) {
            other = k;
            rank_of_other = rank;
        }
    }
    return fits ? fits : other;
}

oplus_status opi_ranks_alloc(opi_ranks *ranks, bool device, size_t bytes, void **mem)
{
    oplus_device *const dev = ranks->dev;
    const opi_kind_of_memory kind = device                    ? OPI_MEMORY_DEVICE
                                    : dev->tree->pinned_alloc ? OPI_MEMORY_PINNED
                                                              : OPI_MEMORY_HOST;
    *mem = NULL;
    if (bytes == 0) return OPLUS_OK;
    opi_kept *const kept = choose(dev, kind, bytes);
    assert(kept);
    if (!kept->mem || kept->kind != kind || kept->bytes < bytes) {
        release(dev, kept);
        kept->kind = kind;
        OPI_TRY(make(dev, ranks->call, kept, bytes));
    }
    kept->lent = true;
    *mem = kept->mem;
    return OPLUS_OK;
}

void opi_ranks_return(opi_ranks *ranks)
{
    if (!ranks->dev) return;
    for (int i = 0; i < OPI_KEPT; i++) ranks->dev->kept[i].lent = false;
}
