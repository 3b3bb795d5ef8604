/* Where arrays of a call lie, and memory for its own. */
#include "tree/ranks/ranks.h"

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

oplus_status opi_ranks_alloc(opi_ranks *ranks, bool device, size_t bytes, void **mem)
{
    const opi_tree *const tree = ranks->dev->tree, *const host = &opi_cores;
    const bool pinned = !device && tree->pinned_alloc;
    *mem = NULL;
    if (bytes == 0) return OPLUS_OK;
    assert(ranks->memories < OPI_RANKS_MEMORIES);
    if (pinned)
        OPI_TRY(tree->pinned_alloc(ranks->dev, ranks->call, bytes, mem));
    else
        OPI_TRY((device ? tree : host)->alloc(ranks->dev, ranks->call, bytes, mem));
    ranks->memory[ranks->memories++] = (opi_ranks_mem){*mem, pinned ? tree->pinned_free : (device ? tree : host)->free};
    return OPLUS_OK;
}
